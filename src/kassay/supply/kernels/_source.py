# SPDX-License-Identifier: GPL-2.0-only
"""The kinds of kernel references: what each must be, and many kernels at once, whatever their kind."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor

from kassay.model.kernel import KernelArtifact, KernelRef
from kassay.model.progress import Progress, Tell
from kassay.model.records import Record
from kassay.registry import discover
from kassay.supply.archive.index import current_index

# Downloads overlap with unpacking; more at once would only compete for the network and the CPUs.
_AT_ONCE = 3


class KernelVersion(Record, frozen=True, kw_only=True):
    """One kernel that a source offers."""

    ref: str
    upstream: str
    """Upstream version as in a reference ("6.17.8", "7.3~rc7")."""
    arch: str
    flavour: str
    package: str
    version: str
    """Version of the package, if it comes in one."""
    suite: str
    """Suite that lists it."""
    size_bytes: int
    """Size of the download."""
    fetched: bool
    """True if it is in the store already."""


class KernelSource(ABC):
    """One kind of kernel reference; `name` is the word before the colon, `summary` one line for `kernels list`."""

    name: str
    summary: str
    listed: bool = False
    """True if check() needs a list that may have to be fetched. resolve() tells a wrong version before it downloads."""

    @abstractmethod
    def resolve(self, ref: KernelRef, flavour: str, tell: Tell) -> KernelArtifact:
        """The kernel that `ref` names, in the store. flavour: "cloud", "generic", "rt", ...; not every kind has any.

        Raises BadInput when there is no such kernel, HostLacks when this host cannot get it.
        """

    def check(self, ref: KernelRef, flavour: str, tell: Tell) -> None:
        """Raises what resolve() would raise for a file, a revision or a version that is not there.

        Fetches no kernel and no source, and builds nothing.
        """
        return

    def pinned(self, ref: KernelRef, tell: Tell) -> str:
        """The reference as one that means the same tomorrow, where what it names can change under the same name."""
        return ref.text

    def ask(self) -> None:
        """Asks this host Once what every resolve() needs to know of it, so that it can be asked ahead."""
        return

    def versions(self, arch: str, flavour: str, tell: Tell) -> tuple[KernelVersion, ...]:
        """Available kernels, oldest first. Empty for a kind without a list."""
        return ()


def sources() -> Mapping[str, KernelSource]:
    """Every kind of kernel reference, by the word before its colon."""
    return discover("kassay.supply.kernels", "SOURCE", KernelSource)  # type: ignore[type-abstract]


def askers(refs: Iterable[KernelRef]) -> Iterator[Callable[[], None]]:
    """KernelSource.ask of every kind of `refs`; an unknown kind has none."""
    known = sources()
    return (known[kind].ask for kind in {ref.kind for ref in refs} & set(known))


def versions(kind: str, arch: str, flavour: str, tell: Tell) -> tuple[KernelVersion, ...]:
    """Kernels of one kind, oldest first."""
    return sources()[kind].versions(arch, flavour, tell)


def check(refs: Iterable[KernelRef], flavour: str, tell: Tell) -> None:
    """Raises BadInput or HostLacks for the first reference that names what is not there, before anything is fetched or
    built for another one. The archive's list is read only if a reference of another kind could fail after it."""
    kernel_sources = sources()
    wanted = sorted(dict.fromkeys(refs), key=lambda ref: kernel_sources[ref.kind].listed)
    several = len({ref.kind for ref in wanted}) > 1
    for ref in wanted:
        if several or not kernel_sources[ref.kind].listed:
            kernel_sources[ref.kind].check(ref, flavour, tell)


def pinned(ref: KernelRef, tell: Tell) -> str:
    """The reference's text, with its content in it where that can change under the same name."""
    return sources()[ref.kind].pinned(ref, tell)


def refresh(arch: str, tell: Tell) -> None:
    """Reads the archive's package lists again, however new they are. Raises HostLacks without network."""
    current_index(arch, tell, refresh=True)


def fetch(refs: Sequence[KernelRef], flavour: str, tell: Tell) -> tuple[KernelArtifact, ...]:
    """The kernels, in the order of `refs`, each in the store. `tell` is called from one thread at a time.

    Raises what the first failing reference raised, BadInput or HostLacks, and ends the other downloads.
    """
    lock, stopped = threading.Lock(), threading.Event()

    def tell_in_turn(progress: Progress) -> None:
        if stopped.is_set():
            raise CancelledError  # every long step tells its progress, so this ends it within a second
        with lock:
            tell(progress)

    kernel_sources = sources()
    with ThreadPoolExecutor(max_workers=_AT_ONCE) as pool:
        futures = [pool.submit(kernel_sources[ref.kind].resolve, ref, flavour, tell_in_turn) for ref in refs]
        try:
            return tuple(future.result() for future in futures)
        except BaseException:
            stopped.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
