# SPDX-License-Identifier: GPL-2.0-only
"""A private apt root: the host's mirror, keys, proxies and passwords, but lists and caches of our own.

The host's apt state is neither read nor written. Signatures and hashes are checked by
apt itself, as always. On a host without apt, without_apt and resolving do what is needed.
"""

import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from kassay.effects import clock, process
from kassay.effects.background import Once
from kassay.effects.files import cache_directory, check_writable, disk_errors, sha256_bytes, write_atomic
from kassay.errors import HostLacks
from kassay.model.progress import Progress, Tell
from kassay.model.records import Record, to_json
from kassay.supply.arches import arch_of
from kassay.supply.archive import keys, without_apt
from kassay.supply.archive.mirrors import OWN_KEYS, Mirror, Mirrors

_SUITES = ("stable", "oldstable", "stable-backports", "oldstable-backports", "testing", "unstable", "experimental")
_SECURITY_SUITES = ("stable-security", "oldstable-security")
_ALIASES = ("stable", "oldstable", "testing")
# "Release file for http://m/debian/dists/sid/InRelease is expired", "The repository 'http://m/debian sid Release' ..."
_SUITE_OF_ERROR = re.compile(r"/dists/([^/\s]+)/|'\S+ (\S+) (?:In)?Release'")
_LISTS = {"deb": "main/binary-{}/Packages", "deb-src": "main/source/Sources"}
_ROOM_BYTES = 96 << 20
"""Size of all lists of one architecture, with some room."""
_STALLED_S = 60.0
"""apt waits for ever if the disk becomes full while it fetches. It ends a dead connection sooner than this."""
_FULL_BYTES = 32 << 20
"""Free space of a disk that may be full: apt removes the list that did not fit."""
_NO_ROOM = "No space left"
# The host's hooks are cleared: they work on the host's own lists. Root keeps its identity (apt would change to
# _apt) because that user cannot enter root's home, where the cache is.
_CONFIGURATION = """\
Dir::State {root}; Dir::State::status {status}; Dir::Cache {cache};
Dir::Etc::sourcelist "/dev/null"; Dir::Etc::sourceparts {parts};
#clear APT::Architectures;
APT::Architecture "{arch}"; APT::Architectures {{ "{arch}"; }};
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
APT::Update::Error-Mode "any"; APT::Sandbox::User "root"; pkgCacheFile::Generate "false";
#clear Acquire::Languages;
Acquire::Languages {{ "none"; }};
Acquire::PDiffs "false"; Acquire::GzipIndexes "true"; Acquire::Retries "1"; Acquire::http::Timeout "20";
Acquire::https::Timeout "20"; Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
Acquire::IndexTargets::deb::CNF::DefaultEnabled "false";
Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled "false";
"""


# update() needs no package cache, and makes none; apt's own resolver and its queries do.
WITH_CACHE = ("-o", "pkgCacheFile::Generate=true", "-o", "Acquire::ForceHash=SHA256")


class AptRoot(Record, frozen=True, kw_only=True):
    """A private root for one architecture of one mirror."""

    directory: str
    arch: str
    types: str = "deb"
    """Type of the lists: "deb", or "deb-src" for lists of sources."""
    helper: str = ""
    """Path of the host's apt-helper; "" on a host without apt."""

    @property
    def configuration(self) -> str:
        """The file that every apt program is called with."""
        return f"{self.directory}/apt.conf"

    @property
    def list_name(self) -> str:
        """Path of the lists that it reads, below a suite."""
        return _LISTS[self.types].format(arch_of(self.arch).debian)


class UnreadSuite(Record, frozen=True, kw_only=True):
    """A suite whose list could not be brought up to date."""

    suite: str
    reason: str = ""
    """Reason in apt's words; "" if the mirror does not have the suite."""
    older: bool = False
    """True if an older list of the suite is used."""

    @property
    def text(self) -> str:
        """One line, for people."""
        if not self.reason and not self.older:
            return f"not on this mirror: {self.suite}"
        reason = self.reason or "it is no longer on this mirror"
        return f"{self.suite}: {'an older list is used' if self.older else 'left out'}: {reason}"


