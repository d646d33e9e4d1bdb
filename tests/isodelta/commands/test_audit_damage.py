"""``isodelta audit`` on logs whose values were replaced at random: an answer, never a crash."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from isodelta import cli
from isodelta.exits import BAD, FOUND, OK
from tests.log_files import (
    Action,
    add,
    append,
    create,
    delete,
    field,
    info,
    metadata,
    optimize,
    remove,
    touch_files,
    write_log,
)
from tests.nightly import cases

SEEDS = cases(100, 3_000)

VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 2**70, 1.5, float("nan"), "9" * 50, "", "x", "\ud800", "é\x1b[31m"),
    *("../../x", "[1]", "{", "[]", "true", [], [1], {}, {"a": 1}, ["x"], [{"name": "k"}]),
    {"name": "k", "metadata": [1]},
)

VECTOR = {
    "storageType": "u",
    "pathOrInlineDv": "ab^-aqEH.-t@S}K{vb[*k^",
    "sizeInBytes": 4,
    "cardinality": 2,
    "offset": 1,
}
MARKS = {"delta.identity.highWaterMark": 1, "delta.identity.step": 1}
PREDICATE = {"predicate": '["(k#1 > 3)"]'}

COMMITS: tuple[tuple[Action, ...], ...] = (
    create(
        add("a", p=1, rows=3, baseRowId=0, deletionVector=VECTOR),
        {"txn": {"appId": "s", "version": 1}},
        {"domainMetadata": {"domain": "d", "configuration": "{}", "removed": False}},
        table=metadata(field("k", "long", **MARKS), field("p")),
    ),
    append(0, add("c", p=1, baseRowId=3), {"txn": {"appId": "s", "version": 2}}),
    delete(0, "(p#3 = 1)", remove("a", deletionVector=VECTOR)),
    optimize(1, remove("c", dataChange=False), add("d", dataChange=False)),
    (info("UPDATE", 2, operationParameters=PREDICATE), remove("c"), add("e")),
)

CHECKSUM = {
    "numFiles": 2,
    "tableSizeBytes": 200,
    "txnId": "there",
    "metadata": metadata()["metaData"],
    "protocol": {"minReaderVersion": 1},
    "setTransactions": [{"appId": "s", "version": 2}],
    "allFiles": [{"path": "a"}],
}

Place = tuple[str | int, ...]


def places(content: Any, place: Place = ()) -> Iterator[Place]:
    """Every place in some JSON but the whole."""
    inner = content.items() if isinstance(content, dict) else ()
    inner = enumerate(content) if isinstance(content, list) else inner
    for key, value in inner:
        yield (*place, key)
        yield from places(value, (*place, key))


def replaced(content: Any, pick: random.Random) -> Any:
    """The content with one value replaced; inside of a text that is JSON now and then."""
    result = copy.deepcopy(content)
    place = pick.choice(list(places(result)))
    holder = result
    for key in place[:-1]:
        holder = holder[key]
    old = holder[place[-1]]
    if isinstance(old, str) and old.startswith("{") and len(old) > 2 and pick.random() < 0.7:
        holder[place[-1]] = json.dumps(replaced(json.loads(old), pick))
    else:
        holder[place[-1]] = copy.deepcopy(pick.choice(VALUES))
    return result


@pytest.mark.parametrize("seed", range(SEEDS))
def test_values_of_another_kind_give_an_answer(
    seed: int, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    pick = random.Random(seed)
    commits = list(COMMITS)
    for _ in range(pick.randint(1, 3)):
        place = pick.randrange(len(commits))
        commits[place] = tuple(replaced(list(commits[place]), pick))
    folder = touch_files(write_log(tmp_path / "table", *COMMITS))
    log = write_log(folder, *commits) / "_delta_log"
    checksum = replaced(CHECKSUM, pick) if seed % 2 else CHECKSUM
    (log / f"{2:020d}.crc").write_text(json.dumps(checksum))
    options = [["--json"], ["--report", str(tmp_path / "report")], []][seed % 3]
    options += ["--jobs", str(tmp_path / "jobs.yaml")] if seed % 5 == 0 else []
    assert cli.run(["audit", str(folder), *options]) in (OK, FOUND, BAD)
    if "--json" in options:
        for line in capsysbinary.readouterr().out.splitlines():
            json.loads(line)
