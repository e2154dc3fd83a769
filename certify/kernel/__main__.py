"""``python -m certify.kernel FILE... [--pure] [--json]``: check certificates on a bare Python.

Exit code 0: all proved. 1: one is rejected. 2: a file cannot be read.
"""

from __future__ import annotations

import argparse
import json
import sys
from functools import partial
from os.path import dirname, join

from certify.kernel.document import check_bytes
from certify.kernel.exact import MAX_BYTES


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="certify.kernel", description="Check certificates in exact arithmetic.")
    parser.add_argument("files", nargs="+", metavar="FILE", help="a .cert.json or .cert.json.gz file; - is stdin")
    parser.add_argument("--pure", action="store_true", help="do not use python-flint even if it is installed")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(arguments)
    verdicts = []
    unreadable = False
    for name in options.files:
        try:
            if name == "-":
                data = sys.stdin.buffer.read(MAX_BYTES + 1)
            else:
                with open(name, "rb") as file:
                    data = file.read(MAX_BYTES + 1)
        except OSError as fault:
            print(f"{name}: {fault.strerror or fault}", file=sys.stderr)
            unreadable = True
            continue
        verdicts.append(check_bytes(data, options.pure, None if name == "-" else partial(_beside, dirname(name))))
        if not options.json:
            _say("\n".join(verdicts[-1].lines()))
    if options.json and verdicts:
        if len(options.files) == 1:
            print(json.dumps(verdicts[0].as_json()))
        else:
            print(json.dumps({"valid": all(verdicts) and not unreadable, "results": [v.as_json() for v in verdicts]}))
    return 2 if unreadable else 0 if all(verdicts) else 1


def _beside(folder: str, name: str) -> bytes:
    with open(join(folder, name), "rb") as file:
        return file.read(MAX_BYTES + 1)


def _say(text: str) -> None:
    """Print, also on a terminal that does not know every letter."""
    encoding = sys.stdout.encoding or "utf-8"
    print(text.encode(encoding, "backslashreplace").decode(encoding))


if __name__ == "__main__":
    sys.exit(main())