def unread_lines(unread: Sequence[UnreadSuite]) -> str:
    """Further lines of an error, one for each suite; "" when every suite was read."""
    return "".join(f"\n  {suite.text}" for suite in unread)


class PackageList(Record, frozen=True, kw_only=True):
    """One downloaded Packages file, where it is from, and the address its Filename fields are relative to."""

    path: str
    uri: str
    suite: str


def root_for(mirrors: Mirrors, arch: str, types: str = "deb") -> AptRoot:
    """The root's record with its directory; nothing is created on disk."""
    helper = "" if mirrors.main.signed_by == OWN_KEYS else apt_helper()
    base = cache_directory() / ("apt" if helper else "archive") / sha256_bytes(to_json(mirrors))[:16]
    return AptRoot(directory=str(base / (arch if types == "deb" else types)), arch=arch, types=types, helper=helper)


@Once
def apt_helper() -> str:
    """Path of the program that fetches for apt, which no PATH has; "" on a host without apt."""
    if process.find("apt-get") is None or process.find("apt-config") is None:
        return ""
    shown = process.run(("apt-config", "shell", "M", "Dir::Bin::methods/d")).out
    methods = dict(word.partition("=")[::2] for word in shlex.split(shown)).get("M", "")
    helper = Path(methods).parent / "apt-helper"
    return str(helper) if methods and helper.is_file() else ""


def prepare(root: AptRoot, mirrors: Mirrors) -> None:
    """Writes the root's configuration and sources."""
    base = Path(root.directory)
    with disk_errors(base):
        for name in ("lists/partial", "cache/archives/partial", "sources"):
            (base / name).mkdir(parents=True, exist_ok=True)
    if not root.helper:
        return
    paths = {"root": base, "status": base / "status", "cache": base / "cache", "parts": base / "sources"}
    quoted = {key: f'"{value}"' for key, value in paths.items()}
    write_atomic(base / "status", b"")
    write_atomic(base / "sources" / "kassay.sources", _sources(root, mirrors).encode())
    write_atomic(base / "apt.conf", _CONFIGURATION.format(arch=arch_of(root.arch).debian, **quoted).encode())


def learn_codenames(root: AptRoot, mirrors: Mirrors, tell: Tell) -> None:
    """Asks the mirror for the codenames of stable, oldstable and testing, for prepare().

    A mirror may have an older dists/stable than dists/trixie, though both are the same suite. The answer only
    chooses which list is read; the signature of that list is checked as always.
    """
    codenames: dict[str, str] = {}
    for alias in _ALIASES:
        into = Path(root.directory) / f"release-{alias}"
        uri = f"{mirrors.main.uri.rstrip('/')}/dists/{alias}/InRelease"
        failed = download(root, uri, None, into, tell)
        text = into.read_text("utf-8", "replace") if failed is None else ""
        if match := re.search(r"^Codename: ([a-z]+)$", text, re.M):
            codenames[alias] = match.group(1)
        into.unlink(missing_ok=True)
    if codenames:
        lines = "".join(f"{alias} {name}\n" for alias, name in codenames.items())
        write_atomic(Path(root.directory) / "codenames", lines.encode())


def unreachable(root: AptRoot, mirrors: Mirrors, tell: Tell) -> str | None:
    """Why a small file of the mirror cannot be had now; None if it can. Its signature is not looked at."""
    prepare(root, mirrors)
    with tempfile.TemporaryDirectory(dir=root.directory) as scratch:
        uri = f"{mirrors.main.uri.rstrip('/')}/dists/stable/InRelease"
        return download(root, uri, None, Path(scratch, "InRelease"), tell)


def _codenames(root: AptRoot) -> dict[str, str]:
    path = Path(root.directory) / "codenames"
    lines = path.read_text().splitlines() if path.exists() else []
    return dict(line.partition(" ")[::2] for line in lines)


def codename(root: AptRoot, alias: str) -> str:
    """Today's code name of "stable" and the like. Returns the alias if the mirror does not name it."""
    return _codenames(root).get(alias, alias)


