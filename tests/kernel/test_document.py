"""The whole check: what is stated, of which data, and in which words."""

from __future__ import annotations

import hashlib
import json
from copy import deepcopy
from fractions import Fraction
from math import isqrt
from typing import Any

import pytest

from certify.kernel import Statement, Verdict, check_bytes, check_document, digest_of, rational_text
from certify.kernel.document import FAMILIES, MAX_WITNESSES
from certify.kernel.embedding import EMBEDDING, canonical_embedding
from certify.kernel.statement import Proved, Rules, state
from certify.testing import forgeries, respellings, written
from certify.testing.embedding import rational_of, rows_of, squares_of, tiny

TINY = tiny()
VALUES: dict[str, list[tuple[str, Fraction]]] = {
    "taxi": [(">=", Fraction(25328, 17487)), ("<=", Fraction(2560, 1547))],
    "no triangle inequality": [(">=", Fraction(1159, 1163)), ("<=", Fraction(365, 306))],
    "four-cycle": [(">=", Fraction(2)), ("<=", Fraction(2)), ("==", Fraction(2))],
    "star": [(">=", Fraction(48, 39)), ("<=", Fraction(4, 3))],
    "simplex": [(">=", Fraction(1)), ("<=", Fraction(1)), ("==", Fraction(1))],
    "one point": [(">=", Fraction(1)), ("<=", Fraction(1)), ("==", Fraction(1))],
    "two points": [(">=", Fraction(1)), ("<=", Fraction(1)), ("==", Fraction(1))],
    "Euclidean points": [(">=", Fraction(1)), ("<=", Fraction(1)), ("==", Fraction(1))],
    "maximum norm": [(">=", Fraction(1)), ("<=", Fraction(16, 9))],
    "ring in differences": [(">=", Fraction(17685, 10849))],
    "ring of five": [(">=", Fraction(1)), (">=", Fraction(17685, 10849)), ("<=", Fraction(37, 20))],
}


@pytest.mark.parametrize("name", VALUES)
def test_statements(name: str) -> None:
    verdict = check_document(TINY[name])
    assert [(s.relation, s.value) for s in verdict.statements] == VALUES[name]
    assert {s.quantity for s in verdict.statements} == {"distortion_squared"}
    assert {s.rigor for s in verdict.statements} == {"deterministic"}
    assert {s.digest for s in verdict.statements} == {digest_by_hand(TINY[name])}


def digest_by_hand(document: dict[str, Any]) -> str:
    """The digest by the description in docs/certificate-format.md, from fractions."""
    from math import gcd, lcm

    def common(numbers: list[Fraction]) -> tuple[int, list[int]]:
        q = lcm(*(x.denominator for x in numbers))
        return q, [int(x * q) for x in numbers]

    metric = document["problem"]["metric"]
    if "graph" in metric:
        graph = metric["graph"]
        scale = rational_of(graph["denominator"])
        edges = [tuple(map(rational_of, edge)) for edge in graph["edges"]]
        q, lengths = common([edge[2] / scale for edge in edges] or [Fraction(0)])
        rows = [[int(u), int(v), w] for (u, v, _), w in zip(edges, lengths, strict=False)]
        form: Any = {"graph": {"vertices": int(rational_of(graph["vertices"])), "denominator": q, "edges": rows}}
    else:
        key = "points" if "points" in metric else "squared_distances"
        table = rows_of(metric[key])
        q, flat = common([x for row in table for x in row] or [Fraction(0)])
        width = len(table[0])
        form = {key: {"denominator": q, "rows": [flat[i * width : (i + 1) * width] for i in range(len(table))]}}
        if "norm" in metric:
            form["norm"] = metric["norm"]
    assert gcd(q) == q

    def spelled(value: Any) -> str:
        if isinstance(value, dict):
            return "{" + ",".join(f'"{k}":{spelled(value[k])}' for k in sorted(value)) + "}"
        if isinstance(value, list):
            return "[" + ",".join(map(spelled, value)) + "]"
        return f'"{value}"' if isinstance(value, str) else f'"{value:x}"'

    text = spelled({"family": document["family"], "problem": {"metric": form}})
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize("name", TINY)
def test_digest_is_that_of_the_data(name: str) -> None:
    """Not of their spelling: respelled numbers and a common factor do not change it."""
    document = TINY[name]
    digest = digest_by_hand(document)
    for same in respellings(document):
        assert check_bytes(same.data).statements[0].digest == digest, same.name
    metric = document["problem"]["metric"]
    for factor in (3, 2**70):
        multiple = deepcopy(document)
        if "graph" in metric:
            graph = multiple["problem"]["metric"]["graph"]
            graph["denominator"] *= factor
            graph["edges"] = [[u, v, w * factor] for u, v, w in graph["edges"]]
        else:
            table = multiple["problem"]["metric"]["points" if "points" in metric else "squared_distances"]
            table["denominator"] *= factor
            table["rows"] = [[x * factor for x in row] for row in table["rows"]]
        verdict = check_bytes(written(multiple).encode())
        assert verdict.statements == check_document(document).statements
        assert canonical_embedding(multiple["problem"])[0] == canonical_embedding(document["problem"])[0]


