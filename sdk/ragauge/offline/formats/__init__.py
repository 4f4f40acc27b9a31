"""Rankings and judgments from files: the format is found from the content, errors name file and line."""

from pathlib import Path

from ragauge.errors import InputError
from ragauge.offline.data import Questions, Run
from ragauge.offline.formats import beir, jsonl, mappings, records, table, testset, trec
from ragauge.offline.formats.detect import FORMATS, Format, detect
from ragauge.offline.formats.source import read

__all__ = ["FORMATS", "Format", "Questions", "Run", "read_judgments", "read_run"]


def read_run(path: str | Path, *, format: Format | None = None, depth: int | None = None) -> Run:  # noqa: A002
    """Return the run in a file.

    Rankings need not be deeper than ``depth`` distinct documents; those of big TREC files are then cut.

    Raises:
        InputError: the file cannot be read as a run.
    """
    path = Path(path)
    data = read(path)
    kind = format or detect(path, data)
    if kind == "trec":
        return trec.read_run(path, data, depth)
    if kind == "testset":
        raise InputError(f"{path}: is a test set, not a run; `ragauge template` makes an empty run of it")
    if kind in {"json", "beir"} and data.lstrip()[:1] != b"[":
        return mappings.run_of(str(path), mappings.loads(path, data))
    return records.run_of(str(path), _records(path, data, kind))


def read_judgments(
    path: str | Path,
    *,
    format: Format | None = None,  # noqa: A002
    split: str | None = None,
) -> Questions:
    """Return the judged questions in a file, or in the folder of a BEIR data set.

    Raises:
        InputError: it cannot be read as judgments, or no question has this split.
    """
    path = Path(path)
    if path.is_dir():
        return beir.read_folder(path, split)
    data = read(path)
    return _judgments(path, data, format or detect(path, data)).of_split(split)


def _judgments(path: Path, data: bytes, kind: Format) -> Questions:
    if kind == "trec":
        return trec.read_qrels(path, data)
    if kind == "testset":
        return testset.questions_of(str(path), mappings.loads(path, data))
    if kind == "json" and data.lstrip()[:1] == b"{":
        return mappings.questions_of(str(path), mappings.loads(path, data))
    return records.questions_of(str(path), _records(path, data, kind))


def _records(path: Path, data: bytes, kind: Format) -> records.Located:
    if kind == "parquet":
        return table.parquet(path, data)
    if kind == "jsonl":
        return jsonl.records(path, data)
    if kind == "json":
        return _objects(path, mappings.loads(path, data))
    return table.delimited(path, data, "," if kind == "csv" else "\t")


def _objects(path: Path, value: object) -> records.Located:
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise InputError(f"{path}: an array of objects is wanted")
    return [(f"{path}, item {number}", item) for number, item in enumerate(value, start=1)]
