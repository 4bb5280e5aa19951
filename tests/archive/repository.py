# SPDX-License-Identifier: GPL-2.0-only
"""A small signed archive in a directory, with suites that a real apt accepts or refuses."""

import hashlib
import lzma
import random
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from email.utils import formatdate
from pathlib import Path

from kassay.supply.archive.mirrors import Mirror, Mirrors
from tests.kernels import fakes

DAY = 86400


class Repository:
    """`directory`/debian, signed by a key that was made for it alone."""

    def __init__(self, directory: Path) -> None:
        self.base = directory / "debian"
        self._home = directory / "gnupg"
        self._home.mkdir(mode=0o700)
        self.key = directory / "key.gpg"
        made = ("--passphrase", "", "--quick-gen-key", "kassay's tests <tests@localhost>", "ed25519", "sign", "never")
        self._gpg(*made)
        self._gpg("--export", "-o", str(self.key))
        self._further = ""

    @property
    def mirrors(self) -> Mirrors:
        return Mirrors(main=Mirror(uri=f"file:{self.base}", signed_by=str(self.key)), security=None)

    @property
    def fingerprint(self) -> str:
        """Fingerprint of the key."""
        argv = ("gpg", "--homedir", str(self._home), "--batch", "--with-colons", "--list-keys")
        listed = subprocess.run(argv, check=True, capture_output=True, text=True).stdout
        return next(line.split(":")[9] for line in listed.splitlines() if line.startswith("fpr:"))

    def close(self) -> None:
        """Ends the agent that gpg left behind."""
        subprocess.run(("gpgconf", "--homedir", str(self._home), "--kill", "all"), check=True)

    def suite(
        self, name: str, kernel: str, *, made: float = -DAY, expires: float | None = None, signed: bool = True
    ) -> None:
        """A suite with one cloud kernel of a version. made, expires: seconds from now."""
        folder = self.base / "dists" / name
        packages = folder / "main" / "binary-amd64" / "Packages"
        packages.parent.mkdir(parents=True, exist_ok=True)
        packages.write_text(self._kernel(kernel) + self._further)
        data = packages.read_bytes()
        packed = lzma.compress(data)
        packages.with_name("Packages.xz").write_bytes(packed)
        lines = [f"Suite: {name}", f"Codename: {name}", f"Date: {formatdate(time.time() + made, usegmt=True)}"]
        lines += [] if expires is None else [f"Valid-Until: {formatdate(time.time() + expires, usegmt=True)}"]
        lines += ["Architectures: amd64", "Components: main", "SHA256:"]
        for content, suffix in ((data, ""), (packed, ".xz")):
            lines += [f" {hashlib.sha256(content).hexdigest()} {len(content)} main/binary-amd64/Packages{suffix}"]
        plain, release = folder / "plain", folder / "InRelease"
        plain.write_text("".join(f"{line}\n" for line in lines))
        self._gpg("--yes", "--clearsign", "-o", str(release), str(plain))
        if not signed:
            release.write_text(release.read_text().replace("Components: main", "Components: main other"))

    def _kernel(self, version: str) -> str:
        release = f"{version}-cloud-amd64"
        image = fakes.bzimage(fakes.gzip(fakes.vmlinux(release, body=random.Random(0).randbytes(2 << 20))))
        pool = self.base / "pool"
        pool.mkdir(parents=True, exist_ok=True)
        files: Mapping[str, bytes] = {f"boot/vmlinuz-{release}": image}
        return _stanza(fakes.deb(pool, f"linux-image-{release}", f"{version}-1", files), f"{version}-1")

    def add(
        self, name: str, version: str, depends: str = "", files: Mapping[str, bytes] | None = None, provides: str = ""
    ) -> Path:
        """A package of every suite that is made later; its file. depends, provides: as in its fields of these names."""
        pool = self.base / "pool"
        pool.mkdir(parents=True, exist_ok=True)
        file = fakes.deb(pool, name, version, {f"usr/share/{name}": b"x", **(files or {})})
        fields = {"Depends": depends, "Provides": provides}
        self._further += _stanza(file, version, {name: text for name, text in fields.items() if text})
        return file

    def _gpg(self, *words: str) -> None:
        subprocess.run(("gpg", "--homedir", str(self._home), "--batch", "--quiet", *words), check=True)


def _stanza(file: Path, version: str, more: Mapping[str, str] | None = None) -> str:
    fields = {
        "Package": file.name.removesuffix(f".{version}.deb"), "Version": version, "Architecture": "amd64",
        "Filename": f"pool/{file.name}", "Size": str(file.stat().st_size),
        "SHA256": hashlib.sha256(file.read_bytes()).hexdigest(), **(more or {}),
    }  # fmt: skip
    return "".join(f"{name}: {value}\n" for name, value in fields.items()) + "\n"


@contextmanager
def repository(directory: Path) -> Iterator[Repository]:
    made = Repository(directory)
    try:
        yield made
    finally:
        made.close()
