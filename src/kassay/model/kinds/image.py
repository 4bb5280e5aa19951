# SPDX-License-Identifier: GPL-2.0-only
"""image:PATH: a kernel file that the user has."""

from kassay.model.kinds import Kind

KIND = Kind(
    name="image",
    order=20,
    grammar="image:PATH of a bzImage, Image or vmlinux",
    files=True,
    paths=lambda locator: (locator,),
    short=lambda locator, _: locator.rpartition("/")[2],
)
