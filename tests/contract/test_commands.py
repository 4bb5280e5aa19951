# SPDX-License-Identifier: GPL-2.0-only
"""The contract of every command, and that an experiment can be asked for in full by option or by file."""

from collections.abc import Callable

import pytest
import typer
from typer.core import TyperCommand, TyperGroup
from typer.testing import CliRunner

from kassay.cli import build_app
from kassay.commands import _answer, command_named, command_packages
from kassay.model.experiment import SCHEMA, Experiment, KernelUse, WorkloadUse
from kassay.spec.load import dump, parse

COMMANDS = {name: command_named(name) for name in command_packages()}
MEASURING = ("compare", "ladder")
THE_QUESTION = {"schema", "name", "question", "kernels", "workloads"}
FIELDS = [name for name in Experiment.__struct_fields__ if name not in THE_QUESTION]

# Field: (the option's words, what the field then is, how a file says it). No option: only a file can say it.
REACHED: dict[str, tuple[tuple[str, ...], object, str]] = {
    "clock": (("--clock", "tcg"), "tcg", '"tcg"'),
    "machine": (("--clock", "qemu_icount"), "qemu_icount", '"qemu_icount"'),
    "arch": (("--arch", "arm64"), "arm64", '"arm64"'),
    "cpus": (("--cpus", "2,4"), (2, 4), "[2, 4]"),
    "memory_bytes": (("--memory", "2GiB,512MiB"), (2 << 30, 512 << 20), '["2GiB", "512MiB"]'),
    "paired": (("--paired",), True, "true"),
    "on": (("--clock", "metal", "--on", "ssh://me@host"), "ssh://me@host", '"ssh://me@host"\nclock = "metal"'),
    "cpu": (("--cpu", "zen2,zen3"), ("zen2", "zen3"), '["zen2", "zen3"]'),
    "nodes": (("--nodes", "2"), 2, "2"),
    "thp": (("--thp", "never"), "never", '"never"'),
    "mthp": (("--mthp", "4=always,2=never"), "4=always,2=never", '"4=always,2=never"'),
    "swap": (("--swap", "zram:64MiB"), "zram:64MiB", '"zram:64MiB"'),
    "memcg": (("--memcg", "64MiB"), "64MiB", '"64MiB"'),
    "dirty_ratio": (("--dirty-ratio", "10"), "10", '"10"'),
    "percpu_high_fraction": (("--percpu-high-fraction", "8"), "8", '"8"'),
    "sched": (("--sched", "fifo"), "fifo", '"fifo"'),
    "sampled": (("--sampled", "zoneinfo"), "zoneinfo", '"zoneinfo"'),
    "order": (("--order", "sandwich"), "sandwich", '"sandwich"'),
    "repeats": (("--repeats", "5"), 5, "5"),
    "perturb": (("--perturb", "0"), 0, "0"),
    "rounds": (("--rounds", "9"), 9, "9"),
    "seed": (("--seed", "0"), 0, "0"),
    "margin": (("--margin", "0.05"), 0.05, "0.05"),
    "timeout_s": (("--timeout", "33"), 33, "33"),
    "retries": ((), 3, "3"),
    "flavour": (("--flavour", "amd64"), "amd64", '"amd64"'),
    "boot": (("--boot", "stock"), "stock", '"stock"'),
    "profile": (("--profile", "counts"), "counts", '"counts"'),
    "quiesce": (("--no-quiesce",), False, "false"),
    "background": (("--background", "2"), 2, "2"),
    "control": (("--clock", "tcg", "--no-control"), False, 'false\nclock = "tcg"'),
    "predict": (("--predict", "zen3,zen4"), ("zen3", "zen4"), '["zen3", "zen4"]'),
    "trace_budget": (("--predict", "zen3", "--trace-budget", "2MiB"), "2MiB", '"2MiB"\npredict = ["zen3"]'),
    "deferred": (("--deferred", "apart"), "apart", '"apart"'),
}
# Until they are named, so that experiments keep their hash.
UNWRITTEN = {
    "paired",
    "machine",
    "on",
    "cpu",
    "nodes",
    "thp",
    "mthp",
    "swap",
    "memcg",
    "dirty_ratio",
    "percpu_high_fraction",
    "sched",
    "sampled",
    "predict",
    "trace_budget",
    "deferred",
}
FOLLOW = {  # their defaults are those of the clock; or an option needs another one
    "control": {"clock", "repeats", "perturb", "margin"},
    "trace_budget": {"predict"},
    "clock": {"repeats", "perturb", "margin"},
    "on": {"clock", "repeats", "perturb", "margin", "flavour"},
}
FILE = 'kernels = ["debian:6.12", "debian:6.17"]\nworkloads = ["mprotect_toggle"]\n'

each = pytest.mark.parametrize("name", COMMANDS)
fields = pytest.mark.parametrize("field", FIELDS)


