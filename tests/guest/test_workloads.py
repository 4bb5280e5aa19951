# SPDX-License-Identifier: GPL-2.0-only
"""The contract of every workload found: it describes itself, does the work, and notices when it did not."""

import re

import pytest

from kassay.errors import BadInput
from kassay.model.records import Setting
from kassay.supply.arches import arch_of, arches
from kassay.supply.guest import audit, catalog, sources
from tests.guest.native import LACKING, Programs, every_choice, run, small

NAMES = sources.workload_names()
KNOWN = catalog.workloads()
HARMLESS = [name for name in NAMES if not KNOWN[name].alters]  # on this very machine
# Of each workload the first choice with `make check`, all with `make test`.
CHOICES = [
    pytest.param(name, point, marks=[pytest.mark.slow] if number else [])
    for name in HARMLESS
    for number, point in enumerate(every_choice(KNOWN[name]))
]


@pytest.mark.parametrize("name", NAMES)
def test_a_workload_says_what_it_is_with_units_and_definitions(name: str) -> None:
    workload = KNOWN[name]
    assert workload.name == name
    assert all(p.unit and p.summary for p in workload.parameters)
    assert all((p.minimum is None) == (p.kind == "choice") == bool(p.choices) for p in workload.parameters)
    assert all(p.operation and p.definition.endswith(".") and len(p.definition) > 40 for p in workload.phases)
    assert [p.primary for p in workload.phases].count(True) == 1
    assert len({p.name for p in workload.phases}) == len(workload.phases)
    placeholders = set(re.findall(r"\{(\w+)\}", workload.subject))
    assert placeholders <= {p.name for p in workload.parameters}
    assert workload.summary and workload.state


def test_ksm_merges_two_pages_at_least() -> None:
    with pytest.raises(BadInput, match="'4KiB' is outside 8KiB"):
        catalog.settings(KNOWN["ksm_unmerge"], (Setting(name="size", value="4KiB"),), arch_of("x86_64"))


@pytest.mark.parametrize("arch", arches())
@pytest.mark.parametrize("name", NAMES)
def test_the_defaults_are_valid_settings(name: str, arch: str) -> None:
    settings = catalog.settings(KNOWN[name], (), arch_of(arch))
    assert [s.name for s in settings] == [p.name for p in KNOWN[name].parameters]
    assert catalog.settings(KNOWN[name], settings, arch_of(arch)) == settings


@pytest.mark.parametrize(
    ("name", "point"), CHOICES, ids=lambda value: value if isinstance(value, str) else "/".join(value)
)
def test_every_choice_does_its_work_on_the_state_it_requires(
    programs: Programs, name: str, point: tuple[str, ...]
) -> None:
    ran = run(programs(name), *point)
    if re.search(LACKING, ran.refusal):
        pytest.skip(ran.refusal)
    assert ran.report is not None, (ran.refusal, ran.stderr)
    assert (ran.status, ran.report.check, ran.stderr) == (0, "ok", "")
    declared = {phase.name for phase in KNOWN[name].phases}
    reported = {phase.phase for phase in ran.report.phases}
    assert reported <= declared
    assert next(phase.name for phase in KNOWN[name].phases if phase.primary) in reported
    assert all(len(phase.ticks) == 2 for phase in ran.report.phases)
    for requirement in ran.report.requirements:
        found = audit.fields(ran.report, requirement.moment)
        if requirement.field in ("swap.devices",) or (found.get("thp.enabled") == "never" and "thp" in str(point)):
            continue  # the host's own state, which no workload may change
        assert audit.holds(requirement, found) is True, (requirement, found.get(requirement.field))


@pytest.mark.parametrize(("size", "buffers"), [("32KiB", 4), ("60KiB", None), ("96KiB", 12)])
def test_buffers_that_are_handed_over_are_whole(programs: Programs, size: str, buffers: int | None) -> None:
    ran = run(programs("page_handover"), f"size={size}")
    if buffers is None:
        assert ran.refusal == "guest-error: size must be a multiple of 32 KiB"
    else:
        assert ran.report is not None, ran.refusal
        assert {phase.operations for phase in ran.report.phases if phase.phase != "iteration"} == {buffers}


@pytest.mark.parametrize("name", HARMLESS)
def test_work_that_was_skipped_is_noticed(programs: Programs, name: str) -> None:
    ran = run(programs(name), *small(KNOWN[name]), "--skip-work")
    if re.search(LACKING, ran.refusal):
        pytest.skip(ran.refusal)
    assert ran.report is not None, ran.refusal
    assert ran.report.check != "ok"
    assert ran.status == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", HARMLESS)
def test_each_round_does_the_same_number_of_operations(programs: Programs, name: str) -> None:
    first, second = (run(programs(name), *small(KNOWN[name]), rounds=rounds) for rounds in (1, 5))
    if re.search(LACKING, first.refusal):
        pytest.skip(first.refusal)
    once, again = first.report, second.report
    assert once is not None and again is not None
    assert [(p.phase, p.operations) for p in once.phases] == [(p.phase, p.operations) for p in again.phases]