def test_digests_differ_when_the_data_do() -> None:
    """Over thousands of changed problems: one digest, one metric in one form."""
    seen: dict[str, str] = {}
    for name, document in TINY.items():
        plain = {**document, "witnesses": [{"kind": "one"}]}
        for forgery in forgeries(plain, 2):
            verdict = check_bytes(forgery.data)
            if verdict.valid:
                read = json.loads(forgery.data)
                digest = verdict.statements[0].digest
                assert digest == digest_by_hand(read), forgery.name
                scale = "".join(str(x) for x in squares_of(read["problem"]))
                assert seen.setdefault(digest, scale) == scale, f"{name}: {forgery.name}"
    assert len(seen) > 100


@pytest.mark.parametrize("name", TINY)
def test_squared_distances(name: str) -> None:
    """The kernel's integers are the squared distances up to one factor, a lower triangle with its zero diagonal."""
    _, low = canonical_embedding(TINY[name]["problem"])
    exact = squares_of(TINY[name]["problem"])
    assert [len(row) for row in low] == list(range(1, len(exact) + 1))
    assert all(row[-1] == 0 for row in low)
    factors = {Fraction(low[i][j]) / exact[i][j] for i in range(len(low)) for j in range(i)}
    assert len(factors) <= 1


def test_digest_is_stable() -> None:
    """It stands in papers: it must never change."""
    assert check_document(TINY["four-cycle"]).statements[0].digest == (
        "7583ccdc272559dacd2758f5fe6c6ddd89e1e5fb37762434d1c73f8ac79c099d"
    )
    assert (
        digest_of("f", {"b": [-10, "x", True], "a": 2**70})
        == hashlib.sha256(b'{"family":"f","problem":{"a":"400000000000000000","b":["-a","x","1"]}}').hexdigest()
    )


def test_made_by_is_neither_trusted_nor_needed() -> None:
    document = TINY["star"]
    plain = check_document(document)
    for words in ({}, {"proved": "== 1"}, {"statements": [], "value": "2", "nested": [[{"a": None}]]}):
        assert check_document({**document, "made_by": words}) == plain


def test_one_bad_witness_spoils_the_certificate() -> None:
    document = deepcopy(TINY["star"])
    document["witnesses"].append({"kind": "coordinates", "points": {"denominator": 1, "rows": [[0]] * 4}})
    verdict = check_document(document)
    assert not verdict.valid
    assert verdict.where == "witnesses[2]"
    assert verdict.statements == ()


def test_several_witnesses_of_a_side() -> None:
    """The best ends count, and == needs both."""
    document = deepcopy(TINY["four-cycle"])
    document["witnesses"] = [{"kind": "one"}, *document["witnesses"], {"kind": "one"}]
    document["witnesses"].append({"kind": "coordinates", "points": {"denominator": 1, "rows": [[0], [1], [2], [5]]}})
    verdict = check_document(document)
    assert (verdict.best(">="), verdict.best("<="), verdict.best("==")) == (2, 2, 2)
    assert [s.relation for s in verdict.statements] == [">=", ">=", "<=", ">=", "<=", "=="]
    document["witnesses"] = [{"kind": "one"}] * MAX_WITNESSES
    only_below = check_document(document)
    assert only_below.valid
    assert only_below.best("<=") is None
    assert {s.relation for s in only_below.statements} == {">="}


def test_lines() -> None:
    digest = "sha256:" + check_document(TINY["four-cycle"]).statements[0].digest
    assert check_document(TINY["four-cycle"]).lines() == [
        f"s PROVED distortion_squared == 2 {digest}",
        "c every map of these 4 points into a Euclidean space has distortion² at least 2",
        "c some map of these 4 points into a Euclidean space has distortion² at most 2",
        "c the least distortion² of a map of these 4 points into a Euclidean space is 2",
    ]
    star = check_document(TINY["star"])
    assert star.lines()[0].startswith("s PROVED 1.23076923076923 <= distortion_squared <= 1.333333333333334 sha256:")
    assert star.lines()[1].endswith("distortion² at least 16/13")
    lower = check_document({**TINY["star"], "witnesses": TINY["star"]["witnesses"][:1]})
    assert lower.lines()[0].startswith("s PROVED 1.23076923076923 <= distortion_squared sha256:")
    upper = check_document({**TINY["star"], "witnesses": TINY["star"]["witnesses"][1:]})
    assert upper.lines()[0].startswith("s PROVED distortion_squared <= 1.333333333333334 sha256:")


