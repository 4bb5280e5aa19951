# SPDX-License-Identifier: GPL-2.0-only
"""Every input of every command is checked before anything is fetched, built or measured."""

from pathlib import Path
from typing import Any

import pytest

from kassay import pipeline
from kassay.commands import _inputs
from kassay.labs.predict.calibrate import calibrate
from kassay.supply import kernels
from kassay.supply.building import builder
from kassay.supply.kernels import debian
from kassay.supply.measured import _application
from kassay.tools.series import rows
from tests.commands.conftest import Kassay, kassay
from tests.commands.test_every_option import leaves

__all__ = ["kassay"]
GONE = "/nowhere/gone"
SOURCE = "build:debian-source:7.3"
TWO = ("mprotect_toggle", "image:HERE", f"image:{GONE}")
"""Words of a command line. HERE: a file that can be read. TREE: an empty directory. RUNS: a name that is free."""

# Command and option or argument -> words after the command with one input that is wrong, and what is said of it.
PATHS: dict[tuple[str, str], tuple[tuple[str, ...], str]] = {
    ("run", "spec"): ((GONE,), "No such file"),
    ("run", "--out"): (("HERE", "--out", "HERE"), "not a directory"),
    ("compare", "--out"): (("mprotect_toggle", SOURCE, "image:HERE", "--out", "HERE"), "not a directory"),
    ("try", "--out"): (("mprotect_toggle", SOURCE, "--out", "HERE"), "not a directory"),
    ("ladder", "--out"): (("mprotect_toggle", SOURCE, "image:HERE", "--out", "HERE"), "not a directory"),
    ("gap", "--out"): (("mprotect_toggle", SOURCE, "image:HERE", "image:HERE", "--out", "HERE"), "not a directory"),
    ("series", "--patches"): (("mprotect_toggle", "--base", SOURCE, "--patches", GONE), "no such patch"),
    ("series", "--out"): (("mprotect_toggle", "--base", SOURCE, "--patches", "DIFF", "--out", "HERE"),
                          "not a directory"),
    ("review", "--tree"): (("DIFF", "--tree", GONE), "not a git tree"),
    ("review", "--check-claims"): (("DIFF", "--base", SOURCE, "--check-claims", GONE), "No such file"),
    ("review", "--out"): (("DIFF", "--base", SOURCE, "--out", "HERE"), "not a directory"),
    ("ci", "--tree"): (("a..b", "--tree", GONE), "no such directory"),
    ("ci", "--limits"): (("a..b", "--limits", GONE), "No such file"),
    ("ci", "--out"): (("a..b", "--out", "HERE"), "not a directory"),
    ("bisect", "--replay"): (("--replay", GONE), GONE),
    ("bisect", "--out"): (("mprotect_toggle", "--good", "6.12", "--bad", "7.3", "--out", "HERE"), "not a directory"),
    ("report", "directory"): ((GONE,), "there is no such directory"),
    ("report", "--retracts"): (("TREE", "--retracts", GONE), "there is no such directory"),
    ("report", "--out"): (("RUNS", "--format", "framework", "--out", "HERE"), "--out"),
    ("report", "--charts"): (("RUNS", "--charts", "HERE"), "--charts"),
    ("watch", "directory"): (("HERE",), "a file, not a directory"),
    ("predict", "directory"): ((GONE,), "there is no such directory"),
    ("profile", "directory"): ((GONE,), "there is no such directory"),
    ("hosts", "directories"): ((GONE, "/nowhere/else"), "there is no such directory"),
    ("notice", "--runs"): (("change_protection", "6.16", "6.17", "--runs", GONE), "there is no such directory"),
    ("notice", "--out"): (("change_protection", "6.16", "6.17", "--out", "HERE"), "not a directory"),
    ("codegen", "--runs"): (("f", SOURCE, "--source", "mm/mincore.c", "--runs", GONE), "there is no such directory"),
    ("codegen", "--out"): (("f", SOURCE, "--source", "mm/mincore.c", "--out", f"{GONE}/a.html"), "no directory"),
    ("import", "--out"): (("a=HERE", "b=HERE", "--out", "HERE"), "not a directory"),
    ("calibrate", "--pairs"): (("mine", "--pairs", GONE), "No such file"),
    ("calibrate", "--out"): (("mine", "--out", "/proc/nowhere/mine.toml"), "/proc/nowhere"),
    ("site", "directory"): (("HERE",), "not a directory"),
    ("site", "--steps"): (("RUNS", "--from", "stock", "--steps", GONE), "No such file"),
    ("site", "--from"): (("RUNS", "--from", GONE), "No such file"),
    ("history add", "directories"): ((GONE, "--archive", "RUNS"), "there is no such directory"),
    ("history add", "--archive"): (("TREE", "--archive", "/proc/nowhere/h"), "/proc/nowhere"),
    ("history show", "--archive"): (("--archive", "RUNS"), "no history yet"),
    ("history points", "--archive"): (("--archive", "RUNS"), "no history yet"),
    ("history sql", "--archive"): (("SELECT 1", "--archive", "RUNS"), "no history yet"),
    ("history pack", "out"): (("HERE/h.zst",), "Not a directory"),
    ("history pack", "--archive"): (("TREE/h.zst", "--archive", "RUNS"), "no history yet"),
    ("history confirm", "--archive"): (("abc", "--archive", "/proc/nowhere/h"), "/proc/nowhere"),
    ("history confirm", "--out"): (("abc", "--archive", "RUNS", "--out", "HERE"), "not a directory"),
    ("lab", "file"): ((GONE,), "No such file"),
    ("lab", "--out"): (("HERE", "--out", "HERE"), "not a directory"),
    ("kernels fetch", "--for"): (("--for", GONE, "--out", "RUNS"), "No such file"),
    ("kernels fetch", "--out"): (("--for", "HERE", "--out", "HERE"), "not a directory"),
    ("kernels use", "directory"): ((GONE,), "no such directory"),
    ("kernels source", "--out"): ((SOURCE, "--out", "HERE"), "is there already"),
    ("bundle pack", "directory"): ((GONE,), "there is no such directory"),
    ("bundle pack", "--out"): (("TREE", "--out", "/proc/nowhere/b.tar.zst"), "/proc/nowhere"),
    ("bundle verify", "path"): ((GONE,), GONE),
    ("bundle rerun", "path"): ((GONE,), GONE),
    ("bundle rerun", "--out"): (("TREE", "--out", "HERE"), "not a directory"),
    ("bundle rerun", "--source"): (("TREE", "--source", GONE), "no such directory"),
    ("pcp simulate", "--out"): (("--out", "HERE"), "not a directory"),
    ("pcp replay", "traces"): ((GONE,), GONE),
    ("pcp replay", "--out"): ((GONE, "--out", "HERE"), "not a directory"),
    ("pcp tune", "traces"): ((GONE,), GONE),
    ("pcp tune", "--out"): ((GONE, "--out", "HERE"), "not a directory"),
    ("pcp measure", "--out"): (("6.12", "--out", "HERE"), "not a directory"),
    ("pcp record", "--out"): (("process_mix", "6.12", "--out", "HERE"), "not a directory"),
}  # fmt: skip
LATER = {("profile", "--out"), ("profile", "--coverage"), ("profile", "--lines")}
"""profile opens its directory first, and neither fetches nor builds."""

