"""Which families there are, and the rules of each: what a certificate may call itself."""

from __future__ import annotations

from certify.kernel.conic import CONIC
from certify.kernel.embedding import EMBEDDING
from certify.kernel.kcenter import KCENTER
from certify.kernel.kdiameter import KDIAMETER
from certify.kernel.kmeans import KMEANS
from certify.kernel.medoids import KMEDIAN, KMEDOIDS
from certify.kernel.mincut import MINCUT
from certify.kernel.nullspace import NULLSPACE
from certify.kernel.ratiocut import BISECTION, EXPANSION, NCUT, RATIOCUT
from certify.kernel.recovery import RECOVERY
from certify.kernel.rip import RIP
from certify.kernel.spark import SPARK
from certify.kernel.statement import Rules

FAMILIES: dict[str, Rules] = {
    "basis_pursuit": RECOVERY,
    "bisection": BISECTION,
    "conic": CONIC,
    "embedding": EMBEDDING,
    "expansion": EXPANSION,
    "kcenter": KCENTER,
    "kdiameter": KDIAMETER,
    "kmeans": KMEANS,
    "kmedian": KMEDIAN,
    "kmedoids": KMEDOIDS,
    "mincut": MINCUT,
    "ncut": NCUT,
    "nullspace": NULLSPACE,
    "ratiocut": RATIOCUT,
    "rip": RIP,
    "spark": SPARK,
}
