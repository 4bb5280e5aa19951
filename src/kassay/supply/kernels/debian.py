# SPDX-License-Identifier: GPL-2.0-only
"""debian:6.17.8: stock kernels of the Debian archive, by version or series."""

import re
from collections.abc import Collection
from functools import partial
from pathlib import Path

from kassay.errors import BadInput, HostLacks
from kassay.model.kernel import KernelArtifact, KernelIdentity, KernelRef
from kassay.model.progress import Progress, Tell
from kassay.supply.arches import arch_of
from kassay.supply.archive.apt import unread_lines
from kassay.supply.archive.deb import opened
from kassay.supply.archive.index import (
    Index,
    NotOnMirror,
    Package,
    current_index,
    fetched_package,
    load_index,
    package_file,
    unlisted_package,
)
from kassay.supply.archive.mirrors import host_mirrors
from kassay.supply.archive.versions import choose, is_exact, series_of, unknown_version, upstream_of, version_key
from kassay.supply.kernels import _store
from kassay.supply.kernels._compression import decompress, is_compressed
from kassay.supply.kernels._configuration import searched
from kassay.supply.kernels._source import KernelSource, KernelVersion

# Path prefix and suffix, newest layout last.
_PLACES = {
    "image": (("boot/vmlinuz-", ""), ("usr/lib/modules/", "/vmlinuz")),
    "config": (("boot/config-", ""), ("usr/lib/modules/", "/config")),
    "modules.builtin": (("lib/modules/", "/modules.builtin"), ("usr/lib/modules/", "/modules.builtin")),
}


class DebianSource(KernelSource):
    """The Debian archive, through the mirror that KASSAY_MIRROR or this host's apt names."""

    name = "debian"
    summary = "a kernel of the Debian archive: debian:6.17.8, or debian:6.17 for the newest 6.17.x"
    listed = True

    def resolve(self, ref: KernelRef, flavour: str, tell: Tell) -> KernelArtifact:
        """See KernelSource. An exact version that is in the store is returned whatever the age of the package list."""
        return with_configuration_of_archive(_resolved(ref, flavour, tell), tell)

    def check(self, ref: KernelRef, flavour: str, tell: Tell) -> None:
        """See KernelSource. Reads the archive's list."""
        if not (is_exact(ref.locator) and _stored_exact(ref, flavour)):
            _wanted(_index(ref, flavour, tell), ref, flavour)

    def ask(self) -> None:
        """See KernelSource."""
        host_mirrors()

    def versions(self, arch: str, flavour: str, tell: Tell) -> tuple[KernelVersion, ...]:
        """Every kernel of the archive for this architecture and flavour, oldest first; each version once."""
        packages = {p.version: p for p in reversed(_kernels(current_index(arch, tell), arch, flavour))}
        ordered = sorted(packages.values(), key=lambda p: version_key(p.version))
        return tuple(_version_record(p, arch, _reference(p.version, packages)) for p in ordered)


def with_configuration_of_archive(artifact: KernelArtifact, tell: Tell) -> KernelArtifact:
    """The kernel with its configuration, which its own package may not hold; or with the reason why it is not known."""
    return searched(artifact, partial(_config_elsewhere, artifact.identity, tell))


def _resolved(ref: KernelRef, flavour: str, tell: Tell) -> KernelArtifact:
    if is_exact(ref.locator) and (stored := _stored_exact(ref, flavour)):
        return stored
    index = _index(ref, flavour, tell)
    package = _wanted(index, ref, flavour)
    try:
        return _stored(package.name, package.version, ref, flavour) or _build(index, package, ref, tell)
    except NotOnMirror as error:
        tell(Progress(stage="kernels", subject=ref.text, text=f"{error.what}; reading the package lists again"))
    index = current_index(ref.arch, tell, refresh=True)
    return _build(index, _wanted(index, ref, flavour), ref, tell)


def _index(ref: KernelRef, flavour: str, tell: Tell) -> Index:
    """The archive's list. Raises HostLacks that names the kernels which need none."""
    try:
        return current_index(ref.arch, tell)
    except HostLacks as error:
        names = _store.remembered(ref.arch, _package_flavour(ref.arch, flavour))
        if not names:
            raise
        here = ", ".join(f"debian:{version}" for _, version in names[-6:])
        raise HostLacks(error.what, f"{error.remedy}; in the cache, by exact version: {here}") from error


