# SPDX-License-Identifier: GPL-2.0-only
"""The answers of `kassay kernels`: kernels that can be fetched, and the identity of those that were."""

from collections.abc import Iterator

from msgspec import UNSET, structs

from kassay import __version__
from kassay.model.build import BuildSource
from kassay.model.kernel import KernelArtifact, KernelIdentity
from kassay.model.records import Record
from kassay.model.texts import cells, table
from kassay.report.answers import Kind
from kassay.report.document import Block, Document, Fact, Facts, Section
from kassay.supply.kernels import KernelVersion


class KernelList(Record, frozen=True, kw_only=True):
    """Kernels of an archive, oldest first."""

    schema: str = "kassay-kernel-list/1"
    arch: str
    flavour: str
    kernels: tuple[KernelVersion, ...]


class KnownKernels(Record, frozen=True, kw_only=True):
    """Kernels in the store."""

    schema: str = "kassay-kernels/1"
    kernels: tuple[KernelArtifact, ...]


def _list(answer: KernelList) -> Document:
    rows = [cells(k.ref, k.version, k.suite, "fetched" if k.fetched else "") for k in answer.kernels]
    listed = table("", ("reference", "package version", "suite", "in the store"), rows)
    return _document(f"Kernels of the archive, {answer.arch}, flavour {answer.flavour}", listed)


def _identities(answer: KnownKernels) -> Document:
    parts = (Section(title=k.identity.ref, blocks=(Facts(rows=tuple(_rows(k))),)) for k in answer.kernels)
    return structs.replace(_document("Identity of kernels", *parts), width=0)  # no hash is broken


def _document(title: str, *blocks: Block) -> Document:
    return Document(title=title, blocks=blocks, kicker="kassay: kernels", kassay_version=__version__)


def _rows(kernel: KernelArtifact) -> Iterator[Fact]:
    named = (*_fields(kernel.identity), ("configuration", kernel.config or "-"), ("files", kernel.directory))
    return (Fact(name=name, texts=(text,)) for name, text in named)


def _fields(identity: KernelIdentity) -> Iterator[tuple[str, str]]:
    """Name and text of every field, also those of a build, without the configuration; "-" for unknown values."""
    for name, value in structs.asdict(identity).items():
        if name == "configuration" or value is UNSET:
            continue
        if name == "files":
            yield from ((f"file {file.name}", f"sha256 {file.sha256}") for file in value)
        elif isinstance(value, BuildSource):
            for part, text in structs.asdict(value).items():
                yield f"build.{part}", (", ".join(text) or "-") if isinstance(text, tuple) else text
        elif name != "build":
            yield name, "-" if value is None else str(value)


LISTED = Kind(document=_list)
SHOWN = Kind(document=_identities)
