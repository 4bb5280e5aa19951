# SPDX-License-Identifier: GPL-2.0-only
"""A field of the state as the value of a search: what it is of a boot, and which settings at boot can be tried."""

import pytest

from kassay.errors import BadInput
from kassay.model.bisect import Observation
from kassay.model.run import Measurement
from kassay.tools.search.state import ABSENT, differing, numbered, parameter, state_of


def measurement(**fields: str | None) -> Measurement:
    before = tuple((name.replace("__", "."), value) for name, value in fields.items())
    return Measurement(run="r", repeat=0, perturbation=0, phases=(), ns_per_tick=1.0, before=before,
                       after=(("range.Rss", "8"),), requirements=(), foreign_ns=None, region_ns=None)  # fmt: skip


ONE = measurement(range__Rss="4", thp__enabled="madvise", thp__64kB="inherit", vm__swappiness="60", cmdline="a")


def test_a_field_is_read_before_the_region_unless_it_says_after() -> None:
    assert (state_of("range.Rss", ONE), state_of("after:range.Rss", ONE)) == ("4", "8")
    assert state_of("range.THPeligible", ONE) == ABSENT
    with pytest.raises(BadInput, match="unknown moment"):
        state_of("boot:range.Rss", ONE)
    with pytest.raises(BadInput, match="no field of the state"):
        state_of("swappiness", ONE)


def test_states_are_numbered_as_they_were_seen() -> None:
    log = [Observation(number=n, candidate=n, boot=1, outcome="value", value=1.0, reason="", state=state)
           for n, state in enumerate(("a", "b", "a"), 1)]  # fmt: skip
    assert [numbered(state, log) for state in ("a", "b", "c")] == [1, 2, 3]


def test_only_settings_that_a_kernel_parameter_gives_are_tried() -> None:
    other = measurement(range__Rss="5", thp__enabled="always", thp__64kB="always", vm__swappiness="60", cmdline="b")
    assert differing(ONE, other, "range.Rss") == (
        ("thp.enabled", "madvise", "always"), ("thp.64kB", "inherit", "always"),
    )  # fmt: skip
    assert [name for name, *_ in differing(ONE, other, "thp.enabled")] == ["thp.64kB"]
    given = [
        parameter(name, value) for name, value in (("thp.64kB", "inherit"), ("vm.swappiness", "1"), ("cmdline", ""))
    ]
    assert given == ["thp_anon=64K:inherit", "sysctl.vm.swappiness=1", ""]