def _wanted(root: AptRoot, mirrors: Mirrors) -> tuple[tuple[Mirror, tuple[str, ...]], ...]:
    names = _codenames(root)

    def called(suites: tuple[str, ...]) -> tuple[str, ...]:
        parts = (suite.partition("-") for suite in suites)
        return tuple(names.get(alias, alias) + dash + rest for alias, dash, rest in parts)

    security = ((mirrors.security, called(_SECURITY_SUITES)),) if mirrors.security else ()
    return ((mirrors.main, called(_SUITES)), *security)


def _sources(root: AptRoot, mirrors: Mirrors) -> str:
    stanzas = []
    for mirror, suites in _wanted(root, mirrors):
        key = f"Signed-By: {mirror.signed_by}\n" if mirror.signed_by else ""
        stanzas.append(f"Types: {root.types}\nURIs: {mirror.uri}\nSuites: {' '.join(suites)}\nComponents: main\n{key}")
    return "\n".join(stanzas)


def update(root: AptRoot, mirrors: Mirrors, tell: Tell) -> tuple[UnreadSuite, ...]:
    """Brings the lists up to date. Returns the suites whose lists could not be.

    Raises HostLacks, with apt's own words, when that is every suite, or apt fails as a whole.
    """
    check_writable(Path(root.directory), _ROOM_BYTES)
    status, log = 0, ""
    if root.helper:
        status, log = _run_apt(root, ("apt-get", "update", "-q"), "package lists", tell)
        if _NO_ROOM in log:
            shutil.rmtree(Path(root.directory, "lists", "partial"), ignore_errors=True)
            raise HostLacks(f"{root.directory}: the disk is full", "free some space and repeat the command")
    failures = _failures(log) if root.helper else _update_without_apt(root, mirrors, tell)
    suites = [suite for _, named in _wanted(root, mirrors) for suite in named]
    unread = tuple(
        UnreadSuite(suite=suite, reason=failures[suite], older=_has_list(root, suite))
        for suite in suites
        if suite in failures
    )
    if len(unread) == len(suites) or (status and not unread):
        reasons = [suite.text for suite in unread if suite.reason] or re.findall(r"^E: (.*)$", log, re.M)
        raise HostLacks(
            f"the package lists could not be fetched: {reasons[0] if reasons else f'apt ended with {status}'}",
            "check the network and this host's apt sources and proxies (does `apt-get update` work?)"
            if root.helper and not process.variable("KASSAY_MIRROR")
            else "check the network, and the address in KASSAY_MIRROR",
        )
    return unread


def _update_without_apt(root: AptRoot, mirrors: Mirrors, tell: Tell) -> dict[str, str]:
    """Same as update(), by kassay itself. Returns the failures as _failures() does."""
    keys.check_verifier()
    reasons = dict[str, str]()
    for mirror, suites in _wanted(root, mirrors):
        signature = _signature(root, mirrors, mirror)
        for suite in suites:
            tell(Progress(stage="fetch", subject="package lists", text=suite))
            lists = Path(root.directory) / "lists"
            reason = without_apt.update_suite(mirror.uri, suite, root.list_name, lists, signature)
            if reason is not None:
                reasons[suite] = reason
    if all(suite in reasons for _, suites in _wanted(root, mirrors) for suite in suites):
        _fetched_keyring(root).unlink(missing_ok=True)  # the next try takes a newer one
    return reasons


def _fetched_keyring(root: AptRoot) -> Path:
    return Path(root.directory) / "keyring.gpg"


def _signature(root: AptRoot, mirrors: Mirrors, mirror: Mirror) -> without_apt.Signature:
    """The keys that must sign the suites of a mirror."""
    if Path(mirror.signed_by).is_file():
        return without_apt.Signature(Path(mirror.signed_by), None)
    keyring = _fetched_keyring(root)
    if not keyring.is_file():
        without_apt.fetch_keyring(mirrors.main.uri, keyring)
    return without_apt.Signature(keyring, keys.FINGERPRINTS)


