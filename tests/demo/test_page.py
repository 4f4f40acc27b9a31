"""The page is one static file: it asks the service that served it, and nobody else."""

import re
from pathlib import Path

import ragauge_service.api

PAGE = (Path(ragauge_service.api.__file__).parent / "page.html").read_text(encoding="utf-8")


def test_the_page_loads_nothing_from_anywhere_else() -> None:
    """Production networks have no way out, and a page of a monitor must not report to third parties."""
    addresses = set(re.findall(r"https?://[^\s\"'`]+", PAGE))
    assert addresses <= {"http://www.w3.org/2000/svg"}, "the name space of SVG is a name, not a request"
    assert not re.search(r"<(?:script|img|iframe)[^>]+src=|<link[^>]+href=\"(?!data:)|@import|url\(", PAGE)


def test_names_from_events_never_become_markup() -> None:
    """A category is whatever an application sent."""
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", PAGE)
