"""What the tests of one pytest session share: its settings, and its engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from isodelta.pytest_plugin.engines import SharedEngine

_ENGINE = pytest.StashKey["SharedEngine"]()


def shared_engine(config: pytest.Config) -> SharedEngine:
    """The one engine of this process, which is started when it is first asked for."""
    if _ENGINE not in config.stash:
        from isodelta.pytest_plugin.engines import SharedEngine

        config.stash[_ENGINE] = SharedEngine(setting(config, "isodelta_engine"))
    return config.stash[_ENGINE]


def close_engine(config: pytest.Config) -> None:
    """Stops the engine, if there is one."""
    if _ENGINE in config.stash:
        config.stash[_ENGINE].close()


def setting(config: pytest.Config, name: str) -> str | None:
    """An option, or else the setting of the same name; None if neither is given."""
    value: Any = config.getoption(name) or config.getini(name)
    return str(value) if value else None