def release_config(version: str, arch: str, tell: Tell) -> str:
    """The .config of the archive's cloud kernel of this version ("7.3.4"), or of the newest of its series.

    Raises BadInput that lists the versions there are, HostLacks when its packages hold none.
    """
    series = ".".join(re.split(r"[.-]", version)[:2])
    listed = {v.upstream for v in SOURCE.versions(arch, "cloud", tell)}
    locator = version if version in listed else series
    ref = KernelRef(text=f"debian:{locator}", kind="debian", locator=locator, arch=arch)
    artifact = SOURCE.resolve(ref, "cloud", tell)
    if artifact.config is None:
        what = f"debian:{locator}: its configuration is {artifact.identity.config_source or 'in none of its packages'}"
        raise HostLacks(what, "name a file, as in config=FILE")
    if locator != version:
        text = f"the archive has no {version}; its configuration is that of {artifact.identity.release}"
        tell(Progress(stage="build", subject="config=distro", text=text))
    return Path(artifact.config).read_text("utf-8")


def modules_package(artifact: KernelArtifact, tell: Tell) -> Path:
    """The stored file of the package that holds the kernel's modules; fetched when it is a package of its own.

    Raises HostLacks when the archive has dropped it, BadInput for a kernel that is in no package.
    """
    identity = artifact.identity
    if identity.package is None or identity.package_version is None:
        raise BadInput(f"kernel {identity.ref!r}: nothing is known about its modules",
                       "name them: image:PATH,modules=DIR; or use a debian: kernel")  # fmt: skip
    version = identity.package_version
    name = identity.package.replace("linux-binary-", "linux-modules-")
    index = current_index(identity.arch, tell)
    listed = next((p for p in index.packages if (p.name, p.version) == (name, version)), None)
    if listed:
        return fetched_package(listed, identity.arch, tell)
    stored = package_file(name, version, identity.arch)
    if stored.is_file():
        return stored
    versions = sorted((p.version for p in index.packages if _holds_modules(p, identity.flavour)), key=version_key)
    have = list(dict.fromkeys(map(upstream_of, versions)))
    raise HostLacks(
        f"kernel {identity.ref!r}: the archive no longer has {name} {version}, so it has no modules",
        f"newest kernels with modules: {', '.join(have[-6:]) or 'none'}",
    )


def _holds_modules(package: Package, flavour: str | None) -> bool:
    return package.flavour == flavour and (package.kind == "modules" or (package.kind == "image" and package.is_kernel))


def _reference(version: str, versions: Collection[str]) -> str:
    """The kernel version if it names this package among `versions`, else the package version."""
    upstream = upstream_of(version)
    return f"debian:{upstream if choose(upstream, versions) == version else version}"


def _version_record(package: Package, arch: str, ref: str) -> KernelVersion:
    return KernelVersion(
        ref=ref,
        upstream=upstream_of(package.version),
        arch=arch,
        flavour=package.flavour,
        package=package.name,
        version=package.version,
        suite=package.suite,
        size_bytes=package.size_bytes,
        fetched=_store.recall(arch, package.flavour, package.name, package.version) is not None,
    )


def _kernels(index: Index, arch: str, flavour: str) -> list[Package]:
    wanted = _package_flavour(arch, flavour)
    return [p for p in index.packages if p.flavour == wanted and p.is_kernel]


def _package_flavour(arch: str, flavour: str) -> str:
    """Flavour as packages name it: cloud is "cloud-amd64", generic (or the plain Debian architecture) "amd64"."""
    debian = arch_of(arch).debian
    if flavour in ("generic", debian):
        return debian
    return f"{debian}-{flavour}" if flavour == "16k" else f"{flavour}-{debian}"


