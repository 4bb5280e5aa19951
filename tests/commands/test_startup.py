# SPDX-License-Identifier: GPL-2.0-only
"""What a command does not need it does not load: help, versions and errors come before any heavy module."""

import json
import subprocess
import sys

import pytest

from kassay.commands import Command
from kassay.registry import discover

COMMANDS = discover("kassay.commands", "COMMAND", Command)
HEAVY = ("numpy", "scipy", "vl_convert", "duckdb", "elftools", "capstone", "zstandard", "jinja2", "pyperf",
         "pydantic", "markdown_it")  # fmt: skip
NOTHING = ("image:/nowhere", "image:/nowhere")
_MAIN = """
import json, sys
sys.argv = ["kassay", *json.loads(sys.argv[1])]
from kassay.cli import main
try:
    main()
finally:
    print("\\n" + json.dumps(sorted({name.partition(".")[0] for name in sys.modules})), file=sys.stderr)
"""


def loaded(*words: str) -> tuple[int, set[str]]:
    """The exit status, and the packages that were imported."""
    done = subprocess.run([sys.executable, "-c", _MAIN, json.dumps(words)], capture_output=True, text=True, timeout=120)
    return done.returncode, set(json.loads(done.stderr.splitlines()[-1]))


@pytest.mark.parametrize("words", [("--help",), ("--version",), *((name, "--help") for name in COMMANDS)])
def test_help_and_version_load_the_parser_alone(words: tuple[str, ...]) -> None:
    status, packages = loaded(*words)
    assert status == 0
    assert packages & set(HEAVY) == set()


@pytest.mark.parametrize(
    "words",
    [
        ("compar",),
        ("compare", "--clok", "tcg"),
        ("compare", "mprotect_togle", *NOTHING),
        ("compare", "mprotect_toggle", "linux-6.12", "debian:6.17"),
        ("compare", "mprotect_toggle", *NOTHING, "--clock", "sundial"),
        ("compare", "mprotect_toggle", *NOTHING, "--repeats", "many"),
        ("ladder", "mprotect_toggle", "linux-6.12", "debian:6.17"),
        ("bisect", "mprotect_togle", "--good", "debian:6.12", "--bad", "debian:6.17"),
        ("run", "/nowhere.toml"),
    ],
)
def test_an_error_of_the_command_line_comes_before_what_measures_is_loaded(words: tuple[str, ...]) -> None:
    status, packages = loaded(*words)
    assert status == 2
    assert packages & {*HEAVY, "rich"} == set()


def test_the_workloads_are_listed_without_what_measures_them() -> None:
    status, packages = loaded("workloads")
    assert status == 0
    assert packages & set(HEAVY) == set()
