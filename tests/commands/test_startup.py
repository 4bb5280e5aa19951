# SPDX-License-Identifier: GPL-2.0-only
"""A command loads only what it needs: help, versions and errors come before any heavy module."""

import json
import subprocess
import sys

import pytest

from kassay.commands import command_named, command_packages

pytestmark = pytest.mark.slow  # seconds for the whole file

COMMANDS = {name: command_named(name) for name in command_packages()}
HEAVY = ("numpy", "scipy", "vl_convert", "duckdb", "elftools", "capstone", "zstandard", "jinja2", "pyperf",
         "pydantic", "markdown_it")  # fmt: skip
Loaded = dict[tuple[str, ...], tuple[int, list[str]]]
NOTHING = ("image:/nowhere", "image:/nowhere")
_MAIN = """
import json, os, sys
from kassay.cli import main
for words in json.loads(sys.argv[1]):
    if os.fork() == 0:
        status, sys.argv = 0, ["kassay", *words]
        try:
            main()
        except SystemExit as ended:
            status = ended.code
        os.write(2, ("\\n" + json.dumps([words, status, list(sys.modules)]) + "\\n").encode())
        os._exit(0)
    os.wait()
"""
QUIET = [("--help",), ("--version",), ("workloads",), *((name, "--help") for name in COMMANDS)]
WRONG: list[tuple[str, ...]] = [
    ("compar",),
    ("compare", "--clok", "tcg"),
    ("compare", "mprotect_togle", *NOTHING),
    ("compare", "mprotect_toggle", "linux-6.12", "debian:6.17"),
    ("compare", "mprotect_toggle", *NOTHING, "--clock", "sundial"),
    ("compare", "mprotect_toggle", *NOTHING, "--repeats", "many"),
    ("ladder", "mprotect_toggle", "linux-6.12", "debian:6.17"),
    ("bisect", "mprotect_togle", "--good", "debian:6.12", "--bad", "debian:6.17"),
    ("run", "/nowhere.toml"),
]


@pytest.fixture(scope="module")
def loaded() -> Loaded:
    """Exit status and imported modules, by command line. Each is a fork of a fresh interpreter."""
    argv = [sys.executable, "-c", _MAIN, json.dumps([*QUIET, *WRONG, ("report", "/nowhere")])]
    done = subprocess.run(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=300)
    lines = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("[[")]
    return {tuple(words): (status, modules) for words, status, modules in lines}


MEASURING = {"kassay.pipeline", "kassay.supply.machines", "kassay.supply.prepare", "kassay.supply.kernels"}
"""Modules that help texts and answers from stored runs do without."""


def heavy(modules: list[str], *more: str) -> set[str]:
    """Modules that should not be loaded: packages that take time, and the formats of an import."""
    packages = {name.partition(".")[0] for name in modules}
    return packages & {*HEAVY, *more} | {name for name in modules if name.startswith("kassay.tools.imports.formats.")}


def test_help_versions_and_workloads_load_the_parser_alone(loaded: Loaded) -> None:
    seen = {words: (loaded[words][0], heavy(loaded[words][1])) for words in QUIET}
    assert seen == dict.fromkeys(QUIET, (0, set()))
    assert not {*MEASURING, "kassay.model.report"} & {*loaded["--help",][1]}


def test_an_error_of_the_command_line_comes_before_what_measures_is_loaded(
    loaded: Loaded,
) -> None:
    seen = {words: (loaded[words][0], heavy(loaded[words][1], "rich")) for words in WRONG}
    assert seen == dict.fromkeys(WRONG, (2, set()))


def test_a_stored_answer_loads_nothing_that_measures(loaded: Loaded) -> None:
    status, modules = loaded["report", "/nowhere"]
    assert status == 2 and "kassay.answers" in modules
    assert not MEASURING & {*modules}
