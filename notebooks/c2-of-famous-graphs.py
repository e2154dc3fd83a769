# ---
# jupyter:
#   jupytext:
#     formats: py:percent,ipynb
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # How well does Euclidean space hold famous graphs?
#
# A graph is a metric space: the distance $d(u, v)$ is the length of a shortest path. A map $f$ of its vertices into
# a Euclidean space stretches some distances and shrinks others. Its **distortion** is
#
# $$\max_{u \ne v} \frac{|f(u)-f(v)|}{d(u,v)} \cdot \max_{u \ne v} \frac{d(u,v)}{|f(u)-f(v)|},$$
#
# and the least distortion over all maps, in any dimension, is $c_2(X)$. Distortion 1 means that the map keeps all
# distances, up to scale. The four-cycle cannot have that: here is why, by hand and then by computation.
#
# Every number below that is called *proved* was returned by a small program in exact arithmetic, the kernel. It never
# asks a solver: it reads the data and a witness, and computes what the witness proves.

# %%
import subprocess
import sys
import tempfile
from fractions import Fraction
from math import isqrt, pi, sin
from pathlib import Path

import networkx as nx
from IPython.display import SVG, Markdown

import certify
from certify import Embedding
from certify.kernel.export import single_file
from certify.rounding.maps import classical_scaling


def table(head, rows):
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *([str(cell) for cell in row] for row in rows)]
    return Markdown("\n".join("| " + " | ".join(line) + " |" for line in lines))


def proved(result):
    """The proved interval of the distortion squared, rounded outward."""
    return result.sentence().replace("distortion_squared", "c₂²")


# %% [markdown]
# ## The four-cycle, by hand
#
# *Upper end.* Put $a, b, c, d$ at the corners of a square. Sides keep their length 1, the diagonals have length
# $\sqrt 2$ instead of 2: distortion $\sqrt 2$, distortion² 2.
#
# *Lower end.* For any four points in a Euclidean space the diagonals are short,
#
# $$|a-c|^2 + |b-d|^2 \le |a-b|^2 + |b-c|^2 + |c-d|^2 + |d-a|^2,$$
#
# as the right side minus the left side is $|a-b+c-d|^2$. In the graph the left side is $4 + 4$ and the right side is
# $1+1+1+1$. So some side is stretched at least twice as much, in squares, as some diagonal: distortion² ≥ 2.
#
# Both arguments fit into a certificate. The lower one is a list of weights on pairs; that the form
# $\sum_\text{expand} y |a-b|^2 - \sum_\text{contract} y |a-c|^2$ is never negative is checked by elimination over the
# rational numbers (`ldl`).

# %%
square = {"kind": "coordinates", "points": {"denominator": 1, "rows": [[0, 0], [1, 0], [1, 1], [0, 1]]}}
parallelogram = {
    "kind": "weights",
    "expand": [[0, 1, 1], [1, 2, 1], [2, 3, 1], [0, 3, 1]],
    "contract": [[0, 2, 1], [1, 3, 1]],
    "ground": 0,
    "psd": {"kind": "ldl"},
}
four_cycle = {"vertices": 4, "denominator": 1, "edges": [[0, 1, 1], [0, 3, 1], [1, 2, 1], [2, 3, 1]]}
by_hand = {
    "format": "certify/1",
    "family": "embedding",
    "problem": {"metric": {"graph": four_cycle}},
    "witnesses": [parallelogram, square],
}
verdict = certify.check(by_hand)
print(*verdict.lines(), sep="\n")
assert verdict.best("==") == 2

# %% [markdown]
# ## A forger at work
#
# Double the weight of the diagonals, and the certificate would prove distortion² ≥ 4. But then the form takes
# negative values. The kernel says so, and names the rule and the place.

# %%
forged = {**parallelogram, "contract": [[0, 2, 2], [1, 3, 2]]}
verdict = certify.check({**by_hand, "witnesses": [forged, square]})
print(*verdict.lines(), sep="\n")
assert not verdict

# %% [markdown]
# ## The same by machine
#
# `certify.solve` runs a floating-point engine, rounds what it says to exact witnesses, and asks the kernel. The
# result shows three things and does not mix them: what is proved, what the solver had claimed, what is known.

