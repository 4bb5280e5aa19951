# SPDX-License-Identifier: GPL-2.0-only
"""The command line: builds the parser from commands/, prints errors, ends the process. The only exit."""

import io
import signal
import sys
from typing import Annotated

import typer

from kassay import __version__
from kassay.commands import Command
from kassay.errors import KassayError
from kassay.registry import discover

_EPILOG = (
    "Exit status: 0 answered · 1 regression (with --exit-code) · 2 bad input · 3 this host lacks something · "
    "4 nothing admitted, or inconclusive (with --exit-code) · 5 a defect of kassay"
)


def build_app() -> typer.Typer:
    """The whole parser, one verb per file of commands/."""
    app = typer.Typer(
        name="kassay", no_args_is_help=True, add_completion=False, epilog=_EPILOG, rich_markup_mode="rich",
        pretty_exceptions_enable=False,
        help="Weighs what a Linux memory-management change costs: boots them, proves equal state, counts exactly.",
    )  # fmt: skip

    @app.callback(invoke_without_command=False)
    def _root(
        version: Annotated[bool, typer.Option("--version", help="Print the version and exit.", is_eager=True)] = False,
    ) -> None:
        if version:
            print(f"kassay {__version__}")
            raise typer.Exit

    for command in sorted(discover("kassay.commands", "COMMAND", Command).values(), key=lambda c: c.order):
        if isinstance(command.run, typer.Typer):
            app.add_typer(command.run, name=command.name)
        else:
            app.command(command.name)(command.run)
    return app


def main() -> None:
    """Runs one command and exits with its status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that cannot show ◄ still gets the answer
    # As Ctrl-C: a build or a machine must not outlive what started it.
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:  # under nohup it is ignored, and stays so
            signal.signal(number, signal.default_int_handler)
    try:
        status = build_app()(standalone_mode=False)
    except KassayError as error:
        print(f"kassay: {error}", file=sys.stderr)
        status = error.status
    except KeyboardInterrupt:
        print("kassay: interrupted; finished runs are kept, the same command resumes", file=sys.stderr)
        status = 130
    except BrokenPipeError:
        status = 0
    except Exception as error:
        status = _unexpected(error)
        if "--step" in sys.argv:  # `git bisect run` would take 1..127 for an answer
            status += 128
    sys.exit(status if isinstance(status, int) else 0)


def _unexpected(error: Exception) -> int:
    """A usage error of the command line is the user's; anything else is kassay's own defect."""
    show = getattr(error, "show", None)  # click's and typer's usage errors carry their own words
    if show is not None:
        show()
        return int(getattr(error, "exit_code", 2))
    import traceback

    traceback.print_exception(error)
    print("kassay: this is a defect of kassay; please report the lines above", file=sys.stderr)
    return 5
