"""The report page: it stands alone, says "proved" only of what the kernel returned, and shows forgeries as such."""

from __future__ import annotations

import re
import subprocess
import sys
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from certify.certificate import Certificate
from certify.errors import InputError
from certify.problem import Known
from certify.report.page import write_report
from certify.result import Bounds, agrees

C4 = {"metric": {"graph": {"vertices": 4, "denominator": 1, "edges": [[0, 1, 1], [0, 3, 1], [1, 2, 1], [2, 3, 1]]}}}
HTML_TAGS = set(
    """html head meta title style body header main article section div span h1 h2 h3 p a ul li dl dt dd table thead
    tbody tr th td pre code details summary figure footer strong svg desc g path circle rect text math mrow mi mo mn
    msub msup msubsup mfrac mtext mspace mstyle""".split()  # noqa: SIM905
)


def weights(expand: int, contract: int) -> dict[str, Any]:
    """The lower end 2·contract/expand, where 0 < contract <= expand."""
    return {
        "kind": "weights",
        "expand": [[0, 1, expand], [1, 2, expand], [2, 3, expand], [0, 3, expand]],
        "contract": [[0, 2, contract], [1, 3, contract]],
        "ground": 0,
        "psd": {"kind": "ldl"},
    }


def points(rows: list[list[int]]) -> dict[str, Any]:
    return {"kind": "coordinates", "points": {"denominator": 1, "rows": rows}}


SQUARE = points([[0, 0], [1, 0], [1, 1], [0, 1]])
NEARLY = points([[0, 0], [1000, 0], [1000, 1001], [0, 1001]])  # distortion² = 2·1001²·2/(1000² + 1001²)
UPPER = Fraction(4 * 1001**2, 1000**2 + 1001**2)


def saved(folder: Path, name: str, *witnesses: dict[str, Any], **made_by: Any) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    return str(Certificate("embedding", C4, witnesses, made_by).save(folder / name))


def page_of(folder: Path, *paths: str) -> tuple[str, bool]:
    target = folder / "out.html"
    valid = write_report(list(paths), str(target))
    return target.read_text(encoding="utf-8"), valid


