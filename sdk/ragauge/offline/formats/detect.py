"""Which format a file has, from its content."""

import re
from pathlib import Path
from typing import Final, Literal, get_args

from ragauge.errors import InputError
from ragauge.offline.formats.source import PARQUET

Format = Literal["trec", "beir", "json", "jsonl", "csv", "tsv", "parquet", "testset"]

FORMATS: Final[tuple[Format, ...]] = get_args(Format)

_HEADER: Final = re.compile(rb"[A-Za-z_\" ][\w\" -]*([,\t;][\w\" -]+)+", re.ASCII)
_RECORD: Final = re.compile(rb'\s*\{[^{}\[\]]*"(query_id|ids|relevant|doc_id)"\s*:')
_QUESTIONS: Final = re.compile(rb'"questions"\s*:\s*\[')


def detect(path: Path, data: bytes) -> Format:
    """Return the format of a file's content.

    Raises:
        InputError: it is none of ``FORMATS``.

    >>> detect(Path("run"), b"q1 Q0 d1 1 2.5 mine")
    'trec'
    >>> detect(Path("run"), b'{"q1": ["d1"]}')
    'json'
    """
    if data.startswith(PARQUET):
        return "parquet"
    start = data.lstrip()[:1]
    if start in {b"{", b"["}:
        return _json_kind(data)
    first = data.lstrip().partition(b"\n")[0][:4096].rstrip()
    if _is_header(first):
        return "tsv" if b"\t" in first else "csv"
    if len(first.split()) >= 4:
        return "trec"
    raise InputError(
        f"{path}, line 1: no known format: {first[:60]!r}; one of {', '.join(FORMATS)} is wanted (--format)"
    )


def _is_header(first: bytes) -> bool:
    names = {name.strip(b'" ').lower() for name in re.split(rb"[,\t]", first)}
    known = (b"query", b"qid", b"topic", b"question")
    return _HEADER.fullmatch(first) is not None and any(name.startswith(known) for name in names)


def _json_kind(data: bytes) -> Format:
    if _several_objects(data):
        return "jsonl"
    if _RECORD.match(data) and b"\n" not in data.strip():
        return "jsonl"
    return "testset" if _QUESTIONS.search(data) else "json"


def _several_objects(data: bytes) -> bool:
    first, _, rest = data.lstrip().partition(b"\n")
    return first.rstrip().endswith(b"}") and rest.lstrip().startswith(b"{")
