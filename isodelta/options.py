"""Options that commands share."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from isodelta.exits import BadInput
from isodelta.files.profiles import profile
from model.errors import InvalidScenario
from model.profiles import DEFAULT, Profile, delta_rs_releases, delta_spark_releases

Command = TypeVar("Command", bound=Callable[..., Any])

ENGINES = {"delta-spark": "delta-spark-4.4", "delta-rs": "delta-rs-1.6"}
"""Engines that can be started, and the profile that describes each."""


_EARLIER = {
    "delta-rs": delta_rs_releases.BY_RELEASE,
    "delta-spark": delta_spark_releases.BY_RELEASE,
}


def engine_profile(engine: str) -> str:
    """The name of the profile that describes an engine, or a release of it.

    The model (``claims --engine model``) follows the default profile.
    """
    name, _, version = engine.partition("@")
    by_release = _EARLIER.get(name, {})
    earlier = by_release.get(".".join(version.split(".")[:2]))
    if earlier is not None:
        return earlier.name
    return ENGINES.get(name, DEFAULT.name)


_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0}


@dataclass(frozen=True, slots=True)
class Common:
    """The options that every command knows.

    ``every_profile`` is set by ``--profile all``; ``profile`` is the default one then.
    """

    profile: Profile
    json: bool
    seed: int
    report: Path | None
    every_profile: bool = False


class Duration(click.ParamType[float]):
    """A time such as ``90``, ``60s``, ``4m`` or ``1.5h``, as seconds."""

    name = "duration"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        if isinstance(value, float):
            return value
        match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smh]?)", str(value).strip())
        if match is None or float(match[1]) == 0:
            self.fail(f"{value!r} is not a time; write 60s, 4m or 1h", param, ctx)
        return float(match[1]) * _UNITS[match[2]]


class EngineName(click.ParamType[str]):
    """The name of an engine, or of a release of one: ``delta-rs``, ``delta-rs@1.0.2``.

    ``others`` are names that an option takes besides.
    """

    name = "engine"

    def __init__(self, *others: str) -> None:
        self.others = others

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        engine, at, _ = str(value).partition("@")
        if value in self.others:
            return str(value)
        if engine not in ENGINES:
            known = ", ".join((*ENGINES, *self.others))
            self.fail(f"{value!r} is not one of {known}", param, ctx)
        if at:
            # A wrong release is bad input, found out before anything is started.
            from conformance.releases.catalogue import UnknownRelease, release

            try:
                release(str(value))
            except UnknownRelease as error:
                self.fail(error.message, param, ctx)
        return str(value)


def budget_option(default: str | None) -> Callable[[Command], Command]:
    """``--budget``: the time limit, passed in seconds as ``budget``."""
    return click.option(
        "--budget",
        type=Duration(),
        default=default,
        show_default=default is not None,
        metavar="TIME",
        help="Time limit, such as 60s or 4m.",
    )


def engine_option(
    default: str | None = None, help_text: str = "Which real engine to use."
) -> Callable[[Command], Command]:
    """``--engine``: the name of a real engine, passed as ``engine``."""
    return click.option(
        "--engine",
        type=EngineName(),
        default=default,
        show_default=default is not None,
        metavar="NAME[@VERSION]",
        help=f"{help_text} ({', '.join(ENGINES)}; @VERSION: another release of it.)",
    )


schema_option = click.option(
    "--schema",
    "schemas",
    multiple=True,
    metavar="FILE.sql",
    help="CREATE TABLE and INSERT statements for the SQL scripts. Repeatable.",
)
"""``--schema``: scripts that define and fill the tables of others, passed as ``schemas``."""

ALL = "all"
"""The value of --profile for every profile, in commands that support it."""


def common_options(
    command: Callable[..., Any], *, every_profile: bool = False
) -> Callable[..., Any]:
    """Adds --profile, --json, --seed and --report, passed as one argument, ``common``.

    ``every_profile`` is True for a command that supports ``--profile all``.
    """

    @click.option(
        "--profile",
        "profile_name",
        default=None,
        show_default=f"the engine's, else {DEFAULT.name}",
        metavar="NAME",
        help="The implementation whose conflict rules to follow, or FILE.py:NAME, rules of your own"
        + (f"; {ALL}: every profile, side by side." if every_profile else "."),
    )
    @click.option(
        "--json",
        "as_json",
        is_flag=True,
        help="Print JSON Lines, and nothing else, on standard output.",
    )
    @click.option(
        "--seed",
        type=click.IntRange(0),
        default=0,
        show_default=True,
        metavar="N",
        help="Seed of the random parts; the same seed gives the same run.",
    )
    @click.option(
        "--report",
        type=click.Path(file_okay=False, path_type=Path),
        default=None,
        metavar="DIR",
        help="Write a report folder as well.",
    )
    @wraps(command)
    def with_common(
        *args: Any,
        profile_name: str | None,
        as_json: bool,
        seed: int,
        report: Path | None,
        **options: Any,
    ) -> Any:
        every = every_profile and profile_name == ALL
        try:
            chosen = None if every else profile_name
            rules = profile(chosen or _profile_of(options.get("engine")))
        except (BadInput, InvalidScenario) as error:
            raise BadInput(f"--profile: {error}") from error
        return command(*args, common=Common(rules, as_json, seed, report, every), **options)

    return with_common


def _profile_of(engine: str | None) -> str:
    """The profile of the engine that a command names; the default one if it names none."""
    return DEFAULT.name if engine is None else engine_profile(engine)
