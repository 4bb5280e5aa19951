# SPDX-License-Identifier: GPL-2.0-only
"""deb:FILE[,FILE...]: a kernel in package files of Debian, Ubuntu and make bindeb-pkg."""

from kassay.model.kinds import Kind
from kassay.model.reference_files import both_forms, first_name

KIND = Kind(
    name="deb",
    order=50,
    grammar="deb:FILE[,FILE...] of packages of Debian, Ubuntu and make bindeb-pkg",
    files=True,
    paths=both_forms,
    short=first_name,
)
