# SPDX-License-Identifier: GPL-2.0-only
"""The configuration of a build: what is asked for, how it is made, and whether the result has all of it."""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import Literal

from msgspec import structs

from kassay import registry
from kassay.effects import process
from kassay.effects.files import disk_errors, expanded, sha256_bytes, write_atomic
from kassay.errors import BadInput, NotBuilt
from kassay.model.build import BuildRef
from kassay.model.progress import Progress, Tell
from kassay.supply.arches import arch_of
from kassay.supply.building import git, kbuild

Base = Literal["allno", "full"]
DistroConfig = Callable[[str, str, Tell], str]
"""(version of the sources, arch, tell) -> the text of the distribution's configuration for that version."""

# Replaces what only the distribution's own build machines have, and what kassay does not use and makes a build slow.
_DEVIATIONS = (
    "CONFIG_DEBUG_INFO_NONE=y",  # debug information triples the time of a build and changes no instruction
    'CONFIG_SYSTEM_TRUSTED_KEYS=""',  # the distribution's certificates are not in the sources
    'CONFIG_SYSTEM_REVOCATION_KEYS=""',
    "CONFIG_MODULE_SIG_ALL=n",  # no modules are built, so none are signed
    'CONFIG_MODULE_SIG_KEY=""',  # a key would be made anew, at random, for each build
    "CONFIG_GCC_PLUGINS=n",  # they need the headers of one gcc
    "CONFIG_RUST=n",  # no module in Rust is built
)
FOLDER = Path(__file__).parent / "configs"
_LINE = re.compile(r'(?:(CONFIG_\w+)=("(?:[^"\\]|\\.)*"|[^\s#"]+)|# (CONFIG_\w+) is not set)\s*(?:# (.*))?')
# Marks of a line. base: the line comes from a .config that was made with another compiler; a symbol that only that
# compiler supports may come out with another value, which is reported and is no error.
_MARK = re.compile(r"(from|until) (\d+)\.(\d+)|base")
_SYMBOL = re.compile(r"CONFIG_\w+=")
_GENERATED = "CONFIG_CC_VERSION_TEXT="
_VERSION = re.compile(r"^# Linux/\S+ (\d+)\.(\d+)", re.M)
_ABSENT = "no such symbol, or what it depends on is off"
_OFFERS = re.compile(
    r"""^[ \t]*(?:menu)?config[ \t]+(\w+)[ \t]*(?:#.*)?\n(?:(?![ \t]*(?:(?:menu)?config|choice|help)\b).*\n)*?"""
    r"""[ \t]*(?:bool|tristate|int|hex|string|prompt)[ \t]+["']""",
    re.MULTILINE,
)
"""A symbol with a prompt: no configuration can ask for one without."""
_TIMEOUT_S = 900
_ALWAYS = "CONFIG_MODULES"
"""A symbol that every kernel defines."""


def requested(build: BuildRef, arch: str, version: str, distro: DistroConfig, tell: Tell) -> tuple[str, Base]:
    """The text of what `build` asks for, one line a symbol, and the base: what all other symbols are.

    "allno": off; "full": their defaults. version: of the sources ("7.3.4"). distro: called only for config=distro.
    A symbol's last mention counts. Raises BadInput for a fragment that is no configuration.
    """
    if build.config == "lab":
        texts = [path.read_text("utf-8") for path in (FOLDER / "lab.config", lab_config(arch))]
        base: Base = "allno"
    elif build.config == "distro":
        texts = [_as_base(distro(version, arch, tell)), "\n".join(_DEVIATIONS)]
        texts += arch_of(arch).build.config
        base = "full"
    else:
        text = _read(build.config)
        texts, base = [_as_base(text) if _GENERATED in text else text], "full"
    return "".join(f"{line}\n" for line in merged((*texts, *_fragment_texts(build)))), base


def symbols_in_fragments(build: BuildRef) -> tuple[str, ...]:
    """Symbols that the fragments of a build name. Raises BadInput as requested() does."""
    return tuple(line.partition("=")[0] for line in merged(_fragment_texts(build)))


def switched_off(build: BuildRef, version: str) -> tuple[str, ...]:
    """Symbols that the fragments of a build must have switched off in sources of this version."""
    asked = applicable("\n".join(merged(_fragment_texts(build))), version)
    return tuple(name for name, (value, required) in asked.items() if value == "n" and required)


