"""Names of releases: the ones there are, and why others cannot be run."""

from __future__ import annotations

import pytest

from conformance.releases.catalogue import RELEASES, UnknownRelease, neighbours, release
from conformance.spark.startup.jars import locked_jars


@pytest.mark.parametrize("known", RELEASES, ids=lambda known: known.name)
def test_every_release_is_found_by_its_name(known) -> None:
    assert release(known.name) is known


def test_there_are_enough_of_each_engine() -> None:
    assert len(neighbours("delta-spark")) >= 6
    assert len(neighbours("delta-rs")) >= 4


@pytest.mark.parametrize(
    "known", [known for known in RELEASES if known.artifact], ids=lambda known: known.name
)
def test_a_lock_file_has_the_jars_of_its_release(known) -> None:
    names = [jar.name for jar in locked_jars(known.lock)]
    _, artifact, version = known.artifact.split(":")
    assert f"io.delta_{artifact}-{version}.jar" in names


@pytest.mark.parametrize(
    ("name", "because"),
    [
        ("delta-rs@9.9.9", r"unknown release 'delta-rs@9.9.9' \(known: 0.22.3"),
        ("delta-spark@2.4.0", "has no observer of transactions"),
        ("delta-kernel@4.0.0", "there are no releases of 'delta-kernel'"),
        ("delta-rs@newest", "does not name a release"),
        ("delta-rs@", "does not name a release"),
    ],
)
def test_others_are_refused_with_the_reason(name: str, because: str) -> None:
    with pytest.raises(UnknownRelease, match=because):
        release(name)
