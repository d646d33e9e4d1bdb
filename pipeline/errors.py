"""The error of the pipeline: something outside of it that it cannot go on without."""

from __future__ import annotations


class PipelineFailed(Exception):
    """Spark, the store or the engine failed: one line says what, and what to do.

    Everything written before it stays; the same command goes on from there.
    """


def in_one_line(error: BaseException, most: int = 300) -> str:
    """The part of an error that says most, without a JVM's stack trace."""
    text = str(error).strip() or type(error).__name__
    causes = [line.strip() for line in text.splitlines() if "Caused by:" in line]
    chosen = causes[-1].partition("Caused by:")[2] if causes else text.splitlines()[0]
    for line in text.splitlines():
        if "No space left on device" in line:
            chosen = line
    words = " ".join(chosen.split())
    return words if len(words) <= most else f"{words[:most]}..."
