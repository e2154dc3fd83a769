"""Graphs by the name of a constructor: an allow-list with bounded sizes.

The names and arguments are those of networkx; ``johnson_graph(n, k)`` and ``hamming_graph(d, q)`` are added.
Random graphs need a seed; what they draw may differ between versions of networkx, so a note names the version.
Sizes are estimated before anything is built.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import comb, prod
from typing import TYPE_CHECKING, Any, Literal

from certify.errors import Fault, InputError
from certify.formats.exact import shown

if TYPE_CHECKING:
    import networkx as nx

MOST_VERTICES = 20_000
MOST_EDGES = 500_000

Kind = Literal["whole", "wholes", "wholes or whole", "flag"]
Size = tuple[int, int]  # upper bounds of the numbers of vertices and edges


@dataclass(frozen=True)
class Maker:
    """A constructor: its parameters (name, kind), how many of the last ones may be left out, the size of what it
    makes for given arguments, and how it is made (default: the networkx function of its name)."""

    parameters: tuple[tuple[str, Kind], ...]
    size: Callable[..., Size]
    build: Callable[..., nx.Graph[Any]] | None = None
    optional: int = 0
    random: bool = False

    def usage(self, name: str) -> str:
        """``balanced_tree(r, h)``"""
        needed = len(self.parameters) - self.optional
        words = [key if index < needed else f"{key}=…" for index, (key, _) in enumerate(self.parameters)]
        return f"{name}({', '.join(words)})"


def construct(
    name: str, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
) -> tuple[nx.Graph[Any], tuple[str, ...]]:
    """The networkx graph of a constructor of the allow-list, and notes.

    Raises InputError, one line: unknown name, missing, unknown or bad arguments, more than 20,000 vertices or
    500,000 edges.
    """
    import networkx as nx

    maker = MAKERS.get(name)
    if maker is None:
        close = difflib.get_close_matches(name[:80], MAKERS, n=3)
        mend = f"did you mean {' or '.join(close)}?" if close else "the names are those of networkx, as cycle_graph"
        raise InputError(Fault("", f"no generator is called {shown(name)}", mend))
    values = _bind(name, maker, args, kwargs or {})
    vertices, edges = maker.size(*values)
    if vertices > MOST_VERTICES or edges > MOST_EDGES:
        what = f"{_call(name, values)} has up to {_count(vertices)} vertices and {_count(edges)} edges"
        raise InputError(Fault("", what, f"at most {MOST_VERTICES:,} and {MOST_EDGES:,}"))
    build = maker.build or getattr(nx, name)
    try:
        keywords = dict(zip((key for key, _ in maker.parameters), values, strict=False))
        graph: nx.Graph[Any] = build(**keywords)
    except (nx.NetworkXException, ValueError, TypeError, IndexError, ZeroDivisionError, OverflowError) as error:
        what = f"{_call(name, values)} cannot be made: {error}"
        raise InputError(Fault("", what, f"see networkx on {name}")) from None
    if not maker.random:
        return graph, ()
    return graph, (
        f"drawn by networkx {nx.__version__} with seed {values[-1]}; another version may draw another graph",
    )


def _bind(name: str, maker: Maker, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
    """Arguments in the order of the parameters, checked."""
    usage = f"write {maker.usage(name)}"
    if len(args) > len(maker.parameters):
        raise InputError(Fault("", f"{name} takes {len(maker.parameters)} arguments, not {len(args)}", usage))
    given = {key: value for (key, _), value in zip(maker.parameters, args, strict=False)}
    for key, value in kwargs.items():
        if key == "length":
            raise InputError(Fault("", f"{name} has no argument 'length'", "length = … goes into [metric] itself"))
        if key not in dict(maker.parameters):
            raise InputError(Fault("", f"{name} has no argument {shown(key)}", usage))
        if key in given:
            raise InputError(Fault("", f"{name} has its argument {shown(key)} twice", usage))
        given[key] = value
    needed = maker.parameters[: len(maker.parameters) - maker.optional]
    lacking = [key for key, _ in needed if key not in given]
    if lacking:
        raise InputError(Fault("", f"{name} lacks its argument {', '.join(lacking)}", usage))
    values = []
    for key, kind in maker.parameters:
        if key not in given:
            break
        value = given[key]
        if not _is(value, kind):
            what = f"argument {key} of {name} is {shown(value)}"
            raise InputError(Fault("", what, f"it should be {_KINDS[kind]}"))
        values.append(list(value) if isinstance(value, tuple) else value)
    return values


_KINDS: Mapping[Kind, str] = {
    "whole": "a whole number from 0 to a million",
    "wholes": "a list of at most 1,000 whole numbers",
    "wholes or whole": "a whole number, or a list of them",
    "flag": "true or false",
}


def _is(value: Any, kind: Kind) -> bool:
    if kind == "flag":
        return isinstance(value, bool)
    if kind == "whole":
        return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 10**6
    if isinstance(value, list | tuple):
        return len(value) <= 1000 and all(_is(abs(one) if isinstance(one, int) else one, "whole") for one in value)
    return kind == "wholes or whole" and _is(value, "whole")


def _call(name: str, values: Sequence[Any]) -> str:
    return f"{name}({shown(', '.join(map(str, values)))[1:-1]})" if values else f"{name}()"


def _count(number: int) -> str:
    return f"{number:,}" if number < 10**15 else "more than 10^15"


def _power(base: int, exponent: int) -> int:
    """base^exponent, cut off where it is too large anyway."""
    return base**exponent if exponent * max(base, 1).bit_length() < 200 else 10**60


def _tree(r: int, h: int) -> Size:
    n = h + 1 if r <= 1 else _power(r, h + 1) // max(r - 1, 1)
    return n, n


def _cliques(sizes: Sequence[int]) -> Size:
    n = sum(sizes)
    return n, n * n // 2


def _small_binomial(n: int, k: int) -> int:
    k = min(k, n - k)
    return 0 if k < 0 else comb(n, k) if n * min(k, 40) < 5000 else 10**60


def _johnson(n: int, k: int) -> nx.Graph[Any]:
    import networkx as nx

    sets = list(combinations(range(n), k))
    graph = nx.Graph()
    graph.add_nodes_from(sets)
    for one in sets:
        inside = set(one)
        for out in one:
            for new in range(out + 1, n):
                if new not in inside:
                    graph.add_edge(one, tuple(sorted(inside - {out} | {new})))
    return graph


def _kneser(n: int, k: int) -> nx.Graph[Any]:
    import networkx as nx

    if not 0 < k <= n:
        raise ValueError("0 < k <= n")
    sets = list(combinations(range(n), k))
    graph = nx.Graph()
    graph.add_nodes_from(sets)
    graph.add_edges_from((one, two) for one, two in combinations(sets, 2) if not set(one) & set(two))
    return graph


def _hamming(d: int, q: int) -> nx.Graph[Any]:
    import networkx as nx

    words = list(product(range(q), repeat=d))
    graph = nx.Graph()
    graph.add_nodes_from(words)
    for word in words:
        for place, letter in enumerate(word):
            graph.add_edges_from((word, (*word[:place], new, *word[place + 1 :])) for new in range(letter + 1, q))
    return graph


def _petersen(n: int, k: int) -> nx.Graph[Any]:
    import networkx as nx

    if n < 3 or not 1 <= k <= (n - 1) // 2:
        raise ValueError("n >= 3 and 1 <= k <= (n - 1)/2")
    graph = nx.Graph()
    graph.add_nodes_from(range(2 * n))
    for i in range(n):
        graph.add_edges_from([(i, (i + 1) % n), (i, n + i), (n + i, n + (i + k) % n)])
    return graph


def _paley(p: int) -> nx.Graph[Any]:
    import networkx as nx

    if p % 4 != 1 or any(p % d == 0 for d in range(2, int(p**0.5) + 1)):
        raise ValueError("p is a prime that leaves 1 when divided by 4")
    squares = {x * x % p for x in range(1, p)}
    graph = nx.Graph()
    graph.add_nodes_from(range(p))
    graph.add_edges_from((x, y) for x, y in combinations(range(p), 2) if (y - x) % p in squares)
    return graph


def _multipartite(sizes: Sequence[int]) -> nx.Graph[Any]:
    import networkx as nx

    return nx.complete_multipartite_graph(*sizes)


def _dims(dim: int | Sequence[int], periodic: bool = False) -> Size:
    sizes = [dim] if isinstance(dim, int) else dim
    n = min(prod(sizes), 10**60)
    return n, n * len(sizes)


def _grid(dim: int | Sequence[int], periodic: bool = False) -> nx.Graph[Any]:
    import networkx as nx

    return nx.grid_graph(dim=[dim] if isinstance(dim, int) else dim, periodic=periodic)


_N: tuple[tuple[str, Kind], ...] = (("n", "whole"),)
_MN: tuple[tuple[str, Kind], ...] = (("m", "whole"), ("n", "whole"))
_NK: tuple[tuple[str, Kind], ...] = (("n", "whole"), ("k", "whole"))
_SMALL = [
    "bull",
    "chvatal",
    "cubical",
    "desargues",
    "diamond",
    "dodecahedral",
    "frucht",
    "heawood",
    "hoffman_singleton",
    "house",
    "house_x",
    "icosahedral",
    "krackhardt_kite",
    "moebius_kantor",
    "octahedral",
    "pappus",
    "petersen",
    "sedgewick_maze",
    "tetrahedral",
    "truncated_cube",
    "tutte",
    "karate_club",
    "davis_southern_women",
    "florentine_families",
    "les_miserables",
]

MAKERS: Mapping[str, Maker] = {
    **{f"{name}_graph": Maker((), lambda: (100, 1000)) for name in _SMALL},
    "truncated_tetrahedron_graph": Maker((), lambda: (12, 18)),
    "cycle_graph": Maker(_N, lambda n: (n, n)),
    "path_graph": Maker(_N, lambda n: (n, n)),
    "star_graph": Maker(_N, lambda n: (n + 1, n)),
    "wheel_graph": Maker(_N, lambda n: (n, 2 * n)),
    "complete_graph": Maker(_N, lambda n: (n, n * n // 2)),
    "ladder_graph": Maker(_N, lambda n: (2 * n, 3 * n)),
    "circular_ladder_graph": Maker(_N, lambda n: (2 * n, 3 * n)),
    "hypercube_graph": Maker(_N, lambda n: (_power(2, n), n * _power(2, n) // 2)),
    "binomial_tree": Maker(_N, lambda n: (_power(2, n), _power(2, n))),
    "dorogovtsev_goltsev_mendes_graph": Maker(_N, lambda n: (_power(3, n) + 3, _power(3, n + 1))),
    "mycielski_graph": Maker(_N, lambda n: (_power(2, n), _power(3, n))),
    "complete_bipartite_graph": Maker((("n1", "whole"), ("n2", "whole")), lambda a, b: (a + b, a * b)),
    "complete_multipartite_graph": Maker(
        (("subset_sizes", "wholes"),), _cliques, lambda subset_sizes: _multipartite(subset_sizes)
    ),
    "balanced_tree": Maker((("r", "whole"), ("h", "whole")), _tree),
    "full_rary_tree": Maker((("r", "whole"), ("n", "whole")), lambda r, n: (n, n)),
    "barbell_graph": Maker((("m1", "whole"), ("m2", "whole")), lambda a, b: (2 * a + b, a * a + b + 1)),
    "lollipop_graph": Maker(_MN, lambda m, n: (m + n, m * m // 2 + n)),
    "tadpole_graph": Maker(_MN, lambda m, n: (m + n, m + n)),
    "turan_graph": Maker((("n", "whole"), ("r", "whole")), lambda n, r: (n, n * n // 2)),
    "windmill_graph": Maker(_NK, lambda n, k: (k * n, k * n * n)),
    "grid_2d_graph": Maker((*_MN, ("periodic", "flag")), lambda m, n, periodic=False: (m * n, 2 * m * n), optional=1),
    "grid_graph": Maker((("dim", "wholes or whole"), ("periodic", "flag")), _dims, _grid, optional=1),
    "hexagonal_lattice_graph": Maker(_MN, lambda m, n: ((m + 1) * (2 * n + 4), 3 * (m + 1) * (2 * n + 4))),
    "triangular_lattice_graph": Maker(_MN, lambda m, n: ((m + 1) * (n + 1), 3 * (m + 1) * (n + 1))),
    "circulant_graph": Maker((("n", "whole"), ("offsets", "wholes")), lambda n, offsets: (n, n * len(offsets))),
    "LCF_graph": Maker(
        (("n", "whole"), ("shift_list", "wholes"), ("repeats", "whole")),
        lambda n, shifts, repeats: (n, n + len(shifts) * repeats),
    ),
    "generalized_petersen_graph": Maker(_NK, lambda n, k: (2 * n, 3 * n), _petersen),
    "paley_graph": Maker((("p", "whole"),), lambda p: (p, p * p // 4), _paley),
    "kneser_graph": Maker(
        _NK, lambda n, k: (_small_binomial(n, k), _small_binomial(n, k) * _small_binomial(n - k, k) // 2), _kneser
    ),
    "johnson_graph": Maker(_NK, lambda n, k: (_small_binomial(n, k), _small_binomial(n, k) * k * n // 2), _johnson),
    "hamming_graph": Maker(
        (("d", "whole"), ("q", "whole")), lambda d, q: (_power(q, d), _power(q, d) * d * q // 2), _hamming
    ),
    "random_regular_graph": Maker(
        (("d", "whole"), ("n", "whole"), ("seed", "whole")), lambda d, n, seed: (n, d * n), random=True
    ),
    "gnm_random_graph": Maker(
        (("n", "whole"), ("m", "whole"), ("seed", "whole")), lambda n, m, seed: (n, m), random=True
    ),
    "barabasi_albert_graph": Maker(
        (("n", "whole"), ("m", "whole"), ("seed", "whole")), lambda n, m, seed: (n, m * n), random=True
    ),
}