def undefined(tree: str, symbols: Collection[str], arch: str = "") -> tuple[str, ...]:
    """Symbols that no Kconfig file of a tree of the store defines. None if the tree has no such files at all.

    arch: files of other architectures are left out.
    """
    if not symbols:
        return ()
    names = [name.removeprefix("CONFIG_") for name in (*symbols, _ALWAYS)]
    pattern = f"^[ \t]*(menu)?config[ \t]+({'|'.join(names)})[ \t]*(#.*)?$"
    found = git.git(("grep", "-E", pattern, tree, "--", "Kconfig*", "*/Kconfig*"), may_fail=True)
    lines = (line.split(":", 2)[1:] for line in found.splitlines())
    defined = {f"CONFIG_{one[2]}" for path, text in lines if not arch or arch_of(arch).build.may_use(path)
               if (one := re.match(pattern, text))}  # fmt: skip
    return tuple(name for name in symbols if name not in defined) if _ALWAYS in defined else ()


def added_symbols(before: str, after: str, arch: str) -> tuple[str, ...]:
    """Symbols that the Kconfig files of one tree of the store offer, and those of the tree before it do not define."""
    changed = (path for path in git.changed(before, after) if path.rpartition("/")[2].startswith("Kconfig"))
    paths = [path for path in changed if arch_of(arch).build.may_use(path)]
    offered = [name for path in paths for name in _OFFERS.findall(git.read(after, path) or "")]
    names = dict.fromkeys(f"CONFIG_{name}" for name in offered)
    return undefined(before, tuple(names), arch)


def for_sources(build: BuildRef, tree: str, others: Iterable[str], arch: str) -> BuildRef:
    """The build without CONFIG_X=y of symbols that `tree` does not define, but one of the other trees does."""
    new = {symbol for other in others for symbol in added_symbols(tree, other, arch)} if build.fragments else ()
    kept = (fragment for fragment in build.fragments if fragment.partition("=")[0] not in new)
    return structs.replace(build, fragments=tuple(kept))


def _fragment_texts(build: BuildRef) -> list[str]:
    return [fragment if _SYMBOL.match(fragment) else _read(fragment) for fragment in build.fragments]


def request_sha256(text: str, base: Base) -> str:
    """Hash of what requested() gave."""
    return sha256_bytes(f"{base}\n{text}".encode())


def check_configuration(build: BuildRef) -> None:
    """Raises BadInput for a file of the configuration that is not there, or that is none."""
    for path in configuration_files(build):
        _read(path)


def configuration_files(build: BuildRef) -> tuple[str, ...]:
    """Files of the user that the configuration is made of, as the user wrote them."""
    named = () if build.config in ("lab", "distro") else (build.config,)
    return (*named, *(fragment for fragment in build.fragments if not _SYMBOL.match(fragment)))


def lab_config(arch: str) -> Path:
    """The part of kassay's small configuration that is for one architecture. Raises BadInput where there is none."""
    files = registry.files(FOLDER, "building/configs", "lab-*.config")
    name = f"lab-{arch}.config"
    if name not in files:
        raise BadInput(f"config=lab: there is no building/configs/{name}",
                       "write it (docs/how-to/extending.md), or build with config=distro or a file")  # fmt: skip
    return files[name]


def _as_base(text: str) -> str:
    return "".join(f"{name}={value}  # base\n" for name, value in values(text).items())


def _read(path: str) -> str:
    try:
        text = expanded(path).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        remedy = "name lab, distro or a file; a fragment is a file or CONFIG_X=y"
        raise BadInput(f"configuration {path!r}: {reason}", remedy) from error
    if not any(_LINE.fullmatch(line.strip()) for line in text.splitlines()):
        raise BadInput(f"configuration {path!r}: no line of it is CONFIG_X=value", "name a file as .config is one")
    return text


def merged(texts: Sequence[str]) -> tuple[str, ...]:
    """One line a symbol, in order of its last mention; one more for each mark of versions that stands behind it.

    Raises BadInput for a line that is none.
    """
    lines: dict[str, dict[str, str]] = {}
    for text in texts:
        for raw in text.splitlines():
            line = raw.strip()
            match = _LINE.fullmatch(line)
            if not match:
                if line and not line.startswith("#"):
                    raise BadInput(
                        f"configuration: {line!r} is not understood", "write CONFIG_X=y, n, a number or text"
                    )
                continue
            name = match[1] or match[3]
            found = _MARK.fullmatch(match[4] or "")
            versions = found[0] if found and found[1] else ""
            before = lines.pop(name, {})
            kept = {mark: text for mark, text in before.items() if mark != versions} if versions else {}
            kept[versions] = f"{name}={match[2] or 'n'}{f'  # {found[0]}' if found else ''}"
            lines[name] = kept
    return tuple(line for kept in lines.values() for line in kept.values())


def applicable(request: str, version: str) -> dict[str, tuple[str, bool]]:
    """Symbols asked for in this version, each with its value ("y", "n", "250", '"text"') and whether it is required."""
    release = _series(version)
    symbols = {}
    for line in merged((request,)):
        body, _, mark = line.partition("  # ")
        match = _MARK.fullmatch(mark)
        bound = (int(match[2]), int(match[3])) if match and match[1] else release
        if release >= bound if match and match[1] == "from" else release <= bound:
            name, _, value = body.partition("=")
            symbols[name] = (value, mark != "base")
    return symbols


