# SPDX-License-Identifier: GPL-2.0-only
"""The contract of a kind of kernel reference."""

from abc import ABC, abstractmethod

from kassay.model.kernel import KernelArtifact, KernelRef
from kassay.model.progress import Tell
from kassay.model.records import Record


class KernelVersion(Record, frozen=True, kw_only=True):
    """One kernel that a source offers.

    upstream: as in a reference ("6.17.8", "7.3~rc7"). version: of the package, when it
    comes in one. suite: where it is listed. size_bytes: to download. fetched: it is in
    the store already.
    """

    ref: str
    upstream: str
    arch: str
    flavour: str
    package: str
    version: str
    suite: str
    size_bytes: int
    fetched: bool


class KernelSource(ABC):
    """One kind of kernel reference; `name` is the word before the colon, `summary` one line for `kernels list`."""

    name: str
    summary: str

    @abstractmethod
    def resolve(self, ref: KernelRef, flavour: str, tell: Tell) -> KernelArtifact:
        """The kernel that `ref` names, in the store. flavour: "cloud", "generic", "rt", ...; not every kind has any.

        Raises BadInput when there is no such kernel, HostLacks when this host cannot get it.
        """

    def pinned(self, ref: KernelRef, tell: Tell) -> str:
        """The reference as one that means the same tomorrow, where what it names can change under the same name."""
        return ref.text

    def versions(self, arch: str, flavour: str, tell: Tell) -> tuple[KernelVersion, ...]:
        """What can be had, oldest first; empty for a kind that has no list."""
        return ()