def stated(relation: str, value: Fraction | None, *rigor: str) -> Statement:
    """A statement about seven points."""
    return state(EMBEDDING, [[]] * 7, Proved(relation, value, *rigor), "d")


def test_words_are_outward_where_the_value_is_long() -> None:
    value = Fraction(10**12, 3 * 10**11 - 1)
    below, above = (stated(relation, value) for relation in (">=", "<="))
    assert "at least 3.33333333334444 (exactly a rational with a denominator of 12 digits)" in below.text
    assert "at most 3.33333333334445 (exactly a rational with a denominator of 12 digits)" in above.text
    assert (below.latex, above.latex) == (r"c_2(X)^2 \ge 3.33333333334444", r"c_2(X)^2 \le 3.33333333334445")
    both = stated("==", Fraction(7, 3))
    assert both.latex == "c_2(X)^2 = 7/3"
    assert both.text == "the least distortion² of a map of these 7 points into a Euclidean space is 7/3"
    short = stated(">=", Fraction(999_999_999, 7))
    assert short.text.endswith("at least 999999999/7")
    long = stated(">=", Fraction(10**9, 7))
    assert long.text.endswith("at least 142857142.857142 (exactly a rational with a denominator of 1 digits)")
    whole = stated(">=", Fraction(10**30))
    assert whole.text.endswith(f"at least {10**30}")
    assert below.value == above.value == value
    verdict = Verdict(True, (below, above, stated("==", value)))
    assert verdict.lines()[0] == (
        "s PROVED distortion_squared == 3.33333333334444 (exactly a rational with a denominator of 12 digits) sha256:d"
    )


def test_irrational_values() -> None:
    """The statement names the number; its value is a rational beyond, and == has none in JSON."""
    statements = check_document(TINY["pentagon"]).statements
    root = Fraction(isqrt(5 << 400), 1 << 200)
    truth = 6 - 2 * root  # a little above 6 − 2√5
    for statement in statements:
        assert (statement.exact.a, statement.exact.b, statement.exact.d) == (6, -2, 5)
        assert abs(statement.value - truth) < Fraction(1, 2**79)
        assert statement.as_json()["exact_value"] == {"a": "6", "b": "-2", "d": 5}
        assert statement.text.endswith("6 - 2*sqrt(5) (1.52786404500042…)")
    lower, upper, equal = statements
    assert lower.value < truth < upper.value
    assert (lower.as_json()["value"], equal.as_json()["value"]) == (rational_text(lower.value), None)
    assert lower.latex == r"c_2(X)^2 \ge 1.52786404500042"
    assert upper.latex == r"c_2(X)^2 \le 1.527864045000421"
    assert equal.latex == r"c_2(X)^2 = 6 - 2\sqrt{5}"
    first = check_document(TINY["pentagon"]).lines()[0]
    assert first.startswith("s PROVED distortion_squared == 6 - 2*sqrt(5) (1.52786404500042…) sha256:")
    both = check_document(TINY["root of two"])
    assert [str(s.exact and s.exact.text()) for s in both.statements] == ["3/2 + 1/2*sqrt(2)", "3 - 2*sqrt(2)"]
    assert both.best("<=") is not None
    assert both.lines()[0].startswith("s PROVED 0.1715728752538099 <= distortion_squared <= 2.20710678118655 sha256:")


def test_statement_as_json() -> None:
    statement = check_document(TINY["star"]).statements[1]
    assert statement.as_json() == {
        "quantity": "distortion_squared",
        "relation": "<=",
        "value": "4/3",
        "rigor": "deterministic",
        "digest": statement.digest,
        "text": "some map of these 4 points into a Euclidean space has distortion² at most 4/3",
    }
    assert check_document(TINY["star"]).as_json()["statements"][1] == statement.as_json()
    assert check_document(TINY["star"]).as_json()["valid"] is True


def test_verdict() -> None:
    verdict = check_document(TINY["star"])
    assert verdict
    assert not check_document({})
    assert not Verdict(False, rule="x", where="y", why="z")
    with pytest.raises(AttributeError):
        verdict.valid = False  # type: ignore[misc]
    with pytest.raises(AttributeError):
        verdict.statements[0].value = Fraction(0)  # type: ignore[misc]
    assert isinstance(verdict.statements[0], Statement)


