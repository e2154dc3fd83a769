"""The trusted base: problem + witnesses in, statements out.

Standard library only; nothing else of certify is imported. python-flint, when it is installed, does one
exact matrix product (see :func:`certify.kernel.psd.gram`) that a pure twin can do as well.

To check a file without installing anything: ``python -m certify.kernel FILE``, or the single file that
``certify kernel --export check.py`` writes.
"""

from certify.kernel.document import FORMAT, check_bytes, check_document, digest_of, unpack
from certify.kernel.exact import Rejected, decimal_text, rational_text, read_json
from certify.kernel.sidecar import Beside, inlined
from certify.kernel.statement import Statement, Verdict

__all__ = [
    "FORMAT",
    "Beside",
    "Rejected",
    "Statement",
    "Verdict",
    "check_bytes",
    "check_document",
    "decimal_text",
    "digest_of",
    "inlined",
    "rational_text",
    "read_json",
    "unpack",
]
