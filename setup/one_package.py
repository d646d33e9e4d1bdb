"""The build hook: a wheel that puts nothing but ``isodelta`` on top of site-packages.

The repository keeps its packages side by side (``model``, ``checker``, ...), which says what may
import what. Installed like that, they would hide a user's own folder ``model/``, or be hidden by
it. So the wheel has them below ``isodelta``, and every name of theirs is written accordingly:
``from model.scenario import Scenario`` becomes ``from isodelta.model.scenario import Scenario``.

Lines stay lines, so a traceback of an installed isodelta points at the line of the repository. A
name that cannot be rewritten safely ends the build.
"""

from __future__ import annotations

import ast
import io
import re
import shutil
import tempfile
import tokenize
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

TOP = "isodelta"
"""The one package of the wheel."""


class CannotRewrite(Exception):
    """A file names a module in a way that this script does not know how to rewrite."""


class OnePackage(BuildHookInterface[Any]):
    """Hatchling's hook: stages the tree of the wheel in a temporary folder."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Stage the wheel's files, unless this is an editable install of the checkout."""
        if version == "editable":
            return
        self.staged = Path(tempfile.mkdtemp(prefix="isodelta-wheel-"))
        try:
            stage(Path(self.root), self.staged)
        except BaseException:
            self._remove()
            raise
        build_data["force_include"][str(self.staged)] = TOP

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was staged."""
        if version != "editable":
            self._remove()

    def _remove(self) -> None:
        shutil.rmtree(self.staged, ignore_errors=True)


def packages(root: Path) -> list[str]:
    """The packages beside ``isodelta`` that it takes in."""
    return sorted({path.parent.name for path in root.glob("*/__init__.py")} - {TOP})


def stage(root: Path, folder: Path) -> None:
    """Write all that belongs below ``isodelta`` in the wheel. Raises CannotRewrite."""
    inside = packages(root)
    for package in (*inside, TOP):
        target = folder if package == TOP else folder / package
        shutil.copytree(
            root / package,
            target,
            dirs_exist_ok=True,
            ignore=shutil.ignore_patterns("__pycache__", "*.pyc"),
        )
    modules = frozenset(names_of_modules(root, inside))
    elsewhere = {path.name for path in root.iterdir() if path.is_dir()} - {TOP}
    for path in sorted(folder.rglob("*.py")):
        place = str(path.relative_to(folder))
        written = rewritten(path.read_text(encoding="utf-8"), modules, place)
        if left := sorted(set(left_over(written, modules, elsewhere))):
            raise CannotRewrite(f"{place} still names {', '.join(left)}")
        path.write_text(written, encoding="utf-8")


def names_of_modules(root: Path, inside: Collection[str]) -> Iterator[str]:
    """The full names of the modules and packages that move below ``isodelta``."""
    for package in inside:
        for path in (root / package).rglob("*.py"):
            parts = path.relative_to(root).with_suffix("").parts
            yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def rewritten(source: str, modules: Collection[str], place: str = "<text>") -> str:
    """The source with each name of a moved module below ``isodelta``, in imports and in strings.

    Raises CannotRewrite for ``import a.b`` without ``as``, which binds the name ``a``.
    """
    tree = list(ast.walk(ast.parse(source)))
    lines = source.splitlines(keepends=True)
    roots = {name.partition(".")[0] for name in modules}
    places = set(_in_imports(tree, lines, roots, place))
    if any(True for node in tree for _ in _in_constant(node, modules)):
        places.update(_in_strings(source, modules))
    for row, column in sorted(places, reverse=True):
        line = lines[row - 1]
        lines[row - 1] = f"{line[:column]}{TOP}.{line[column:]}"
    return "".join(lines)


def _in_imports(
    tree: Sequence[ast.AST], lines: Sequence[str], roots: Collection[str], place: str
) -> Iterator[tuple[int, int]]:
    """Where the modules' names begin in import statements: lines from 1, columns from 0."""
    for node in tree:
        if isinstance(node, ast.ImportFrom):
            if node.level == 0 and str(node.module).partition(".")[0] in roots:
                column = _column(lines, node)
                start = re.compile(r"from[ \t]+(?=\w)").match(lines[node.lineno - 1], column)
                if start is None:
                    raise CannotRewrite(f"{place}:{node.lineno}: write the name beside from")
                yield node.lineno, start.end()
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.partition(".")[0] in roots:
                    if alias.asname is None:
                        raise CannotRewrite(f"{place}:{node.lineno}: write from ... import ...")
                    yield alias.lineno, _column(lines, alias)


def _column(lines: Sequence[str], node: ast.stmt | ast.alias) -> int:
    """A node's column in characters; ``ast`` counts bytes."""
    return len(lines[node.lineno - 1].encode()[: node.col_offset].decode())


def _in_strings(source: str, modules: Collection[str]) -> Iterator[tuple[int, int]]:
    """Where names of modules begin in string literals, docstrings among them."""
    lines = source.splitlines(keepends=True)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.STRING:
            continue
        prefix = token.string.partition(token.string[-1])[0]
        if "f" in prefix.lower():
            continue  # left_over complains about a name in an f-string.
        (first, start), (last, end) = token.start, token.end
        for row in range(first, last + 1):
            line = lines[row - 1]
            begin, finish = start if row == first else 0, end if row == last else len(line)
            for match in _named(line, modules):
                if begin <= match.start() and match.end() <= finish:
                    yield row, match.start()


def _in_constant(node: ast.AST, modules: Collection[str]) -> Iterator[str]:
    """The names of modules in a node that is a string."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield from (match[0] for match in _named(node.value, modules))


def _named(text: str, modules: Collection[str]) -> Iterator[re.Match[str]]:
    """The names of modules in a text, with a dot at least: ``model`` alone is a word."""
    for match in re.finditer(r"(?<![\w./])[a-z_]\w*(?:\.\w+)+", text):
        parts = match[0].split(".")
        if any(".".join(parts[:length]) in modules for length in range(2, len(parts) + 1)):
            yield match


def left_over(source: str, modules: Collection[str], elsewhere: Collection[str]) -> Iterator[str]:
    """The modules that a rewritten source still names as the repository does.

    ``elsewhere`` has the names of the repository's folders, of which none but ``isodelta`` is on
    the path of an installed isodelta.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [str(node.module)]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            yield from _in_constant(node, modules)
            continue
        yield from (name for name in names if name.partition(".")[0] in elsewhere)
