# SPDX-License-Identifier: GPL-2.0-only
"""image:PATH: a kernel file that the user has, and files that belong to it."""

from kassay.errors import BadInput
from kassay.model.kinds import Kind
from kassay.model.reference_files import image_files


def _short(locator: str, _: bool) -> str:
    try:
        return image_files(locator).path.rpartition("/")[2]
    except BadInput:
        return locator


KIND = Kind(
    name="image",
    order=20,
    grammar="image:PATH[,modules=DIR][,config=FILE][,vmlinux=FILE] of a bzImage, Image or vmlinux",
    files=True,
    check=image_files,
    paths=lambda locator: tuple(filter(None, image_files(locator))),
    short=_short,
)
