# SPDX-License-Identifier: GPL-2.0-only
"""The command line: builds the parser from the commands, prints errors, and alone ends the process."""

import atexit
import gc
import os
import re
import signal
import sys
from collections.abc import Callable
from functools import cache, wraps
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from kassay import __version__
from kassay.commands import Command, command_named, command_packages, refuse_empty_values
from kassay.effects import streams
from kassay.errors import NO_PASS, REGRESSION, KassayError

Parser = TyperCommand | TyperGroup

_INTERRUPTED = 130
"""Exit status after Ctrl-C."""
_BROKEN_PIPE = 141
"""Exit status if a pipe to another program broke, as after SIGPIPE."""
_PATHS = re.compile(r"(?:^|[:=+])((?:~|\.\./|/(?!/))[^:+@,]*)")
"""Paths in a word of the command line that may lie outside of the current directory, as in build:~/linux@v7.3."""
_MEANT = {
    "--param": "--set", "--params": "--set", "--parameter": "--set", "--output": "--out", "--json": "--format",
    "--iterations": "--rounds",
}  # fmt: skip
"""Options by other names that users try."""
_EPILOG = (
    "Exit status: 0 answered · 2 bad input · 3 this host lacks something · 5 a defect of kassay. "
    f"With --exit-code also: 1 {REGRESSION} · 4 {NO_PASS}"
)


class Group(TyperGroup):
    """A command that has commands; its help lists them with the whole first paragraph of each."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """One row for each command."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, self.summary(name)) for name in self.list_commands(ctx)])

    def summary(self, name: str) -> str:
        """Purpose of the command."""
        return _first_paragraph(self.commands[name].help)


class Verbs(Group):
    """The group of all commands. A command's module is imported only when its parser is needed."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = dict.fromkeys(command_packages(), TyperCommand(None))  # only the keys are read

    def list_commands(self, ctx: Any) -> list[str]:
        """Names, sorted by Command.order."""
        return sorted(self.commands, key=lambda name: command_named(name).order)

    def get_command(self, ctx: Any, cmd_name: str) -> Parser | None:
        """The parser of one command, None when there is no such command."""
        return parser_of(command_named(cmd_name)) if cmd_name in self.commands else None

    def summary(self, name: str) -> str:
        """Purpose of the command, without reading its options."""
        run = command_named(name).run
        return _first_paragraph(run.info.help if isinstance(run, typer.Typer) else run.__doc__)


class Verb(TyperCommand):
    """A command whose help lists its options under the headings that they name, and writes arguments in capitals."""

    def __init__(self, *args: Any, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        for parameter in self.params:
            if parameter.param_type_name == "argument" and parameter.metavar is None:
                parameter.metavar = str(parameter.name).upper()

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Arguments, options of this command alone, then those under each heading, in the order of the function."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                default = "Arguments" if parameter.param_type_name == "argument" else "Options"
                heading = getattr(parameter, "rich_help_panel", None) or default
                sections.setdefault(heading, []).append(record)
        for heading, records in sections.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)


@cache
def parser_of(command: Command) -> Parser:
    """The parser that typer makes from a command's function, or from its app of sub-commands."""
    app = typer.Typer(rich_markup_mode=None)
    if isinstance(command.run, typer.Typer):
        app.add_typer(command.run, name=command.name, cls=Group)
    else:
        app.command(command.name, cls=Verb)(command.run)
    parser = typer.main.get_group(app).commands[command.name]
    assert isinstance(parser, Parser)
    for leaf in parser.commands.values() if isinstance(parser, TyperGroup) else (parser,):
        if leaf.callback is not None:
            leaf.callback = _checked(_keeping_cache(leaf.callback) if command.keeps_cache else leaf.callback)
    return parser


def _checked(run: Callable[..., Any]) -> Callable[..., Any]:
    """The function of a command, which is not called with an option or argument that is empty."""

    @wraps(run)
    def checked(*args: Any, **options: Any) -> Any:
        refuse_empty_values()
        return run(*args, **options)

    return checked


def _keeping_cache(run: Callable[..., Any]) -> Callable[..., Any]:
    """The function of a command, during which no other process frees room in the cache."""

    @wraps(run)
    def kept(*args: Any, **options: Any) -> Any:
        from kassay.effects.lock import Holder, cache_shared

        def busy(holder: Holder) -> None:
            print(f"kassay: waiting for kassay cache free, {holder.text}", file=sys.stderr)

        with cache_shared(busy):
            return run(*args, **options)

    return kept


