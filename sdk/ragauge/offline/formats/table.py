"""Tables with a header: CSV, TSV, Parquet, and data frames of pandas or polars, as records."""

import csv
import importlib.util
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from ragauge.errors import InputError
from ragauge.offline.formats.records import Located, Record
from ragauge.offline.formats.source import LONGEST_LINE, text


def delimited(path: Path, data: bytes, separator: str) -> Iterator[tuple[str, Record]]:
    """Yield the rows of a CSV or TSV file; an empty cell is absent.

    Raises:
        InputError: a row has more or fewer cells than the header.
    """
    csv.field_size_limit(LONGEST_LINE)
    stream = io.StringIO(text(path, data), newline="")
    quoting = csv.QUOTE_NONE if separator == "\t" else csv.QUOTE_MINIMAL
    rows = csv.reader(stream, delimiter=separator, quoting=quoting, strict=True)
    try:
        header = [name.strip() for name in next(rows)]
        for row in rows:
            if not row:
                continue
            where = f"{path}, line {rows.line_num}"
            if len(row) != len(header):
                names = ", ".join(header)
                raise InputError(f"{where}: {len(header)} cells are wanted ({names}), not {len(row)}")
            yield where, {name: cell for name, cell in zip(header, row, strict=True) if cell != ""}
    except csv.Error as error:
        raise InputError(f"{path}, line {rows.line_num}: {error}") from None


def parquet(path: Path, data: bytes) -> Located:
    """Return the rows of a Parquet file, read by polars or pyarrow, whichever is installed.

    Raises:
        InputError: it cannot be read, or neither is installed.
    """
    try:
        if importlib.util.find_spec("polars") is not None:
            import polars as pl  # noqa: PLC0415 - an extra

            return frame(str(path), pl.read_parquet(io.BytesIO(data)))
        if importlib.util.find_spec("pyarrow") is not None:
            from pyarrow import parquet as reader  # noqa: PLC0415 - an extra

            rows = cast("list[Record]", reader.read_table(io.BytesIO(data)).to_pylist())
            return [(f"{path}, row {number}", row) for number, row in enumerate(rows, start=1)]
    except Exception as error:  # noqa: BLE001 - both raise errors of their own kinds on damaged files
        raise InputError(f"{path}: the Parquet data is damaged: {error!r:.200}") from None
    raise InputError(f"{path}: is Parquet; pip install 'ragauge[polars]' or 'ragauge[parquet]'")


def is_frame(value: object) -> bool:
    """Return whether a value is a data frame of pandas or polars."""
    return (
        type(value).__module__.partition(".")[0] in {"pandas", "polars"} and "Frame" in type(value).__name__
    )


def frame(source: str, value: Any) -> Iterator[tuple[str, Record]]:
    """Yield the rows of a data frame; a missing value is absent.

    >>> list(frame("f", __import__("polars").DataFrame({"qid": ["q1"], "docid": ["d1"]})))
    [('f, row 1', {'qid': 'q1', 'docid': 'd1'})]
    """
    if hasattr(value, "collect"):
        value = value.collect()
    names = [str(name) for name in value.columns]
    columns = [list(value[name]) for name in value.columns]
    for number, row in enumerate(zip(*columns, strict=True), start=1):
        present = {name: cell for name, cell in zip(names, row, strict=True) if not _missing(cell)}
        yield f"{source}, row {number}", present


def _missing(cell: object) -> bool:
    return cell is None or type(cell).__name__ in {"NAType", "NaTType"}
