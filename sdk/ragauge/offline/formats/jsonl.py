"""JSONL: one object a line."""

import json
from collections.abc import Iterator
from pathlib import Path

from ragauge.errors import InputError
from ragauge.offline.formats.records import Record
from ragauge.offline.formats.source import lines, text


def records(path: Path, data: bytes) -> Iterator[tuple[str, Record]]:
    """Yield the objects of a JSONL file.

    Raises:
        InputError: a line is not a JSON object.
    """
    for number, line in lines(path, data):
        where = f"{path}, line {number}"
        try:
            record = json.loads(text(path, line, number))
        except json.JSONDecodeError as error:
            raise InputError(f"{where}: no JSON: {error.msg} at column {error.colno}") from None
        except RecursionError:
            raise InputError(f"{where}: JSON nested too deeply") from None
        if not isinstance(record, dict):
            raise InputError(f"{where}: an object is wanted, not {type(record).__name__}")
        yield where, record
