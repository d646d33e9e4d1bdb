"""Damaged histories: every one is judged or told with its place, never a traceback."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isodelta.commands.history.results import judge_file
from isodelta.exits import BadInput

VALID = {
    "text": b"w(1,10,0,0)\nw(2,-1,0,-1)\nr(1,10,1,1)\nw(1,11,1,1)\nr(1,11,2,2)\nr(2,0,2,2)\n",
    "awdit": b"r x 0\nw x 1\n-----\nr y 2\n=====\nr x 1\nw y 2\n-----\nw 7 -3\n",
    "edn": (
        b'{:type :invoke, :process 0, :f :txn, :value [[:append 5 1] [:r "k" nil]], :index 0}\n'
        b"#jepsen.history.Op{:type :ok, :process 0, :value [[:append 5 1] [:r k []]], :time -1}\n"
        b"{:type :invoke, :process 2, :value [[:r 5 nil] [:append [:x 1.5] 2]]}\n"
        b'{:type :info, :process :nemesis, :value #{1 \\a}, :f "caf\xc3\xa9 \\u00e9"} ; x\n'
        b"{:type :ok, :process 2, :value [[:r 5 [1]] [:append [:x 1.5] 2]] #_ 3}\n"
        b"{:type :fail, :process 3, :value nil}\n"
    ),
    "json": (
        b'[{"type": "invoke", "process": 0, "f": "txn", "value": [["w", "x", 1]], "index": 0},\n'
        b' {"type": "ok", "process": 0, "f": "txn", "value": [["w", "x", 1]], "index": 1},\n'
        b' {"type": "info", "process": "nemesis", "value": {"a": [null, true]}},\n'
        b' {"type": "ok", "process": 1, "value": [["r", "x", 1], ["r", "y\\ud800", null]]}]\n'
    ),
}
SPECIAL = b'"[]{}()#\\;:,-0 \n\xff\x00'
WAYS = ("delete", "repeat", "swap", "put")


@st.composite
def damaged(draw: st.DrawFn, valid: bytes) -> bytes:
    """The file after up to four deletions, repetitions or exchanges of bytes or lines."""
    data = valid
    for _ in range(draw(st.integers(1, 4))):
        by_line = draw(st.booleans())
        parts = data.splitlines(keepends=True) if by_line else [bytes([b]) for b in data]
        if not parts:
            break
        at = draw(st.integers(0, len(parts) - 1))
        other = draw(st.integers(0, len(parts) - 1))
        way = draw(st.sampled_from(WAYS))
        if way == "delete":
            del parts[at : at + draw(st.integers(1, 3))]
        elif way == "repeat":
            parts.insert(other, parts[at])
        elif way == "swap":
            parts[at], parts[other] = parts[other], parts[at]
        else:
            parts.insert(at, bytes([draw(st.sampled_from(SPECIAL))]))
        data = b"".join(parts)
    return data


@pytest.mark.parametrize("name", VALID)
@settings(max_examples=150, deadline=None)
@given(data=st.data())
@pytest.mark.slow
def test_damaged_histories_are_judged_or_told(name: str, data: st.DataObject) -> None:
    made = data.draw(damaged(VALID[name]))
    with TemporaryDirectory() as folder:
        path = Path(folder, "h")
        path.write_bytes(made)
        for format_name in (name, None):
            try:
                result = judge_file(path, format_name, None, 60)
            except BadInput as error:
                assert str(error).startswith(f"{path}")
                assert len(str(error).splitlines()) == 1
            else:
                verdicts = {level.verdict.verdict for level in result.levels.values()}
                assert verdicts <= {"holds", "violated"}


@pytest.mark.parametrize("name", VALID)
def test_the_histories_that_are_damaged_are_valid_ones(name: str, tmp_path: Path) -> None:
    path = tmp_path / "h"
    path.write_bytes(VALID[name])
    assert judge_file(path, None, None, 60).format == name
