"""A lost update in every format that has registers, and the bytes of the binary ones."""

from __future__ import annotations

import json
import struct
from pathlib import Path

LOST_UPDATE = "w(1,10,0,0)\nr(1,10,1,1)\nw(1,11,1,1)\nr(1,10,2,2)\nw(1,12,2,2)\n"
VALID_EDN = """\
{:type :invoke, :process 0, :f :txn, :value [[:append 5 1] [:r 5 nil]], :index 0}
{:type :ok, :process 0, :f :txn, :value [[:append 5 1] [:r 5 [1]]], :index 1}
{:type :info, :process :nemesis, :f :start, :value "a (text; \\" )", :index 2}
{:type :invoke, :process 1, :f :txn, :value [[:r 5 nil] [:append 6 1]], :index 3}
{:type :ok, :process 1, :f :txn, :value [[:r 5 [1]] [:append 6 1]], :index 4}
"""


def event(write: int, key: int, value: int, success: int = 1) -> bytes:
    return struct.pack("<BQQB", write, key, value, success)


def bincode_file(*sessions: list[tuple[list[bytes], int]]) -> bytes:
    data = struct.pack("<5q", 1, 2, 3, 4, 5)
    for word in (b"info", b"", b"end"):
        data += struct.pack("<Q", len(word)) + word
    data += struct.pack("<Q", len(sessions))
    for session in sessions:
        data += struct.pack("<Q", len(session))
        for events, committed in session:
            data += struct.pack("<Q", len(events)) + b"".join(events) + bytes([committed])
    return data


def cobra_folder(folder: Path, *sessions: bytes) -> Path:
    folder.mkdir(exist_ok=True)
    for number, data in enumerate(sessions):
        (folder / f"T{number}.log").write_bytes(data)
    return folder


def record(kind: str, *numbers: int) -> bytes:
    return kind.encode() + struct.pack(f">{len(numbers)}q", *numbers)


LOST_UPDATE_BINCODE = bincode_file(
    [([event(0, 7, 0), event(1, 7, 1)], 1)],
    [([event(0, 7, 0), event(1, 7, 2)], 1), ([event(1, 7, 3)], 0)],
)
LOST_UPDATE_COBRA = (
    record("S", 1)
    + record("R", 0xBEBEEBEE, 0xBEBEEBEE, 7, 0)
    + record("W", 101, 7, 5)
    + record("C", 1),
    record("S", 2)
    + record("R", 0xDEADBEEF, 0xDEADBEEF, 7, 0)
    + record("W", 102, 7, 6)
    + record("C", 2),
)
LOST_UPDATE_DBCOP = {
    "params": {"id": 0, "n_node": 2, "n_variable": 1, "n_transaction": 1, "n_event": 2},
    "info": "generated",
    "data": [
        [
            {
                "events": [
                    {"Read": {"variable": 7, "version": None}},
                    {"Write": {"variable": 7, "version": 1}},
                ],
                "committed": True,
            },
            {"events": [["w", 7, 3]], "committed": False},
        ],
        [{"events": [["r", 7, None], ["w", 7, 2]], "committed": True}],
    ],
}
LOST_UPDATE_CHRONOS = [
    {
        "tid": number,
        "sid": f"session {number}",
        "sts": {"p": 1, "l": 0},
        "cts": {"p": "2", "l": number},
        "ops": [{"t": "r", "k": 7}, {"t": "WRITE", "k": 7, "v": number}],
    }
    for number in (1, 2)
]
LOST_UPDATE_AWDIT = "r x 0\nw x 1\n-----\n=====\nr x 0\nw x 2\n-----\n"


def lost_updates(folder: Path) -> dict[str, Path]:
    """A lost update in every format that has registers."""
    made = {name: folder / f"history.{name}" for name in ("text", "awdit", "bincode", "edn")}
    made["text"].write_text(LOST_UPDATE)
    made["awdit"].write_text(LOST_UPDATE_AWDIT)
    made["bincode"].write_bytes(LOST_UPDATE_BINCODE)
    made["edn"].write_text(
        "\n".join(
            f"{{:type :ok, :process {p}, :value [[:r 7 nil] [:w 7 {p}]], :index {p}}}"
            for p in (1, 2)
        )
    )
    made["json"] = folder / "history.json"
    made["json"].write_text(
        json.dumps(
            [
                {"type": "ok", "process": p, "value": [["r", 7, None], ["w", 7, p]], "index": p}
                for p in (1, 2)
            ]
        )
    )
    made["cobra"] = cobra_folder(folder / "logs", *LOST_UPDATE_COBRA)
    made["dbcop"] = folder / "dbcop.json"
    made["dbcop"].write_text(json.dumps(LOST_UPDATE_DBCOP))
    made["chronos"] = folder / "chronos.json"
    made["chronos"].write_text(json.dumps(LOST_UPDATE_CHRONOS))
    return made
