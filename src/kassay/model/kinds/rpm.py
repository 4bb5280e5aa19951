# SPDX-License-Identifier: GPL-2.0-only
"""rpm:FILE[,FILE...]: a kernel in package files of Fedora, openSUSE and make binrpm-pkg."""

from kassay.model.kinds import Kind
from kassay.model.reference_files import both_forms, first_name

KIND = Kind(
    name="rpm",
    order=51,
    grammar="rpm:FILE[,FILE...] of packages of Fedora, openSUSE and make binrpm-pkg",
    files=True,
    paths=both_forms,
    short=first_name,
)
