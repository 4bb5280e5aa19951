# SPDX-License-Identifier: GPL-2.0-only
"""kassay cache: what the cache holds and why, and room in it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Option

from kassay.commands import Command
from kassay.commands._options import format_option
from kassay.commands._together import given_options
from kassay.errors import BadInput, unknown
from kassay.report.answers import answer_formats
from kassay.supply.clocks import listed
from kassay.tools.storage.areas import kinds

if TYPE_CHECKING:
    from kassay.model.progress import Tell
    from kassay.tools.storage.scan import Entry

_app = typer.Typer(
    help="Show what the cache holds and why, and free room in it. docs/reference/cache.md describes every kind.",
    invoke_without_command=True,
)

_Format = Annotated[str, format_option(answer_formats())]
_Kinds = Annotated[list[str] | None, Option("--kind", metavar="KIND", help=f"Only this kind: {listed(kinds())}.")]


@_app.callback()
def _all(context: typer.Context, kind: _Kinds = None, format_: _Format = "terminal") -> None:
    if context.invoked_subcommand is None:
        _show(kind, format_)
    elif given_options():
        raise BadInput(f"kassay cache: an option stands before {context.invoked_subcommand}",
                       f"write it behind: kassay cache {context.invoked_subcommand} ...")  # fmt: skip


@_app.command("show")
def _show(kind: _Kinds = None, format_: _Format = "terminal") -> int:
    """Show what the cache holds: its size, its last use, and what needs it. With one kind, each of its entries.

    "on disk" is the room that is freed, "in files" the size of the files. "not again" is what cannot be had again: it
    is freed only if its kind is named. `kassay cache` alone shows all kinds.
    """
    from kassay.commands._show import say_answer, showing
    from kassay.effects.files import cache_directory
    from kassay.tools.storage.answer import HELD, cache_answer

    form, only = HELD.form(format_), _checked(kind)
    with showing() as tell:
        found = _entries(cache_directory(), tell)
    say_answer(cache_answer(cache_directory(), found, only), form)
    return 0


@_app.command("free")
def _free(
    older: Annotated[str, Option(metavar="AGE", help="Free what was unused for this time, such as 30d, 12h, 4w.")] = "",
    to: Annotated[str, Option(metavar="SIZE", help="Free what is unused longest, until the cache has this size.")] = "",
    kind: Annotated[
        list[str] | None,
        Option(
            "--kind",
            metavar="KIND",
            help="Free only this kind, and also its entries that cannot be had again. May be repeated. "
            "`kassay cache` lists the kinds.",
        ),
    ] = None,
    plan: Annotated[bool, Option("--plan", help="Show what would be freed, and free nothing.")] = False,
    format_: _Format = "terminal",
) -> int:
    """Free room in the cache. Everything that is freed can be made or fetched again.

    What cannot be had again is kept, unless its kind is named: packages that the archive no longer has, sources of
    your own trees. Nothing is freed while another kassay runs. With --older and --to, both hold.

    Example: kassay cache free --older 30d --plan
    """
    from kassay.commands._inputs import size_in
    from kassay.commands._show import say_answer, showing
    from kassay.effects.files import cache_directory
    from kassay.effects.lock import cache_alone
    from kassay.tools.storage.answer import FREED, freed_answer
    from kassay.tools.storage.free import Wish, chosen, parse_age, remove

    form, directory = FREED.form(format_), cache_directory()
    if not (older or to or kind):
        raise BadInput("kassay cache free: what is to be freed?", "--older 30d, --to 10GiB or --kind snapshots")
    if to.strip().isdecimal() and int(to):
        raise BadInput(f"--to {to}: a number without a unit", f"write --to {to.strip()}GiB, or {to.strip()}B for bytes")
    wish = Wish(parse_age(older) if older else None, size_in(to, "--to") if to else None, _checked(kind))
    with showing() as tell:
        if plan or not directory.is_dir():
            found = _entries(directory, tell)
            freed = chosen(found, wish)
        else:
            with cache_alone():
                found = _entries(directory, tell)
                freed = chosen(found, wish)
                remove(freed, tell)
    say_answer(freed_answer(directory, found, freed, plan=plan, to_bytes=wish.to_bytes), form)
    return 0


def _checked(kind: list[str] | None) -> tuple[str, ...]:
    for name in kind or ():
        if name not in kinds():
            raise unknown("unknown kind", name, kinds())
    return tuple(kind or ())


def _entries(directory: Path, tell: "Tell") -> "tuple[Entry, ...]":
    from kassay.tools.storage.scan import entries

    return entries(directory, tell)


COMMAND = Command(name="cache", order=73, run=_app, keeps_cache=False)