# %%
result = certify.solve(Embedding.from_graph(nx.cycle_graph(4)))
result.require("distortion_squared >= 1.99999")
result.require("distortion <= 1.4143")
result

# %% [markdown]
# To require more than is proved is an error. So a computation that rests on a bound can say which one:

# %%
try:
    result.require("distortion >= 1.5")
except certify.NotProvedError as fault:
    print(fault)
else:
    raise RuntimeError("this must not be proved")

# %% [markdown]
# ## Cubes
#
# The cube of dimension $d$ sits in $\mathbb R^d$ with distortion $\sqrt d$: opposite corners are $d$ steps and
# $\sqrt d$ apart. Enflo (1969) proved that no map does better, so $c_2^2 = d$.

# %%
cubes = {d: certify.solve(Embedding.from_graph(nx.hypercube_graph(d))) for d in range(2, 6)}
for d, result in cubes.items():
    assert result.bounds.lower <= d <= result.bounds.upper
    result.require(f"distortion_squared >= {Fraction(d) * (1 - Fraction(1, 10**6))}")
table(["cube", "vertices", "proved", "closed form"], [(f"$Q_{d}$", 2**d, proved(r), d) for d, r in cubes.items()])

# %% [markdown]
# ## Cycles
#
# By averaging over its symmetries a cycle is best embedded as the regular polygon, which gives
# $c_2 = \frac n2 \sin\frac\pi n$ for even $n$ (Linial and Magen 2000) and $(n-1)\sin\frac\pi{2n}$ for odd $n$.
# Both tend to $\pi/2$: long cycles are as bad as the circle with the length of its arcs.


# %%
def polygon(n):
    """The distortion of the regular n-gon, in floating point."""
    return n / 2 * sin(pi / n) if n % 2 == 0 else (n - 1) * sin(pi / (2 * n))


cycles = {n: certify.solve(Embedding.from_graph(nx.cycle_graph(n))) for n in (3, 4, 5, 6, 7, 8, 9, 10, 15, 20)}
rows = []
for n, result in cycles.items():
    low, high = result.bounds.floats()
    assert low - 1e-12 <= polygon(n) ** 2 <= high + 1e-12
    rows.append((f"$C_{{{n}}}$", proved(result), f"{polygon(n) ** 2:.10f}"))
table(["cycle", "proved", "polygon"], rows)

# %% [markdown]
# ## Graphs with a closed form
#
# For distance-regular graphs the optimum can be read off the eigenvalues (Vallentin 2008). A closed form $a + b\sqrt d$
# is compared with the proved ends exactly, by squaring, and not by floating point.


# %%
def at_most(x, a, b, d):
    """Whether x <= a + b√d, exactly (x, a and b rational, d a natural number)."""
    rest = x - a
    if b == 0 or isqrt(d) ** 2 == d:
        return rest <= b * isqrt(d)
    if (rest <= 0) and (b >= 0):
        return True
    if (rest > 0) and (b <= 0):
        return False
    return rest**2 <= b**2 * d if b > 0 else rest**2 >= b**2 * d


def within(result, a, b, d):
    """Whether the proved interval contains a + b√d, exactly."""
    low, high = result.bounds.lower, result.bounds.upper
    return at_most(low, a, b, d) and at_most(-high, -a, -b, d)


famous = [
    ("Petersen", nx.petersen_graph(), (2, 0, 1), "$2$"),
    ("Heawood", nx.heawood_graph(), (12, -6, 2), r"$12-6\sqrt2$"),
    ("icosahedron", nx.icosahedral_graph(), (Fraction(9, 2), Fraction(-9, 10), 5), r"$\frac92-\frac9{10}\sqrt5$"),
    ("dodecahedron", nx.dodecahedral_graph(), (Fraction(25, 2), Fraction(-25, 6), 5), r"$\frac{25}2-\frac{25}6\sqrt5$"),
    ("Tutte–Coxeter", nx.LCF_graph(30, [-13, -9, 7, -7, 9, 13], 5), (Fraction(64, 15), 0, 1), r"$\frac{64}{15}$"),
    ("$K_{2,3}$", nx.complete_bipartite_graph(2, 3), (Fraction(7, 3), 0, 1), r"$\frac73$"),
]
rows = []
for name, graph, closed, words in famous:
    result = certify.solve(Embedding.from_graph(graph))
    assert within(result, *closed), name
    assert result.bounds.gap < Fraction(1, 10**6)
    rows.append((name, len(graph), proved(result), words))
