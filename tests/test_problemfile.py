"""Problem files: what is read, and for every bad file the exact line."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certify.errors import InputError
from certify.formats.exact import Spelled, rational
from certify.formats.places import JsonPlaces, TomlPlaces
from certify.problem import Known, SolveOptions, families
from certify.problemfile import ProblemFile, load, read

HEAD = 'family = "embedding"\n'
GOOD = HEAD + "[metric]\nedges = [[1, 2]]\n"


def said(path: Path) -> list[str]:
    with pytest.raises(InputError) as caught:
        read(path)
    return [line.replace(f"{path.parent}/", "") for line in caught.value.lines()]


def refused(folder: Path, content: str | bytes, name: str = "p.toml") -> list[str]:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return said(path)


def accepted(folder: Path, content: str | bytes, name: str = "p.toml") -> ProblemFile:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read(path)


# --- good files ---------------------------------------------------------------------------------------


def test_everything(tmp_path: Path) -> None:
    file = accepted(
        tmp_path,
        HEAD
        + """title = "Two points"
source = "nobody"
[metric]
distances = [[0, 0.1], ["1/10", 0]]
[solve]
gap = 1e-4
abs_gap = "1/3"
time_limit = 2.5
solver = "scs"
seed = 7
[known]
value = 4.30
relation = "<="
quantity = "distortion"
source = "a book"
""",
    )
    assert file.folder == tmp_path
    assert file.data.metric.distances == ((0, Fraction(1, 10)), (Fraction(1, 10), 0))
    assert file.about.title == "Two points"
    assert file.about.source == "nobody"
    assert file.about.known == Known("4.30", "<=", "distortion", "a book")
    assert file.about.solve == SolveOptions(Fraction(1, 10000), Fraction(1, 3), 2.5, "scs", 7)
    assert file.where("metric", "distances", 1, 0).endswith("p.toml:5:25: metric.distances.1.0")
    assert file.where("metric", "nothing").endswith("p.toml:4:1: metric.nothing")
    assert str(file.fault(("solve", "gap"), "too small", "larger")).endswith("p.toml:7:1: solve.gap: too small; larger")


def test_json_is_the_same(tmp_path: Path) -> None:
    text = '{"family": "embedding", "metric": {"distances": [[0, 0.1], ["1/10", 0]]}, "known": {"value": 1.50}}'
    for name in ("p.json", "p", "p.txt"):
        file = accepted(tmp_path, text, name)
        assert file.data.metric.distances[0][1] == Fraction(1, 10)
        assert file.about.known == Known("1.50")
        assert file.where("metric", "distances", 1, 0).endswith(f"{name}:1:61: metric.distances.1.0")


def test_load_gives_the_problem(tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(GOOD)
    assert load(str(tmp_path / "p.toml")).family.name == "embedding"


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(GOOD.encode())))
    file = read("-")
    assert file.folder == Path()
    assert file.where("metric") == "<stdin>:2:1: metric"


def test_byte_order_mark_and_windows_lines(tmp_path: Path) -> None:
    file = accepted(tmp_path, b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    assert file.where("metric", "edges", 0).endswith(":3:10: metric.edges.0")


@given(st.decimals(allow_nan=False, allow_infinity=False))
def test_a_decimal_is_the_rational_it_spells(number: object) -> None:
    assert rational(str(number)) == Fraction(str(number))


@settings(deadline=None)  # files
@given(st.fractions(), st.sampled_from(["toml", "json"]))
def test_fractions_as_text(tmp_path_factory: pytest.TempPathFactory, number: Fraction, suffix: str) -> None:
    path = tmp_path_factory.getbasetemp() / f"fraction.{suffix}"
    metric = {"points": [[f"{number.numerator}/{number.denominator}"]]}
    toml = f'{HEAD}[metric]\npoints = [["{number.numerator}/{number.denominator}"]]'
    path.write_text(toml if suffix == "toml" else json.dumps({"family": "embedding", "metric": metric}))
    assert read(path).data.metric.points == ((number,),)


@settings(deadline=None)  # files
@given(
    st.from_regex(r"[+-]?(0|[1-9][0-9]{0,30})\.[0-9]{1,30}(e[+-]?[0-9]{1,2})?", fullmatch=True),
    st.sampled_from(["toml", "json"]),
)
def test_decimals_in_files(tmp_path_factory: pytest.TempPathFactory, spelled: str, suffix: str) -> None:
    spelled = spelled.removeprefix("+") if suffix == "json" else spelled
    path = tmp_path_factory.getbasetemp() / f"decimal.{suffix}"
    toml = f"{HEAD}[metric]\npoints = [[{spelled}]]\n[known]\nvalue = {spelled}\n"
    text = f'{{"family": "embedding", "metric": {{"points": [[{spelled}]]}}, "known": {{"value": {spelled}}}}}'
    path.write_text(toml if suffix == "toml" else text)
    file = read(path)
    assert file.data.metric.points == ((Fraction(spelled),),)
    assert file.about.known == Known(spelled)


# --- bad files ----------------------------------------------------------------------------------------

CHOICE = "points, distances, squared_distances, graph, edges, generator, csv or npy"
KEYS = "family, title, source, solve, known, metric"
NUMBER = 'write a number or "p/q"'
WANTED = "it should be a problem file: TOML, or JSON (`certify init FAMILY` writes one to start from)"

EVERY = ", ".join(families())
BAD_TOML = [
    ("", [f"p.toml: is empty; {WANTED}"]),
    (" \n\n", [f"p.toml: is empty; {WANTED}"]),
    (b"\xff\xfea\x00", ["p.toml: is UTF-16; save it as UTF-8"]),
    (b"a\n\x00b", [f"p.toml:2: is a binary file; {WANTED}"]),
    (b"\x1f\x8b\x08", [f"p.toml: is a gzip file; {WANTED}"]),
    (b"a = 1\n# caf\xe9", ["p.toml:2: byte 0xe9 is not UTF-8; save the file as UTF-8"]),
    (b"\xef\xbb\xbf# \xe9", ["p.toml:1: byte 0xe9 is not UTF-8; save the file as UTF-8"]),
    ("# nothing", ['p.toml: family: missing; write family = "…" in the first line; families: ' + EVERY]),
    ("family = 3", [f"p.toml:1:1: family: 3 is not the name of a family; families: {EVERY}"]),
    ('\nfamily = "embeding"', ["p.toml:2:1: family: no family is called 'embeding'; did you mean embedding?"]),
    ('family = "x"', [f"p.toml:1:1: family: no family is called 'x'; families: {EVERY}"]),
    (HEAD, ["p.toml: metric: missing; add [metric]"]),
    (HEAD + "[metric]", [f"p.toml:2:1: metric: there is no metric in it; give exactly one of {CHOICE}"]),
    (HEAD + "metric = 3", ["p.toml:2:1: metric: 3 stands where a table should; write a table"]),
    (GOOD + "normm = 1", ["p.toml:4:1: metric.normm: unknown key; did you mean norm?"]),
    (GOOD + "zzz = 1", ["p.toml:4:1: metric.zzz: unknown key; keys here: points, norm, distances, squared_distances, "
                        "csv, npy, kind, columns, graph, format, edges, generator, length, merge_duplicates, labels"]),
    (GOOD + "gap = 1", ["p.toml:4:1: metric.gap: unknown key; it belongs into [solve]"]),
    (GOOD + 'title = "x"', ["p.toml:4:1: metric.title: unknown key; it belongs above the first [section]"]),
    ("zzz = 1\n" + GOOD, [f"p.toml:1:1: zzz: unknown key; keys here: {KEYS}"]),
    ("norm = 1\n" + GOOD, ["p.toml:1:1: norm: unknown key; it belongs into [metric]"]),
    ("title = 3\n" + GOOD, ["p.toml:1:1: title: 3 stands where text in quotes should; write text in quotes"]),
    ("title = 1.5\n" + GOOD, ["p.toml:1:1: title: 1.5 stands where text in quotes should; write text in quotes"]),
    (GOOD + 'norm = "l1"', ["p.toml:4:1: metric.norm: has no meaning with edges; leave it out: it goes with points"]),
    (GOOD + "points = [[1]]",
     [f"p.toml:3:1: metric.edges: the metric is already given by points; keep exactly one of {CHOICE}"]),
    (GOOD + "merge_duplicates = 1",
     ["p.toml:4:1: metric.merge_duplicates: 1 stands where true or false should; write true or false"]),
    (HEAD + '[metric]\npoints = [[1]]\nnorm = "l3"',
     ["p.toml:4:1: metric.norm: 'l3' is not one of the choices; one of 'l2', 'l1' or 'linf'"]),
    (HEAD + "[metric]\npoints = [[nan, inf, -inf], true, [[1], true, 1979-05-27]]", [
        f"p.toml:3:12: metric.points.0.0: NaN is not a number; {NUMBER}",
        f"p.toml:3:17: metric.points.0.1: inf is not finite; {NUMBER}",
        f"p.toml:3:22: metric.points.0.2: -inf is not finite; {NUMBER}",
        "p.toml:3:29: metric.points.1: true stands where a list should; write a list",
        f"p.toml:3:36: metric.points.2.0: a list of 1 is not a number; {NUMBER}",
        f"p.toml:3:41: metric.points.2.1: true is not a number; {NUMBER}",
        f"p.toml:3:47: metric.points.2.2: 1979-05-27 is not a number; {NUMBER}",
    ]),
    (HEAD + '[metric]\n# é\npoints = [["é", "1/0", "1/2/3"],\n  # more\n  ["", "1,5", 1e99999], ["1e-5000", "0x10"]]', [
        f"p.toml:4:12: metric.points.0.0: 'é' is not a number; {NUMBER}",
        f"p.toml:4:17: metric.points.0.1: '1/0' has denominator zero; {NUMBER}",
        f"p.toml:4:24: metric.points.0.2: '1/2/3' is not a number; {NUMBER}",
        f"p.toml:6:4: metric.points.1.0: missing; {NUMBER}",
        "p.toml:6:8: metric.points.1.1: '1,5' has a decimal comma; write a decimal point",
        "p.toml:6:15: metric.points.1.2: the exponent of '1e99999' is out of range; exponents go from -4,300 to 4,300",
        "p.toml:6:26: metric.points.2.0: the exponent of '1e-5000' is out of range; exponents go from -4,300 to 4,300",
        f"p.toml:6:37: metric.points.2.1: '0x10' is not a number; {NUMBER}",
    ]),
    (GOOD + "[solve]\ngap = -1\nabs_gap = \"x\"\nseed = 1.5\ntime_limit = 0", [
        "p.toml:5:1: solve.gap: -1 is negative; it should be zero or more",
        f"p.toml:6:1: solve.abs_gap: 'x' is not a number; {NUMBER}",
        "p.toml:7:1: solve.seed: 1.5 stands where a whole number should; write a whole number",
        "p.toml:8:1: solve.time_limit: 0 is not positive; it should be more than zero",
    ]),
    (GOOD + '[known]\nvalue = "1 1/2"\nrelation = "="\nquantity = "distorsion"', [
        f"p.toml:5:1: known.value: '1 1/2' is not a number; {NUMBER}",
        "p.toml:6:1: known.relation: '=' is not one of the choices; one of '==', '<=' or '>='",
        "p.toml:7:1: known.quantity: embedding has no quantity 'distorsion'; did you mean distortion?",
    ]),
    (HEAD + 'metric.edges = [["a", "b", 0.5, 1], "ab",\n["a", true], ["a", ""], ["a", 1, "x"]]', [
        "p.toml:2:17: metric.edges.0: an edge is a list of 4; write [u, v] or [u, v, length]",
        "p.toml:2:37: metric.edges.1: an edge is 'ab'; write [u, v] or [u, v, length]",
        "p.toml:3:1: metric.edges.2: true is no vertex; vertices are text or whole numbers",
        "p.toml:3:14: metric.edges.3: '' is no vertex; vertices are text or whole numbers",
        f"p.toml:3:25: metric.edges.4: 'x' is not a number; {NUMBER}",
    ]),
    (HEAD + '[metric]\ngenerator = {args = [1]}', ["p.toml:3:1: metric.generator.name: missing; add name = …"]),
    (HEAD + '[metric]\ngenerator = "petersen_graph"',
     ["p.toml:3:1: metric.generator: 'petersen_graph' stands where a table should; write a table"]),
    ("a = 1\na = 2", ["p.toml:2:6: TOML: cannot overwrite a value; a key may be given once"]),
    ("[a]\n[a.b]\n[a.b]", ["p.toml:3:5: TOML: cannot declare a.b twice; a table may be opened once"]),
    ("a = tru", ["p.toml:1:5: TOML: invalid value; text stands in quotes, a fraction is written \"1/3\""]),
    ("a = 1/3", ["p.toml:1:6: TOML: expected newline or end of document after a statement; "
                 'one key = value a line; text stands in quotes, a fraction is written "1/3"']),
    ("a", ["p.toml:1:2: TOML: expected '=' after a key in a key/value pair at the end of the file; "
           "a line reads key = value"]),
    ("a = [[1, 2],", ["p.toml:1:13: TOML: invalid value at the end of the file; "
                      "a bracket or a quote is not closed, or a value is missing"]),
    ('{"family": "embedding"}', ["p.toml:1:1: TOML: invalid statement; this looks like JSON: name it .json"]),
    ("a = 1\nb = [" + "9" * 4301 + "]", ["p.toml:2:6: an integer of more than 4,300 digits; no number may be so long"]),
    (HEAD + "[metric]\npoints = [[0." + "1" * 4300 + "]]", [
        "p.toml:3:12: metric.points.0.0: a number of 4,301 digits; at most 4,300 digits"]),
]  # fmt: skip

BAD_JSON = [
    ("[1]", ['p.json: JSON: the file is not an object; it should read {"family": …}']),
    ('{"a": 1,}', ["p.json:1:8: JSON: "]),
    ("{'a': 1}", ["p.json:1:2: JSON: expecting property name enclosed in double quotes; text stands in double quotes"]),
    ('{"a": 1', ["p.json:1:8: JSON: expecting ',' delimiter; the file ends too early"]),
    ('{"a": "x', ["p.json:1:7: JSON: unterminated string; close the quotes"]),
    ('{"problem": {}, "witnesses": []}',
     ["p.json: is a certificate, not a problem file; use `certify check`, or --from"]),
    ('{"family": "embedding", "metric": {\n "edges": [[1, 2]], "edges": []},\n "family": "x"}', [
        "p.json:3:2: family: is given twice, first in line 1; keep one",
        "p.json:2:21: metric.edges: is given twice, first in line 2; keep one",
    ]),
    ('{"family": "embedding", "metric": {"points": [[NaN, null],\n [Infinity, -Infinity, {"a": 1}]], "é\\n": 1}}', [
        f"p.json:1:48: metric.points.0.0: NaN is not a number; {NUMBER}",
        f"p.json:1:53: metric.points.0.1: missing (null); {NUMBER}",
        f"p.json:2:3: metric.points.1.0: Infinity is not finite; {NUMBER}",
        f"p.json:2:13: metric.points.1.1: -Infinity is not finite; {NUMBER}",
        f"p.json:2:24: metric.points.1.2: a table is not a number; {NUMBER}",
        "p.json:2:36: metric.é : unknown key; keys here: points, norm, distances, squared_distances, csv, npy, kind, "
        "columns, graph, format, edges, generator, length, merge_duplicates, labels",
    ]),
    ('{"family": "embedding",\n "metric": {"points": [[' + "9" * 4301 + "]]}}",
     ["p.json:2:25: metric.points.0.0: a number of 4,301 digits; at most 4,300 digits"]),
]  # fmt: skip


@pytest.mark.parametrize(("content", "expected"), BAD_TOML, ids=lambda value: str(value)[:24])
def test_bad_toml(tmp_path: Path, content: str | bytes, expected: list[str]) -> None:
    assert refused(tmp_path, content) == expected


@pytest.mark.parametrize(("content", "expected"), BAD_JSON, ids=lambda value: str(value)[:24])
def test_bad_json(tmp_path: Path, content: str, expected: list[str]) -> None:
    found = refused(tmp_path, content, "p.json")
    if expected[0].endswith("JSON: "):  # its wording depends on the Python
        assert len(found) == 1
        assert found[0].startswith("p.json:1:")
        assert found[0].endswith("there is a comma too many, or a value is missing")
    else:
        assert found == expected


def test_files_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "good.toml").write_text(GOOD)
    assert said(tmp_path / "god.toml") == ["god.toml: no such file; did you mean 'good.toml'?"]
    assert said(tmp_path / "zzzzzz") == ["zzzzzz: no such file; check the path"]
    (tmp_path / "folder").mkdir()
    assert said(tmp_path / "folder") == ["folder: is a folder; name a file in it"]
    assert said(Path("\0")) == ["'\\x00': is no file name; name a readable file"]
    assert len(said(Path("x" * 5000))) == 1


def test_unreadable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(Path, "open", denied)
    assert said(tmp_path / "p.toml") == ["p.toml: may not be read; change its permissions"]


def test_too_large(tmp_path: Path) -> None:
    assert refused(tmp_path, b"#" * (16 * 2**20 + 1)) == [
        "p.toml: is larger than 16 MiB; that is the limit for such a file"
    ]


@pytest.mark.parametrize(
    "content",
    [
        "[" * 5_000_000,
        "a = " + "[" * 5_000_000,
        'a = "' + "x" * 5_000_000,
        "x\n" * 2_500_000,
        "a = 1\n" * 800_000,
        "a." * 2_500_000 + "b = 1",
        'a = {"a".' + "a." * 2_500_000 + "b = 1}",
        "[[a]]\n" * 800_000,
        "\\" * 5_000_000,
        '"' * 5_000_000,
        "a = {" + "b = {" * 1_000_000,
        '{"a":' * 1_000_000,
        '{"a": "' + "x" * 5_000_000,
        '{"a": ' + "9" * 5_000_000 + "}",
    ],
    ids=lambda text: text[:8],
)
def test_five_megabytes_of_nonsense_fail_at_once(tmp_path: Path, content: str) -> None:
    start = time.process_time()
    assert len(refused(tmp_path, content, "p")) == 1
    assert time.process_time() - start < 5


def test_many_faults_are_counted_and_not_all_named(tmp_path: Path) -> None:
    rows = '["x", "y"],\n' * 3000
    found = refused(tmp_path, f"{HEAD}[metric]\npoints = [\n{rows}]")
    assert len(found) == 20
    assert found[0] == f"p.toml:4:2: metric.points.0.0: 'x' is not a number; {NUMBER}"
    assert found[-1] == "… and 5981 more"


def test_a_missing_data_file_is_named_at_its_key(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_text(HEAD + '[metric]\ndistances = "d.csv"')
    with pytest.raises(InputError) as caught:
        load(path)
    line = (
        "p.toml:3:1: metric.distances: there is no file 'd.csv'; paths are relative to the folder of the problem file"
    )
    assert str(caught.value) == f"{tmp_path}/{line}"


def test_nothing_slow_is_imported_before_it_is_needed(tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(GOOD)
    program = (
        "import sys, certify.problemfile as p\n"
        "assert not {'pydantic', 'numpy', 'networkx', 'tree_sitter', 'cvxpy'} & set(sys.modules)\n"
        "p.read(sys.argv[1])\n"
        "assert not {'tree_sitter', 'cvxpy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program, str(tmp_path / "p.toml")], check=True)


@settings(deadline=None)  # files
@given(st.sampled_from(["p.toml", "p.json"]), st.integers(0, 60), st.integers(0, 12), st.binary(max_size=6) | st.text())
def test_damaged_files_give_lines_and_nothing_else(
    tmp_path_factory: pytest.TempPathFactory, name: str, at: int, cut: int, extra: str | bytes
) -> None:
    whole = GOOD if name == "p.toml" else '{"family": "embedding", "metric": {"edges": [["a", 1, 0.5]]}}'
    raw = extra if isinstance(extra, bytes) else extra.encode()
    path = tmp_path_factory.getbasetemp() / name
    path.write_bytes(whole.encode()[:at] + raw + whole.encode()[at + cut :])
    found = []
    try:
        read(path)
    except InputError as error:
        found = error.lines()
    assert all(line.startswith(str(path)) and "\n" not in line for line in found)


# --- places -------------------------------------------------------------------------------------------


def test_places_in_toml() -> None:
    text = """a.b = 1  # é
