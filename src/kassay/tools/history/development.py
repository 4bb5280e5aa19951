# SPDX-License-Identifier: GPL-2.0-only
"""Kernels of one series -> lines of development: only kernels of one line are neighbours of each other."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import structs

from kassay.effects.files import expanded
from kassay.errors import BadInput
from kassay.model.build import BuildRef, build_text, parse_build
from kassay.model.kernel import parse_ref
from kassay.model.kinds import Kind, kinds
from kassay.model.records import grouped
from kassay.supply.building.git import ancestors, commits_in_order, is_repository
from kassay.tools.history.records import KernelPoint, StoredKernel

Key = tuple[str, ...]
CommitPlaces = Callable[[str, Iterable[str]], Mapping[str, int]]
"""(tree, revisions) -> places of the commits in their order; without those that are not known here."""
Revision = tuple[str, str]
"""Tree and revision of a build."""
_RELEASES = ("debian-source:", "release:")
"""In front of the version, in builds of a release."""


def places_in_tree(tree: str, revisions: Iterable[str]) -> Mapping[str, int]:
    """The places of commits by the git tree on this host; none if the tree is gone."""
    path = expanded(tree)
    commits = commits_in_order(path, filter(None, revisions)) if is_repository(path) else {}
    places = {sha: place for place, sha in enumerate(dict.fromkeys(commits.values()))}
    return {revision: places[sha] for revision, sha in commits.items()}


def ancestors_of_builds(builds: Iterable[BuildRef]) -> dict[Revision, frozenset[Revision]]:
    """The ancestors of each build among all of these; without builds whose commit is not known here."""
    found: dict[Revision, frozenset[Revision]] = {}
    for tree, revisions in grouped((build.tree, build.revision) for build in builds if build.revision).items():
        path = expanded(tree)
        commits = commits_in_order(path, revisions) if is_repository(path) else {}
        behind = ancestors(path, commits.values()) if len(set(commits.values())) > 1 else {}
        for name, sha in commits.items():
            own = (one for one, other in commits.items() if other == sha or other in behind.get(sha, ()))
            found[tree, name] = frozenset((tree, one) for one in own)
    return found


def places_of_builds(builds: Iterable[BuildRef], places: CommitPlaces = places_in_tree) -> dict[Revision, int]:
    """Places by (tree, revision). A place is compared with others of its tree."""
    revisions = grouped((build.tree, build.revision) for build in builds)
    return {(tree, name): place for tree, names in revisions.items() for name, place in places(tree, names).items()}


def developments(
    points: Sequence[KernelPoint], order: Callable[[str | None], tuple[int, ...] | None],
    places: CommitPlaces = places_in_tree,
) -> list[tuple[str, list[KernelPoint]]]:  # fmt: skip
    """Each line's name ("" for releases of the archive and for imports) and its points, in their order.

    Releases of the archive are one line. Builds of one tree, configuration and compiler are one line, in the order of
    their releases, then of their commits; a build whose place is not known is a line of its own. A further branch of
    the tree is a line that begins where it forks. A patched build is a line of its own that begins with its base, if
    the base was measured. points: one of each kernel. order: of releases.
    """
    trunks: dict[Key, list[KernelPoint]] = {}
    patched: list[KernelPoint] = []
    for point in points:
        build = build_of(point.kernel)
        if build is not None and build.patches:
            patched.append(point)
        else:
            trunks.setdefault(_key(point.kernel, build), []).append(point)
    lines: list[tuple[str, list[KernelPoint]]] = []
    for key, members in trunks.items():
        placed, alone = _placed(members, order, places)
        name = ", ".join(filter(None, key[1:]))
        branches = _branches(placed, order)
        lines += [(name if own is branches[0] else f"{name}, to {own[-1].kernel.name}", own) for own in branches]
        lines += [(own.kernel.ref, [own]) for own in alone]
    for own in patched:
        bases = [point for point in points if _is_base(point.kernel, own.kernel)]
        name = f"{own.kernel.ref.partition(',tree=')[0]} and its base"
        lines.append((name, [*(bases if len(bases) == 1 else []), own]))
    return lines


def build_of(kernel: StoredKernel) -> BuildRef | None:
    """Inputs of a kernel's build; None if kassay did not build it."""
    kind = _kind(kernel)
    return parse_build(parse_ref(kernel.ref).locator) if kind is not None and kind.name == "build" else None


