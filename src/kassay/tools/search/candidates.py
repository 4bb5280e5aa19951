# SPDX-License-Identifier: GPL-2.0-only
"""Candidates of a bisection: commits of a git range, releases of the archive, symbols of a configuration, or a list."""

import re
from collections.abc import Sequence
from math import log
from pathlib import Path
from typing import NamedTuple

from msgspec import structs

from kassay.effects.files import expanded, sha256_bytes, sha256_file
from kassay.errors import BadInput, NotBuilt, unknown
from kassay.model.bisect import Bisection, Candidate, SearchQuestion, Step
from kassay.model.build import BuildRef, parse_build
from kassay.model.experiment import Experiment
from kassay.model.kernel import KernelRef, parse_ref, with_build
from kassay.model.progress import Progress, Tell
from kassay.model.units import format_change
from kassay.supply import kernels as kernel_store
from kassay.supply.archive.versions import choose, is_exact, series_of, version_key
from kassay.supply.building.config import configuration_files
from kassay.supply.building.git import GitFailed, git, is_repository, resolve
from kassay.supply.building.patches import patch_files
from kassay.tools.search.probe import MeasureRun
from kassay.tools.search.symbols import differ_in_configuration_alone, symbol_candidates

EVERY = ("version", "series")
_FORMAT = "%H%x00%s%x00%an <%ae>%x00%P"
_RELEASE = re.compile(r"(\d+\.\d+)(?:\.(\d+))?(?:[~-](rc\d+))?")
_MOST_OF_A_MERGE = 2.0
"""A change on a branch that is larger than this many times the merge's is another one; as logarithms."""
_WAYS = "write --good debian:6.12 --bad debian:7.3, --good build:TREE@REV --bad build:TREE@REV, or list the kernels"


class Range(NamedTuple):
    """Candidates of a search."""

    kind: str
    """git, releases, configuration or list."""
    text: str
    """Range in words."""
    candidates: tuple[Candidate, ...]
    """Oldest first, the good one included."""
    notes: tuple[str, ...] = ()


def listed(refs: Sequence[str], pinned: Sequence[str] = ()) -> Range:
    """Kernels in the order given. pinned: references of their present content, if `refs` may come to mean others.

    Raises BadInput for fewer than two, or one twice.
    """
    if len(refs) < 2:
        raise BadInput("a bisection needs at least two kernels", _WAYS)
    if len(set(refs)) < len(refs):
        raise BadInput("a kernel is listed twice", "list each kernel once, oldest first")
    candidates = tuple(Candidate(name=ref, title=ref, ref=pin) for ref, pin in zip(refs, pinned or refs, strict=True))
    return Range("list", f"{refs[0]}..{refs[-1]}{_files(_builds(refs))}", candidates)


def with_same_files(measure_run: MeasureRun, refs: Sequence[str]) -> MeasureRun:
    """`measure_run` for a search between `refs`. It raises BadInput if a patch or a configuration was edited since."""
    builds = _builds(refs)
    began = _files(builds)

    def check(first: str) -> None:
        if _files(builds) != began:
            raise BadInput(f"{began.removeprefix(', ')}: changed while the search ran",
                           f"{first}, and repeat the command; or search anew with --fresh")  # fmt: skip

    def run(experiment: Experiment, directory: Path, tell: Tell) -> None:
        check("restore it")
        try:
            measure_run(experiment, directory, tell)
        except NotBuilt:
            check("restore it")
            raise
        check(f"restore it, remove {directory}, which may have either content")

    return run


def _builds(refs: Sequence[str]) -> list[BuildRef]:
    parsed = [parse_ref(ref) for ref in refs]
    return [parse_build(ref.locator) for ref in parsed if ref.kind == "build"]


def _files(builds: Sequence[BuildRef]) -> str:
    """Patches and files of configurations that builds name, with a hash of their content; "" if there are none.

    As a part of the range, it makes a search with other content another search: it is not gone on with.
    """
    names = dict.fromkeys(name for build in builds for name in (*build.patches, *configuration_files(build)))
    paths = [path for name in names if (path := expanded(name)).exists()]
    files = [file for path in paths for file in patch_files(path)]
    digest = sha256_bytes(b"".join(sha256_file(file).encode() for file in files if file.is_file()))
    return f", {', '.join(path.name for path in paths)} (sha256 {digest[:12]})" if paths else ""


def between(good: str, bad: str, arch: str, flavour: str, every: str, tell: Tell) -> Range:
    """Everything between two references of one kind: debian: or build:. Raises BadInput."""
    ends = parse_ref(good, arch), parse_ref(bad, arch)
    kinds = {end.kind for end in ends}
    if kinds == {"debian"}:
        return _releases(*ends, flavour, every, tell)
    if kinds == {"build"}:
        builds = [parse_build(end.locator) for end in ends]
        return _symbols(*ends, tell) if differ_in_configuration_alone(*builds) else _commits(*ends, tell)
    raise BadInput(f"{good} to {bad}: nothing is known to be between these two", _WAYS)


