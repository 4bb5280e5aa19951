# SPDX-License-Identifier: GPL-2.0-only
"""Candidates between two configurations of the same sources: one more symbol of the second is set in each."""

import re
from collections.abc import Sequence
from pathlib import Path

from msgspec import structs

from kassay.effects.files import cache_directory, disk_errors, expanded, sha256_bytes, write_atomic
from kassay.errors import BadInput
from kassay.model.bisect import Candidate
from kassay.model.build import BuildRef, parse_build
from kassay.model.kernel import KernelRef, with_build
from kassay.model.progress import Progress, Tell
from kassay.supply import kernels as kernel_store
from kassay.supply.building.builder import ResolvedBuild
from kassay.supply.building.config import applicable, merged, symbols_in_fragments, values
from kassay.supply.kernels.build import resolved_build
from kassay.supply.kernels.debian import release_config

NOTE = (
    "each candidate has the symbols of those before it; a symbol whose dependencies are off stays off, and the first "
    "candidate that has them turns it on"
)
_LEFT = (
    "Device Drivers", "Networking options", "File systems", "Crypto core or helper", "Cryptographic API",
    "Library routines", "Virtualization", "Firmware Drivers", "Certificates for signature checking",
    "Power management and ACPI options", "Bus options (PCI etc.)", "Enable loadable module support",
    "Executable file formats",
)  # fmt: skip
"""Menus whose symbols are left as they are: they add code that memory management does not execute."""
_DERIVED = re.compile(
    r"CONFIG_(?!CC_OPTIMIZE_FOR_|LD_DEAD_CODE_|GCC_PLUGIN_|GENERIC_CPU=|ARCH_FORCE_MAX_ORDER=|ARCH_MMAP_RND_)"
    r"(CC|AS|LD|LLD|GCC|CLANG|RUSTC?|PAHOLE|HAVE|ARCH|GENERIC|DEBUG_INFO|SYSTEM|MODULE_SIG|TOOLS|LOCALVERSION)"
    "(_|=)"
)
"""Symbols that nobody sets, or that change no instruction."""
_MENU = re.compile(r"^#\n# (.+)\n#$|^# end of (.+)$", re.M)
_SYMBOL = re.compile(r"^(?:# )?(CONFIG_\w+)", re.M)


def differ_in_configuration_alone(good: BuildRef, bad: BuildRef) -> bool:
    """True if two builds have the same sources and compiler, and other configurations."""
    bare = [structs.replace(build, config="", fragments=(), pin="") for build in (good, bad)]
    return bare[0] == bare[1] and (good.config, good.fragments) != (bad.config, bad.fragments)


def symbol_candidates(good: KernelRef, bad: KernelRef, tell: Tell) -> tuple[tuple[Candidate, ...], tuple[str, ...]]:
    """The candidates, and limits of the search in words. Builds the first; writes fragments into the cache.

    Raises BadInput where no symbol differs, else as a build of one of the two does.
    """
    own, request = (resolved_build(ref, tell)[0] for ref in (good, bad))
    kernel = kernel_store.fetch((good,), "", tell)[0]
    first = values(Path(kernel.config or "").read_text("utf-8"))
    last = _asked(request)
    build = structs.replace(parse_build(good.locator), pin=request.recipe.tree)
    whole = next((one for one in (request, own) if one.build.config != "lab"), None)
    order = list(last) if whole is None else _order(whole, bad.arch, tell)
    order += [name for one in (own, request) for name in symbols_in_fragments(one.build)]  # in no menu, or a left one
    lines, modules = _differing(first, last, order)
    if not lines:
        raise BadInput(f"{good.text} and {bad.text}: no symbol that could change the code differs",
                       "kassay compare shows whether the two differ")  # fmt: skip
    folder = cache_directory() / "fragments"
    kept = [f"{name}={value}" for name, value in _asked(own).items()]  # as before, but no longer required
    found = [Candidate(name="good", title=_title(build), ref=with_build(good, build))]
    for number, line in enumerate(lines, 1):
        path = _written(folder, (*kept, *lines[:number]))
        one = structs.replace(build, fragments=(*build.fragments, str(path)))
        found.append(Candidate(name=line, title=line, ref=with_build(good, one)))
    left = f"symbols of {', '.join(_LEFT[:3])} and the like, and {modules} that are modules, stay as they are"
    tell(Progress(stage="bisect", subject="configuration", text=f"{len(lines)} symbols differ"))
    return tuple(found), (NOTE, left)


def _asked(request: ResolvedBuild) -> dict[str, str]:
    asked = applicable(request.recipe.requested, request.recipe.version)
    return {name: value for name, (value, _) in asked.items()}


def _differing(first: dict[str, str], last: dict[str, str], order: Sequence[str]) -> tuple[list[str], int]:
    """Lines that lead from the first to the last configuration, and the number of modules that were left out."""
    names = [name for name in dict.fromkeys(order) if first.get(name, "n") != last.get(name, "n")]
    names = [name for name in names if not _DERIVED.match(f"{name}=")]
    modules = [name for name in names if "m" in (first.get(name), last.get(name))]
    return [f"{name}={last.get(name, 'n')}" for name in names if name not in modules], len(modules)


def _order(request: ResolvedBuild, arch: str, tell: Tell) -> list[str]:
    """Symbols of a whole .config in its order, which is that of the menus, without the menus that are left."""
    config, version = request.build.config, request.recipe.version
    text = release_config(version, arch, tell) if config == "distro" else expanded(config).read_text("utf-8")
    names: list[str] = []
    inside = ""
    place = 0
    for menu in _MENU.finditer(text):
        names += [] if inside else _SYMBOL.findall(text[place : menu.start()])
        place = menu.end()
        if not inside and menu[1] in _LEFT:
            inside = menu[1]
        elif menu[2] == inside:
            inside = ""
    return names + ([] if inside else _SYMBOL.findall(text[place:]))


def _written(folder: Path, lines: Sequence[str]) -> Path:
    """A fragment whose symbols may come out otherwise, named by its content."""
    data = "".join(f"{line}  # base\n" for line in merged(lines)).encode()
    path = folder / f"{sha256_bytes(data)[:24]}.config"
    if not path.is_file():
        with disk_errors(path):
            folder.mkdir(parents=True, exist_ok=True)
        write_atomic(path, data)
    return path


def _title(build: BuildRef) -> str:
    return f"config={'+'.join((build.config, *build.fragments))}"