def _first_paragraph(text: str | None) -> str:
    return " ".join((text or "").strip().split("\n\n")[0].split())


def build_app() -> typer.Typer:
    """The program: one command for each file of commands/."""
    app = typer.Typer(
        name="kassay", cls=Verbs, no_args_is_help=True, epilog=_EPILOG, rich_markup_mode=None,
        pretty_exceptions_enable=False,
        help="Measure what a Linux memory-management change costs. kassay boots the kernels, checks that they did the "
        "same work on the same memory state, and counts every instruction.",
    )  # fmt: skip

    @app.callback(invoke_without_command=False)
    def _root(
        version: Annotated[
            bool, typer.Option("--version", help="Print the version and exit.", is_eager=True, callback=_print_version)
        ] = False,
    ) -> None: ...

    return app


@cache
def whole_parser() -> Parser:
    """The parser of build_app(), made once."""
    made = typer.main.get_command(build_app())
    assert isinstance(made, Parser)
    return made


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"kassay {__version__}")
        raise typer.Exit


def main() -> None:
    """Runs one command and exits with its status."""
    streams.set_up()
    # Handled like Ctrl-C, so that builds and machines are ended together with kassay.
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:  # nohup ignores SIGHUP, and it stays ignored
            signal.signal(number, signal.default_int_handler)
    gc.set_threshold(50_000, 20, 100)  # records are many, and stay: to look at them often finds nothing
    atexit.register(_leave)
    try:
        status = whole_parser()(standalone_mode=False, prog_name="kassay")
        if status == _INTERRUPTED and "--step" not in sys.argv:  # typer catches it
            raise KeyboardInterrupt
    except KassayError as error:
        print(f"kassay: {error}", file=sys.stderr)
        _name_unmounted(error)
        status = error.status
    except KeyboardInterrupt:
        print("kassay: interrupted; finished runs are kept, the same command resumes", file=sys.stderr)
        status = _INTERRUPTED
    except SystemExit as ended:  # click ends with 1 if a pipe breaks; no command does
        status = _pipe_broke() if ended.code == 1 else ended.code
    except Exception as error:
        status = _disk_failed(error) or _unexpected(error)
        if "--step" in sys.argv:  # `git bisect run` would take 1..127 for an answer
            status += 128
    sys.exit(status if isinstance(status, int) else 0)


def _pipe_broke() -> int:
    """Exit status; says so, because nothing else does."""
    print("kassay: a program, or a machine, to which kassay was writing has ended\n  "
          "look at what it printed; the same command resumes, and finished runs are kept", file=sys.stderr)  # fmt: skip
    return _BROKEN_PIPE


def _leave() -> None:
    """Spares Python's last collection, which takes 0.1 s after an answer. duckdb's binding would report leaks."""
    if "duckdb" not in sys.modules:
        gc.freeze()


def _name_unmounted(error: KassayError) -> None:
    """In the container, says of a path of the command line, which an error names, that the host may have it."""
    from kassay.effects.distribution import IMAGE

    if not IMAGE.exists():
        return
    paths = (Path(path) for word in sys.argv[1:] for path in _PATHS.findall(word) if path in error.what)
    missing = next((path for path in paths if not os.path.lexists(path.expanduser())), None)
    if missing is not None and str(missing.parent) != "/":
        print(f"  {missing}: not in the container; if it is on the host, name its directory in KASSAY_MOUNT",
              file=sys.stderr)  # fmt: skip


def _disk_failed(error: Exception) -> int:
    """Exit status for a full, failed or read-only disk, which any write may meet, and for a file that is gone from the
    cache; 0 for another error."""
    from kassay.effects.files import disk_problem, gone_from_cache

    problem = disk_problem(error) or gone_from_cache(error) if isinstance(error, OSError) else None
    if problem is None:
        return 0
    print(f"kassay: {problem}", file=sys.stderr)
    _name_unmounted(problem)
    return problem.status


def _unexpected(error: Any) -> int:
    """A usage error of the command line is the user's; anything else is kassay's own defect."""
    show = getattr(error, "show", None)  # usage errors of click and typer print themselves
    if show is not None:
        meant = _MEANT.get(getattr(error, "option_name", None) or "")
        if meant and error.ctx is not None and any(meant in option.opts for option in error.ctx.command.params):
            error.possibilities = [meant]
        show()
        return int(getattr(error, "exit_code", 2))
    import traceback

    traceback.print_exception(error)
    print("kassay: this is a defect of kassay; please report the lines above", file=sys.stderr)
    return 5


if __name__ == "__main__":
    main()
