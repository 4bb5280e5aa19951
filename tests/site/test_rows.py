# SPDX-License-Identifier: GPL-2.0-only
"""A row of the site has the command that measures its series again."""

from kassay.commands._options import Measuring
from kassay.labs.site.rows import _row
from kassay.model.machine import STATE
from kassay.model.records import Setting
from tests.history.batches import series


def test_every_choice_of_the_machine_is_an_option_of_the_command() -> None:
    chosen = {name: "zoneinfo" if name == "sampled" else "1" for name in STATE}
    conditions = tuple(Setting(name=name, value=value) for name, value in chosen.items())
    command = _row(series(conditions=conditions), "x86_64", None).command
    for name, value in chosen.items():
        assert hasattr(Measuring, name) and f"--{name.replace('_', '-')} {value}" in command