OTHERS: list[tuple[tuple[str, ...], str]] = [
    (("compare", *TWO), f"{GONE} does not exist"),
    (("ladder", "mprotect_toggle", SOURCE, f"image:{GONE}"), f"{GONE} does not exist"),
    (("compare", "mprotect_toggle", SOURCE, f"{SOURCE}+{GONE}"), "no such patch"),
    (("compare", "mprotect_toggle", SOURCE, f"build:{GONE}"), "does not exist"),
    (("compare", "mprotect_toggle", SOURCE, f"{SOURCE},config={GONE}"), "No such file"),
    (("compare", "mprotect_toggle", SOURCE, f"{SOURCE},config=lab+{GONE}"), "No such file"),
    (("compare", "mprotect_toggle", SOURCE, f"{SOURCE},cc=tcc"), "not understood"),
    (("compare", "mprotect_toggle", SOURCE, f"{SOURCE},cc={GONE}"), "no such file"),
    (("compare", "mprotect_toggle", SOURCE, "build:TREE@v1"), "no git tree is there"),
    (("compare", "mprotect_toggle", SOURCE, "image:HERE", "--format", "htlm"), "did you mean html?"),
    (("compare", "mprotect_toggle", SOURCE, "image:HERE", "--format", "pyperf"), "has times alone"),
    (("compare", "mprotect_toggle", SOURCE, "image:HERE", "--format", "framework"), "clock icount counts"),
    (("compare", "mprotect_toggle", SOURCE, "image:HERE", "--set", "sise=1MiB"), "unknown parameter 'sise'"),
    (("compare", "mprotect_toggle", SOURCE, "image:HERE", "--exit-code", "--allow-refused", "w"),
     "--allow-refused w: no such workload"),
    (("compare", "mprotect_toggle", SOURCE, "image:HERE", "--out", "/proc/nowhere/d"), "/proc/nowhere"),
    (("compare", "sqlite_insert", SOURCE, f"image:{GONE}"), f"{GONE} does not exist"),
    (("compare", "--program", GONE, SOURCE, "image:HERE"), GONE),
    (("series", "mprotect_togle", "--base", SOURCE, "--patches", "DIFF"), "did you mean mprotect_toggle?"),
    (("series", "mprotect_toggle", "--base", SOURCE, "--patches", "DIFF", "--set", "sise=1"), "unknown parameter"),
    (("series", "mprotect_toggle", "--base", "debian:6.12", "--patches", "DIFF"), "a series needs sources"),
    (("series", "mprotect_toggle", "--base", SOURCE, "--patches", "DIFF", "--format", "htlm"), "did you mean html?"),
    (("bisect", "mprotect_toggle", SOURCE, f"image:{GONE}", SOURCE), f"{GONE} does not exist"),
    (("bisect", "mprotect_toggle", "--good", "6.12", "--bad", "7.3", "--set", "sise=1"), "unknown parameter"),
    (("bisect", "mprotect_toggle", "--step", "--good", SOURCE, "--bad", "build:TREE", "--head", f"build:{GONE}",
      "--out", "RUNS"), "does not exist"),
    (("codegen", "f", SOURCE, f"{SOURCE}+{GONE}", "--source", "mm/mincore.c"), "no such patch"),
    (("codegen", "f", SOURCE, "image:HERE", "--source", "mm/mincore.c"), "is no build: reference"),
    (("codegen", "f", SOURCE, "--source", "../mincore.c"), "not a source file of the kernel"),
    (("codegen", "f", SOURCE, "--source", "mm/mincore.c", "--cc", "gcc,tcc"), "not understood"),
    (("codegen", "f", SOURCE, "--source", "mm/mincore.c", "--measure", "mincore_skan"), "did you mean mincore_scan?"),
    (("codegen", "f", SOURCE, "--source", "mm/mincore.c", "--measure", "mincore_scan", "--set", "a=1"),
     "unknown parameter"),
    (("codegen", "f", SOURCE, f"image:{GONE}"), f"{GONE} does not exist"),
    (("notice", "change_protection", "6.16", f"image:{GONE}"), GONE),
    (("notice", "change_protection", "6.16", "6.17", "--apps", "node_jobb"), "did you mean node_job?"),
    (("lab", "HERE"), "Expected"),
    (("kernels", "show", SOURCE, f"image:{GONE}"), f"{GONE} does not exist"),
    (("kernels", "source", "debian:6.12", "--out", "RUNS"), "names no sources"),
    (("kernels", "source", "build:TREE@v1", "--out", "RUNS"), "no git tree is there"),
    (("kernels", "fetch", SOURCE, f"image:{GONE}"), f"{GONE} does not exist"),
    (("pcp", "measure", SOURCE, f"image:{GONE}"), f"{GONE} does not exist"),
    (("pcp", "record", "process_mix", SOURCE, f"image:{GONE}"), f"{GONE} does not exist"),
    (("pcp", "record", "process_mux", SOURCE), "did you mean process_mix?"),
    (("pcp", "record", "process_mix", SOURCE, "--buffer", "1023"), "--buffer 1023: less than 1KiB"),
    (("pcp", "record", "process_mix", SOURCE, "--buffer", "1GiB"), "--buffer 1GiB: 2 CPUs have 1GiB of memory"),
    (("compare", *TWO, "--param", "size=4MiB"), "No such option: --param (Possible options: --set)"),
    (("site", "RUNS", "--param", "a=1"), "No such option: --param"),
    (("bisect", "mprotect_toggle", "--debug-symbols"), "No such option"),
    (("series", "mprotect_toggle", "--debug-symbols"), "No such option"),
    (("review", "DIFF", "--plan", "--format", "json"), "--format: does nothing with --plan"),
    (("review", "DIFF", "--plan", "--b4"), "--b4: does nothing with --plan"),
    *((("compare", *TWO, *given.split()), f"{given.split()[0]}: belongs to {needed}, which is not given")
      for given, needed in (("--reset X", "--on"), ("--start X", "--on"), ("--boot-limit 60", "--on"),
                            ("--limit 7", "--program"), ("--trace-budget 1MiB", "--predict"),
                            ("--allow-refused mprotect_toggle", "--exit-code"))),
    *((("compare", *TWO, "--boot-limit", value), f"{value} is not in the range x>=30") for value in ("-5", "0", "29")),
    *((("compare", *TWO[1:], "--program", GONE, "--limit", value), f"--limit {value}: from 0.001 to 3600 seconds")
      for value in ("nan", "inf", "0")),
    (("compare", *TWO, "--no-control"), "--no-control: clock icount counts"),
    (("compare", *TWO, "--predict", ""), "--predict '': no value"),
    (("ladder", "mprotect_toggle", "6.16", "", "6.17"), "KERNEL KERNEL... '': no value"),
    (("gap", "mprotect_toggle", "6.16", "", "6.17"), "NEW '': no value"),
    (("report", "TREE", "--allow-refused", "w"), "belongs to --exit-code"),
    (("report", "TREE", "--format", "mail", "--in-reply-to", ""), "--in-reply-to '': no value"),
    (("notice", "f", "6.16", "6.17", "--apps", ""), "--apps '': no value"),
    (("notice", "f", "6.16", "6.17", "--apps", ", ,"), "--apps ', ,': no value"),
    (("bisect", *TWO, "--compilers", ","), "--compilers ',': no value"),
    (("history", "show", "--archive", "stock", "--workload", ""), "--workload '': no value"),
    (("bundle", "verify", "HERE", "--limit", ""), "--limit '': no value"),
    (("notice", "f", "6.16", "6.17", "--set", "x=1"), "--set: belongs to a directory of runs"),
    (("codegen", "f", "6.16", "--metric", "m"), "--metric: belongs to --runs or --measure"),
    (("codegen", "f", "6.16", "--set", "size=1"), "--set: belongs to --runs or --measure"),
    (("codegen", "f", "6.16", "--cc", "gcc"), "--cc: belongs to --source"),
    (("codegen", "f", "6.16", "--cluster", "tcp://127.0.0.1:9"), "--cluster: belongs to --measure"),
    *((("profile", "TREE", *form.split(), *given.split()), f"{given.split()[0]}: does nothing with {form.split()[0]}")
      for form, given in (("--export folded", "--top 3"), ("--export folded", "--context user"),
                          ("--branches f", "--top 20"), ("--branches f", "--context user"), ("--branches f", "--fold"),
                          ("--coverage a.c", "--top 3"), ("--debug-symbols", "--context user"))),
    *((("pcp", "simulate", "--list", *given.split()), "does nothing with --list")
      for given in ("--format json", "--policy fixed", "--set a=1", "--out RUNS", "--fresh", "depth")),
    (("workloads", "mprotect_toggle", "--rounds", "3"), "--rounds: belongs to --reproducer"),
    (("workloads", "--header", "--set", "a=1"), "--set: does nothing with --header"),
    (("workloads", "--header", "mprotect_toggle"), "name: does nothing with --header"),
    (("site", "RUNS", "--from", "stock", "--port", "80"), "--port: belongs to --serve"),
    (("report", "HERE"), "not a run directory (it is a file)"),
    (("site", "", "--from", "stock"), "DIR '': no value"),
    (("history", "show", "--archive", "stock", "--clock", "icuont"), "did you mean icount?"),
    (("history", "show", "--archive", "stock", "--arch", "arm46"), "none has --arch arm46"),
    (("history", "show", "--archive", "stock", "--memory", "3GiB"), "known: 1GiB"),
    (("compare", *TWO, "--memory", "0"), "--memory: 0B is outside 128MiB..4TiB"),
    (("compare", *TWO, "--dirty-ratio", "0"), "--dirty-ratio: '0' is outside 1..100"),
    (("compare", *TWO, "--percpu-high-fraction", "1"), "--percpu-high-fraction: '1': a number"),
    (("compare", *TWO, "--predict", "zen4", "--trace-budget", "1"), "--trace-budget: 1 is outside 64KiB..4GiB"),
    (("pcp", "simulate", "--set", "depth=0"), "parameters: depth_min: 0 is not a number from 1"),
    (("cluster", "scheduler", "--dashboard", "nope"), "write HOST:PORT"),
    (("cluster", "scheduler", "--dashboard", "127.0.0.1:99999"), "write HOST:PORT"),
]  # fmt: skip