def _wanted(index: Index, ref: KernelRef, flavour: str) -> Package:
    """The package that `ref` names. Raises BadInput that lists what there is."""
    packages = _kernels(index, ref.arch, flavour)
    if not packages:
        names = {p.flavour.replace(f"-{arch_of(ref.arch).debian}", "") for p in index.packages if p.is_kernel}
        what = f"kernel {ref.text!r}: no flavour {flavour!r} for {ref.arch}{unread_lines(index.unread)}"
        raise BadInput(what, f"known: {', '.join(sorted(names))}")
    versions = [p.version for p in packages]
    version = choose(ref.locator, versions)
    if version is None:
        raise unknown_version(ref.text, ref.locator, f"{flavour} {ref.arch} kernel", versions, index.unread)
    return next(p for p in packages if p.version == version)


def _stored_exact(ref: KernelRef, flavour: str) -> KernelArtifact | None:
    """The store's answer to an exact version, unless the list (of any age) has a newer revision of it."""
    names = {version: name for name, version in _store.remembered(ref.arch, _package_flavour(ref.arch, flavour))}
    try:
        listed = load_index(ref.arch)
    except HostLacks:  # without the archive, nothing newer is known
        listed = None
    versions = [p.version for p in _kernels(listed, ref.arch, flavour)] if listed else []
    version = choose(ref.locator, [*names, *versions])
    return _stored(names[version], version, ref, flavour) if version in names else None


def _stored(package: str, version: str, ref: KernelRef, flavour: str) -> KernelArtifact | None:
    sha256 = _store.recall(ref.arch, _package_flavour(ref.arch, flavour), package, version)
    return _store.load(sha256, ref.text, kind="package") if sha256 else None


def _build(index: Index, package: Package, ref: KernelRef, tell: Tell) -> KernelArtifact:
    tell(Progress(stage="kernels", subject=ref.text, text=f"fetching {package.name} {package.version}"))
    base = index.companion(package, "base")
    files = tuple(str(fetched_package(p, ref.arch, tell)) for p in (package, base) if p)
    tell(Progress(stage="kernels", subject=ref.text, text="unpacking"))
    unpacked = _unpack(files)
    image = unpacked.pop("image", None)
    if image is None:
        raise HostLacks(f"kernel {ref.text!r}: no vmlinuz in {package.name} {package.version}", "report this to kassay")
    origin = _store.Origin(
        source=f"Debian {package.suite}",
        kind="package",
        package=package.name,
        package_version=package.version,
        flavour=package.flavour,
        packages=files,
    )
    artifact = _store.keep(image, origin, unpacked, ref.arch, ref.text, tell)
    _store.remember(ref.arch, package.flavour, package.name, package.version, str(artifact.identity.image_sha256))
    return artifact


def _config_elsewhere(identity: KernelIdentity, tell: Tell) -> tuple[str, str]:
    """The configuration out of another package of the same version, which no list of the archive has any more.

    Raises LookupError that tells what was tried.
    """
    package, version = identity.package or "", identity.package_version or ""
    if not package.startswith("linux-binary-"):
        raise LookupError(f"{package} {version} holds none")
    release, series = package.removeprefix("linux-binary-"), series_of(version)
    tried = []
    for name, prefix, suffix in (
        (f"linux-base-{release}", "boot/config-", ""),
        (f"linux-headers-{release}", "usr/src/linux-headers-", "/.config"),
        (f"linux-config-{series}", f"usr/src/linux-config-{series}/config.", f"_none_{identity.flavour}.xz"),
    ):
        tell(Progress(stage="kernels", subject=identity.ref, text=f"looking for its configuration in {name} {version}"))
        try:
            with opened(unlisted_package(name, version, identity.arch, tell)) as contents:
                data = contents.find(prefix, suffix)
        except HostLacks as error:
            tried.append(error.what)
            continue
        if data is None:
            tried.append(f"{name} {version} holds none")
        else:
            data = decompress(data, name) if is_compressed(data) else data
            return data.decode("utf-8", "replace"), f"{name} {version}, unsigned: no list of the archive has its hash"
    raise LookupError("; ".join(tried))


def _unpack(files: tuple[str, ...]) -> dict[str, bytes]:
    """The files of a kernel that the store keeps, by name; their paths in the packages have changed over the years."""
    unpacked: dict[str, bytes] = {}
    for file in files:
        with opened(Path(file)) as contents:
            for name, places in _PLACES.items():
                data = next((d for p in places if (d := contents.find(*p)) is not None), None)
                if data is not None:
                    unpacked.setdefault(name, data)
    return unpacked


SOURCE = DebianSource()
