"""The certificate: exact problem data and witnesses, as a document and as a file."""

from __future__ import annotations

import gzip
import json
import os
import platform
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from certify.errors import Fault, InputError
from certify.kernel import FORMAT, Rejected, Verdict, check_bytes, check_document, read_json, unpack
from certify.kernel.exact import int_to_decimal

SAFE_INTEGER = 1 << 53  # beyond it, JSON readers of other languages round: written as text


@dataclass(frozen=True)
class Certificate:
    """Problem data and witnesses. It claims nothing: :meth:`check` says what it proves.

    problem: the canonical exact data; witnesses: as in ``docs/certificate-format.md``; made_by: words for
    people (versions, seconds, what a solver had claimed), neither trusted nor needed.
    """

    family: str
    problem: Mapping[str, Any]
    witnesses: tuple[Mapping[str, Any], ...]
    made_by: Mapping[str, Any] = field(default_factory=dict, compare=False)

    def document(self) -> dict[str, Any]:
        """What the kernel reads."""
        document: dict[str, Any] = {
            "format": FORMAT,
            "family": self.family,
            "problem": self.problem,
            "witnesses": list(self.witnesses),
        }
        if self.made_by:
            document["made_by"] = self.made_by
        return document

    def dumps(self) -> str:
        """The text of the file: one line for every top-level part and for every witness."""
        document = _portable(self.document())
        witnesses = ",\n".join(json.dumps(w, ensure_ascii=False, separators=(",", ":")) for w in document["witnesses"])
        parts = [
            f'"{key}":{json.dumps(document[key], ensure_ascii=False, separators=(",", ":"))}'
            for key in document
            if key != "witnesses"
        ]
        parts.insert(3, f'"witnesses":[\n{witnesses}\n]')
        return "{" + ",\n".join(parts) + "}\n"

    def check(self, pure: bool = False) -> Verdict:
        """The kernel's verdict on this certificate."""
        return check_document(self.document(), pure)

    def save(self, path: str | Path) -> Path:
        """Write the file whole or not at all; gzipped if the name ends in ``.gz``. Raises InputError."""
        target = Path(path)
        data = self.dumps().encode()
        write_whole(target, gzip.compress(data, mtime=0) if target.suffix == ".gz" else data)
        return target

    @staticmethod
    def load(path: str | Path) -> Certificate:
        """Read a certificate without checking it. Raises InputError if it is not one."""
        data = read_bytes(Path(path))
        try:
            document = read_json(unpack(data))
        except Rejected as fault:
            raise InputError(Fault(str(path), f"not a certificate ({fault.rule} {fault.where}: {fault.why})")) from None
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            raise InputError(Fault(str(path), f'not a certificate: "format" is not "{FORMAT}"'))
        family, problem, witnesses = document.get("family"), document.get("problem"), document.get("witnesses")
        made_by = document.get("made_by", {})
        if (
            not isinstance(family, str)
            or not isinstance(problem, dict)
            or not isinstance(witnesses, list)
            or not all(isinstance(w, dict) for w in witnesses)
            or not isinstance(made_by, dict)
        ):
            raise InputError(Fault(str(path), "not a certificate: family, problem or witnesses are missing or of a wrong type"))
        return Certificate(family, problem, tuple(witnesses), made_by)


def check_file(path: str | Path, pure: bool = False) -> Verdict:
    """Read a file and check it. InputError only if the file cannot be read."""
    return check_bytes(read_bytes(Path(path)), pure)


def read_bytes(path: Path) -> bytes:
    """The bytes of a file. InputError in one line if it is absent, a folder or unreadable."""
    try:
        return path.read_bytes()
    except OSError as fault:
        raise InputError(Fault(str(path), (fault.strerror or str(fault)).lower(), "give a readable file")) from None


def write_whole(target: Path, data: bytes) -> None:
    """Write to a temporary name beside the target and rename: a reader sees the old file or the new one."""
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
    except OSError as fault:
        raise InputError(Fault(str(target), f"cannot be written: {(fault.strerror or str(fault)).lower()}", "choose another place with -o")) from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, target)
    except BaseException as fault:
        Path(name).unlink(missing_ok=True)
        if isinstance(fault, OSError):
            raise InputError(Fault(str(target), f"cannot be written: {(fault.strerror or str(fault)).lower()}", "choose another place with -o")) from None
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def versions(names: Iterable[str]) -> dict[str, str]:
    """The versions at work, for ``made_by``."""
    from importlib.metadata import PackageNotFoundError, version

    found = {"python": platform.python_version()}
    for name in names:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _portable(value: Any) -> Any:
    """Integers beyond 2^53 as text; everything else as it is."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, int):
        return value if -SAFE_INTEGER < value < SAFE_INTEGER else int_to_decimal(value)
    if isinstance(value, Mapping):
        return {key: _portable(entry) for key, entry in value.items()}
    return [_portable(entry) for entry in value]
