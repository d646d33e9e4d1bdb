"""The extras of an installed isodelta: which one brings which package.

``pip install isodelta`` brings neither Spark nor delta-rs. A part that needs one of them says with
this table what to install.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec

EXTRAS: Mapping[str, str] = {
    "pyspark": "spark",
    "py4j": "spark",
    "delta": "spark",
    "deltalake": "delta-rs",
    "pandas": "notebook",
    "IPython": "notebook",
}
"""By top-level module, as pyproject.toml has them."""


def missing(*modules: str) -> str | None:
    """One line that says what to install for the modules; None if all are there."""
    for module in modules:
        if find_spec(module) is None:
            return advice(module)
    return None


def advice(module: str | None) -> str | None:
    """One line that says how to install a module; None if it is not one of an extra."""
    top = (module or "").partition(".")[0]
    if top not in EXTRAS:
        return None
    return f"{top} is not installed; it comes with: pip install 'isodelta[{EXTRAS[top]}]'"
