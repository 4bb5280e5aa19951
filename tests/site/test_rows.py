# SPDX-License-Identifier: GPL-2.0-only
"""A row of the site has the command that measures its series again."""

from msgspec import structs

from kassay.commands._options import Measuring
from kassay.labs.site.model import SiteSeries
from kassay.labs.site.rows import _row
from kassay.model.machine import STATE
from kassay.model.records import Setting
from tests.history.batches import series


def test_every_choice_of_the_machine_is_an_option_of_the_command() -> None:
    chosen = {name: "zoneinfo" if name == "sampled" else "1" for name in STATE}
    conditions = tuple(Setting(name=name, value=value) for name, value in chosen.items())
    command = _row(series(conditions=conditions), "x86_64", None, None).command
    for name, value in chosen.items():
        assert hasattr(Measuring, name) and f"--{name.replace('_', '-')} {value}" in command


def test_conditions_that_move_counts_make_rows_of_their_own() -> None:
    def row(memory_bytes: int = 1 << 30, **conditions: str) -> SiteSeries:
        named = tuple(Setting(name=name.replace("_", " "), value=value) for name, value in conditions.items())
        of = series(conditions=named)
        return _row(
            structs.replace(of, machine=structs.replace(of.machine, memory_bytes=memory_bytes)), "x86_64", None, 1 << 30
        )

    usual = row(kernel_parameters="", background_tasks="0", waits_until_quiet="yes", emulator="QEMU 7.2", rounds="10")
    assert usual.key == row(emulator="QEMU 10.0", rounds="2").key == row().key
    rows = {
        "--memory 4GiB": row(4 << 30),
        "--cmdline 'init_on_alloc=1 nopti'": row(kernel_parameters="init_on_alloc=1 nopti"),
        "--background 2": row(background_tasks="2"), "--no-quiesce": row(waits_until_quiet="no"),
        "--deferred apart": row(deferred_work="apart"),
    }  # fmt: skip
    assert len({usual.key, *(one.key for one in rows.values())}) == 1 + len(rows)
    assert [option for option, one in rows.items() if not one.command.endswith(option)] == []
