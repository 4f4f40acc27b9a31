"""The bytes of a file: gzip and zstd read transparently, binary and empty files refused."""

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from ragauge.errors import InputError

LONGEST_LINE: Final = 16 * 1024 * 1024
PARQUET: Final = b"PAR1"

_GZIP: Final = b"\x1f\x8b"
_ZSTD: Final = b"\x28\xb5\x2f\xfd"
_BOM: Final = b"\xef\xbb\xbf"


def read(path: Path) -> bytes:
    """Return a file's content, decompressed and without a byte order mark.

    Raises:
        InputError: the file is missing, empty, truncated, or binary and not Parquet.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    data = _decompressed(path, data)
    if data.startswith(PARQUET):
        return data
    if data[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        raise InputError(f"{path}: is UTF-16; UTF-8 is wanted")
    if b"\0" in data[:65_536]:
        raise InputError(f"{path}: is a binary file; text, JSON or Parquet is wanted")
    data = data.removeprefix(_BOM)
    if not data.strip():
        raise InputError(f"{path}: is empty")
    return data


def _decompressed(path: Path, data: bytes) -> bytes:
    if data.startswith(_GZIP):
        try:
            return gzip.decompress(data)
        except (EOFError, OSError, zlib.error) as error:
            raise InputError(f"{path}: the gzip data is truncated or damaged: {error}") from None
    return _unpacked(path, data) if data.startswith(_ZSTD) else data


def _unpacked(path: Path, data: bytes) -> bytes:
    try:
        import zstandard  # noqa: PLC0415 - an extra, needed for such files only
    except ModuleNotFoundError:
        raise InputError(f"{path}: is zstd; pip install 'ragauge[zstd]'") from None
    reader = zstandard.ZstdDecompressor().decompressobj()
    try:
        content = reader.decompress(data)
    except zstandard.ZstdError as error:
        raise InputError(f"{path}: the zstd data is damaged: {error}") from None
    if not reader.eof:
        raise InputError(f"{path}: the zstd data is truncated")
    return content


def lines(path: Path, data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that are not blank, with their numbers from 1.

    Raises:
        InputError: a line is longer than ``LONGEST_LINE``.
    """
    start, number = 0, 0
    while start < len(data):
        number += 1
        end = data.find(b"\n", start, start + LONGEST_LINE)
        if end < 0:
            end = len(data)
            if end - start >= LONGEST_LINE:
                raise InputError(f"{path}, line {number}: is longer than {LONGEST_LINE} bytes")
        line = data[start:end].strip()
        if line:
            yield number, line
        start = end + 1


def text(path: Path, data: bytes, number: int | None = None) -> str:
    """Return bytes as UTF-8 text.

    Raises:
        InputError: they are not UTF-8.
    """
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = number or data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path}, line {line}: is not UTF-8") from None
