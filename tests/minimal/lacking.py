# SPDX-License-Identifier: GPL-2.0-only
"""A plugin of pytest for hosts that lack programs on purpose: a test that fails for want of one is skipped, with the
sentence of kassay doctor. It is for the minimal root alone (root.py); elsewhere such a test must fail."""

import re
import shutil
from collections.abc import Generator
from typing import Any

import pytest

from kassay.effects.distribution import install

PACKAGES = {
    "aarch64-linux-gnu-gcc": "gcc-aarch64-linux-gnu", "addr2line": "binutils", "apt-get": "apt", "as": "binutils",
    "bash": "bash", "ccache": "ccache", "chromium": "chromium", "clang": "clang", "dpkg": "dpkg", "g++": "g++",
    "gcc": "gcc", "git": "git", "gpg": "gpg", "gpgconf": "gpg", "gpgv": "gpgv", "ld": "binutils", "lz4": "lz4",
    "make": "make", "nm": "binutils", "objcopy": "binutils", "objdump": "binutils",
    "qemu-system-aarch64": "qemu-system-arm", "qemu-system-x86_64": "qemu-system-x86", "readelf": "binutils",
    "ssh": "openssh-client", "ssh-keygen": "openssh-client", "zstd": "zstd",
}  # fmt: skip
"""Programs that the minimal root lacks, and Debian's packages that have them."""
_SAID = re.compile(r"(?:^|[\s'\"/(])([\w.+-]+?)(?:'|:)? ?(?:is not there|not found|: no program|not on this host)")
_STARTED = re.compile(r"No such file or directory: '(?:/\S*/)?([\w.+-]+)'")
_looked_for = set[str]()
_which = shutil.which


def _recording(program: Any, *arguments: Any, **options: Any) -> Any:
    found = _which(program, *arguments, **options)
    if found is None:
        _looked_for.add(str(program).rpartition("/")[2])
    return found


def pytest_configure() -> None:
    shutil.which = _recording  # type: ignore[assignment]  # which is overloaded


def pytest_runtest_setup() -> None:
    _looked_for.clear()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    report = yield
    if report.failed and (lacking := _lacking(str(report.longrepr))):
        reason = f"{lacking}: not found on this host; install it: {install(PACKAGES[lacking])}"
        report.outcome, report.longrepr = "skipped", (str(item.path), item.location[1], f"Skipped: {reason}")
    return report


def _lacking(text: str) -> str | None:
    """The program for whose want a test failed with this text, or None."""
    named = {*_looked_for, *_SAID.findall(text), *_STARTED.findall(text)}
    return next((name for name in PACKAGES if name in named), None)
