"""The documents: docstrings of the installed Python standard library, read as source, never imported."""

import ast
import os
import sysconfig
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ragauge.errors import EnvironmentFault

SKIPPED: Final = frozenset(
    {"test", "tests", "idle_test", "idlelib", "lib2to3", "site-packages", "dist-packages", "turtledemo"}
)
"""Directories of the library's own tests, of other people's packages, and of programs."""

SHORTEST: Final = 20
"""A docstring of fewer characters says nothing that could be searched for."""

_Described = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Document:
    """One docstring; ``id`` is ``module.qualname``, the module's name alone for its own docstring."""

    id: str
    module: str
    text: str

    @property
    def package(self) -> str:
        """Return the name that an import of it begins with.

        >>> Document("asyncio.tasks.gather", "asyncio.tasks", "Wait.").package
        'asyncio'
        """
        return self.module.partition(".")[0]

    @property
    def qualname(self) -> str:
        """Return the name inside the module, empty for the module itself.

        >>> Document("json.decoder.JSONDecoder.decode", "json.decoder", "Return.").qualname
        'JSONDecoder.decode'
        """
        return self.id[len(self.module) + 1 :]


def documents(root: Path | None = None) -> list[Document]:
    """Return the standard library's docstrings in the order of their ids; nothing is executed.

    Raises:
        EnvironmentFault: this Python comes without the sources of its library.
    """
    directory = root or Path(sysconfig.get_path("stdlib"))
    found: dict[str, Document] = {}
    for path in _sources(directory):
        for document in _read(path, module_of(path.relative_to(directory))):
            found.setdefault(document.id, document)
    if not found:
        raise EnvironmentFault(f"{directory}: the sources of Python's standard library wanted, none found")
    return [found[name] for name in sorted(found)]


def module_of(path: Path) -> str:
    """Return the module that a source file, relative to the library, is imported as.

    >>> module_of(Path("json/__init__.py")), module_of(Path("json/decoder.py"))
    ('json', 'json.decoder')
    """
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def _sources(directory: Path) -> Iterator[Path]:
    """Yield the library's source files in a fixed order, without entering what is skipped."""
    for parent, below, names in os.walk(directory):
        below[:] = sorted(name for name in below if name.isidentifier() and name not in SKIPPED)
        for name in sorted(names):
            if name.endswith(".py") and name[:-3].isidentifier():
                yield Path(parent, name)


def _read(path: Path, module: str) -> Iterator[Document]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # old escapes in foreign sources are not our warnings
            tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError, OSError):
        return
    yield from _described(tree, module, module)


def _described(node: _Described, name: str, module: str) -> Iterator[Document]:
    text = ast.get_docstring(node)
    if text and len(text) >= SHORTEST:
        yield Document(name, module, text)
    for child in node.body:
        if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _described(child, f"{name}.{child.name}", module)
