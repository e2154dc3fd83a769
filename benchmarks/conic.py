"""SDPLIB and Netlib, proved. One command: CERTIFY_DATA=… python benchmarks/conic.py [NAME…]

Every model is bounded within 15 minutes (wall clock, two cores); its line is written to results/conic.json as soon as
it is done, so that a run can be stopped and goes on where it was. From that file results/conic.md is made: for SDPLIB
a table against VSDP (its rigorous interval with the best solver of each instance, 2018) and the values that SDPLIB
publishes; for Netlib the time that an exact optimum takes. Gaps are (U − L)/max(1, (|L| + |U|)/2), as VSDP counts.
"""

# ruff: noqa: E501 (tables)

from __future__ import annotations

import json
import os
import sys
import time
from fractions import Fraction
from pathlib import Path
from statistics import median
from typing import Any

import certify
from certify.kernel.exact import rational_text

HERE = Path(__file__).resolve().parent
KNOWN = HERE.parent / "tests" / "known"
LIMIT = 900.0
LINES, PAGE = HERE / "results" / "conic.json", HERE / "results" / "conic.md"


def models(folder: Path) -> list[Path]:
    """The models of a folder, the small ones first."""
    return sorted(
        (p for p in folder.iterdir() if ".dat-s" in p.name or ".mps" in p.name), key=lambda p: p.stat().st_size
    )


def measured(path: Path) -> dict[str, Any]:
    began = time.monotonic()
    result = certify.bound(path, time_limit=LIMIT)
    seconds = result.seconds
    low, high = result.bounds.lower, result.bounds.upper
    return {
        "status": result.status.word,
        "lower": None if low is None else repr(result.bounds.floats()[0]),
        "upper": None if high is None else repr(result.bounds.floats()[1]),
        "gap": None if low is None or high is None else float((high - low) / max(1, (abs(low) + abs(high)) / 2)),
        "exact": None if low is None or low != high else rational_text(low)[:60],
        "solve": round(seconds.solve, 2),
        "round": round(seconds.round, 2),
        "check": round(seconds.check, 2),
        "total": round(time.monotonic() - began, 2),
        "why": result.why_wide,
    }


def refuted(published: str, low: str | None, high: str | None) -> bool:
    """Whether a printed value, its last digit meant, lies outside of what is proved."""
    try:
        value = Fraction(published)
    except ValueError:
        return False
    mantissa, _, exponent = published.partition("e")
    half = Fraction(1, 2) * Fraction(10) ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    # a last digit may be cut off instead of rounded, so a whole unit is granted
    outside_low = low is not None and value + 2 * half < Fraction(float(low))
    return outside_low or (high is not None and value - 2 * half > Fraction(float(high)))


def sdplib_table(lines: dict[str, Any]) -> list[str]:
    known = json.loads((KNOWN / "sdplib.json").read_text())["problems"]
    rows = [
        "| name | m | n | proved lower | proved upper | gap | status | solve s | round s | check s | VSDP lower | VSDP upper | published |"
    ]
    rows.append("|---|---|---|---|---|---|---|---|---|---|---|---|---|")
    for name, facts in known.items():
        line = lines.get(f"sdplib/{name}")
        head = f"| `{name}` | {facts['m']} | {facts['n']} "
        tail = f"| {facts['vsdp_lower']} | {facts['vsdp_upper']} | {facts['published']}"
        if line is None:
            rows.append(f"{head}| | | | not run | | | {tail} |")
            continue
        gap = "" if line["gap"] is None else f"{line['gap']:.1e}"
        mark = " **refuted**" if refuted(facts["published"], line["lower"], line["upper"]) else ""
        rows.append(
            f"{head}| {line['lower'] or ''} | {line['upper'] or ''} | {gap} | {line['status']} "
            f"| {line['solve']} | {line['round']} | {line['check']} {tail}{mark} |"
        )
    return rows


def page(lines: dict[str, Any]) -> str:
    sdplib = {key: line for key, line in lines.items() if key.startswith("sdplib/")}
    both = [line for line in sdplib.values() if line["gap"] is not None]
    decided = [key for key, line in sdplib.items() if line["status"] in ("infeasible", "unbounded")]
    over = [(line["round"] + line["check"]) / max(line["solve"], 0.01) for line in both]
    netlib = {key: line for key, line in lines.items() if key.startswith("netlib/")}
    infeasible = {key: line for key, line in lines.items() if key.startswith("netlib_infeas/")}
    exact = [line for line in netlib.values() if line["status"] == "exact"]
    text = ["# Conic programs: SDPLIB and Netlib", "", (__doc__ or "").strip(), ""]
    if both:
        text += [
            f"SDPLIB: {len(sdplib)} of 92 run; two finite ends on {len(both)} (VSDP: 55); {len(decided)} proved infeasible or unbounded; "
            f"median gap {median(line['gap'] for line in both):.1e}; median of (round + check)/solve {median(over):.2f}.",
            "",
            *sdplib_table(lines),
            "",
        ]
    if netlib:
        slow = max(netlib.items(), key=lambda pair: pair[1]["total"])
        text += [
            f"Netlib: {len(exact)} of {len(netlib)} exact, the slowest `{slow[0].split('/')[1]}` in {slow[1]['total']} s; "
            f"{sum(line['status'] == 'infeasible' for line in infeasible.values())} of {len(infeasible)} infeasible ones proved.",
            "",
            "| name | optimum | total s | solve s | check s |",
            "|---|---|---|---|---|",
        ]
        for key, line in sorted(netlib.items()):
            value = line["exact"] or line["status"]
            text.append(
                f"| `{key.split('/')[1]}` | {value if len(value) < 40 else line['lower']} | {line['total']} | {line['solve']} | {line['check']} |"
            )
    return "\n".join(text) + "\n"


def main() -> None:
    data = Path(os.environ["CERTIFY_DATA"]) / "data"
    lines: dict[str, Any] = json.loads(LINES.read_text()) if LINES.exists() else {}
    for folder in ("netlib_infeas", "netlib", "sdplib"):
        for path in models(data / folder):
            name = path.name.split(".")[0]
            key = f"{folder}/{name}"
            if (sys.argv[1:] and name not in sys.argv[1:]) or (key in lines and not sys.argv[1:]):
                continue
            lines[key] = measured(path)
            print(key, lines[key]["status"], lines[key]["gap"], lines[key]["total"], flush=True)
            LINES.write_text(json.dumps(lines, indent=1, sort_keys=True) + "\n")
            PAGE.write_text(page(lines))
    PAGE.write_text(page(lines))


if __name__ == "__main__":
    main()
