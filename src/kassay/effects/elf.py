# SPDX-License-Identifier: GPL-2.0-only
"""Damaged ELF files: pyelftools raises whatever its parsing runs into, and ELFError alone is documented."""

from collections.abc import Iterator
from contextlib import contextmanager

from kassay.errors import KassayError


@contextmanager
def elf_damage() -> Iterator[None]:
    """Raises ELFError for every exception that a damaged file causes inside; kassay's own errors and those of the file
    system pass."""
    from elftools.common.exceptions import ELFError  # late: few commands read an ELF file

    try:
        yield
    except (ELFError, KassayError, OSError):
        raise
    except Exception as error:
        raise ELFError(f"damaged ({type(error).__name__}: {error})") from error
