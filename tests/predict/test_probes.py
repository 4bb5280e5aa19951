# SPDX-License-Identifier: GPL-2.0-only
"""Do the microbenchmarks build and answer, each point that a calibration asks for, on this machine?"""

import pytest

from kassay.errors import HostLacks
from kassay.labs.predict.calibrate import program
from kassay.labs.predict.calibrate.points import PRIVILEGED, groups


def test_a_probe_gives_its_samples_and_an_unknown_one_is_named() -> None:
    output = program.run(("add_chain", "lock_add_chain"), 3)
    assert {name: len(found) for name, found in output.samples.items()} == {"add_chain": 3, "lock_add_chain": 3}
    assert all(sample.cycles > 0 and sample.hz > 0 for sample in output.samples["add_chain"])
    with pytest.raises(HostLacks, match="no probe nonesuch"):
        program.run(("nonesuch",), 1)


@pytest.mark.slow
def test_every_point_of_a_calibration_is_measured_or_says_why_not() -> None:
    for group in groups():
        output = program.run(group.words, 1)
        assert {*output.samples, *output.refused} == set(group.words)
        assert not set(output.samples) & set(output.refused)


def test_privileged_probes_are_refused_together_or_each_for_its_instruction() -> None:
    words = [name for name in program.names() if name.startswith(PRIVILEGED)]
    output = program.run(words, 1)
    assert {*output.samples, *output.refused} == set(words)
    reasons = set(output.refused.values())
    if output.samples:
        assert {reason for reason in reasons if not reason.startswith("the virtual machine ")} == set()
    else:
        assert len(reasons) == bool(words)


def test_no_name_is_in_two_groups_and_none_is_forgotten() -> None:
    asked = [word for group in groups() for word in group.words]
    assert len(asked) == len(set(asked))
    assert {word.partition(":")[0] for word in asked} == set(program.names())
