"""The conflict table in a terminal: a grid of kinds."""

from __future__ import annotations

import io

from rich.console import Console

from checker.search.statement_kinds import CELL_KINDS
from conformance.matrix.table import matrix
from isodelta.commands.matrix.results import Cell
from isodelta.commands.matrix.words import print_matrix
from model.profiles import DEFAULT


def test_the_table_is_a_grid_that_fits_80_columns_and_explains_its_signs() -> None:
    kinds = [kind for kind in CELL_KINDS if kind.name in ("INSERT", "DELETE")]
    cells = [Cell(entry) for entry in matrix(DEFAULT, ("Serializable",), kinds=kinds)]
    out = io.StringIO()
    print_matrix(cells, Console(file=out, width=80, color_system=None, force_terminal=False))
    text = out.getvalue()
    lines = [line.rstrip() for line in text.splitlines()]
    assert all(len(line) <= 80 for line in lines)
    assert "Serializable, partitioned table" in lines
    # A DELETE is refused after an append and after a DELETE; an append never is.
    assert "   1 INSERT  .  ." in lines
    assert "   2 DELETE  #  #" in lines
    assert "  #  refused, and the level needs it" in lines
    assert "  !  not refused, though the level needs it" not in lines