def parser() -> TyperGroup:
    made = typer.main.get_command(build_app())
    assert isinstance(made, TyperGroup)
    return made


def parser_of(name: str) -> TyperCommand | TyperGroup:
    group = parser()
    found = group.get_command(typer.Context(group), name)
    assert isinstance(found, TyperCommand | TyperGroup)
    return found


@each
def test_it_has_the_name_of_its_file_and_its_place_alone(name: str) -> None:
    assert COMMANDS[name].name == name
    assert [other.name for other in COMMANDS.values() if other.order == COMMANDS[name].order] == [name]


@each
def test_it_appears_in_the_help_and_says_what_it_does(name: str) -> None:
    shown = CliRunner().invoke(build_app(), ["--help"])
    assert shown.exit_code == 0
    assert any(line.strip("│ ").startswith(f"{name} ") for line in shown.output.splitlines())
    command = parser_of(name)
    assert command.help and command.help.strip()[0].isupper()
    alone = CliRunner().invoke(build_app(), [name, "--help"])
    assert alone.exit_code == 0
    assert f"Usage: kassay {name} " in " ".join(alone.output.split())


@each
def test_every_option_and_argument_explains_itself(name: str) -> None:
    command = parser_of(name)
    leaves = list(command.commands.values()) if isinstance(command, TyperGroup) else [command]
    bare = [
        (leaf.name, parameter.name)
        for leaf in leaves
        for parameter in leaf.params
        if not getattr(parameter, "help", None)
    ]
    assert leaves and bare == []


def test_nothing_but_the_discovered_commands_is_there() -> None:
    assert set(parser().commands) == set(COMMANDS)


Ask = Callable[..., Experiment]


@pytest.fixture(params=MEASURING)
def ask(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """The experiment that a command line would measure."""
    asked: list[Experiment] = []

    def measured(experiment: Experiment, *_: object, **__: object) -> int:
        asked.append(experiment)
        return 0

    monkeypatch.setattr(_answer, "measure_and_answer", measured)

    def run(*words: str) -> Experiment:
        argv = [request.param, "mprotect_toggle", "debian:6.12", "debian:6.17", *words]
        done = CliRunner().invoke(build_app(), argv)
        assert done.exception is None, done.exception
        assert done.exit_code == 0, done.output
        return asked.pop()

    return run


def test_the_table_above_knows_every_field() -> None:
    assert set(REACHED) == set(FIELDS)


def test_every_field_but_the_retries_of_failed_runs_has_an_option() -> None:
    assert [field for field in FIELDS if not REACHED[field][0]] == ["retries"]


@pytest.mark.parametrize("field", [field for field in FIELDS if REACHED[field][0]])
def test_an_option_sets_its_field_and_no_other(ask: Ask, field: str) -> None:
    words, value, _ = REACHED[field]
    plain, asked = ask(), ask(*words)
    changed = {f for f in Experiment.__struct_fields__ if getattr(plain, f) != getattr(asked, f)}
    assert changed == {field} | FOLLOW.get(field, set())
    assert getattr(asked, field) == value


def test_without_options_a_command_line_asks_for_the_defaults(ask: Ask) -> None:
    asked = ask()
    uses = (KernelUse(ref="debian:6.12"), KernelUse(ref="debian:6.17"))
    plain = Experiment(
        name=asked.name, question=asked.question, kernels=uses, workloads=(WorkloadUse(name="mprotect_toggle"),)
    )
    assert asked == plain


@fields
def test_a_file_sets_the_field_and_no_other(field: str) -> None:
    _, value, text = REACHED[field]
    asked, plain = parse(f"{field} = {text}\n{FILE}", "x.toml"), parse(FILE, "x.toml")
    changed = {f for f in Experiment.__struct_fields__ if getattr(plain, f) != getattr(asked, f)}
    assert (changed, getattr(asked, field)) == ({field} | FOLLOW.get(field, set()), value)


@pytest.mark.parametrize("field", [field for field in Experiment.__struct_fields__ if field not in UNWRITTEN])
def test_dumped_experiment_has_every_named_field(field: str) -> None:
    written = dump(parse(FILE, "x.toml"))
    top, _, below = written.partition("\n\n")
    if field in ("kernels", "workloads"):
        assert below.splitlines().count(f"[[{field}]]") == (2 if field == "kernels" else 1)
    else:
        assert sum(line.startswith(f"{field} = ") for line in top.splitlines()) == 1
    assert f'schema = "{SCHEMA}"' in written and "machine" not in written


@pytest.mark.parametrize("field", [field for field in FIELDS if REACHED[field][0]])
def test_a_command_line_written_into_a_file_is_the_same_experiment(ask: Ask, field: str) -> None:
    asked = ask(*REACHED[field][0], "--set", "size=2MiB,4MiB", "--cmdline-head", "a=b")
    assert parse(dump(asked), "x.toml") == asked