def test_a_fault_of_the_kernel_is_a_rejection(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever goes wrong inside, nothing is proved and nothing is raised."""

    def broken(problem: Any) -> Any:
        raise RecursionError("x" * 500)

    rules = type(EMBEDDING)(EMBEDDING.quantity, EMBEDDING.latex, EMBEDDING.words, broken, EMBEDDING.check)
    monkeypatch.setitem(FAMILIES, "embedding", rules)
    verdict = check_document(TINY["star"])
    assert (verdict.valid, verdict.rule, verdict.where) == (False, "internal", "kernel")
    assert verdict.why.startswith("RecursionError: xxx")
    assert len(verdict.why) < 100


def test_the_document_is_not_changed() -> None:
    for document in TINY.values():
        before = deepcopy(document)
        check_document(document)
        assert document == before


def canonical_list(problem: Any) -> tuple[Any, list[Any]]:
    return problem, problem


RELATIONS = (">=", "<=", "==", "infeasible", "unbounded")


def check_as_told(witness: Any, where: str, data: Any, pure: bool) -> Any:
    return witness["relation"], *witness["rest"]


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A family whose checker proves what its witnesses say, to see what is made of it."""

    def verdict(*told: tuple[Any, ...], sense: str = "min") -> Verdict:
        words = {relation: f"of {{n}}, {{colour}}: {relation} {{value}}" for relation in RELATIONS}
        rules = Rules(
            "q", "Q", words, canonical_list, check_as_told, lambda data: {"n": len(data), "colour": "red"}, sense
        )
        monkeypatch.setitem(FAMILIES, "toy", rules)
        witnesses = [{"relation": relation, "rest": rest} for relation, *rest in told]
        return check_document({"format": "certify/1", "family": "toy", "problem": [1, 2], "witnesses": witnesses})

    return verdict


def test_infeasible_and_unbounded_have_no_value(toy: Any) -> None:
    found = toy(("infeasible",), (">=", Fraction(3)))
    assert [(s.relation, s.value) for s in found.statements] == [("infeasible", None), (">=", 3)]
    assert found.lines()[0].startswith("s PROVED q infeasible sha256:")
    assert found.statements[0].as_json()["value"] is None
    assert found.statements[0].text == "of 2, red: infeasible "
    assert found.statements[0].latex == r"Q\colon\ \text{infeasible}"
    assert toy(("unbounded",), ("<=", Fraction(3))).lines()[0].startswith("s PROVED q unbounded sha256:")


@pytest.mark.parametrize(
    ("told", "sense", "valid"),
    [
        ((("infeasible",), ("<=", Fraction(1))), "min", False),
        ((("infeasible",), (">=", Fraction(1))), "min", True),
        ((("infeasible",), (">=", Fraction(1))), "max", False),
        ((("infeasible",), ("<=", Fraction(1))), "max", True),
        ((("unbounded",), (">=", Fraction(1))), "min", False),
        ((("unbounded",), ("<=", Fraction(1))), "max", False),
        ((("unbounded",), (">=", Fraction(1))), "max", True),
        ((("unbounded",), ("infeasible",)), "max", False),
        (((">=", Fraction(2)), ("<=", Fraction(1))), "max", False),
    ],
)
def test_what_excludes_each_other(toy: Any, told: Any, sense: str, valid: bool) -> None:
    found = toy(*told, sense=sense)
    assert found.valid is valid
    assert valid or found.rule == "contradiction"


def test_confidence_is_never_certainty(toy: Any) -> None:
    """A statement with confidence names its randomness, makes no equality and contradicts nobody."""
    sure = ("confidence 99/100", "samples drawn from the digest")
    found = toy((">=", Fraction(5), *sure), ("<=", Fraction(5)), (">=", Fraction(4)))
    assert [s.relation for s in found.statements] == [">=", "<=", ">="]
    assert [s.rigor for s in found.statements] == ["confidence 99/100", "deterministic", "deterministic"]
    assert found.statements[0].text == "of 2, red: >= 5, with confidence 99/100 over samples drawn from the digest"
    assert found.statements[0].as_json()["rigor"] == "confidence 99/100"
    assert toy((">=", Fraction(5), *sure), ("<=", Fraction(4))).valid
    assert [s.relation for s in toy((">=", Fraction(5)), ("<=", Fraction(5))).statements] == [">=", "<=", "=="]


def test_confidence_is_in_the_first_line(toy: Any) -> None:
    sure = ("confidence 1-1/100", "samples")
    lines = toy((">=", Fraction(5), *sure), ("<=", Fraction(6)), (">=", Fraction(4))).lines()
    assert lines[0].startswith("s PROVED 5 <= q <= 6 with confidence 1-1/100 sha256:")
    certain = toy((">=", Fraction(4), *sure), ("<=", Fraction(6)), (">=", Fraction(5)))
    assert certain.lines()[0].startswith("s PROVED 5 <= q <= 6 sha256:")
    equal = toy((">=", Fraction(5), *sure), (">=", Fraction(5)), ("<=", Fraction(5)))
    assert equal.lines()[0].startswith("s PROVED q == 5 sha256:")
