"""Regular TREC runs read by polars, when it is installed; anything else is left alone."""

import importlib.util
from typing import Any, Final

from ragauge.offline.formats.blocks import Ranked

_SMALL: Final = 1024 * 1024
_SAMPLE: Final = 16_384
_COLUMNS: Final = ("query", "q0", "doc", "rank", "score", "tag")


def read_run(data: bytes, depth: int | None) -> Ranked | None:
    """Return a run, None if polars is absent, the file is small, or a line is not six plain columns."""
    if len(data) < _SMALL or (separator := _separator(data)) is None:
        return None
    if importlib.util.find_spec("polars") is None:
        return None
    table = _table(data, separator)
    return None if table is None else _ranked(_ordered(table), depth)


def _separator(data: bytes) -> str | None:
    end = data.rfind(b"\n", 0, _SAMPLE)
    sample = data[: max(0, end)].split(b"\n")
    for separator in (b" ", b"\t"):
        if all(
            len(line.rstrip(b"\r").split(separator)) == 6 and line.split() == line.split(separator)
            for line in map(bytes.rstrip, sample)
        ):
            return separator.decode()
    return None


def _table(data: bytes, separator: str) -> Any:
    import polars as pl  # noqa: PLC0415 - an extra

    try:
        table = pl.read_csv(
            data,
            has_header=False,
            separator=separator,
            quote_char=None,
            columns=[0, 2, 4],
            schema=dict.fromkeys(_COLUMNS, pl.String) | {"score": pl.Float64},
        )
    except (pl.exceptions.PolarsError, UnicodeDecodeError):
        return None
    clean = table.null_count().sum_horizontal().item() == 0 and not table["score"].is_nan().any()
    return table if clean else None


def _ordered(table: Any) -> Any:
    """Return the rows by query, score descending, then document descending; most files already are."""
    same = table["query"] == table["query"].shift(1)
    starts = table["query"].gather((~same.fill_null(value=False)).arg_true())
    score, doc = table["score"], table["doc"]
    falling = (score.shift(1) > score) | ((score.shift(1) == score) & (doc.shift(1) > doc))
    if starts.n_unique() == len(starts) and (falling | ~same).fill_null(value=True).all():
        return table
    return table.sort("query", "score", "doc", descending=[False, True, True])


def _ranked(table: Any, depth: int | None) -> Ranked:
    import polars as pl  # noqa: PLC0415

    same = (table["query"] == table["query"].shift(1)).fill_null(value=False)
    starts = (~same).arg_true()
    rows = pl.int_range(table.height, eager=True)
    begins = starts.gather((~same).cast(pl.UInt32).cum_sum() - 1).cast(pl.Int64)
    heads = table["doc"].filter(rows - begins < (depth or table.height)).to_list()
    firsts = (table[name].gather(starts).to_list() for name in ("query", "score"))
    best = dict(zip(*firsts, strict=True))
    bounds = [*starts.to_list(), table.height]
    ranked, at = Ranked(best=best), 0
    for query, start, end in zip(best, bounds, bounds[1:], strict=False):
        size = min(end - start, depth or end)
        head = heads[at : at + size]
        at += size
        distinct = len(set(head)) == size
        ranked.rankings[query] = head if distinct else table["doc"].slice(start, end - start).to_list()
    return ranked