def _series(version: str) -> tuple[int, int]:
    match = re.match(r"(\d+)\.(\d+)", version)
    if not match:
        raise BadInput(
            f"kernel version {version!r} is not understood", "the sources' Makefile says VERSION, PATCHLEVEL"
        )
    return int(match[1]), int(match[2])


def unmet(request: str, final: str) -> tuple[str, ...]:
    """Every symbol that has not the requested value in the final .config, in words.

    Without the lines of a generated base: see otherwise().
    """
    return _differing(request, final, must=True)


def otherwise(request: str, final: str) -> tuple[str, ...]:
    """Symbols of a generated base (a distribution's .config) that came out with another value, in words."""
    return _differing(request, final, must=False)


def _differing(request: str, final: str, *, must: bool) -> tuple[str, ...]:
    version = _VERSION.search(final)
    if not version:
        raise BadInput("the final configuration does not say of which kernel it is", "use the .config that make wrote")
    final_values = values(final)
    asked = applicable(request, f"{version[1]}.{version[2]}").items()
    wrong = {name: value for name, (value, strict) in asked if strict == must and final_values.get(name, "n") != value}
    return tuple(
        f"{name}={value}: {f'came out as {final_values[name]}' if name in final_values else _ABSENT}"
        for name, value in wrong.items()
        if name in final_values or f"{name}={value}" not in _DEVIATIONS  # a version may lack what is switched off
    )


def values(text: str) -> dict[str, str]:
    """Symbol to value of a .config; "n" for a symbol that is not set."""
    matches = (_LINE.fullmatch(line) for line in text.splitlines())
    return {m[1] or m[3]: m[2] or "n" for m in matches if m}


def make_config(source: Path, objects: Path, version: str, make_arguments: Sequence[str], request: str, base: Base,
                tell: Tell) -> str:  # fmt: skip
    """Makes objects/.config and returns its text.

    source: unpacked sources of `version` ("7.3.4"), not written to. make_arguments: as the build itself gets them
    (ARCH=, CC=, ...), since the compiler is part of a configuration. Raises NotBuilt with every symbol that did not
    come out as asked.
    """
    subject = str(objects)
    tell(Progress(stage="build", subject=subject, text="configuring"))
    asked = applicable(request, version)
    text = "".join(f"{name}={value}\n" for name, (value, _) in asked.items())
    with disk_errors(objects):
        objects.mkdir(parents=True, exist_ok=True)
    if base == "allno":
        write_atomic(objects / "kassay.config", text.encode())
        _make(source, objects, ("allnoconfig", f"KCONFIG_ALLCONFIG={objects / 'kassay.config'}"), make_arguments)
    else:
        write_atomic(objects / ".config", text.encode())
        _make(source, objects, ("olddefconfig",), make_arguments)
    final = (objects / ".config").read_text("utf-8")
    if wrong := unmet(request, final):
        what = "\n  ".join(wrong[:20]) + (f"\n  and {len(wrong) - 20} more" if len(wrong) > 20 else "")
        remedy = "correct the fragment, or ask for what they need"
        raise NotBuilt(f"the configuration did not come out as asked:\n  {what}", remedy)
    if other := otherwise(request, final):
        text = f"{len(other)} symbols of the base came out otherwise: {'; '.join(other[:3])}"
        tell(Progress(stage="build", subject=subject, text=text))
    return final


def version_in(makefile: str, where: str) -> str:
    """ "7.3.4" or "7.4.0-rc1", as the text of the sources' Makefile says. Raises BadInput when they are no kernel's."""
    parts = dict(re.findall(r"^(VERSION|PATCHLEVEL|SUBLEVEL|EXTRAVERSION)\s*=[ \t]*(\S*)", makefile[:2000], re.M))
    if not parts.get("VERSION", "").isdigit() or not parts.get("PATCHLEVEL", "").isdigit():
        raise BadInput(
            f"{where}: no kernel sources (no Makefile of theirs)", "name the top directory of kernel sources"
        )
    return f"{parts['VERSION']}.{parts['PATCHLEVEL']}.{parts.get('SUBLEVEL') or 0}{parts.get('EXTRAVERSION', '')}"


def _make(source: Path, objects: Path, target: Sequence[str], make_arguments: Sequence[str]) -> None:
    argv = kbuild.argv("-s", "-C", str(source), f"O={objects}", *make_arguments, *target)
    ended = process.run(argv, env=kbuild.variables(), timeout_s=_TIMEOUT_S)
    if ended.status:
        log = ended.out + ended.err
        raise NotBuilt(f"the sources cannot be configured: {kbuild.first_error(log)}", "see the log", log)
