"""All families, in the order in which they are asked."""

from typing import Final

from ragauge.extract import (
    arrays,
    dictionaries,
    frames,
    frameworks,
    rerankers,
    search_engines,
    sql,
    vector_stores,
)
from ragauge.extract.seam import Family

FAMILIES: Final[tuple[Family, ...]] = (
    frameworks.FAMILY,
    vector_stores.FAMILY,
    search_engines.FAMILY,
    rerankers.FAMILY,
    sql.FAMILY,
    arrays.FAMILY,
    frames.FAMILY,
    dictionaries.FAMILY,
)
