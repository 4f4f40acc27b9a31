"""How a person who knows a document only by half would ask for it: one function a category."""

import random
import re
from typing import Final

from ragauge_service.demo.corpus import Document
from ragauge_service.demo.words import sentences, words

_ERROR: Final = re.compile(r"\b[A-Z]\w*(?:Error|Exception|Warning)\b")
_CODE: Final = re.compile(r">>>|\.\.\.|[{}|=<>\[\]@#]|__")


def identifier(document: Document, rng: random.Random) -> str | None:
    """Return a public name as people type it: ``Class.name``, the name's words, or module and name.

    >>> document = Document("json.decoder.JSONDecoder.decode", "json.decoder", "Return the object.")
    >>> identifier(document, random.Random(1))
    'JSONDecoder.decode'
    """
    parts = document.qualname.split(".")
    if not document.qualname or any(part.startswith("_") for part in parts):
        return None
    if len(words(parts[-1])) > 1 and rng.random() < 0.4:
        return " ".join(words(parts[-1]))
    return (
        ".".join(parts[-2:]) if len(parts) > 1 and rng.random() < 0.5 else f"{document.package} {parts[-1]}"
    )


def summary(document: Document, rng: random.Random) -> str | None:
    """Return what somebody remembers of the first sentence, without the words of the document's name.

    >>> document = Document("m.Mailbox.lock", "m", "Lock the mailbox against other programs at once.")
    >>> summary(document, random.Random(1))
    'against other programs once'
    """
    return _without_name(document, sentences(document.text)[0], rng, shortest=3, longest=4)


def error(document: Document, rng: random.Random) -> str | None:
    """Return a question about an exception that a sentence of the document speaks of.

    >>> text = "Return it. Raises KeyError if the message was not found in the mailbox."
    >>> error(Document("m.Box.get", "m", text), random.Random(1))
    'why KeyError raises message found mailbox'
    """
    about = [text for text in sentences(document.text) if _ERROR.search(text) and not _CODE.search(text)]
    if not about:
        return None
    sentence = rng.choice(about)
    asked = _without_name(document, _ERROR.sub(" ", sentence), rng, shortest=3, longest=5)
    return f"why {_ERROR.findall(sentence)[0]} {asked}" if asked else None


def behaviour(document: Document, rng: random.Random) -> str | None:
    """Return what somebody remembers of a later sentence: what it does beyond its summary.

    >>> text = "Return it. The given callback is asked once for every missing name."
    >>> behaviour(Document("m.find", "m", text), random.Random(1))
    'given callback asked every missing'
    """
    later = [text for text in sentences(document.text)[1:] if not _CODE.search(text)]
    return _without_name(document, rng.choice(later), rng, shortest=4, longest=5) if later else None


def _without_name(
    document: Document, sentence: str, rng: random.Random, *, shortest: int, longest: int
) -> str | None:
    """Return at most ``longest`` of the sentence's words, in their order, that the name does not hold."""
    name = set(words(document.id))
    kept = [word for word in dict.fromkeys(words(sentence)) if word not in name]
    if len(kept) < shortest:
        return None
    remembered = sorted(rng.sample(range(len(kept)), min(longest, len(kept))))
    return " ".join(kept[at] for at in remembered)