class Page(HTMLParser):
    """The tags, the attributes that could load something, and the visible text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str, str]] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(text)
        self.text = " ".join(" ".join(self.words).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(tag, key, value or "") for key, value in attrs]
        if tag not in ("meta", "path", "circle", "rect", "mspace"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("meta", "path", "circle", "rect", "mspace"):
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.words.append(data)


def stands_alone(text: str) -> Page:
    """Fail if the page would load or run anything, or is not well nested."""
    page = Page(text)
    assert page.open == []
    assert page.tags <= HTML_TAGS, page.tags - HTML_TAGS
    for tag, key, value in page.attributes:
        assert not key.startswith("on")
        assert key not in ("src", "srcset", "data", "style", "xlink:href", "action", "background", "poster")
        assert key != "href" or (tag == "a" and value.startswith("#"))
        assert "://" not in value or (key == "xmlns" and value.startswith("http://www.w3.org/"))
    style = text[text.index("<style>") : text.index("</style>")]
    assert "url(" not in style
    assert "@import" not in style
    return page


def test_exact_optimum(tmp_path: Path) -> None:
    path = saved(tmp_path, "c4.cert.json", weights(1, 1), SQUARE, title="The four-cycle")
    text, valid = page_of(tmp_path, path)
    page = stands_alone(text)
    assert valid
    assert text.startswith("<!DOCTYPE html>")
    assert '<html lang="en">' in text
    assert "<title>The four-cycle – what is proved</title>" in text
    assert "The least distortion² of a map of these 4 points into a Euclidean space is 2." in page.text
    assert "distortion_squared = 2" in page.text
    assert "0, exact" in page.text
    assert "certify check c4.cert.json" in page.text
    assert "python -I check.py c4.cert.json" in page.text
    assert Certificate.load(path).check().statements[0].digest in page.text
    assert "What makes the bound" in page.text
    assert "rejected" not in page.text
    assert str(tmp_path) not in text


def test_interval_with_claim_and_known(tmp_path: Path) -> None:
    path = saved(
        tmp_path,
        "c4.cert.json",
        weights(1000, 999),
        NEARLY,
        solver_claim={"name": "SCS", "status": "solved", "value": "1.2"},
        known={"value": "2.00", "relation": "==", "quantity": None, "source": "a book, https://example.org/book"},
    )
    text, valid = page_of(tmp_path, path)
    page = stands_alone(text)
    assert valid
    assert "distortion_squared ≥ 999/500" in page.text
    assert f"distortion_squared ≤ {UPPER.numerator}/{UPPER.denominator}" in page.text
    assert "claimed, not proved 1.2 (SCS: solved): outside of the proved interval, 0.8 below it" in page.text
    assert "distortion_squared = 2.00: agrees with what is proved" in page.text
    assert "a book, https://example.org/book" in page.text  # plain text: stands_alone has seen that nothing links to it
    assert text.count("<svg ") == text.count("<desc>") == 2
    assert all(re.match(r"<svg [^>]*role=\"img\"[^>]*><title>[^<]+</title><desc>[^<]+</desc>", s) for s in svgs(text))
    # Decimals of ends are outward: every printed end is a bound.
    for printed in re.findall(r"≥ (\d\.\d+)<", text):
        assert Fraction(printed) <= Fraction(999, 500)
    for printed in re.findall(r"≤ (\d\.\d+)<", text):
        assert Fraction(printed) >= UPPER


def svgs(text: str) -> list[str]:
    return re.findall(r"<svg .*?</svg>", text, re.S)


@pytest.mark.parametrize(
    ("value", "relation", "quantity", "good"),
    [
        ("1.9", "==", None, False),
        ("2", "==", None, True),
        ("1.997", "==", None, False),
        ("1.9975", "==", "distortion_squared", False),
        ("2.000", "==", None, True),
        ("1.998", ">=", None, True),
        ("2.1", ">=", None, False),
        ("1.9", "<=", None, False),
        ("2.1", "<=", None, True),
        ("1.414", "==", "distortion", True),
        ("1.42", "==", "distortion", False),
        ("3/2", "==", None, False),
    ],
)
def test_known_values(tmp_path: Path, value: str, relation: str, quantity: str | None, good: bool) -> None:
    known = {"value": value, "relation": relation, "quantity": quantity, "source": None}
    path = saved(tmp_path, "c4.cert.json", weights(1000, 999), NEARLY, known=known)
    text, valid = page_of(tmp_path, path)
    assert valid
    words = stands_alone(text).text
    assert ("disagrees with what is proved" in words) is not good
    assert (": agrees with what is proved" in words) is good


def test_agreement_is_to_half_a_unit_of_the_last_digit() -> None:
    bounds = Bounds(Fraction(2), Fraction(2))
    assert agrees(Known("2.005"), bounds) is False
    assert agrees(Known("2.01"), bounds) is False
    assert agrees(Known("2.00"), Bounds(Fraction(2005, 1000), Fraction(3))) is True
    assert agrees(Known("2.00"), Bounds(Fraction(20051, 10000), Fraction(3))) is False
    assert agrees(Known("2"), Bounds(None, None)) is True


HOSTILE = '</title></style></svg><script>alert("1")</script><img src=x onerror=alert(1)>'


def test_hostile_words_are_escaped(tmp_path: Path) -> None:
    path = saved(
        tmp_path,
        "c4.cert.json",
        weights(1000, 999),
        NEARLY,
        title=HOSTILE,
        source=HOSTILE,
        labels=[HOSTILE, "\u202egnirts", "a\x00b\nc", "{{ 7*7 }}"],
        solver_claim={"name": HOSTILE, "status": HOSTILE, "value": "2.0"},
        known={"value": "2", "relation": "==", "quantity": None, "source": HOSTILE},
        versions={HOSTILE: HOSTILE},
        seed=HOSTILE,
    )
    text, valid = page_of(tmp_path, path)
    page = stands_alone(text)
    assert valid
    assert "<script" not in text
    assert "<img" not in text
    assert "\u202e" not in text
    assert "\x00" not in text
    assert "{{ 7*7 }}" in page.text


def test_lone_surrogates_do_not_break_the_page(tmp_path: Path) -> None:
    path = saved(tmp_path, "c4.cert.json", weights(1, 1), SQUARE, title="TITLE", labels=["TITLE", "1", "2", "3"])
    Path(path).write_bytes(Path(path).read_bytes().replace(b"TITLE", b"\\ud800"))
    text, valid = page_of(tmp_path, path)
    stands_alone(text)
    assert valid
    assert "TITLE" not in text


@pytest.mark.parametrize(
    "made_by",
    [
        {"solver_claim": "2", "known": "2", "labels": "abcd", "title": 3, "source": []},
        {"solver_claim": {"value": "1e999999999"}, "known": {"value": "1e999999999"}},
        {"solver_claim": {"value": "nan"}, "known": {"value": "1/0"}},
        {"solver_claim": {"value": "1e300"}, "known": {"value": "2", "relation": "~"}},
        {"solver_claim": {"value": ["2"]}, "known": {"value": "2", "quantity": ["x"], "relation": ["=="]}},
        {"solver_claim": {"value": "-1e300"}, "known": {"value": "-2", "quantity": "distortion"}},
        {"labels": ["only one"], "known": {"value": "2", "quantity": "cost"}},
        {"x": {"deep": {"er": 1}}, "versions": ["a"]},
    ],
)
def test_strange_words_are_left_out(tmp_path: Path, made_by: dict[str, Any]) -> None:
    path = saved(tmp_path, "c4.cert.json", weights(1, 1), SQUARE, **made_by)
    text, valid = page_of(tmp_path, path)
    stands_alone(text)
    assert valid


def test_rejected_certificates_are_shown_as_rejected(tmp_path: Path) -> None:
    folder = tmp_path / "all"
    saved(folder, "good.cert.json", weights(1, 1), SQUARE, title="A good one")
    saved(folder, "forged.cert.json", weights(1000, 1001), SQUARE, title="A forged title")
    (folder / "cut.cert.json").write_text('{"format": "certify/1",', encoding="utf-8")
    text, valid = page_of(tmp_path, str(folder))
    page = stands_alone(text)
    assert valid is False
    assert "2 of them rejected" in page.text
    assert "A forged title" not in page.text
    article = re.search(r'<article id="c-forged[^"]*">.*?</article>', text, re.S)
    assert article is not None
    assert "rejected" in article[0]
    assert "proved" not in article[0]
    assert "psd.pivot" in article[0]
    assert "witnesses[0].psd" in article[0]
    assert "not positive semidefinite" in article[0]
    assert "json.syntax" in text


def test_a_lower_end_alone_has_no_picture(tmp_path: Path) -> None:
    text, valid = page_of(tmp_path, saved(tmp_path, "c4.cert.json", weights(1000, 999)))
    page = stands_alone(text)
    assert valid
    assert "no upper end is proved" in page.text
    assert "one end only" in page.text
    assert len(svgs(text)) == 1


def test_folders_gzip_and_determinism(tmp_path: Path) -> None:
    folder = tmp_path / "certificates"
    saved(folder / "b", "c4.cert.json.gz", weights(1, 1), SQUARE, title="B")
    saved(folder / "a", "c4.cert.json", weights(1000, 999), NEARLY, title="A")
    (folder / "notes.txt").write_text("not one of them", encoding="utf-8")
    text, valid = page_of(tmp_path, str(folder))
    page = stands_alone(text)
    assert valid
    assert "2 certificates" in page.text
    assert "certify check a/c4.cert.json" in page.text
    assert "certify check b/c4.cert.json.gz" in page.text
    assert page.text.index("certify check a/") < page.text.index("certify check b/")
    assert page_of(tmp_path, str(folder))[0] == text
    assert page_of(tmp_path, str(folder), str(folder / "a" / "c4.cert.json"))[0] == text  # named twice, shown once
    anchors = re.findall(r'<article id="([^"]+)"', text)
    assert len(set(anchors)) == 2
    assert re.findall(r'href="#([^"]+)"', text) == anchors


@pytest.mark.parametrize("what", ["absent.cert.json", "problem.toml", "empty", "data.json"])
def test_paths_that_are_no_certificate(tmp_path: Path, what: str) -> None:
    (tmp_path / "problem.toml").write_text('family = "embedding"\n', encoding="utf-8")
    (tmp_path / "data.json").write_text("[1, 2]", encoding="utf-8")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError) as caught:
        write_report([str(tmp_path / what)], str(tmp_path / "out.html"))
    assert len(caught.value.lines()) == 1
    assert what in caught.value.lines()[0]
    assert not (tmp_path / "out.html").exists()


@pytest.mark.parametrize("output", ["no/such/folder/out.html", "folder"])
def test_outputs_that_cannot_be_written(tmp_path: Path, output: str) -> None:
    (tmp_path / "folder").mkdir()
    path = saved(tmp_path, "c4.cert.json", weights(1, 1), SQUARE)
    with pytest.raises(InputError, match="cannot be written"):
        write_report([path], str(tmp_path / output))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["c4.cert.json", "folder"]


def test_without_jinja2(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = saved(tmp_path, "c4.cert.json", weights(1, 1), SQUARE)
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(InputError, match=re.escape("pip install 'certify[report]'")):
        write_report([path], str(tmp_path / "out.html"))


def test_standard_output(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    path = saved(tmp_path, "c4.cert.json", weights(1, 1), SQUARE)
    assert write_report([path], "-")
    out = capfdbinary.readouterr().out
    assert out.decode().startswith("<!DOCTYPE html>")
    assert out == page_of(tmp_path, path)[0].encode()


def test_exit_codes(tmp_path: Path) -> None:
    good = saved(tmp_path, "good.cert.json", weights(1, 1), SQUARE)
    forged = saved(tmp_path, "forged.cert.json", weights(1, 2), SQUARE)

    def run(*paths: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "certify.cli", "report", *paths, "-o", str(tmp_path / "out.html")]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    assert run(good).returncode == 0
    assert run(good, forged).returncode == 1
    lost = run(good, str(tmp_path / "lost"))
    assert lost.returncode == 2
    assert lost.stderr.count("\n") == 1
    assert "Traceback" not in lost.stderr
