#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Build and check what a release consists of, from a clean clone of HEAD, into build/release.

The wheel, the source archive, the documentation and the SBOM are built twice, in different folders. The files must have
the same bytes. Dates in them are that of the last commit. Needs git, Python 3.11 or newer and pip's index.
"""

import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import venv
import zipfile
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "build/release"
TOOLS = ROOT / "build/release-tools"
CHECKSUMS = "SHA256SUMS"
_PIPS_OWN = "from pip._internal.models.index import PyPI as index; print(index.netloc, index.file_storage_domain)"


def main() -> int:
    """Build twice, compare, check, and keep the first build. Returns the exit status."""
    _tools()
    with tempfile.TemporaryDirectory(prefix="kassay-release-") as scratch:
        folders = []
        for number, mask in enumerate((0o022, 0o077)):  # modes of files must not depend on the builder's umask
            folder = Path(scratch) / f"{'a-longer-name-' * number}{number}"
            before = os.umask(mask)
            try:
                folders.append(_build(folder))
            finally:
                os.umask(before)
            _say(f"built {'once' if number == 0 else 'again'}")
        problems = [*_differences(*folders), *_addresses(folders[0]), *_vulnerabilities(folders[0].parent / "runtime")]
        _check(folders[0])
        if problems:
            _say("not released:", *problems)
            return 1
        shutil.rmtree(OUT, ignore_errors=True)
        shutil.copytree(folders[0], OUT)
    for path in sorted(OUT.iterdir()):
        _say(f"{path.relative_to(ROOT)}  {path.stat().st_size:,} bytes")
    return 0


def _tools() -> None:
    """The environment with the tools. It is made again when their list changes."""
    lists = [ROOT / "scripts" / name for name in ("release-tools.txt", "release-constraints.txt")]
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in lists) + sys.version.encode()).hexdigest()
    stamp = TOOLS / "made-from"
    if not stamp.is_file() or stamp.read_text() != digest:
        _say("installing the tools")
        venv.create(TOOLS, clear=True, with_pip=True)
        _run("pip", "install", "-q", "--disable-pip-version-check", "-r", str(lists[0]))
        stamp.write_text(digest)


def _build(folder: Path) -> Path:
    """Every file of a release, built in `folder`. Returns the folder with them."""
    clone, out = folder / "clone", folder / "release"
    _run("git", "clone", "-q", str(ROOT), str(clone))
    date = subprocess.run(
        ("git", "log", "-1", "--format=%ct"), cwd=clone, check=True, capture_output=True, text=True
    ).stdout.strip()
    dated = {"SOURCE_DATE_EPOCH": date}
    _run("python", "-m", "build", "--no-isolation", "--outdir", str(out), str(clone), cwd=clone, env=dated, quiet=True)
    (wheel,) = out.glob("*.whl")
    name = f"kassay-{_version(clone)}"

    site = folder / "site"
    _run("mkdocs", "build", "-q", "--strict", "--site-dir", str(site), cwd=clone, env=dated)
    _pack(site, out / f"{name}-docs.tar.gz", int(date))

    runtime = folder / "runtime"
    venv.create(runtime)
    python, constraints = runtime / "bin/python", clone / "scripts/release-constraints.txt"
    _run("pip", "--python", str(python), "install", "-q", "--disable-pip-version-check", "-c", str(constraints),
         str(wheel))  # fmt: skip
    sbom = out / f"{name}.cdx.json"
    _run("cyclonedx-py", "environment", "--output-reproducible", "--pyproject", str(clone / "pyproject.toml"),
         "--output-file", str(sbom), str(python), env=dated)  # fmt: skip
    _without_registry(sbom)

    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in sorted(out.iterdir())]
    (out / CHECKSUMS).write_text("".join(sums))
    return out


def _version(clone: Path) -> str:
    project = tomllib.loads((clone / "pyproject.toml").read_text())["project"]
    return str(project["version"])


def _pack(folder: Path, archive: Path, date: int) -> None:
    """A folder as a .tar.gz whose bytes depend on names, contents and the date alone."""
    with (
        archive.open("wb") as file,
        gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=date) as packed,
        tarfile.open(mode="w", fileobj=packed, format=tarfile.PAX_FORMAT) as tar,
    ):
        for path in sorted(folder.rglob("*")):
            member = tarfile.TarInfo(str(Path(archive.name.removesuffix(".tar.gz")) / path.relative_to(folder)))
            member.mtime = date
            if path.is_dir():
                member.type, member.mode = tarfile.DIRTYPE, 0o755
                tar.addfile(member)
            else:
                member.size, member.mode = path.stat().st_size, 0o644
                with path.open("rb") as content:
                    tar.addfile(member, content)


def _without_registry(sbom: Path) -> None:
    """Takes references to the package index out of an SBOM. Packages are named by their package URL (purl)."""

    def kept(value: object) -> object:
        if isinstance(value, dict):
            return {key: kept(one) for key, one in value.items()}
        if isinstance(value, list):
            return [kept(one) for one in value if not (isinstance(one, dict) and _names_registry(one.get("url")))]
        return value

    sbom.write_text(json.dumps(kept(json.loads(sbom.read_text())), indent=2, sort_keys=True) + "\n")


@cache
def registry() -> re.Pattern[bytes]:
    """Hosts of package indices: pip's own and those of this host's configuration. A release names none, as users may
    have another one."""
    pip = (sys.executable, "-m", "pip", "config", "list")
    told = [subprocess.run(argv, capture_output=True, text=True).stdout
            for argv in ((sys.executable, "-c", _PIPS_OWN), pip)]  # fmt: skip
    hosts = {*told[0].split(), *re.findall(r"https?://(?:[^/@\s']*@)?([^/:\s']+)", told[1])}
    return re.compile(
        "|".join(re.escape(host) for host in sorted(hosts) if "." in host).encode() or rb"(?!)", re.IGNORECASE
    )


def _names_registry(url: object) -> bool:
    return isinstance(url, str) and registry().search(url.encode()) is not None


def _differences(one: Path, other: Path) -> list[str]:
    names = sorted({path.name for folder in (one, other) for path in folder.iterdir()})
    return [
        f"{name}: two builds differ"
        for name in names
        if not all((folder / name).is_file() for folder in (one, other))
        or (one / name).read_bytes() != (other / name).read_bytes()
    ]


def _addresses(folder: Path) -> list[str]:
    """Files of a release, and members of its archives, that name the package index."""
    return [
        f"{path.name}: {name} names a package index"
        for path in sorted(folder.iterdir())
        for name, content in ((path.name, path.read_bytes()), *_members(path))
        if registry().search(content)
    ]


def _members(path: Path) -> Iterator[tuple[str, bytes]]:
    """Names and contents of the files in an archive; none of another file."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            yield from ((name, wheel.read(name)) for name in wheel.namelist())
    elif path.suffix == ".gz":
        with tarfile.open(path) as tar:
            yield from ((one.name, file.read()) for one in tar if (file := tar.extractfile(one)) is not None)


