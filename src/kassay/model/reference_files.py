# SPDX-License-Identifier: GPL-2.0-only
"""Files in kernel references: lists of packages, and an image with what belongs to it."""

import re
from pathlib import PurePath
from typing import NamedTuple
from urllib.parse import unquote

from kassay.errors import BadInput

_OPTION = re.compile(r",(modules|config|vmlinux)=")


class ImageFiles(NamedTuple):
    """PATH,modules=DIR,config=FILE,vmlinux=FILE in its parts; "" for what was not named."""

    path: str
    modules: str = ""
    config: str = ""
    vmlinux: str = ""


def image_files(locator: str) -> ImageFiles:
    """Reads what stands after "image:". Every path is taken as it is, with its commas. Raises BadInput."""
    path, *rest = _OPTION.split(locator)
    names, values = rest[::2], rest[1::2]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise BadInput(f"kernel 'image:{locator}': {twice}= is given twice", f"give {twice}= once")
    if not path or not all(values):
        raise BadInput(f"kernel 'image:{locator}': a part is empty",
                       "write image:PATH[,modules=DIR][,config=FILE][,vmlinux=FILE]")  # fmt: skip
    return ImageFiles(path, **dict(zip(names, values, strict=True)))


def listed_files(locator: str) -> tuple[str, ...]:
    """The paths of PATH[,PATH...], as they are. A comma in a path is written %2C there, and % is written %25."""
    return tuple(unquote(part) for part in locator.split(",") if part)


def both_forms(locator: str) -> tuple[str, ...]:
    """The paths of a list, as they are and as they are written there."""
    return tuple(dict.fromkeys((*listed_files(locator), *filter(None, locator.split(",")))))


def first_name(locator: str, _: bool) -> str:
    """Name of the first file of a list, and how many more there are."""
    first, *more = listed_files(locator) or (locator,)
    return PurePath(first).name + (f" + {len(more)}" if more else "")
