# SPDX-License-Identifier: GPL-2.0-only
"""The distribution of this host, and the command that installs packages on it.

Packages are named as on Debian, whatever the host. distributions.toml has their names on other distributions.
"""

import os
import shlex
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

_TABLE = Path(__file__).with_name("distributions.toml")
_OS_RELEASE = (Path("/etc/os-release"), Path("/usr/lib/os-release"))
_DEBIAN = "debian"
IMAGE = Path("/etc/kassay-image")
"""File of the container image, which is the same for all of its users: nothing can be installed in it."""


def install(*packages: str) -> str:
    """The command that installs packages here ("dnf install gcc glibc-static"), as an ordinary user or root types it.

    packages: Debian's names. On an unknown distribution the answer names Debian's packages instead. In the container
    no command helps, and the answer says so.
    """
    if IMAGE.exists():
        return f"use kassay without the container, which lacks {' '.join(packages)}"
    sections = _sections()
    command = _first("user_command", sections) or _first("command", sections)
    known = [_first(package, sections) for package in packages]
    names = " ".join(dict.fromkeys(word for name in known if name for word in name.split()))
    if not command:
        return f"what Debian calls {' '.join(packages)}"
    text = f"{command} {names}" if names else ""
    unknown = [package for package, name in zip(packages, known, strict=True) if not name]
    if unknown:
        text += f"{', and ' if text else ''}what Debian calls {' '.join(unknown)}"
    return text


def by_sudo(command: str) -> str:
    """A command of install() with sudo in front, if this user needs it."""
    root = _first("command", _sections())
    return f"sudo {command}" if root and os.geteuid() != 0 and command.startswith(root) else command


def is_debian() -> bool:
    """True on Debian, and on what is made of it."""
    return any(section.get("command") == _table()[_DEBIAN]["command"] for section in _sections())


def _first(key: str, sections: tuple[Mapping[str, str], ...]) -> str | None:
    """The value of the nearest section; Debian has every package by its own name. None if it is not known."""
    for section in sections:
        if key in section:
            return section[key]
    words = ("command", "user_command", "unattended", "refresh")
    return key if key not in words and is_debian() else None


@cache
def _table() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads(_TABLE.read_text("utf-8"))


def _sections() -> tuple[Mapping[str, str], ...]:
    """The sections that hold for this host, nearest first; none for an unknown distribution."""
    return tuple(_table()[name] for name in _names() if name in _table())


@cache
def _names() -> tuple[str, ...]:
    """The host's ID, then those of the distributions it is like; os-release(5)."""
    path = next((path for path in _OS_RELEASE if path.is_file()), None)
    lines = path.read_text("utf-8", "replace").splitlines() if path else []
    fields = dict(line.partition("=")[::2] for line in lines)
    return tuple(
        word for key in ("ID", "ID_LIKE") for text in shlex.split(fields.get(key, "")) for word in text.split()
    )
