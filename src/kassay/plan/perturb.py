# SPDX-License-Identifier: GPL-2.0-only
"""Seeded perturbations of things that should not matter."""

import random

from kassay.model.plan import Perturbation

PLAIN = Perturbation()


def padding_parameter(moved: Perturbation) -> str:
    """The parameter that lengthens the kernel command line, with a blank in front; "" when it stays as it is.

    A name with a dot is taken for one of a module that is not loaded: no kernel warns of it or hands it to init.
    """
    return f" kassay.pad={'x' * moved.cmdline_bytes}" if moved.cmdline_bytes else ""


def perturbation(seed: int, kernel: int, number: int) -> Perturbation:
    """The `number`-th (from 1) perturbation of one kernel's runs.

    Each kernel draws its own, so that comparing a kernel with itself compares different
    draws: what they differ by is the floor under which nothing may be claimed. Ranges:
    memory 2..2048 pages (at most 8 MiB, in steps of QEMU's 8 KiB) less, initramfs up to 64 KiB more in steps of 4,
    stack up to 4 KiB in steps of 16, first mapping up to 64 pages, delay up to 50 ms, up to 256 bytes of command line.
    """
    draw = random.Random(f"perturb/{seed}/{kernel}/{number}")
    return Perturbation(
        number=number,
        seed=draw.randrange(2, 1 << 31),
        memory_pages=2 * draw.randrange(1, 1025),
        initramfs_bytes=4 * draw.randrange(1, 1 << 14),
        stack_bytes=16 * draw.randrange(1, 257),
        mmap_pages=draw.randrange(1, 65),
        boot_delay_us=draw.randrange(1000, 50_000),
        cmdline_bytes=draw.randrange(1, 257),
    )
