"""Profiles by name, and profiles from a Python file of one's own (``FILE.py:NAME``)."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

from isodelta.exits import BadInput
from model.profiles import Profile
from model.profiles import profile as by_name
from model.rules.base import Rule

_SUFFIX = ".py"


def profile(name: str) -> Profile:
    """The profile called ``name``, or the one that a file has: ``my_rules.py:PROFILE``.

    A profile from a file is called as it was asked for, whatever name it gives itself. So a
    report says how to come by it again, and nothing takes it for a profile of the project. The
    file is an ordinary module: it may import others of its folder, and other processes can load it
    again. Raises InvalidScenario for an unknown name, and BadInput, in one line, for a file that
    cannot be imported, a name that it does not have, and a value that is not a usable Profile.
    """
    file, separator, attribute = name.rpartition(":")
    if not (separator and file.endswith(_SUFFIX)):
        if name.endswith(_SUFFIX):
            raise BadInput(f"{name}: which profile of it? Write {name}:NAME")
        return by_name(name)
    chosen = getattr(_module(Path(file)), attribute, None)
    if chosen is None:
        raise BadInput(f"{file} has no {attribute or 'empty name'}")
    if not isinstance(chosen, Profile):
        raise BadInput(f"{file}: {attribute} is of type {type(chosen).__name__}, not a Profile")
    _check(chosen, name)
    return replace(chosen, name=name)


def _check(chosen: Profile, name: str) -> None:
    """Refuses a profile whose parts cannot be used together."""
    if not all(isinstance(rule, Rule) for rule in chosen.rules):
        raise BadInput(f"{name}: rules has an entry that is not a Rule")
    names = [rule.name for rule in chosen.rules]
    if twice := [rule for rule in names if names.count(rule) > 1]:
        raise BadInput(f"{name}: two rules are called {twice[0]!r}")
    if not chosen.levels or chosen.default_level not in chosen.levels:
        raise BadInput(f"{name}: default_level {chosen.default_level!r} is not among its levels")


def _module(file: Path) -> ModuleType:
    """The file as a module, importable by its stem from now on, in spawned processes too."""
    if not file.is_file():
        raise BadInput(f"{file}: there is no such file")
    stem, folder = file.stem, str(file.resolve().parent)
    if not stem.isidentifier():
        raise BadInput(f"{file}: the name of a Python module has letters, digits and _ only")
    if folder not in sys.path:
        # Last, so that nothing in the folder takes the place of a module of the project.
        sys.path.append(folder)
    loaded = sys.modules.get(stem)
    spec = importlib.util.find_spec(stem) if loaded is None else loaded.__spec__
    if spec is None or spec.origin is None or Path(spec.origin).resolve() != file.resolve():
        raise BadInput(f"{file}: there is another module {stem}; give the file another name")
    try:
        return importlib.import_module(stem)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt | GeneratorExit):
            raise
        raise BadInput(f"{file}: {_place(error, file)}{_words(error)}") from error


def _place(error: BaseException, file: Path) -> str:
    """The last line of the file that the error came through, as ``line N: ``; empty if none."""
    if isinstance(error, SyntaxError) and error.lineno is not None:
        return f"line {error.lineno}: "
    place, trace = "", error.__traceback__
    while trace is not None:
        if Path(trace.tb_frame.f_code.co_filename).resolve() == file.resolve():
            place = f"line {trace.tb_lineno}: "
        trace = trace.tb_next
    return place


def _words(error: BaseException) -> str:
    text = " ".join((error.msg if isinstance(error, SyntaxError) else str(error)).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def chosen(given: Profile | str) -> Profile:
    """A profile, given as such or by its name. Raises InvalidScenario and BadInput."""
    return profile(given) if isinstance(given, str) else given
