"""The kernel as one file that a bare Python runs: its modules in order, less the imports among them."""

from __future__ import annotations

import ast
from importlib.resources import files

MODULES = (
    "exact",
    "quadratic",
    "statement",
    "sidecar",
    "psd",
    "metric",
    "graph",
    "treepacking",
    "mincut",
    "embedding",
    "intervals",
    "dissimilarity",
    "medoids",
    "kcenter",
    "rup",
    "kdiameter",
    "partition",
    "enumeration",
    "ratiocut",
    "points",
    "boxes",
    "prices",
    "kmeans_lower",
    "kmeans_sample",
    "kmeans",
    "sensing",
    "recovery",
    "spark",
    "cones",
    "faces",
    "conic",
    "nullspace",
    "isometry",
    "supports",
    "rip",
    "registry",
    "document",
    "__main__",
)


def single_file() -> str:
    """The text of a stand-alone checker: ``python check.py FILE``."""
    title = "certify's kernel in one file: python -I check.py FILE... [--pure] [--json]. Standard library only."
    parts = [f'"""{title}"""\n', "from __future__ import annotations\n"]
    for name in MODULES:
        source = files("certify.kernel").joinpath(f"{name}.py").read_text(encoding="utf-8")
        lines = source.splitlines()
        for node in ast.parse(source).body:
            inner = isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in ("certify", "__future__")
            if inner:
                lines[node.lineno - 1 : node.end_lineno] = [""] * ((node.end_lineno or node.lineno) - node.lineno + 1)
        parts.append(f"\n# {'-' * 20} certify.kernel.{name}\n\n" + "\n".join(lines).strip() + "\n")
    return "\n".join(parts)