table(["graph", "vertices", "proved", "closed form of c₂²"], rows)

# %% [markdown]
# ## Trees
#
# A tree embeds into $\ell_1$ with no distortion at all, but not into Euclidean space: Bourgain (1986) showed that
# complete binary trees need distortion that grows like $\sqrt{\log \text{depth}}$. Small ones, proved:

# %%
rows = []
last = Fraction(0)
for depth in (1, 2, 3, 4):
    result = certify.solve(Embedding.from_graph(nx.balanced_tree(2, depth)), gap=1e-5)
    assert result.bounds.lower > last  # each needs more than the one before: proved, not observed
    last = result.bounds.upper
    rows.append((depth, 2 ** (depth + 1) - 1, proved(result)))
table(["depth", "vertices", "proved"], rows)

# %% [markdown]
# ## A real graph
#
# Zachary's karate club: 34 members, 78 friendships. No closed form is known, and none is needed.

# %%
club = Embedding.from_graph(nx.karate_club_graph(), about=certify.About(title="Zachary's karate club"))
result = certify.solve(club)
result.require("distortion >= 1.638")
result.require("distortion <= 1.639")
result

# %% [markdown]
# Its optimal map, on the first two of its principal axes. Solid lines are the friendships that are stretched most,
# dashed ones the pairs that are shortened most: at the optimum many of each meet the two ends exactly.

# %%
SVG(result.family.picture(club, list(result.certificate.witnesses)))

# %% [markdown]
# ## How good is a map that one already has?
#
# The drawing of Kamada and Kawai (1989) puts the club into the plane; classical scaling uses as many axes as it finds.
# Their distortion is computed exactly, and compared with the proved lower end: so the ratio to the optimum is proved as
# well, not estimated.

# %%
drawing = nx.kamada_kawai_layout(nx.karate_club_graph())
maps = {
    "Kamada–Kawai, in the plane": [list(drawing[v]) for v in range(len(club))],
    "classical scaling": classical_scaling(club.squared_distances()),
}
rows = []
for name, points in maps.items():
    judged = certify.assess(club, points, start=result.certificate).assessment
    rows.append((name, f"{float(judged.value):.6g}", f"at most {judged.ratio_upper:.6g}"))
table(["map", "its distortion²", "ratio to the optimum (of the squares)"], rows)

# %% [markdown]
# ## Without trusting this notebook
#
# The certificate is a file. The kernel, written out as one file, checks it on a Python with nothing installed (`-I -S`
# keeps every installed package away).

# %%
with tempfile.TemporaryDirectory() as folder:
    checker, certificate = Path(folder) / "check.py", Path(folder) / "karate.cert.json"
    checker.write_text(single_file(), encoding="utf-8")
    result.certificate.save(certificate)
    bare = [sys.executable, "-I", "-S", checker, certificate]
    done = subprocess.run(bare, capture_output=True, text=True, check=True)
print(done.stdout)
assert done.stdout.startswith("s PROVED")

# %% [markdown]
# And a last trick: take one friendship away, and leave the witnesses as they are. A witness is not bound to a problem,
# so the kernel proves what it proves of the *new* metric, whatever that is; here the old map serves it badly. What
# cannot happen is that the two are mistaken for each other: a statement names the digest of its data.

# %%
document = result.certificate.document()
graph = dict(document["problem"]["metric"]["graph"])
graph["edges"] = [edge for edge in graph["edges"] if list(edge[:2]) != [0, 1]]
verdict = certify.check({**document, "problem": {"metric": {"graph": graph}}})
print(verdict.lines()[0])
print(result.verdict.lines()[0])
assert {s.digest for s in verdict.statements}.isdisjoint(s.digest for s in result.statements)
