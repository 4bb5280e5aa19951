# SPDX-License-Identifier: GPL-2.0-only
"""From the words of a command line to files in memory, and their format: KERNEL=FILE, directories, compressed files."""

import io
import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from kassay.effects.files import read_errors, sha256_bytes
from kassay.errors import BadInput
from kassay.model.progress import Progress, Tell, silent
from kassay.model.records import repeats
from kassay.tools.imports.importer import Given, Importer
from kassay.tools.imports.text import first_line, header_of

_COLUMNS = ("kernel", "metric", "value")
_MARKS = ((b"\xff\xfe", "UTF-16"), (b"\xfe\xff", "UTF-16"))
_SEPARATORS = ((";", "semicolons"), ("\t", "tabs"), ("|", "bars"))
_ENCODED = re.compile(rb"=[0-9A-F]{2}|=\r?\n")


def nearest(given: Given) -> str:
    """Reason why a file of nearly a known format is not of it (": line 1: no column metric"), else "". Raises
    nothing."""
    for mark, name in _MARKS:
        if given.data.startswith(mark):
            return f": it is {name} text; save it as UTF-8"
    if b"%stddev" in given.data or b"%change" in given.data or b"=25stddev" in given.data:
        return _mail(given)
    return _table(given)


def _mail(given: Given) -> str:
    if len(_ENCODED.findall(given.data)) > 5:
        return ": a mail in quoted-printable; save its text as the mail program shows it"
    return ": a mail of the robot without the line of = above its table"


def _table(given: Given) -> str:
    """For a CSV that lacks a column, or separates its columns by something else than commas."""
    line = first_line(given)
    for sign, name in _SEPARATORS:
        parts = {word.strip().strip('"') for word in line.split(sign)}
        if sign in line and len(parts & set(_COLUMNS)) > 1:
            return f": line 1: its columns are separated by {name}; write commas"
    missing = [name for name in _COLUMNS if name not in header_of(given)]
    if len(missing) < len(_COLUMNS) and len(header_of(given)) > 1:
        return f": line 1: no column {' and no column '.join(missing)}"
    return ""


_LIMIT = 100 << 20
_PROGRESS_EVERY = 200  # files between two messages of progress
_TOO_LARGE = "give the part that matters; 100 MiB a file are read"
_GZIP = b"\x1f\x8b"


def gather(words: Sequence[str], importers: Iterable[Importer], tell: Tell = silent) -> tuple[Given, ...]:
    """Every file that the words name, in their order. Raises BadInput when one cannot be read, or comes twice."""
    givens: list[Given] = []
    taken: dict[str, None] = {}
    for word in words:
        kernel, path = _split(word)
        files = _below(path, importers) if path.is_dir() else (path,)
        for file in files:
            wanted = file.relative_to(path.parent).as_posix() if path.is_dir() else file.name
            givens.append(_given(kernel, file, _free(wanted, taken)))
            if len(givens) % _PROGRESS_EVERY == 0:
                tell(Progress(stage="import", subject=word[:80], text=f"{len(givens)} files read"))
    for given, first in repeats((sha256_bytes(given.raw), given) for given in givens):
        raise BadInput(f"{given.location}: the same content as {first.location}",
                       "one measurement counts once; leave one of them out")  # fmt: skip
    return tuple(givens)


def _split(word: str) -> tuple[str | None, Path]:
    """KERNEL and FILE; a file whose own name holds a "=" is a file."""
    kernel, equals, rest = word.partition("=")
    if not equals or Path(word).exists() or "/" in kernel:
        return None, Path(word)
    if not kernel.strip() or not rest:
        raise BadInput(f"{word!r}: not KERNEL=FILE", "write for example 6.12=before.json")
    return kernel.strip(), Path(rest)


def _below(directory: Path, importers: Iterable[Importer]) -> tuple[Path, ...]:
    with read_errors(directory, "give a directory that you may read"):
        files = next(filter(None, (importer.below(directory) for importer in importers)), ())
    if not files:
        raise BadInput(f"{directory}: a directory without results that kassay knows",
                       "LKP results have matrix.json or <test>.json in them; else name the files")  # fmt: skip
    return files


def _given(kernel: str | None, file: Path, name: str) -> Given:
    with read_errors(file, "give a file that you may read"):
        if file.exists() and not file.is_file():  # a pipe would wait for ever, a device never end
            raise BadInput(f"{file}: not a regular file", "save what it gives in a file, and name that")
        with file.open("rb") as stream:
            raw = stream.read(_LIMIT + 1)
    if len(raw) > _LIMIT:
        raise BadInput(f"{file}: larger than 100 MiB", _TOO_LARGE)
    data = _decompressed(raw, file) if raw.startswith(_GZIP) else raw
    if not data.strip():
        raise BadInput(f"{file}: is empty", "give the file that the tool wrote")
    return Given(location=str(file), name=name, path=file.resolve(), raw=raw, data=data, kernel=kernel)


def _decompressed(raw: bytes, file: Path) -> bytes:
    """Contents of a gzip file, at most up to the limit."""
    out = io.BytesIO()
    try:
        while raw:
            unpacker = zlib.decompressobj(wbits=31)
            out.write(unpacker.decompress(raw, _LIMIT + 1 - out.tell()))
            if out.tell() > _LIMIT:
                raise BadInput(f"{file}: larger than 100 MiB when decompressed", _TOO_LARGE)
            if not unpacker.eof:
                raise BadInput(f"{file}: the compressed data ends too early", "it is cut off; copy it again")
            raw = unpacker.unused_data
    except zlib.error as error:
        raise BadInput(f"{file}: damaged gzip data: {error}", "copy it again") from error
    return out.getvalue()


def _free(name: str, taken: dict[str, None]) -> str:
    """A name below source/ that no other file of this import has."""
    path, count = Path(name), 1
    while str(path) in taken:
        count += 1
        path = Path(name).with_name(f"{count}-{Path(name).name}")
    taken[str(path)] = None
    return path.as_posix()


def chosen(givens: Sequence[Given], importers: Mapping[str, Importer], name: str | None) -> Importer:
    """The format of all files: as named, else as recognised. Raises BadInput when there is none, or more than one."""
    remedy = "\n  ".join(("known formats: " + ", ".join(importers), "choose one with --as FORMAT"))
    if name is not None and name not in importers:
        raise BadInput(f"--as: unknown {name!r}", remedy.split("\n")[0])
    if name is not None:
        return importers[name]
    recognised: dict[str, str] = {}
    for given in givens:
        fits = [importer.name for importer in importers.values() if importer.recognise(given)]
        if len(fits) != 1:
            problem = f"could be {' or '.join(fits)}" if fits else f"not a format that kassay knows{nearest(given)}"
            raise BadInput(f"{given.location}: {problem}", remedy)
        recognised.setdefault(fits[0], given.location)
    if len(recognised) > 1:
        (first, file), (second, other_file) = list(recognised.items())[:2]
        raise BadInput(f"{file} is {first}, {other_file} is {second}", "import one format at a time")
    return importers[next(iter(recognised))]