def _kind(kernel: StoredKernel) -> Kind | None:
    """The kind of its reference; None for a kernel that no reference names."""
    try:
        return kinds()[parse_ref(kernel.ref).kind]
    except BadInput:
        return None


def _key(kernel: StoredKernel, build: BuildRef | None) -> Key:
    """Kernels without patches of equal keys may be neighbours."""
    if build is None:
        kind = _kind(kernel)
        if kind is not None and (kind.files or kind.native):
            return ("files", kernel.compiler or "", f"configuration {(kernel.config_sha256 or 'unknown')[:8]}")
        return ("releases",)
    tree = next((prefix.rstrip(":") for prefix in _RELEASES if build.tree.startswith(prefix)), build.tree)
    made = structs.replace(build, tree=tree, revision="", patches=(), pin="")
    return ("builds", build_text(made), (kernel.compiler or "").partition(",")[0])


def _placed(
    points: Sequence[KernelPoint], order: Callable[[str | None], tuple[int, ...] | None], places: CommitPlaces
) -> tuple[list[KernelPoint], list[KernelPoint]]:
    """Points in their order, and those whose place among the others is not known. Only builds have such."""
    builds = {id(point): build for point in points if (build := build_of(point.kernel)) is not None}
    if not builds:
        return list(points), []
    kernels: dict[tuple[int, ...] | None, set[str]] = {}
    for point in points:
        kernels.setdefault(order(point.kernel.release), set()).add(point.kernel.id)
    keyed: list[tuple[tuple[int, ...], int, KernelPoint]] = []
    alone = []
    tied = (builds[id(point)] for point in points if _is_tied(order(point.kernel.release), kernels))
    at = places_of_builds(tied, places)
    for point in points:
        release, build = order(point.kernel.release), builds[id(point)]
        place = at.get((build.tree, build.revision)) if _is_tied(release, kernels) else 0
        if place is None:
            alone.append(point)
        else:
            keyed.append((release or (), place, point))
    taken: dict[tuple[tuple[int, ...], int], set[str]] = {}
    for release_, place, point in keyed:
        taken.setdefault((release_, place), set()).add(point.kernel.id)
    unclear = {key for key, names in taken.items() if len(names) > 1}
    alone += [point for release_, place, point in keyed if (release_, place) in unclear]
    clear = sorted((item for item in keyed if item[:2] not in unclear), key=lambda item: (*item[:2], item[2].first))
    return [point for *_, point in clear], alone


def _branches(
    points: Sequence[KernelPoint], order: Callable[[str | None], tuple[int, ...] | None]
) -> list[list[KernelPoint]]:  # fmt: skip
    """Points in their order -> those of each branch. Two kernels of one release are neighbours only if one is an
    ancestor of the other. A branch begins with the kernel that it forks from."""
    builds = {point.kernel.id: build for point in points if (build := build_of(point.kernel)) is not None}
    releases = {point.kernel.id: order(point.kernel.release) for point in points}
    if len(builds) == len({releases[name] for name in builds}):
        return [list(points)] if points else []
    behind = ancestors_of_builds(builds.values())

    def is_ancestor(one: KernelPoint, other: KernelPoint) -> bool:
        before, after = ((builds[p.kernel.id].tree, builds[p.kernel.id].revision) for p in (one, other))
        return before in behind.get(after, (before,))

    def may_follow(one: KernelPoint, other: KernelPoint) -> bool:
        return releases[one.kernel.id] != releases[other.kernel.id] or is_ancestor(one, other)

    branches: list[list[KernelPoint]] = []
    for point in points:
        ends = [own for own in branches if may_follow(own[-1], point)]
        if ends:
            max(ends, key=lambda own: is_ancestor(own[-1], point)).append(point)
        else:
            before = [one for own in branches for one in own if may_follow(one, point)]
            branches.append([*before[-1:], point])
    return branches


def _is_tied(release: tuple[int, ...] | None, kernels: Mapping[tuple[int, ...] | None, set[str]]) -> bool:
    """True if the release alone does not say where a kernel stands."""
    return release is None or len(kernels[release]) > 1


def _is_base(other: StoredKernel, kernel: StoredKernel) -> bool:
    """True if `other` is the same build without the patches, by the same compiler."""
    base, build = build_of(other), build_of(kernel)
    if base is None or build is None or base.patches or other.compiler != kernel.compiler:
        return False
    return structs.replace(base, pin="") == structs.replace(build, patches=(), pin="")
