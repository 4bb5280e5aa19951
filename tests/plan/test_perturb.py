# SPDX-License-Identifier: GPL-2.0-only
"""Perturbations are seeded, differ from each other, and leave a machine that boots."""

from hypothesis import given
from hypothesis import strategies as st

from kassay.model.plan import Perturbation
from kassay.plan.expand import PLAIN, padding_parameter, perturbation
from kassay.supply.machines import machine_for

numbers = st.integers(1, 1000)


@given(st.integers(0, 1 << 40), numbers, numbers)
def test_the_same_number_gives_the_same_draw_and_every_dimension_moves(seed: int, kernel: int, number: int) -> None:
    moved = perturbation(seed, kernel, number)
    assert moved == perturbation(seed, kernel, number)
    assert moved.number == number
    still = [name for name in Perturbation.__struct_fields__ if getattr(moved, name) == getattr(PLAIN, name)]
    assert still in ([], ["number"])


def test_six_variants_of_one_kernel_differ_in_every_dimension_but_by_chance() -> None:
    drawn = [perturbation(1, 0, number) for number in range(1, 7)]
    for name in Perturbation.__struct_fields__:
        assert len({getattr(moved, name) for moved in drawn}) >= 5


def test_the_plain_run_has_no_padding_and_a_perturbed_one_has_just_so_much() -> None:
    assert padding_parameter(PLAIN) == ""
    assert padding_parameter(Perturbation(cmdline_bytes=3)) == " kassay.pad=xxx"


def test_the_longest_command_line_still_fits_into_what_kernels_read() -> None:
    # COMMAND_LINE_SIZE of x86 and arm64 is 2048, the final NUL included; an experiment may add 1400 characters.
    ours = max(
        len(machine_for(clock).cmdline(arch, cpus, boot))
        for clock in ("icount", "tcg")
        for arch in ("x86_64", "arm64")
        for cpus in (1, 64)
        for boot in ("short", "stock")
    )
    widest = max((perturbation(1, 0, number) for number in range(1, 2000)), key=lambda moved: moved.cmdline_bytes)
    assert widest.cmdline_bytes == 256
    assert ours + len(padding_parameter(widest)) + len(" ") + 1400 < 2048
