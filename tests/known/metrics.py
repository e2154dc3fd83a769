"""The metrics of ``distortion.json``: name -> function that builds it.

A builder returns a networkx graph (its shortest-path metric, edges of length 1, or the edge attribute
``length`` when there is one) or a square list of *squared* distances, integers or fractions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import partial
from itertools import combinations, product

import networkx as nx

Squared = list[list[int]] | list[list[Fraction]]
Metric = nx.Graph | Squared


def spider(*legs: int) -> nx.Graph:
    """Paths of these lengths glued at one end."""
    graph = nx.Graph()
    for i, length in enumerate(legs):
        nx.add_path(graph, ["centre", *((i, j) for j in range(1, length + 1))])
    return graph


def johnson(n: int, k: int) -> nx.Graph:
    """k-subsets of n elements, adjacent when they share k-1."""
    sets = list(combinations(range(n), k))
    return _graph(sets, lambda a, b: len(set(a) & set(b)) == k - 1)


def odd(k: int) -> nx.Graph:
    """The odd graph O_k: (k-1)-subsets of 2k-1 elements, adjacent when disjoint."""
    return nx.kneser_graph(2 * k - 1, k - 1)


def hamming(*orders: int) -> nx.Graph:
    """Cartesian product of complete graphs of these orders."""
    words = list(product(*map(range, orders)))
    return _graph(words, lambda a, b: sum(x != y for x, y in zip(a, b, strict=True)) == 1)


def cycles(*orders: int) -> nx.Graph:
    """Cartesian product of cycles of these orders; the cycle of order 2 is an edge."""
    graph = nx.Graph([(0, 1)]) if orders[0] == 2 else nx.cycle_graph(orders[0])
    for n in orders[1:]:
        graph = nx.cartesian_product(graph, nx.path_graph(2) if n == 2 else nx.cycle_graph(n))
    return graph


def folded_cube(d: int) -> nx.Graph:
    """The cube of dimension d-1 with its antipodal pairs joined."""
    graph = nx.hypercube_graph(d - 1)
    graph.add_edges_from((v, tuple(1 - x for x in v)) for v in list(graph))
    return graph


def cayley_z4_squared() -> nx.Graph:
    """The Shrikhande graph."""
    steps = ((1, 0), (0, 1), (1, 1))
    vertices = product(range(4), repeat=2)
    return nx.Graph(((a, b), ((a + x) % 4, (b + y) % 4)) for a, b in vertices for x, y in steps)


def paley(q: int) -> nx.Graph:
    """q a prime, 1 mod 4: differences that are squares."""
    squares = {x * x % q for x in range(1, q)}
    return _graph(range(q), lambda a, b: (a - b) % q in squares)


def disjoint_pairs() -> nx.Graph:
    """Generalized quadrangle GQ(2,2): pairs out of six, adjacent when disjoint."""
    return nx.kneser_graph(6, 2)


def schlaefli_complement() -> nx.Graph:
    """The 27 lines of a cubic surface, adjacent when they meet: a_i, b_i and c_ij."""
    lines = [(kind, i) for kind in "ab" for i in range(6)]
    lines += [("c", *pair) for pair in combinations(range(6), 2)]

    def meet(p: tuple, q: tuple) -> bool:
        if p[0] == q[0] == "c":
            return not set(p[1:]) & set(q[1:])
        if p[0] == "c" or q[0] == "c":
            c, line = (p, q) if p[0] == "c" else (q, p)
            return line[1] in c[1:]
        return p[0] != q[0] and p[1] != q[1]

    return _graph(lines, meet)


def schlaefli() -> nx.Graph:
    """The 27 lines, adjacent when skew."""
    return nx.complement(schlaefli_complement())


def coxeter() -> nx.Graph:
    """3-subsets of the Fano plane that are not lines, adjacent when disjoint."""
    fano = {frozenset((i, (i + 1) % 7, (i + 3) % 7)) for i in range(7)}
    triples = [t for t in combinations(range(7), 3) if frozenset(t) not in fano]
    return _graph(triples, lambda a, b: not set(a) & set(b))


def projective_plane_incidence(q: int) -> nx.Graph:
    """Points and lines of the projective plane over a prime field, adjacent when incident."""
    points = [p for p in product(range(q), repeat=3) if any(p) and next(x for x in p if x) == 1]
    return nx.Graph(
        (("point", p), ("line", line))
        for p in points
        for line in points
        if sum(x * y for x, y in zip(p, line, strict=True)) % q == 0
    )


def crown(n: int) -> nx.Graph:
    """K_{n,n} without a perfect matching."""
    return nx.Graph((("left", i), ("right", j)) for i in range(n) for j in range(n) if i != j)


def rectangle() -> nx.Graph:
    """A cycle of four edges of lengths 1/3, 1/2, 1/3, 1/2."""
    graph = nx.cycle_graph(4)
    for i, length in enumerate((Fraction(1, 3), Fraction(1, 2)) * 2):
        graph.edges[i, (i + 1) % 4]["length"] = length
    return graph


def flat_torus(*orders: int) -> Squared:
    """Euclidean product of cycles: squared distances add up."""
    points = list(product(*map(range, orders)))

    def squared(p: Iterable[int], q: Iterable[int]) -> int:
        gaps = (abs(a - b) for a, b in zip(p, q, strict=True))
        return sum(min(g, n - g) ** 2 for g, n in zip(gaps, orders, strict=True))

    return [[squared(p, q) for q in points] for p in points]


def square_root(graph: nx.Graph) -> Squared:
    """The metric sqrt(d) of a graph: its squares are the hop distances."""
    return [[d[v] for v in graph] for d in (nx.single_source_shortest_path_length(graph, u) for u in graph)]


def dyadic_ultrametric(depth: int) -> Squared:
    """Leaves of a binary tree at distance 2^(height of the least common ancestor)."""
    return [[0 if i == j else 4 ** (i ^ j).bit_length() for j in range(2**depth)] for i in range(2**depth)]


def uneven_ultrametric() -> Squared:
    """The largest step on the way along a line with steps 1, 5, 2, 1/3, 7, 2: an ultrametric on 7 points."""
    steps = [Fraction(s) for s in ("1", "5", "2", "1/3", "7", "2")]
    n = len(steps) + 1
    return [[max(steps[min(i, j) : max(i, j)], default=Fraction(0)) ** 2 for j in range(n)] for i in range(n)]


def three_points() -> Squared:
    """Distances 1, 1, 3: they break the triangle inequality."""
    return [[0, 1, 9], [1, 0, 1], [9, 1, 0]]


def _graph(vertices: Iterable, adjacent: Callable) -> nx.Graph:
    vertices = list(vertices)
    graph = nx.Graph()
    graph.add_nodes_from(vertices)
    graph.add_edges_from((a, b) for a, b in combinations(vertices, 2) if adjacent(a, b))
    return graph


METRICS: dict[str, Callable[[], Metric]] = {
    # the 28 of the shared facts, under their names there
    "C_6 x K_2 prism": partial(nx.circular_ladder_graph, 6),
    "spider 3 legs length 2": partial(spider, 2, 2, 2),
    "complete 2-ary tree depth 2": partial(nx.balanced_tree, 2, 2),
    "windmill Wd(4,2)": partial(nx.windmill_graph, 2, 4),
    "Hoffman-Singleton n=50": nx.hoffman_singleton_graph,
    "C_4": partial(nx.cycle_graph, 4),
    "C_6": partial(nx.cycle_graph, 6),
    "C_5": partial(nx.cycle_graph, 5),
    "C_7": partial(nx.cycle_graph, 7),
    "Q_2": partial(nx.hypercube_graph, 2),
    "Q_3": partial(nx.hypercube_graph, 3),
    "Q_4": partial(nx.hypercube_graph, 4),
    "K_1,3": partial(nx.star_graph, 3),
    "K_1,5": partial(nx.star_graph, 5),
    "K_2,3": partial(nx.complete_bipartite_graph, 2, 3),
    "K_3,3": partial(nx.complete_bipartite_graph, 3, 3),
    "K_5": partial(nx.complete_graph, 5),
    "P_7": partial(nx.path_graph, 7),
    "Petersen": nx.petersen_graph,
    "J(5,2)": partial(johnson, 5, 2),
    "H(2,3) = rook 3x3 = Paley 9": partial(hamming, 3, 3),
    "Shrikhande": cayley_z4_squared,
    "icosahedron": nx.icosahedral_graph,
    "Heawood": nx.heawood_graph,
    "grid 3x3": partial(nx.grid_2d_graph, 3, 3),
    "friendship F_3": partial(nx.windmill_graph, 3, 3),
    "flat torus Z4xZ4 l2": partial(flat_torus, 4, 4),
    "sqrt metric of Q_3": partial(square_root, nx.hypercube_graph(3)),
    # more of the same kinds
    "C_8": partial(nx.cycle_graph, 8),
    "C_9": partial(nx.cycle_graph, 9),
    "C_10": partial(nx.cycle_graph, 10),
    "C_11": partial(nx.cycle_graph, 11),
    "C_12": partial(nx.cycle_graph, 12),
    "C_4 x C_6": partial(cycles, 4, 6),
    "C_6 x C_6": partial(cycles, 6, 6),
    "C_5 x K_2": partial(cycles, 5, 2),
    "C_3 x C_5": partial(cycles, 3, 5),
    "C_5 x C_5": partial(cycles, 5, 5),
    "C_4 x C_6 x K_2": partial(cycles, 4, 6, 2),
    "grid 2x5": partial(nx.grid_2d_graph, 2, 5),
    "grid 2x3x3": partial(nx.grid_graph, (2, 3, 3)),
    "K_2,5": partial(nx.complete_bipartite_graph, 2, 5),
    "K_2,2,2": partial(nx.complete_multipartite_graph, 2, 2, 2),
    "K_2,3,4": partial(nx.complete_multipartite_graph, 2, 3, 4),
    "K_1,2,3": partial(nx.complete_multipartite_graph, 1, 2, 3),
    "K_1,1,3": partial(nx.complete_multipartite_graph, 1, 1, 3),
    "K_4 minus an edge": partial(nx.complete_multipartite_graph, 1, 1, 2),
    "K_1,7": partial(nx.star_graph, 7),
    "spider 4 legs length 3": partial(spider, 3, 3, 3, 3),
    "spider legs 1,2,4": partial(spider, 1, 2, 4),
    "complete 3-ary tree depth 2": partial(nx.balanced_tree, 3, 2),
    "complete 4-ary tree depth 2": partial(nx.balanced_tree, 4, 2),
    "friendship F_4": partial(nx.windmill_graph, 4, 3),
    "windmill Wd(4,4)": partial(nx.windmill_graph, 4, 4),
    "windmill Wd(5,3)": partial(nx.windmill_graph, 3, 5),
    "Q_5": partial(nx.hypercube_graph, 5),
    "J(6,2)": partial(johnson, 6, 2),
    "J(6,3)": partial(johnson, 6, 3),
    "H(2,4) = rook 4x4": partial(hamming, 4, 4),
    "H(3,3)": partial(hamming, 3, 3, 3),
    "K_2 x K_4": partial(hamming, 2, 4),
    "Clebsch": partial(folded_cube, 5),
    "folded 6-cube": partial(folded_cube, 6),
    "Paley 13": partial(paley, 13),
    "Paley 17": partial(paley, 17),
    "GQ(2,2)": disjoint_pairs,
    "Schlaefli": schlaefli,
    "Schlaefli complement": schlaefli_complement,
    "dodecahedron": nx.dodecahedral_graph,
    "Pappus": nx.pappus_graph,
    "Desargues": nx.desargues_graph,
    "Coxeter": coxeter,
    "Tutte-Coxeter": partial(nx.LCF_graph, 30, [-13, -9, 7, -7, 9, 13], 5),
    "line graph of Petersen": lambda: nx.line_graph(nx.petersen_graph()),
    "odd graph O_4": partial(odd, 4),
    "incidence graph of PG(2,3)": partial(projective_plane_incidence, 3),
    "crown 5": partial(crown, 5),
    "crown 6": partial(crown, 6),
    "rectangle 1/3 by 1/2": rectangle,
    "distances 1, 1, 3": three_points,
    "flat torus Z6xZ5 l2": partial(flat_torus, 6, 5),
    "sqrt metric of C_6": partial(square_root, nx.cycle_graph(6)),
    "sqrt metric of K_2,3": partial(square_root, nx.complete_bipartite_graph(2, 3)),
    "sqrt metric of the binary tree depth 3": partial(square_root, nx.balanced_tree(2, 3)),
    "dyadic ultrametric on 16 points": partial(dyadic_ultrametric, 4),
    "uneven ultrametric on 7 points": uneven_ultrametric,
}
