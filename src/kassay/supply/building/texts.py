# SPDX-License-Identifier: GPL-2.0-only
"""Files that no kernel is built from: texts for people and for git. No Makefile, Kconfig or script of Linux 7.3 reads
one of them for an image."""

from kassay.effects.files import sha256_bytes
from kassay.supply.building import git

_TOP = ("CREDITS", "MAINTAINERS", ".mailmap")


def change_kernel(base: str, head: str) -> bool:
    """True if two trees may give two kernels: they differ in more than texts."""
    return not all(map(_is_text, git.changed(base, head)))


def without_texts(tree: str) -> str:
    """Hash of all other files of a tree, with their paths and modes. Trees with the same hash give the same kernel."""
    files = (entry for entry in git.entries(tree) if not _is_text(entry.partition("\t")[2]))
    return sha256_bytes("\0".join(files).encode())


def _is_text(path: str) -> bool:
    if path in _TOP or path.rpartition("/")[2] == ".gitignore":
        return True
    return path.startswith("Documentation/") and path.endswith((".rst", ".txt"))