def _vulnerabilities(runtime: Path) -> list[str]:
    """Published vulnerabilities of what kassay needs. Says how many packages the service could not answer for."""
    (packages,) = runtime.glob("lib/python*/site-packages")
    done = subprocess.run(
        (str(TOOLS / "bin/pip-audit"), "--path", str(packages), "--format", "json", "--progress-spinner", "off"),
        capture_output=True, text=True,
    )  # fmt: skip
    try:
        asked = [one for one in json.loads(done.stdout)["dependencies"] if one["name"] != "kassay"]
    except (ValueError, KeyError):
        _say(f"pip-audit: no answer: {(done.stderr.strip().splitlines() or ['it printed nothing'])[-1]}")
        return []
    unanswered = [one["name"] for one in asked if "skip_reason" in one]
    _say(f"pip-audit: {len(asked) - len(unanswered)} packages looked up, no answer for {len(unanswered)}")
    return [f"{one['name']} {one['version']}: {flaw['id']}" for one in asked for flaw in one.get("vulns", ())]


def _check(folder: Path) -> None:
    """The ecosystem's own checks. Ends with their error."""
    (wheel,), (source,) = folder.glob("*.whl"), folder.glob(f"kassay-{_version(folder.parent / 'clone')}.tar.gz")
    _run("twine", "--no-color", "check", "--strict", str(wheel), str(source))
    _run("check-wheel-contents", str(wheel), cwd=folder.parent / "clone")
    _run("sha256sum", "--check", "--quiet", CHECKSUMS, cwd=folder)


def _run(*words: str, cwd: Path = ROOT, env: Mapping[str, str] | None = None, quiet: bool = False) -> None:
    """Runs a program, of TOOLS if it has it. quiet: its output is shown only if it fails."""
    program = TOOLS / "bin" / words[0]
    argv = (str(program) if program.exists() else words[0], *words[1:])
    output = subprocess.PIPE if quiet else None
    done = subprocess.run(argv, cwd=cwd, env={**os.environ, **(env or {})}, stdout=output, stderr=output, text=True)
    if done.returncode:
        sys.stderr.write(f"{done.stdout or ''}{done.stderr or ''}")
        sys.exit(f"release: {words[0]} failed with status {done.returncode}")


def _say(*lines: str) -> None:
    for line in lines:
        print(f"release: {line}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