class Touched(Exception):
    """Something was fetched, built or measured."""


@pytest.fixture(autouse=True)
def nothing_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    def touched(*_: object, **__: object) -> Any:
        raise Touched

    for module, name in (
        (kernels, "fetch"), (builder, "source_tree"), (builder, "find_compiler"), (rows, "source_tree"),
        (debian, "current_index"), (_application, "closure"), (pipeline, "measure"), (calibrate, "calibrate"),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, touched)


@pytest.fixture
def words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The paths that the tables' words in capitals stand for."""
    monkeypatch.chdir(tmp_path)
    here, tree, diff = tmp_path / "here", tmp_path / "tree", tmp_path / "a.patch"
    here.write_text("no kernel\n")
    tree.mkdir()
    diff.write_text("--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n")
    return {"HERE": str(here), "TREE": str(tree), "DIFF": str(diff), "RUNS": str(tmp_path / "runs")}


def refused(kassay: Kassay, given: tuple[str, ...], words: dict[str, str], said: str) -> None:
    for name, path in words.items():
        given = tuple(word.replace(name, path) for word in given)
    status, out, err = kassay(*given)
    assert status in (2, 3, 130), err  # 128 more for `git bisect run`
    assert said in " ".join((out + err).split()), err


def test_the_table_has_every_path_of_every_command() -> None:
    paths = {
        (" ".join(words), parameter.opts[0] if parameter.opts[0].startswith("-") else str(parameter.name))
        for words, leaf in leaves()
        for parameter in leaf.params
        if "path" in parameter.type.name
    }
    assert paths == set(PATHS) | LATER


@pytest.mark.parametrize(("command", "option"), PATHS)
def test_a_wrong_path_is_named_first(kassay: Kassay, words: dict[str, str], command: str, option: str) -> None:
    given, said = PATHS[command, option]
    refused(kassay, (*command.split(), *given), words, said)


@pytest.mark.parametrize(("given", "said"), OTHERS)
def test_a_wrong_input_is_named_first(kassay: Kassay, words: dict[str, str], given: tuple[str, ...], said: str) -> None:
    refused(kassay, given, words, said)


def test_a_full_disk_is_named_first(kassay: Kassay, words: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_inputs, "_LEAST_FREE", 1 << 62)
    refused(kassay, ("compare", "mprotect_toggle", SOURCE, "image:HERE"), words, "the disk is full")


def test_a_patch_that_may_not_be_read_is_named_first(
    kassay: Kassay, words: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from kassay.supply.building import patches

    monkeypatch.setattr(patches, "readable", lambda _: False)  # the superuser may read every file
    refused(kassay, ("compare", "mprotect_toggle", SOURCE, f"{SOURCE}+DIFF"), words, "Permission denied")
