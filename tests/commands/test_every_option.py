# SPDX-License-Identifier: GPL-2.0-only
"""Every option that a help text names, tried with a value that fits and with one that does not; nothing is booted.

An option that fits lets its command come to its first argument, which does not exist: that is what is then said.
"""

from collections.abc import Iterator

import pytest
import typer
from _pytest.mark import ParameterSet
from typer.core import TyperCommand, TyperGroup, TyperOption

from kassay.cli import build_app
from kassay.commands._options import Measuring
from tests.commands.conftest import Kassay

GONE = "/nowhere"
ARGUMENTS = {
    "compare": ("mprotect_toggle", f"image:{GONE}", f"image:{GONE}"),
    "ladder": ("mprotect_toggle", f"image:{GONE}", f"image:{GONE}"),
    "gap": ("mprotect_toggle", *(f"image:{GONE}",) * 3),
}
MEASURING = {
    "--set": ("size=2MiB", "size"), "--clock": ("tcg", "sundial"), "--cpus": ("2", "many"), "--cpu": ("zen3", "zen33"),
    "--nodes": ("2", "9"), "--thp": ("never", "sometimes"), "--mthp": ("4=always,2=never", "99=always"),
    "--swap": ("zram:64MiB", "disk:1GiB"), "--memcg": ("64MiB", "lots"), "--dirty-ratio": ("10", "0"),
    "--percpu-high-fraction": ("8", "7"), "--sampled": ("zoneinfo", "vmstat"),
    "--sched": ("fifo", "first"), "--paired": (None, "=x"),
    "--memory": ("2GiB", "lots"), "--arch": ("x86_64", "sparc"), "--flavour": ("amd64", None),
    "--boot": ("stock", "warm"), "--cmdline": ("a=1", None), "--cmdline-base": ("a=1", None),
    "--cmdline-head": ("a=1", None), "--repeats": ("3", "0"), "--perturb": ("1", "-1"), "--rounds": ("9", "1"),
    "--order": ("sandwich", "up"), "--seed": ("7", "seven"), "--margin": ("0.05", "7"), "--no-control": (None, "=x"),
    "--predict": ("zen4", "zen4,zen4"), "--trace-budget": ("2MiB", "1B"), "--profile": ("counts", "all"),
    "--deferred": ("apart", "later"), "--debug-symbols": (None, "=x"), "--match": ("preempt", "compiler"),
    "--no-quiesce": (None, "=x"), "--background": ("0", "65"),
    "--timeout": ("33", "0"), "--out": ("OUT", "."), "--fresh": (None, "=x"), "--format": ("json", "pdf"),
    "--exit-code": (None, "=x"), "--allow-refused": ("mprotect_toggle", "mprotect"),
    "--cluster": ("tcp://127.0.0.1:9", "nowhere"),
    "--reset": ("true", None), "--start": ("true", None), "--boot-limit": ("60", "soon"), "--plan": (None, "=x"),
}  # fmt: skip
BELONGS = {
    "--no-control": ("--clock", "tcg"), "--trace-budget": ("--predict", "zen4"), "--allow-refused": ("--exit-code",),
    **dict.fromkeys(("--reset", "--start", "--boot-limit"), ("--on", "ssh://me@host", "--clock", "metal", "--plan")),
}  # fmt: skip
"""Words without which an option would do nothing."""
PROGRAM = {
    "--program": f"{GONE}/repro.c", "--args": "1 2", "--env": "A=1", "--file": "a", "--cflags": "-O1", "--link": "-lm",
    "--from": "main", "--to": "exit", "--require": "status==0", "--state": "n", "--work": "n", "--limit": "3",
}  # fmt: skip
"""Values for each option: one that fits (None: it takes none) and one that does not (None: any text fits)."""


def said(kassay: Kassay, *words: str) -> tuple[int, str]:
    status, out, err = kassay(*words)
    return status, out + err


def leaves() -> Iterator[tuple[tuple[str, ...], TyperCommand]]:
    """Every command that is no group, by its words."""
    group = typer.main.get_command(build_app())
    assert isinstance(group, TyperGroup)
    context = typer.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, TyperGroup):
            yield from (((name, sub), leaf) for sub, leaf in command.commands.items() if isinstance(leaf, TyperCommand))
        elif isinstance(command, TyperCommand):
            yield (name,), command


def every() -> Iterator[ParameterSet]:
    """Every option of every command. One that commands share is tried with the first of them by `make check`."""
    known = set()
    for words, leaf in leaves():
        for option in leaf.params:
            if isinstance(option, TyperOption):
                declared = (*option.opts, option.help, option.is_flag, option.multiple, repr(option.type))
                marks = [pytest.mark.slow] if declared in known else []
                known.add(declared)
                yield pytest.param(words, option, id=f"{' '.join(words)} {option.opts[0]}", marks=marks)


