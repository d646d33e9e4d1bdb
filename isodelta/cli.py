"""The command line: ``isodelta COMMAND``.

Every folder in ``isodelta.commands`` is a command, defined in its module ``command``. A command
is imported only when it runs, so that no command pays for the libraries of another. The module
``isodelta.exits`` maps exceptions to exit codes.
"""

from __future__ import annotations

import gc
import importlib
import os
import pkgutil
import sys
import traceback
from collections.abc import Sequence
from typing import Any, NoReturn

import click

from isodelta import commands
from isodelta.exits import BAD, BROKEN, INTERRUPTED, OK, CommandFailed

ORDER = (
    "verify",
    "check",
    "replay",
    "explore",
    "matrix",
    "compare",
    "claims",
    "releases",
    "robust",
    "history",
    "audit",
    "explain",
    "campaign",
    "prove",
)
"""The order in which the help lists commands: the main job first."""


COMPLETION = "_ISODELTA_COMPLETE"
"""The variable by which a shell asks for completions, as click's scripts for shells set it."""


class _Commands(click.Group):
    """The commands, found by the names of their folders."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        modules = pkgutil.iter_modules(commands.__path__)
        names = [module.name for module in modules if module.ispkg]
        return sorted(names, key=lambda n: (ORDER.index(n) if n in ORDER else len(ORDER), n))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        module = importlib.import_module(f"{commands.__name__}.{cmd_name}.command")
        command: click.Command = module.command
        command.name = cmd_name
        return command


@click.command(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="isodelta", prog_name="isodelta")
def cli() -> None:
    """Check what Delta Lake's isolation levels guarantee, and whether real tables keep to it.

    Exit codes: 0 everything is as expected, 1 a violation, a difference or a failed expectation
    was found, 2 bad usage or bad input, 3 the engine could not be started or died, 130 Ctrl-C.
    """


def run(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code. Errors are printed on standard error."""
    try:
        # Not cli.main(): that has its own messages and exit codes for Ctrl-C and broken pipes.
        words = list(sys.argv[1:] if arguments is None else arguments)
        with cli.make_context("isodelta", words) as context:
            code = cli.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        print(error.format_message(), file=sys.stderr)
        return BAD
    except click.ClickException as error:
        return _complain([_usage_line(error)], BAD)
    except CommandFailed as error:
        return _complain(error.lines, error.code)
    except (KeyboardInterrupt, click.Abort):
        return _complain(["isodelta: interrupted"], INTERRUPTED)
    except ModuleNotFoundError as error:
        # Lazily, like all that only some calls need.
        from conformance.extras import advice

        if (how := advice(error.name)) is None:
            return _bug()
        return _complain([f"isodelta: {how}"], BAD)
    except BrokenPipeError:
        # The reader of our output has closed the pipe (`| head`). Python would complain again
        # when it flushes at exit, so standard output is discarded from here on.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return OK
    except Exception:  # noqa: BLE001 - a bug of ours must not look like exit code 1, a finding
        return _bug()
    return code if isinstance(code, int) else OK


def _bug() -> int:
    """Prints the exception that is being handled."""
    traceback.print_exc()
    return _complain(["isodelta: this is a bug in isodelta itself; please report it"], BROKEN)


def _usage_line(error: click.ClickException) -> str:
    context: Any = getattr(error, "ctx", None)
    name = context.command_path if context is not None else "isodelta"
    message = " ".join(error.format_message().split())
    return f"{name}: {message} (see {name} --help)"


def _complain(lines: Sequence[str], code: int) -> int:
    for line in lines:
        print(line, file=sys.stderr)
    return code


def main() -> NoReturn:
    """The console script."""
    # Objects made by imports and searches mostly stay alive: at Python's default threshold the
    # collector walks them hundreds of times, a seventh of the time of `isodelta check`.
    gc.set_threshold(100_000)
    if instruction := os.environ.get(COMPLETION):
        from click.shell_completion import shell_complete

        sys.exit(shell_complete(cli, {}, "isodelta", COMPLETION, instruction))
    sys.exit(run())
