"""The option --engine: which real engine to use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

PROFILES = {"delta-spark": "delta-spark-4.4", "delta-rs": "delta-rs-1.6"}
"""Engines that can be started, and the profile that describes each."""

NAMES = tuple(PROFILES)

engine_option: Callable[[Callable[..., Any]], Callable[..., Any]] = click.option(
    "--engine",
    type=click.Choice(NAMES),
    default=NAMES[0],
    show_default=True,
    help="Which real engine to use.",
)
