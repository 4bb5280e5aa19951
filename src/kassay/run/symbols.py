# SPDX-License-Identifier: GPL-2.0-only
"""Symbol tables of what a run executes, for its profile, and the plugin's lines made from them."""

from collections.abc import Callable
from functools import cache, lru_cache
from pathlib import Path

from kassay.effects.files import cache_directory, made_once, sha256_bytes, sha256_file
from kassay.evidence.profile.tables import FORMAT, POINTS_FORMAT, kernel_symbols, points, program_symbols
from kassay.model.kernel import KernelArtifact
from kassay.supply.arches import arch_of
from kassay.supply.guest.program import program_in

_KERNELS = 16
"""Kernels whose tables are held in memory, 8 MB for each; those of others are read again from the cache."""


def symbol_tables(artifact: KernelArtifact, program: Path) -> tuple[bytes, ...]:
    """Symbol tables of kernel and program; of a program that the user brought, and of what runs it."""
    return (*_of_kernel(artifact), *_of_program(program))


def plugin_points(artifact: KernelArtifact, program: Path, functions: bool) -> bytes:
    """Lines of plugin/points.h, sorted: a program lies below its kernel. functions: also those of every function, for
    call stacks."""
    return _program_points(program, artifact.identity.arch, functions) + _kernel_points(artifact, functions)


@lru_cache(_KERNELS)
def _of_kernel(artifact: KernelArtifact) -> tuple[bytes, ...]:
    if artifact.symbols is None:
        return ()
    symbols = Path(artifact.symbols)
    return (_from_cache(f"kernel-{artifact.identity.symbols_sha256}", lambda: kernel_symbols(symbols)),)


@cache
def _of_program(program: Path) -> tuple[bytes, ...]:
    tables = [_from_cache(f"program-{sha256_file(program)}", lambda: program_symbols(program))]
    if (inside := program_in(program)) is not None:
        tables.append(_from_cache(f"program-{sha256_bytes(inside)}", lambda: program_symbols(program, inside)))
    return tuple(tables)


@lru_cache(_KERNELS)
def _kernel_points(artifact: KernelArtifact, functions: bool) -> bytes:
    return _points(_of_kernel(artifact), artifact.identity.arch, functions)


@cache
def _program_points(program: Path, arch: str, functions: bool) -> bytes:
    return _points(_of_program(program), arch, functions)


def _points(tables: tuple[bytes, ...], arch: str, functions: bool) -> bytes:
    name = f"points-{POINTS_FORMAT}-{int(functions)}-{sha256_bytes(b''.join(tables))}"
    return _from_cache(name, lambda: points(tables, arch_of(arch), functions=functions).encode())


def _from_cache(name: str, make: Callable[[], bytes]) -> bytes:
    """Result of make(), which takes up to half a second, from the cache if it exists there."""
    return made_once(cache_directory() / "symbols" / f"{FORMAT}-{name}", make).read_bytes()
