"""How the demo's search engine reads text: small words left out, identifiers taken apart."""

import re
from typing import Final

_TOKEN: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")

_SMALL: Final = """
    a an and any are as at be been but by can do does for from has have how i if in into is it its me my
    no not of on or self so such than that the their then there these this to was what when where which
    who why will with would you your"""

SMALL: Final = frozenset(_SMALL.split())
"""Words that are in every text and so tell nothing."""


def words(text: str) -> list[str]:
    """Return the lower-case words of ``text``, with camel case and snake case taken apart.

    >>> words("How do I use OrderedDict.move_to_end?")
    ['use', 'ordered', 'dict', 'move', 'end']
    >>> words("HTTPError 404")
    ['http', 'error', '404']
    """
    lower = (token.lower() for token in _TOKEN.findall(text))
    return [word for word in lower if word not in SMALL and (len(word) > 1 or word.isdigit())]


def sentences(text: str) -> list[str]:
    r"""Return the sentences of a docstring's prose, white space joined.

    >>> sentences("Return the sum.  Raises ValueError\nif empty.")
    ['Return the sum.', 'Raises ValueError if empty.']
    """
    prose = re.split(r"\n\s*\n|(?<=[a-z)'`][.!?])\s+(?=[A-Z`'\"])", text)
    return [" ".join(part.split()) for part in prose if part.strip()]
