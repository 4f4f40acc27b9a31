"""The types of the fields that bodies are made of: as strict as the wire, so that what passes can travel."""

from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from ragauge.wire import MAX_GRADES, MAX_ID_LENGTH, MAX_TEXT_LENGTH

HIGHEST: Final = 2**53 - 1
GRADE: Final = 2**31 - 1
MAX_PARAMS: Final = 64
MAX_SENT_IDS: Final = 10_000
"""How many ids of a ranked list a body may hold; the first 100 are kept, and how many there were."""

Name = Annotated[str, StringConstraints(min_length=1, max_length=MAX_ID_LENGTH)]
Short = Annotated[str, StringConstraints(max_length=MAX_ID_LENGTH)]
Text = Annotated[str, StringConstraints(max_length=MAX_TEXT_LENGTH)]
QueryId = Annotated[str, StringConstraints(min_length=1, max_length=MAX_ID_LENGTH - len("i:"))]
HexId = Annotated[
    str,
    StringConstraints(pattern=r"^[0-9a-f]{32}$"),
    Field(description="32 hexadecimal digits; the first 4 are the partition of the query."),
]
Count = Annotated[int, Field(ge=0, le=HIGHEST)]
Millis = Annotated[int, Field(ge=0, le=HIGHEST, description="Unix milliseconds.")]
Finite = Annotated[float, Field(allow_inf_nan=False)]
Rate = Annotated[float, Field(gt=0, le=1)]
Ids = Annotated[list[Name], Field(max_length=MAX_SENT_IDS)]
Docs = Annotated[list[Name], Field(max_length=MAX_GRADES)]
Grade = Annotated[int, Field(ge=-GRADE, le=GRADE)]
Scalar = Short | bool | Annotated[int, Field(ge=-HIGHEST, le=HIGHEST)] | Finite
Params = Annotated[dict[Name, Scalar], Field(max_length=MAX_PARAMS)]


class Body(BaseModel):
    """A body or a part of one; unknown members are ignored, so that newer clients may send them."""

    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)


class Rejected(BaseModel):
    """One part of a body that was left out, and why."""

    index: int = Field(description="Which one, counted from 0.")
    reason: str
