"""A BEIR data set: ``qrels/SPLIT.tsv`` with a header, and texts in ``queries.jsonl``."""

from dataclasses import replace
from pathlib import Path

from ragauge.errors import InputError
from ragauge.offline.data import Questions
from ragauge.offline.formats import jsonl, records, table
from ragauge.offline.formats.source import read


def read_folder(folder: Path, split: str | None) -> Questions:
    """Return the judgments of a BEIR folder, of one split (default ``test``), with the queries' texts.

    Raises:
        InputError: the folder has no such qrels.
    """
    qrels = folder / "qrels" / f"{split or 'test'}.tsv"
    if not qrels.exists():
        known = sorted(path.stem for path in folder.glob("qrels/*.tsv"))
        raise InputError(f"{folder}: no qrels/{qrels.name}; splits there: {', '.join(known) or 'none'}")
    questions = records.questions_of(str(qrels), table.delimited(qrels, read(qrels), "\t"))
    texts = _texts(folder / "queries.jsonl")
    named = {
        name: replace(question, text=texts.get(name), split=split or "test")
        for name, question in questions.by_id.items()
    }
    return Questions(named, str(qrels))


def _texts(path: Path) -> dict[str, str]:
    if not path.exists():
        return {}
    return {
        str(record["_id"]): str(record.get("text", ""))
        for _, record in jsonl.records(path, read(path))
        if "_id" in record
    }
