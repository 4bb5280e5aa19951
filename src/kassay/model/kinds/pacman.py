# SPDX-License-Identifier: GPL-2.0-only
"""pacman:FILE[,FILE...]: a kernel in package files of Arch Linux and make pacman-pkg."""

from kassay.model.kinds import Kind
from kassay.model.reference_files import both_forms, first_name

KIND = Kind(
    name="pacman",
    order=52,
    grammar="pacman:FILE[,FILE...] of packages of Arch Linux and make pacman-pkg",
    files=True,
    paths=both_forms,
    short=first_name,
)