def _failures(log: str) -> dict[str, str]:
    """Suite -> why apt could not read its list; "" for a suite that the mirror does not have."""
    reasons = dict[str, str]()
    for match in re.finditer(r"^Err:\d+ \S+ ([^\s/]+).*\n  (.+)$", log, re.M):
        reasons.setdefault(match[1], match[2])
    for error in re.findall(r"^E: (.*)$", log, re.M):
        if named := _SUITE_OF_ERROR.search(error):
            suite = named[1] or named[2]
            if error.endswith(" a Release file."):
                reasons[suite] = ""
            reasons.setdefault(suite, error)
    return reasons


def _has_list(root: AptRoot, suite: str) -> bool:
    """True if apt has a verified list of this suite."""
    return any((Path(root.directory) / "lists").glob(f"*_dists_{suite}_*Release"))


def package_lists(root: AptRoot, mirrors: Mirrors) -> tuple[PackageList, ...]:
    """The lists that update() left; apt names them after the address, and no two of our suites share a name."""
    directory = Path(root.directory) / "lists"
    lists = []
    for mirror, suites in _wanted(root, mirrors):
        for suite in suites:
            for path in directory.glob(f"*_dists_{suite}_{root.list_name.replace('/', '_')}*"):
                lists.append(PackageList(path=str(path), uri=mirror.uri, suite=suite))
    return tuple(lists)


def unpacked(root: AptRoot, path: str, into: Path) -> None:
    """Writes a list, which apt may have compressed, as text to `into`."""
    if not root.helper:
        without_apt.unpack(Path(path), into)
        return
    with into.open("wb") as out:
        child = process.start((root.helper, "-c", root.configuration, "cat-file", path), out=out, err=None)
        if child.wait():
            raise HostLacks(f"{path}: apt cannot read its own list", "delete the file and repeat the command")


def download(root: AptRoot, uri: str, sha256: str | None, into: Path, tell: Tell) -> str | None:
    """Fetches one file, which must have this hash when it is known. Returns None, or the reason for the failure."""
    if not root.helper:
        tell(Progress(stage="fetch", subject=into.name))
        return without_apt.download(uri, sha256, into)
    argv = (root.helper, "download-file", uri, str(into), *((f"SHA256:{sha256}",) if sha256 else ()))
    status, log = _run_apt(root, argv, into.name, tell)
    if _NO_ROOM in log:
        raise HostLacks(f"{into}: the disk is full", "free some space and repeat the command")
    if status == 0 and into.is_file():
        return None
    reasons = re.findall(r"^[EW]: (.*)$", log, re.M)
    return reasons[0] if reasons else f"apt-helper ended with {status}"


def _full(root: AptRoot) -> bool:
    return shutil.disk_usage(root.directory).free < _FULL_BYTES


def _run_apt(root: AptRoot, argv: Sequence[str], subject: str, tell: Tell) -> tuple[int, str]:
    """Runs an apt program of this root, tells its progress, and returns its status and all it printed.

    A program that does not go on because the disk is full is ended; then the text is _NO_ROOM.
    """
    read, write = os.pipe()
    options = ("-c", root.configuration, "-o", f"APT::Status-Fd={write}")
    with os.fdopen(read, errors="replace") as status, tempfile.TemporaryFile(dir=root.directory) as log:
        try:
            child = process.start((argv[0], *options, *argv[1:]), out=log, err=log, pass_fds=(write,))
        finally:
            os.close(write)
        try:
            percent, since = "", clock.monotonic_s()
            for line in status:
                match = re.match(r"dlstatus:\d+:([\d.]+):", line)
                if match and match[1] != percent:
                    percent, since = match[1], clock.monotonic_s()
                    tell(Progress(stage="fetch", subject=subject, done=float(percent) / 100))
                elif clock.monotonic_s() - since > _STALLED_S and _full(root):
                    return 1, _NO_ROOM
            child.wait()
        finally:
            process.end(child)
        log.seek(0)
        return child.returncode, log.read().decode("utf-8", "replace")
