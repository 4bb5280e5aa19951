# SPDX-License-Identifier: GPL-2.0-only
"""Further parts of a kit: kassay and its Python packages, QEMU and a compiler as packages of the distribution."""

import platform
import re
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from kassay import __file__ as package_file
from kassay import __version__
from kassay.effects import process
from kassay.effects.files import disk_errors, swept
from kassay.errors import HostLacks
from kassay.model.progress import Progress, Tell
from kassay.supply.arches import arch_of

_SLOW_S = 1800
_SYSTEM = ("gcc", "libc6-dev", "xz-utils", "lz4")


def fetch_python(into: Path, tell: Tell) -> str:
    """Fetches kassay and the packages that it needs, in the versions that are installed. Returns "Python|platform" of
    them. Raises HostLacks without pip or network."""
    packages = sorted(_needed("kassay"))
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")
    tell(Progress(stage="kit", subject="python", text=f"fetching {len(packages)} packages"))
    tree = Path(package_file).parents[2]
    own = str(tree) if (tree / "pyproject.toml").is_file() else f"kassay=={__version__}"
    with disk_errors(into):
        into.mkdir(parents=True, exist_ok=True)
    _run((*pip, "download", "--no-deps", "--only-binary", ":all:", "--dest", str(into), *packages))
    _run((*pip, "wheel", "--no-deps", "--wheel-dir", str(into), own))
    return f"{platform.python_version()}|{sys.platform}-{platform.machine()}"


def _needed(name: str) -> Iterator[str]:
    """NAME==VERSION of everything that an installed package needs, without extras."""
    seen, pending = {name}, [name]
    while pending:
        for text in metadata.requires(pending.pop()) or ():
            match = re.match(r"[A-Za-z0-9._-]+", text)
            wanted = re.sub(r"[-_.]+", "-", match[0]).lower() if match else ""
            if not wanted or wanted in seen or "extra ==" in text:
                continue
            seen.add(wanted)
            try:
                yield f"{wanted}=={metadata.version(wanted)}"
            except metadata.PackageNotFoundError:
                continue  # for another system or Python
            pending.append(wanted)


def fetch_system(arch: str, into: Path, tell: Tell) -> str:
    """Fetches the packages of QEMU and of a compiler with all that they depend on, for this host's release, as its apt
    has it. Returns the release's name. Raises HostLacks without apt or network."""
    facts = arch_of(arch)
    packages = tuple(dict.fromkeys((facts.qemu.package, *facts.build.guest_packages.split(), *_SYSTEM)))
    tell(Progress(stage="kit", subject="system", text=f"fetching {', '.join(packages)}"))
    with swept(into.absolute().with_name(f".{into.name}.partial")) as scratch:
        (scratch / "status").touch()
        (scratch / "archives" / "partial").mkdir(parents=True)
        options = (f"Dir::State::status={scratch}/status", f"Dir::Cache={scratch}", "APT::Sandbox::User=root",
                   "APT::Install-Recommends=false", "Debug::NoLocking=true")  # fmt: skip
        argv = [word for option in options for word in ("-o", option)]
        _run(("apt-get", "-qq", "-y", *argv, "--download-only", "install", *packages))
        with disk_errors(into):
            into.mkdir(parents=True, exist_ok=True)
            for deb in (scratch / "archives").glob("*.deb"):
                deb.replace(into / deb.name)
    return platform.freedesktop_os_release().get("PRETTY_NAME", "this host's release")


def _run(argv: tuple[str, ...]) -> None:
    ended = process.run(argv, timeout_s=_SLOW_S)
    if ended.status:
        reason = (ended.err.strip().splitlines() or [f"it ended with {ended.status}"])[-1]
        raise HostLacks(f"{Path(argv[0]).name}: {reason}", "check the network and repeat the command")
