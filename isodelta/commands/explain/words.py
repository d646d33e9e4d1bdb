"""The words of ``isodelta explain``."""

from __future__ import annotations

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from isodelta.commands.explain.results import Explained
from isodelta.files.scenario_writer import scenario_yaml
from isodelta.terminal import printable

_NEED_IN_WORDS = {
    "yes": "the conflict was necessary",
    "no": "the conflict was false: the level did not need it",
    "unknown": "not known",
}


def print_explained(explained: Explained, console: Console) -> None:
    """The conflict, whether the levels needed it, the remedies, and a scenario."""
    refusal, advice = explained.refusal, explained.advice
    console.print(Text(f"{refusal.conflict} ({refusal.engine})", "bold"))
    _indented(console, explained.happened)
    console.print()
    for level, need in explained.necessary.items():
        line = Text(f"{level}: ", "bold")
        line.append(_NEED_IN_WORDS[need])
        console.print(line)
        _indented(console, explained.reasons[level])
    if explained.assumed:
        console.print(Text("Assumed", "bold"))
        for assumption in explained.assumed:
            _indented(console, assumption)
    console.print(Text("What helps", "bold"))
    for remedy in explained.remedies:
        _indented(console, f"- {remedy}")
    line = Text("Retry: ", "bold")
    line.append(advice.retry)
    console.print(line)
    _indented(console, advice.why_retry)
    console.print(f"Claims: {', '.join(advice.claims)} (isodelta claims {advice.claims[0]})")
    if explained.scenario is not None:
        console.print()
        console.print(Text("A scenario that shows it, for isodelta check and replay:", "bold"))
        for written in scenario_yaml(explained.scenario).splitlines():
            console.print(Text(written), soft_wrap=True)


def _indented(console: Console, text: str) -> None:
    console.print(Padding(Text(printable(text)), (0, 0, 0, 4)))
