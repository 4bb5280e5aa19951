# SPDX-License-Identifier: GPL-2.0-only
"""Signatures of the Debian archive, checked without apt: by gpgv, gpg or sqv, whichever the host has.

The keys are those of the package debian-archive-keyring, if the host has it. Otherwise that package is taken from the
archive itself, and a key of it counts only if its fingerprint is in FINGERPRINTS.
"""

import tempfile
from collections.abc import Callable, Collection
from pathlib import Path

from kassay.effects import process
from kassay.effects.distribution import install
from kassay.errors import HostLacks

FINGERPRINTS = frozenset({
    "1F89983E0081FDE018F3CC9673A4F27B8DD47936", "AC530D520F2F3269F5E98313A48449044AAD5C5D",
    "A4285295FC7B1A81600062A9605C66F00D6C9793", "B8B80B5B623EAB6AD8775C45B7C5D7D6350947F8",
    "05AB90340C0C5E797F44A8C8254CF3B5AEC0A8F0", "4D64FEC119C2029067D6E791F8D2585B8783D481",
    "04B54C3CDCA79751B16BC6B5225629DF75B188BD", "5E04A1E3223A19A20706E20F9904613D4CCE68C6",
    "41587F7DB8C774BCCF131416762F67A0B2C39DE4",
})  # fmt: skip
"""The archive's, the security archive's and the release managers' keys of Debian 11, 12 and 13, as
debian-archive-keyring 2023.3+deb12u2 has them."""
NAMES = ("debian-archive-keyring.gpg", "debian-archive-keyring.pgp")
"""Names of the file with all keys, in the folder keyrings."""
_GOOD, _NOT_GOOD = "GOODSIG", ("EXPSIG", "EXPKEYSIG", "REVKEYSIG", "BADSIG", "ERRSIG")
_STATUS = "[GNUPG:] "


def keyring_of_host() -> Path | None:
    """The archive's keyring as a package of the host has it, or None."""
    places = [*process.variable("XDG_DATA_DIRS").split(":"), "/usr/local/share", "/usr/share"]
    files = (Path(place, "keyrings", name) for place in places if place.startswith("/") for name in NAMES)
    return next((file for file in files if file.is_file()), None)


def check_verifier() -> None:
    """Raises HostLacks if no program of this host checks signatures."""
    if _verifier() is None:
        raise HostLacks("signatures cannot be checked: neither gpgv, gpg nor sqv is on this host",
                        f"install one: {install('gpgv')}")  # fmt: skip


def refusal(signed: Path, signature: Path, keyring: Path, allowed: Collection[str] | None) -> str:
    """Why a file is not taken for signed; "" if it has a good signature. allowed: fingerprints of the keys that count;
    all of the keyring if it is None."""
    check_verifier()
    found = _verifier()
    assert found is not None
    with tempfile.TemporaryDirectory(prefix="kassay-keys-") as scratch:
        ended = process.run(found(signed, signature, keyring, Path(scratch)))
    good, bad = _signers(ended) if _STATUS in ended.out else (_printed(ended), ())
    if bad:
        return f"The following signatures were invalid: {', '.join(bad)}"
    if good and (allowed is None or good & set(allowed)):
        return ""
    if good:
        return f"it is signed by {', '.join(sorted(good))}, which is no key of the archive that kassay knows"
    said = (ended.err.strip().splitlines() or ["no output"])[-1]
    return f"no key of {keyring} signed it: {said}"


def _printed(ended: process.Completed) -> frozenset[str]:
    """Fingerprints of the keys that sqv found good."""
    return frozenset(ended.out.split()) if ended.status == 0 else frozenset()


def _signers(ended: process.Completed) -> tuple[frozenset[str], tuple[str, ...]]:
    """Fingerprints of the primary keys with a good signature, and the bad signatures; from the status lines of gpg.

    VALIDSIG comes for expired and revoked keys, too; it counts only after GOODSIG.
    """
    good, bad, is_good = set[str](), [], False
    for line in ended.out.splitlines():
        words = line.removeprefix(_STATUS).split()
        if not line.startswith(_STATUS) or not words:
            continue
        if words[0] == _GOOD or words[0] in _NOT_GOOD:
            is_good = words[0] == _GOOD
        if words[0] == "BADSIG":
            bad.append(f"BADSIG {' '.join(words[1:])}")
        if words[0] == "VALIDSIG" and is_good:
            good.add(words[-1])
            is_good = False
    return frozenset(good), tuple(bad)


_Verifier = Callable[[Path, Path, Path, Path], tuple[str, ...]]


def _verifier() -> _Verifier | None:
    return next((command for program, command in _VERIFIERS.items() if process.find(program)), None)


def _gpgv(signed: Path, signature: Path, keyring: Path, scratch: Path) -> tuple[str, ...]:
    return "gpgv", "--status-fd", "1", "--homedir", str(scratch), "--keyring", str(keyring), str(signature), str(signed)


def _gpg(signed: Path, signature: Path, keyring: Path, scratch: Path) -> tuple[str, ...]:
    options = ("--batch", "--no-tty", "--no-autostart", "--homedir", str(scratch), "--trust-model", "always")
    keys = ("--no-default-keyring", "--keyring", str(keyring))
    return "gpg", *options, *keys, "--status-fd", "1", "--verify", str(signature), str(signed)


def _sqv(signed: Path, signature: Path, keyring: Path, scratch: Path) -> tuple[str, ...]:
    return "sqv", "--keyring", str(keyring), str(signature), str(signed)


_VERIFIERS: dict[str, _Verifier] = {"gpgv": _gpgv, "gpg": _gpg, "sqv": _sqv}
