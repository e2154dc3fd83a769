"""A second checker, written from docs/certificate-format.md alone: slow, with fractions, without limits.

It shares no code with the kernel (numbers a + b·√d are pairs of fractions, of certify.testing.field). Where the
two disagree on whether a certificate is valid, or on what it proves, one of them or the page is wrong.
"""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from fractions import Fraction
from itertools import combinations, pairwise
from math import gcd
from typing import Any

from certify.testing.field import Root

Matrix = list[list[Any]]  # of fractions, or of Root
DECIMAL, HEX, POWER = r"-?(?:0|[1-9][0-9]*)", r"-?0x[0-9a-f]+", r"2\^(?:0|[1-9][0-9]{0,6})"


class InvalidError(Exception):
    """Not a certificate, or one that proves nothing."""


def need(condition: object) -> None:
    if not condition:
        raise InvalidError


def refuse(text: str) -> Any:
    raise InvalidError


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    need(len({key for key, _ in pairs}) == len(pairs))
    return dict(pairs)


def read(data: bytes) -> Any:
    if data[:2] == b"\x1f\x8b":
        engine = zlib.decompressobj(31)
        try:
            data = engine.decompress(data)
        except zlib.error:
            raise InvalidError from None
        need(engine.eof and not engine.unused_data)
    try:
        text = data.decode("utf-8")
        return json.loads(text, object_pairs_hook=once, parse_float=refuse, parse_constant=refuse, parse_int=str)
    except (ValueError, RecursionError):
        raise InvalidError from None


def integer(value: Any, least: int | None = None, most: int | None = None) -> int:
    need(isinstance(value, str) and len(value) < 10_000)
    if re.fullmatch(DECIMAL, value):
        number = int(value) if len(value) < 4000 else refuse(value)
    elif re.fullmatch(HEX, value):
        number = int(value, 16)
    else:
        need(re.fullmatch(POWER, value) and int(value[2:]) < 131072)
        number = 2 ** int(value[2:])
    need((least is None or number >= least) and (most is None or number <= most))
    return number


def rational(value: Any) -> Fraction:
    need(isinstance(value, str))
    top, slash, bottom = value.partition("/")
    return Fraction(integer(top), integer(bottom, 1) if slash else 1)


def keys(value: Any, *names: str, optional: tuple[str, ...] = ()) -> dict[str, Any]:
    need(isinstance(value, dict) and set(names) <= set(value) <= {*names, *optional})
    return value  # type: ignore[no-any-return]


def rows(value: Any, count: int | None = None, triangle: int = 0) -> list[list[int]]:
    need(isinstance(value, list) and all(isinstance(row, list) for row in value))
    need(count is None or len(value) == count)
    need(all(len(row) == (triangle * (i + 1) or len(value[0])) for i, row in enumerate(value)))
    return [[integer(entry) for entry in row] for row in value]


def matrix(value: Any, count: int | None = None, triangle: int = 0) -> tuple[int, list[list[int]]]:
    table = keys(value, "denominator", "rows")
    return integer(table["denominator"], 1), rows(table["rows"], count, triangle)


def radicand(witness: Any) -> int:
    if "radicand" not in witness:
        return 0
    d = integer(witness["radicand"], 2, 1_000_000)
    need(all(d % r**2 for r in range(2, 1001)))
    return d


def lowest(q: int, numbers: list[int]) -> int:
    for number in numbers:
        q = gcd(q, number)
    return q