def side_branch(question: SearchQuestion, step: Step, candidates: Sequence[Candidate]) -> SearchQuestion | None:
    """The same question about the branch that a merge brought in. None unless the culprit is a merge of one branch."""
    merge = candidates[step.first]
    if question.kind != "git" or merged_branches(step, candidates) != 1:
        return None
    ref = parse_ref(merge.ref, question.probe.arch)
    build, repository = _parts(ref)
    first = resolve(repository, f"{merge.name}^1")
    base = git(("merge-base", first, merge.merged), repository=repository).strip()
    base = _left_at(repository, first, merge.merged) or base
    branch = _range(repository, base, merge.merged, build, ref, leave_out=first)
    notes = (f"the branch that merge {merge.name[:12]} ({merge.title}) brought in", *branch.notes)
    return structs.replace(question, range=branch.text, candidates=branch.candidates, notes=notes)


def merged_branches(step: Step, candidates: Sequence[Candidate]) -> int:
    """Number of branches that the culprit brought in; 0 if it is no merge, or if other commits may be guilty."""
    return 0 if step.between else len(candidates[step.first].merged.split())


def other_change(question: SearchQuestion, merge: Bisection, branch: Bisection) -> str:
    """Reason why the change that was found on a branch is not the one that its merge brought in; "" if it may be.

    A branch may have merged what the commit before the merge has as well. Its own line then changes there, too.
    """
    step, inner = merge.steps[0], branch.steps[0]
    before, found = merge.candidates[step.last_without], branch.candidates[inner.first]
    named = f"{found.name[:12]} ({found.title})"
    _, repository = _parts(parse_ref(merge.candidates[step.first].ref, question.probe.arch))
    brought = found.merged.split() or [found.name]
    if not git(("rev-list", "--max-count=1", *brought, f"^{before.name}"), repository=repository).strip():
        return f"on its branch {named} is the largest change, and {before.name[:12]} has that already"
    if merge.state:
        same = [merge.state_at(at) for at in (step.last_without, step.first)] == [
            branch.state_at(at) for at in (inner.last_without, inner.first)
        ]
        return "" if same else f"on its branch {named} changes the state otherwise"
    if 0 < log(1 + inner.change) / log(1 + step.change) <= _MOST_OF_A_MERGE:
        return ""
    return f"on its branch {named} is the largest change, {format_change(inner.change)}, and no part of this one"


def _releases(good: KernelRef, bad: KernelRef, flavour: str, every: str, tell: Tell) -> Range:
    if every not in EVERY:
        raise unknown("--every: unknown", every, EVERY)
    versions = {version.version: version for version in kernel_store.versions("debian", good.arch, flavour, tell)}
    low, high = (choose(end.locator, versions) for end in (good, bad))
    for end, version in ((good, low), (bad, high)):
        if version is None:
            # Raises BadInput, which names the versions near it.
            kernel_store.fetch([end], flavour, tell)
    if low is None or high is None or version_key(low) >= version_key(high):
        raise BadInput(f"{good.text} is not older than {bad.text}", "the good kernel is the older one, --bad the newer")
    inside = [v for v in versions if version_key(low) < version_key(v) < version_key(high)]
    names = {versions[v].upstream for v in inside} - {versions[low].upstream, versions[high].upstream}
    chosen = {name: max((v for v in inside if versions[v].upstream == name), key=version_key) for name in names}
    if every == "series":
        series = {series_of(v) for v in chosen.values()} - {series_of(low), series_of(high)}
        newest = [choose(name, chosen.values()) for name in series]
        chosen = {versions[v].upstream: v for v in newest if v is not None}
    order = sorted(chosen, key=lambda name: version_key(chosen[name]))
    prefix = good.text.partition("debian:")[0]
    middle = [_release(n, chosen[n], prefix) for n in order]
    # The ends are named by version, too: "debian:7.3" is another kernel once the archive has the next update.
    same = versions[low].upstream == versions[high].upstream  # two packages of one version
    first, last = (
        _release(v if same else versions[v].upstream, v, prefix, asked=end.locator)
        for v, end in ((low, good), (high, bad))
    )
    note = "releases are searched in the order of their versions, as if each held all of the one before"
    return Range("releases", f"{good.text}..{bad.text}", (first, *middle, last), (note,))


def _release(upstream: str, version: str, prefix: str, asked: str = "") -> Candidate:
    """Named by its kernel version; by its package version where the user did so, and where the kernel version would be
    read as a whole series ("6.17")."""
    whole = not is_exact(upstream) or asked.replace("-rc", "~rc") == version
    locator = (version if whole else upstream).replace("~rc", "-rc")
    return Candidate(name=upstream, title=upstream, ref=f"{prefix}debian:{locator}")


def _symbols(good: KernelRef, bad: KernelRef, tell: Tell) -> Range:
    candidates, notes = symbol_candidates(good, bad, tell)
    return Range("configuration", f"{good.text}..{bad.text}", candidates, notes)