"q r".'s.t' = [1, {u = 2, v.w = [3,
  # between
  4]}]
[x]
y = 1
[x.z]
y = 2
[[t]]
k = 1
[[t]]
k = 2
[t.deep]
m = 3
"""
    places = TomlPlaces(text)
    assert places.find(("a", "b")) == (1, 1)
    assert places.find(("q r", "s.t", 1, "u")) == (2, 20)
    assert places.find(("q r", "s.t", 1, "v", "w", 1)) == (4, 3)
    assert places.find(("x", "y")) == (6, 1)
    assert places.find(("x", "z", "y")) == (8, 1)
    assert places.find(("t", 1, "k")) == (12, 1)
    assert places.find(("t", 1, "deep", "m")) == (14, 1)
    assert places.find(("t", 5)) == (9, 1)
    assert places.find(("none",)) is None


def test_places_in_json() -> None:
    text = '{"a": [1, [2, {"b\\"\\u00e9": "x]{"}], {}],\n "c": {"d": null}}'
    places = JsonPlaces(text)
    assert places.find(("a", 0)) == (1, 8)
    assert places.find(("a", 1, 1, 'b"é')) == (1, 16)
    assert places.find(("a", 2)) == (1, 38)
    assert places.find(("c", "d")) == (2, 8)
    assert places.find(("c", "e")) == (2, 2)
    assert places.find(("none",)) is None


def test_spelled_is_no_text() -> None:
    assert not isinstance(Spelled("1.5"), str)
