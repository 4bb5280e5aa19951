# SPDX-License-Identifier: GPL-2.0-only
"""Fill a kit: prepare an experiment in a cache of its own, without booting anything, and hash every file."""

import shutil
from pathlib import Path

from msgspec import structs

from kassay import __version__
from kassay.effects.files import disk_errors, sha256_file, write_atomic
from kassay.errors import BadInput
from kassay.model.experiment import Experiment
from kassay.model.kernel import exact_ref
from kassay.model.progress import Progress, Tell
from kassay.spec.load import dump
from kassay.supply.measured import measured_by_name
from kassay.supply.prepare.kernels import check_folio_sizes, fetch_kernels, fetch_modules
from kassay.supply.prepare.needs import check_needs
from kassay.supply.prepare.workloads import build_programs, describe_workloads, make_images, settings_of

CACHE, SUMS, EXPERIMENT, README = "kassay", "SHA256SUMS", "experiment.toml", "README"
PARTS = (
    "kernels", "refs", "packages", "configurations", "fragments", "programs", "modules", "module-trees", "images",
    "sources", "compilers", "lines", "debug-symbols", "symbols", "derived", "guest",
)  # fmt: skip
"""Directories of the cache that a kit keeps. The others are made from them, or are of this host alone."""
_README = """\
Everything that one experiment needs on a machine without network, put together by kassay {version}.

On that machine, with the same version of kassay installed:

    kassay kernels use {name}                   # checks the hash of every file, and copies them into the cache
    kassay run {name}/experiment.toml --out runs

experiment.toml names each kernel and package exactly, so that no list of the archive is needed.
SHA256SUMS has the hash of every file; `sha256sum -c SHA256SUMS` checks them as well.
"""
_PYTHON = """
python/ has kassay and the Python packages that it needs, for Python {python} on {platform}:

    python3 -m venv venv
    venv/bin/pip install --no-index --find-links {name}/python kassay
"""
_SYSTEM = """
system/ has QEMU, a C compiler and their dependencies as packages of {release}:

    sudo apt-get install --no-install-recommends ./{name}/system/*.deb
"""


def check_kit(out: Path) -> None:
    """Raises BadInput for a directory that holds something else."""
    if out.exists() and not out.is_dir():
        raise BadInput(f"--out {out}: not a directory", "name a new directory")
    if out.is_dir() and any(out.iterdir()) and not (out / CACHE).is_dir():
        raise BadInput(f"--out {out}: holds something else", "name a new directory")


def fill(experiment: Experiment, out: Path, tell: Tell) -> None:
    """Fetches and builds all that the experiment's runs need, into the cache that is in use, which is that of the kit.
    Writes the experiment with exact names. Raises BadInput, HostLacks."""
    workloads = describe_workloads(experiment.workloads, None)
    settings = settings_of(experiment, workloads)
    measured = measured_by_name(experiment.workloads)
    build_programs(measured.values(), experiment.arch)
    make_images(measured.values(), experiment, tell)
    artifacts = fetch_kernels(experiment, None, tell)
    check_folio_sizes(experiment, artifacts)
    check_needs(experiment, artifacts)
    fetch_modules(experiment, tuple(workloads.values()), settings, artifacts, tell)
    kernels = tuple(
        structs.replace(use, ref=exact_ref(artifact.identity), name=use.name or use.ref)
        for use, artifact in zip(experiment.kernels, artifacts, strict=True)
    )
    write_atomic(out / EXPERIMENT, dump(structs.replace(experiment, kernels=kernels)).encode())


def seal(out: Path, tell: Tell, *, python: str = "", release: str = "") -> int:
    """Removes what the kit does not need, and writes its README and the hash of every file. Returns the bytes.

    python: version and platform of the packages of Python, "Python|platform"; release: the distribution of the
    packages of the system. "" if the kit has none.
    """
    name = out.resolve().name
    text = _README.format(version=__version__, name=name)
    if python:
        version, _, platform = python.partition("|")
        text += _PYTHON.format(python=version, platform=platform, name=name)
    if release:
        text += _SYSTEM.format(release=release, name=name)
    with disk_errors(out):
        for path in (out / CACHE).iterdir():
            if path.name not in PARTS:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        for path in list((out / CACHE).rglob("*")):
            if path.name == "lock" or path.name.endswith(".lock"):
                path.unlink(missing_ok=True)
    write_atomic(out / README, text.encode())
    files = sorted(path for path in out.rglob("*") if path.is_file() and path != out / SUMS)
    lines, total = [], 0
    for number, path in enumerate(files, start=1):
        tell(Progress(stage="kit", subject="hashing", done=number / len(files)))
        lines.append(f"{sha256_file(path)}  {path.relative_to(out).as_posix()}\n")
        total += path.stat().st_size
    write_atomic(out / SUMS, "".join(lines).encode())
    return total