def _commits(good: KernelRef, bad: KernelRef, tell: Tell) -> Range:
    (build, repository), (other, elsewhere) = _parts(good), _parts(bad)
    if repository != elsewhere or structs.replace(build, revision="") != structs.replace(other, revision=""):
        raise BadInput(f"{good.text} and {bad.text} differ in more than the revision",
                       "give both the same tree, patches, cc and config")  # fmt: skip
    if not build.revision:
        raise BadInput(f"{good.text}: no revision", "write build:TREE@REV; the working files are no commit")
    old, new = resolve(repository, build.revision), resolve(repository, other.revision or "HEAD")
    if old == new:
        raise BadInput(f"{good.text} and {bad.text} are one commit, {old[:12]}", "name two commits")
    try:
        base = git(("merge-base", old, new), repository=repository).strip()
    except GitFailed as error:
        raise BadInput(f"{good.text} and {bad.text} have no common history", "name two commits of one line") from error
    if base == new:
        raise BadInput(f"{bad.text} is not newer than {good.text}", "a fix is searched with --good and --bad swapped")
    first = _left_at(repository, base, new) or base
    notes = [f"{bad.text} names no revision: its HEAD is searched, without what is not committed"]
    notes = [] if other.revision else notes
    if base != old:
        notes.append(f"{old[:12]} is no ancestor of {new[:12]}: their merge base {base[:12]} stands for the good one")
    if first != base:
        notes.append(f"{base[:12]} came in by a merge: {first[:12]}, where the first parents of {new[:12]} leave what "
                     f"it has, stands for the good one")  # fmt: skip
    for note in notes:
        tell(Progress(stage="bisect", subject="range", text=note))
    commits = _range(repository, first, new, build, good)
    return commits._replace(notes=(*commits.notes, *notes))


def _left_at(repository: Path, base: str, new: str) -> str:
    """The newest commit on the line of first parents of `new` that is also in `base`; "" when all of them are. With
    another start the first candidate would be compared with a commit that is not its parent."""
    line = git(("rev-list", "--first-parent", "--reverse", f"{base}..{new}"), repository=repository).split()
    if not line:
        return ""
    parent = ("rev-parse", "--verify", "--quiet", f"{line[0]}^1")
    return git(parent, repository=repository, may_fail=True).strip()  # a root commit has no parent


def _parts(ref: KernelRef) -> tuple[BuildRef, Path]:
    build = parse_build(ref.locator)
    repository = Path(build.tree).expanduser().resolve()
    if not is_repository(repository):
        raise BadInput(f"{ref.text}: not a git repository, so it has no commits to search", _WAYS)
    return structs.replace(build, tree=str(repository), pin=""), repository


def _range(repository: Path, good: str, bad: str, build: BuildRef, ref: KernelRef, leave_out: str = "") -> Range:
    """First parents from `good` to `bad`, both included; without what `leave_out` reaches."""
    without = (f"^{leave_out}",) if leave_out else ()
    # A repository may have log.showSignature set, which would print more lines.
    words = ("log", "--no-show-signature", f"--format={_FORMAT}")
    lines = git((*words, "--first-parent", "--reverse", f"{good}..{bad}", *without), repository=repository)
    start = git((*words, "-1", good), repository=repository)
    # Not splitlines(): a subject may hold a carriage return or another of the characters that it takes for an end.
    candidates = tuple(_candidate(line, build, ref) for line in (start + lines).split("\n") if line)
    return Range("git", f"{good[:12]}..{bad[:12]} of {repository}{_files((build,))}", candidates)


def _candidate(line: str, build: BuildRef, ref: KernelRef) -> Candidate:
    sha, subject, author, parents = line.split("\0")
    return Candidate(
        name=sha, title=subject, ref=with_build(ref, structs.replace(build, revision=sha)), author=author,
        merged=" ".join(parents.split()[1:]),
    )  # fmt: skip


def introduced(kind: str, candidates: Sequence[Candidate], step: Step) -> str:
    """Text for a regression tracker: a commit, a range of commits or a range of mainline tags; "" if none is known."""
    old, new = candidates[step.last_without], candidates[step.first]
    if kind == "git":
        return f"{old.name[:12]}..{new.name[:12]}" if step.between else new.name
    matches = [_RELEASE.fullmatch(candidate.name.removeprefix("debian:")) for candidate in (old, new)]
    if kind != "releases" or None in matches:
        return ""
    parts = [match.groups() for match in matches if match is not None]
    # Two updates of one series have no mainline between them; the range is that of the stable tree.
    same = parts[0][0] == parts[1][0]
    return "..".join(_tag(*part, updates=same) for part in parts)


def _tag(series: str, update: str | None, candidate: str | None, *, updates: bool) -> str:
    if candidate:
        return f"v{series}-{candidate}"
    return f"v{series}.{update}" if updates and update and update != "0" else f"v{series}"