@pytest.mark.parametrize(("words", "option"), list(every()))
def test_an_option_without_its_value_or_with_one_too_many_is_named(
    kassay: Kassay, words: tuple[str, ...], option: TyperOption
) -> None:
    name = option.opts[0]
    status, text = said(kassay, *words, f"{name}=x" if option.is_flag else name)
    assert (status, "Error: " in text, name in text) == (2, True, True), text


@pytest.mark.parametrize("words", [words for words, _ in leaves()], ids=" ".join)
def test_help_is_there_for_every_command(kassay: Kassay, words: tuple[str, ...]) -> None:
    status, text = said(kassay, *words, "--help")
    assert status == 0 and " ".join(("Usage: kassay", *words)) in " ".join(text.split())


def test_the_options_of_the_program_itself_work(kassay: Kassay) -> None:
    assert said(kassay, "--version") == (0, "kassay 0.1.0\n")
    status, text = said(kassay, "--help")
    assert status == 0 and "--version" in text
    assert said(kassay, "--version=1")[0] == 2


def test_the_table_above_has_every_option_of_a_measurement() -> None:
    fields = {name.rstrip("_").replace("_", "-") for name in Measuring.__dataclass_fields__}
    assert {f"--{name}" for name in fields} == set(MEASURING) | set(PROGRAM) | {"--suite", "--on"}


@pytest.mark.parametrize("command", ARGUMENTS)
def test_a_machine_elsewhere_leads_on_and_one_that_cannot_be_is_named(kassay: Kassay, command: str) -> None:
    given = (*ARGUMENTS[command], "--on", "ssh://me@host")
    status, text = said(kassay, command, *given, "--clock", "metal", "--plan")
    assert status == 2 and GONE in text, text
    assert "clock icount measures here" in said(kassay, command, *given)[1]
    assert "needs a machine" in said(kassay, command, *ARGUMENTS[command], "--clock", "metal")[1]
    assert "write ssh://" in said(kassay, command, *given[:-1], "host", "--clock", "metal")[1]
    text = said(kassay, command, *given, "--clock", "metal", "--sched", "fifo")[1]
    assert "cannot be chosen" in text and "leave it out, or use clock icount" in text and "memory" not in text


@pytest.mark.parametrize("command", ARGUMENTS)
def test_a_suite_leads_on_to_the_kernels_and_an_unknown_one_is_named(kassay: Kassay, command: str) -> None:
    kernels = ARGUMENTS[command][1:]
    status, text = said(kassay, command, *kernels, "--suite", "mm")
    assert status == 2 and GONE in text, text
    status, text = said(kassay, command, *kernels, "--suite", "nn")
    assert status == 2 and "unknown suite 'nn'" in text and "mm" in text, text


@pytest.mark.parametrize("option", [option for option in PROGRAM if option != "--program"])
def test_an_option_of_a_program_without_a_program_is_named(kassay: Kassay, option: str) -> None:
    status, text = said(kassay, "compare", *ARGUMENTS["compare"], option, PROGRAM[option])
    assert status == 2 and f"{option}: belongs to --program" in text, text


def test_a_bisection_takes_a_program_too(kassay: Kassay) -> None:
    status, text = said(kassay, "bisect", "--program", PROGRAM["--program"], "debian:6.16", "debian:6.17")
    assert status == 2 and f"{GONE}/repro.c: no such file" in text, text


@pytest.mark.parametrize("command", ARGUMENTS)
def test_every_option_of_a_program_leads_on_to_the_program(kassay: Kassay, command: str) -> None:
    given = [word for item in PROGRAM.items() for word in item]
    status, text = said(kassay, command, *ARGUMENTS[command][1:], *given)
    assert status == 2 and f"{GONE}/repro.c: no such file" in text, text


@pytest.mark.parametrize("command", ARGUMENTS)
@pytest.mark.parametrize("option", MEASURING)
def test_a_value_that_fits_leads_on_and_one_that_does_not_is_named(
    kassay: Kassay, tmp_path: object, option: str, command: str
) -> None:
    fits, does_not = MEASURING[option]
    out = f"{tmp_path}/runs"
    given = [option] if fits is None else [option, fits.replace("OUT", out)]
    more = [*BELONGS.get(option, ()), *([] if option == "--out" else ["--out", out])]
    status, text = said(kassay, command, *ARGUMENTS[command], *given, *more)
    assert status == 2 and GONE in text and option not in text, text
    if does_not is not None:
        wrong = [f"{option}{does_not}"] if does_not.startswith("=") else [option, does_not]
        status, text = said(kassay, command, *ARGUMENTS[command], *wrong, *more)
        field = option.removeprefix("--").replace("-", "_")
        assert status == 2 and GONE not in text and field in text.replace("-", "_"), text


def test_deferred_work_is_left_out_of_counts_where_time_is_measured_too(kassay: Kassay) -> None:
    given = (*ARGUMENTS["compare"], "--deferred", "apart", "--plan")
    status, text = said(kassay, "compare", *given, "--clock", "icount,tcg")
    assert status == 2 and GONE in text, text
    assert "takes the profile of each run" in said(kassay, "compare", *given, "--clock", "tcg")[1]