def metric(value: Any) -> tuple[Matrix, Any]:
    """Squared distances, and the canonical form."""
    need(isinstance(value, dict))
    if "graph" in value:
        return graph(keys(value, "graph")["graph"])
    name = "points" if "points" in value else "squared_distances"
    q, table = matrix(keys(value, *(("points", "norm") if name == "points" else (name,)))[name])
    n = len(table)
    need(1 <= n <= 5000)
    by = lowest(q, [x for row in table for x in row])
    form = {name: {"denominator": q // by, "rows": [[x // by for x in row] for row in table]}}
    exact = [[Fraction(x, q) for x in row] for row in table]
    if name == "squared_distances":
        need(len(table[0]) == n)
        squares = exact
    else:
        norm = value["norm"]
        need(norm in ("l1", "l2", "linf"))
        form["norm"] = norm
        squares = [[distance(x, y, norm) for y in exact] for x in exact]
    for i in range(n):
        need(squares[i][i] == 0)
        need(all(squares[i][j] == squares[j][i] and (i == j or squares[i][j] > 0) for j in range(n)))
    return squares, form


def distance(x: list[Fraction], y: list[Fraction], norm: str) -> Fraction:
    steps = [abs(a - b) for a, b in zip(x, y, strict=True)]
    if norm == "l2":
        return sum((step**2 for step in steps), Fraction(0))
    return (sum(steps, Fraction(0)) if norm == "l1" else max(steps, default=Fraction(0))) ** 2


def graph(value: Any) -> tuple[Matrix, Any]:
    table = keys(value, "vertices", "denominator", "edges")
    n, q = integer(table["vertices"], 1, 5000), integer(table["denominator"], 1)
    edges = rows(table["edges"])
    need(all(len(edge) == 3 and 0 <= edge[0] < edge[1] < n and edge[2] >= 1 for edge in edges))
    need(all(a[:2] < b[:2] for a, b in pairwise(edges)))
    need(n <= len(edges) + 1)
    length: dict[tuple[int, int], Fraction] = {(i, i): Fraction(0) for i in range(n)}
    for u, v, w in edges:
        length[u, v] = length[v, u] = Fraction(w, q)
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if (i, k) in length and (k, j) in length:
                    through = length[i, k] + length[k, j]
                    length[i, j] = min(length.get((i, j), through), through)
    need(len(length) == n * n)
    by = lowest(q, [w for _, _, w in edges])
    form = {"vertices": n, "denominator": q // by, "edges": [[u, v, w // by] for u, v, w in edges]}
    return [[length[i, j] ** 2 for j in range(n)] for i in range(n)], {"graph": form}


def semidefinite(proof: Any, a: Matrix) -> None:
    need(isinstance(proof, dict))
    m = len(a)
    if proof.get("kind") == "ldl":
        keys(proof, "kind")
        need(m <= 400)
        for r in range(m):
            below = range(r + 1, m)
            need(a[r][r] > 0 or (a[r][r] == 0 and all(a[i][r] == 0 for i in below)))
            if a[r][r] > 0:
                a = [
                    [a[i][j] - (a[i][r] * a[r][j] / a[r][r] if min(i, j) > r else 0) for j in range(m)]
                    for i in range(m)
                ]
        return
    need(proof.get("kind") == "factor")
    keys(proof, "kind", "exponents", "multiplier", "factor")
    need(isinstance(proof["exponents"], list) and len(proof["exponents"]) == m)
    k = [integer(entry, 0, 16384) for entry in proof["exponents"]]
    c = rational(proof["multiplier"])
    need(c > 0)
    low = [row + [0] * (m - len(row)) for row in rows(proof["factor"], m, triangle=1)]
    for i in range(m):
        rest = [
            c * 2 ** (k[i] + k[j]) * a[i][j] - sum(x * y for x, y in zip(low[i], low[j], strict=True)) for j in range(m)
        ]
        need(rest[i] >= sum(abs(x) for j, x in enumerate(rest) if j != i))


def square(low: Matrix) -> Matrix:
    return [[low[max(i, j)][min(i, j)] for j in range(len(low))] for i in range(len(low))]


def number(parts: list[int], d: int) -> Any:
    return Root(Fraction(parts[0]), Fraction(parts[1]), d) if d else Fraction(*parts)


def numbers(row: list[int], d: int) -> list[Any]:
    size = 2 if d else 1
    return [number(row[k : k + size], d) for k in range(0, len(row), size)]


def stretched(g: Matrix, squares: Matrix) -> Any:
    pairs = list(combinations(range(len(g)), 2))
    z = [g[i][i] + g[j][j] - 2 * g[i][j] for i, j in pairs]
    need(all(x > 0 for x in z))
    ratios = [x / squares[i][j] for x, (i, j) in zip(z, pairs, strict=True)]
    return max(ratios) * max(1 / ratio for ratio in ratios) if pairs else Fraction(1)


def proved(witness: Any, squares: Matrix) -> tuple[str, Any]:
    need(isinstance(witness, dict))
    n, kind = len(squares), witness.get("kind")
    if kind == "one":
        keys(witness, "kind")
        return ">=", Fraction(1)
    if kind == "coordinates":
        points = matrix(keys(witness, "kind", "points")["points"], n)[1]
        g = [[Fraction(sum(x * y for x, y in zip(a, b, strict=True))) for b in points] for a in points]
        return "<=", stretched(g, squares)
    if kind == "gram":
        d = radicand(keys(witness, "kind", "gram", "psd", optional=("radicand",)))
        low = matrix(witness["gram"], n, triangle=2 if d else 1)[1]
        g = square([numbers(row, d) for row in low])
        need(not d or witness["psd"] == {"kind": "ldl"})
        semidefinite(witness["psd"], g)
        return "<=", stretched(g, squares)
    need(kind == "weights")
    d = radicand(keys(witness, "kind", "expand", "contract", "ground", "psd", optional=("radicand", "tree")))
    need(not d or witness["psd"] == {"kind": "ldl"})
    ground = integer(witness["ground"], 0, n - 1)
    a: Matrix = [[Fraction(0)] * n for _ in range(n)]
    total: list[Any] = []
    for side, sign in (("expand", 1), ("contract", -1)):
        given = rows(witness[side])
        need(all(len(p) == (4 if d else 3) for p in given))
        pairs = [(p[0], p[1], number(p[2:], d)) for p in given]
        need(all(0 <= i < j < n and y > 0 for i, j, y in pairs))
        need(len({(i, j) for i, j, _ in pairs}) == len(pairs))
        for i, j, y in pairs:
            for r, s, by in ((i, i, 1), (j, j, 1), (i, j, -1), (j, i, -1)):
                a[r][s] += sign * by * y
        total.append(sum((y * squares[i][j] for i, j, y in pairs), Fraction(0)))
    need(total[0] > 0)
    moved: set[int] = set()
    for v, p in ((v, p) for v, p in rows(witness.get("tree", []))):
        need(0 <= v < n and 0 <= p < n and v not in (p, ground) and v not in moved and p not in moved)
        moved.add(v)
        a[p] = [x + y for x, y in zip(a[p], a[v], strict=True)]
        for row in a:
            row[p] += row[v]
    rest = [i for i in range(n) if i != ground]
    semidefinite(witness["psd"], [[a[i][j] for j in rest] for i in rest])
    return ">=", total[1] / total[0]


def canonical(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: canonical(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [canonical(entry) for entry in value]
    return value if isinstance(value, str) else f"{value:x}"


def equal(x: Any, y: Any) -> bool:
    """Numbers of two fields are equal only if both are rational."""
    parts = [(z.a, z.b, z.d if z.b else 0) if isinstance(z, Root) else (z, 0, 0) for z in (x, y)]
    return parts[0] == parts[1]


def check(data: bytes) -> tuple[str, list[tuple[str, Any]]] | None:
    """The digest and the statements, or None if it is rejected."""
    try:
        document = keys(read(data), "format", "family", "problem", "witnesses", optional=("made_by",))
        need(document["format"] == "certify/1" and document["family"] == "embedding")
        need(isinstance(document.get("made_by", {}), dict) and isinstance(document["witnesses"], list))
        squares, form = metric(keys(document["problem"], "metric")["metric"])
        need(1 <= len(document["witnesses"]) <= 16)
        statements = [proved(witness, squares) for witness in document["witnesses"]]
    except InvalidError:
        return None
    low = [value for relation, value in statements if relation == ">="]
    high = [value for relation, value in statements if relation == "<="]
    statements += [("==", x) for x in low if any(equal(x, y) for y in high)][:1]
    data_form = canonical({"family": "embedding", "problem": {"metric": form}})
    text = json.dumps(data_form, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest(), statements
