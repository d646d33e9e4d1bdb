"""JSON files as Python values, with one error for everything that can be wrong with them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from isodelta.exits import BadInput

Json = Any
"""A value of JSON."""


def load(path: Path) -> Json:
    """The value in a file. Raises ``BadInput`` with the line of what is not JSON."""
    text = path.read_text(encoding="utf-8-sig")

    def refused(word: str) -> Json:
        raise BadInput(f"{path}: {word} is not JSON")

    try:
        return json.loads(text, parse_constant=refused)
    except json.JSONDecodeError as error:
        raise BadInput(f"{path}:{error.lineno}: not JSON: {error.msg}") from error
    except RecursionError:
        raise BadInput(f"{path}: a value with too many values inside each other") from None
    except ValueError as error:
        raise BadInput(f"{path}: {error}") from error
