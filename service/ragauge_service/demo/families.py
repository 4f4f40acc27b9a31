"""Which packages each category of queries asks about: disjoint, so that one's loss hurts no other."""

from collections.abc import Mapping
from typing import Final

_PACKAGES: Final = {
    "identifiers": """
        _strptime argparse asyncio bisect calendar cmd cmath collections contextlib copy dataclasses
        datetime enum fnmatch functools glob heapq inspect logging operator pathlib pprint random reprlib
        sched selectors shelve shlex shutil signal string subprocess tarfile tempfile textwrap timeit
        tokenize turtle types typing uuid warnings weakref zipapp zipfile""",
    "summaries": """
        _pydatetime _pydecimal bdb code compileall curses dbm doctest email ftplib html http imaplib
        locale nntplib optparse pdb pickle pickletools platform plistlib poplib profile pstats pydoc queue
        smtplib socketserver trace unittest urllib uu webbrowser wsgiref xml xmlrpc""",
    "errors": """
        _pyio codecs codeop configparser fractions getopt getpass graphlib importlib ipaddress json
        mailbox netrc statistics threading tomllib zipimport""",
    "behaviour": """
        _collections_abc _weakrefset ast base64 cProfile cgi cgitb concurrent csv ctypes decimal difflib
        dis distutils encodings fileinput filecmp gettext linecache modulefinder numbers posixpath ntpath
        pkgutil site stat stringprep sysconfig tkinter traceback tracemalloc venv""",
}

FAMILIES: Final[Mapping[str, frozenset[str]]] = {
    category: frozenset(names.split()) for category, names in _PACKAGES.items()
}
"""Categories, and the packages their queries are about; not every Python has all of them."""

NO_ANSWER: Final = "no_answer"
"""The category of the questions that the corpus cannot answer."""

CATEGORIES: Final = (*FAMILIES, NO_ANSWER)


def category_of(package: str) -> str | None:
    """Return the category that asks about a package, or None when no query does.

    >>> category_of("json"), category_of("this")
    ('errors', None)
    """
    return next((name for name, packages in FAMILIES.items() if package in packages), None)
