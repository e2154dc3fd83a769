"""Bytes of a file to text, or one line that says why not."""

from __future__ import annotations

import difflib
import os
import sys
from pathlib import Path

from certify.errors import Fault, InputError

MIB = 2**20
_PACKED = {
    b"\x1f\x8b": "a gzip file",
    b"PK\x03\x04": "a zip file (or a spreadsheet)",
    b"BZh": "a bzip2 file",
    b"\xfd7zXZ": "an xz file",
    b"\x28\xb5\x2f\xfd": "a zstd file",
    b"\x93NUMPY": "a numpy array",
    b"%PDF": "a PDF",
    b"\x89PNG": "a picture",
    b"\x89HDF": "an HDF5 file",
    b"SQLite format 3": "a database",
}


def display(path: Path) -> str:
    """The name of a file in error lines; ``-`` is standard input."""
    name = str(path)
    return "<stdin>" if name == "-" else name if len(name) <= 300 else f"…{name[-300:]}"


def read_bytes(path: Path, most: int) -> bytes:
    """The content of a file, at most ``most`` bytes; ``-`` is standard input.

    Raises InputError, one line: missing, a folder, unreadable, too large.
    """
    name = display(path)
    try:
        if str(path) == "-":
            if sys.stdin is None:
                raise InputError(Fault(name, "is closed", "name a file"))
            raw = sys.stdin.buffer.read(most + 1)
        else:
            with path.open("rb") as stream:
                raw = stream.read(most + 1)
    except FileNotFoundError:
        raise InputError(Fault(name, "no such file", _neighbour(path))) from None
    except IsADirectoryError:
        raise InputError(Fault(name, "is a folder", "name a file in it")) from None
    except PermissionError:
        raise InputError(Fault(name, "may not be read", "change its permissions")) from None
    except OSError as error:
        raise InputError(Fault(name, f"cannot be read: {error.strerror or error}", "name a readable file")) from None
    except ValueError:  # a NUL in the name
        raise InputError(Fault(repr(name), "is no file name", "name a readable file")) from None
    if len(raw) > most:
        raise InputError(Fault(name, f"is larger than {most // MIB} MiB", "that is the limit for such a file"))
    return raw


def read_text(path: Path, most: int, wanted: str) -> str:
    """The text of a UTF-8 file (a byte-order mark is skipped), never empty.

    path: the file, or ``-``; most: bytes; wanted: what the file should be, for the mend.
    Raises InputError, one line: as read_bytes, or empty, binary, in another encoding.
    """
    return decode(read_bytes(path, most), display(path), wanted)


def decode(raw: bytes, name: str, wanted: str) -> str:
    """UTF-8 bytes as text; raises InputError as read_text does."""
    if not raw.strip():
        raise InputError(Fault(name, "is empty", f"it should be {wanted}"))
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(Fault(name, "is UTF-16", "save it as UTF-8"))
    for magic, kind in _PACKED.items():
        if raw.startswith(magic):
            raise InputError(Fault(name, f"is {kind}", f"it should be {wanted}"))
    hole = raw.find(b"\0")
    if hole >= 0:
        raise InputError(Fault(f"{name}:{_line(raw, hole)}", "is a binary file", f"it should be {wanted}"))
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # A byte-order mark shifts error.start by its length: count in what was decoded.
        body = raw.removeprefix(b"\xef\xbb\xbf")
        what = f"byte 0x{body[error.start]:02x} is not UTF-8"
        raise InputError(Fault(f"{name}:{_line(body, error.start)}", what, "save the file as UTF-8")) from None


def lines_of(text: str) -> list[str]:
    """Lines, ended by LF, CR LF or CR and by nothing else, so that their numbers are those of an editor."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _line(raw: bytes, position: int) -> int:
    return raw.count(b"\n", 0, position) + 1


def _neighbour(path: Path) -> str:
    """A file that may have been meant, when the folder has one of nearly that name."""
    try:
        names = os.listdir(path.parent)
    except OSError:
        return f"the folder {str(path.parent)!r} cannot be read either"
    close = difflib.get_close_matches(path.name, names, n=1)
    return f"did you mean {close[0]!r}?" if close else "check the path"
