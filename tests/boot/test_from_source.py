# SPDX-License-Identifier: GPL-2.0-only
"""One small kernel, really built: its identity, what an edit rebuilds, what a kill leaves, and what it measures.

Everything after the first build is an increment on it, but for the one of `make release-test`.
"""

import difflib
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from benchmarks import _guilty

from kassay.effects.files import cache_directory, write_atomic
from kassay.model.build import BuildRef, build_text
from kassay.model.kernel import KernelArtifact, parse_ref
from kassay.model.progress import Progress, silent
from kassay.supply.building import builder, git, line_tables, slots
from kassay.supply.guest import compile, initramfs, protocol
from kassay.supply.kernels import fetch
from kassay.supply.kernels.build import note_without_texts
from kassay.supply.kernels.debian import release_config
from kassay.supply.machines import Job, machine_for
from tests.boot.conftest import ONCE, RESTORED, Kassay, command

pytestmark = [pytest.mark.boot, pytest.mark.network, pytest.mark.timeout(3000)]
BASE = "build:debian-source:7.3"
EXAMPLES = Path(__file__).parent.parent.parent / "examples"
SLOW_PATH = f"{BASE}+{EXAMPLES}/mprotect-general.patch"


def built(text: str) -> KernelArtifact:
    return fetch([parse_ref(text)], "cloud", silent)[0]


@pytest.fixture(scope="module")
def base() -> KernelArtifact:
    """The kernel that all questions here start from."""
    return built(BASE)


def test_a_built_kernel_says_what_it_was_built_of(base: KernelArtifact) -> None:
    found = base.identity
    assert found.release.startswith("7.3")
    assert found.build is not None and found.build.base == "debian-source:7.3"
    assert git.has_tree(found.build.tree)
    assert found.compiler is not None and "gcc" in found.compiler
    assert found.config_sha256 and (found.symbol_count or 0) > 5000
    assert base.pvh


def test_the_same_sources_are_the_same_image_from_nothing_and_after_a_kill(base: KernelArtifact) -> None:
    """Everything made of them is thrown away, the next build is killed half-way, and the one after it must not believe
    what that one left. The sources have a comment of their own, as another test may build the base meanwhile."""
    assert base.identity.build is not None
    tree, path = base.identity.build.tree, "init/version.c"
    commented = git.with_files(tree, {path: f"{git.read(tree, path)}/* the end */\n"})
    text = build_text(BuildRef(tree="debian-source:7.3", pin=commented))
    one = builder.wanted(parse_ref(text), release_config, silent)
    (cache_directory() / "refs" / "build" / one.key).unlink(missing_ok=True)
    note_without_texts(one).unlink(missing_ok=True)
    with builder.building(one.recipe, silent) as (_, objects):
        shutil.rmtree(objects)
    builder.log_of(one.key).unlink(missing_ok=True)  # a cache that was brought here need not have it
    child = subprocess.Popen(command("kernels", "fetch", text), stderr=subprocess.DEVNULL)
    while not builder.log_of(one.key).exists() or builder.log_of(one.key).read_text().count("\n") < 100:
        assert child.poll() is None
        time.sleep(0.05)
    child.kill()
    child.wait()
    told: list[Progress] = []
    again = fetch([parse_ref(text)], "cloud", told.append)[0]
    assert any("interrupted" in event.text for event in told)
    assert again.identity.image_sha256 == base.identity.image_sha256


def test_an_edit_rebuilds_what_it_touches_and_is_a_kernel_of_its_own(base: KernelArtifact) -> None:
    """A cache with the kernel and without its objects makes all of them at the first edit, and not at the next one."""
    assert base.identity.build is not None
    few = 12  # init/version.o and what the link makes
    made: list[int] = []
    for condition in ("nr_ptes == 1", "1 == nr_ptes", "nr_ptes < 2"):
        compiled = compiled_for(base.identity.build.tree, condition)
        assert "mm/mprotect.o" in compiled
        made.append(len(compiled))
        if made[-1] < few:
            break
    assert made[-1] < few, made


def test_sources_with_other_texts_are_not_built_again(base: KernelArtifact) -> None:
    assert base.identity.build is not None
    tree = base.identity.build.tree
    built = builder.wanted(parse_ref(BASE), release_config, silent)
    write_atomic(note_without_texts(built), built.key.encode())  # an earlier version may have built it
    edited = git.with_files(tree, {"MAINTAINERS": f"{git.read(tree, 'MAINTAINERS')}\n"})
    ref = parse_ref(build_text(BuildRef(tree="debian-source:7.3", pin=edited)))
    key = builder.wanted(ref, release_config, silent).key
    (cache_directory() / "refs" / "build" / key).unlink(missing_ok=True)
    told: list[Progress] = []
    found = fetch([ref], "cloud", told.append)[0]
    assert any("only in texts" in event.text for event in told)
    assert found.identity.image_sha256 == base.identity.image_sha256
    assert found.identity.build is not None and found.identity.build.tree == edited
    assert Path(found.lines or "").read_bytes() == Path(base.lines or "").read_bytes()


def compiled_for(tree: str, condition: str) -> list[str]:
    """Objects that were made for the kernel with this condition in place of the one that is marked as likely."""
    path = "mm/mprotect.c"
    text = git.read(tree, path)
    assert text is not None and "likely(nr_ptes == 1)" in text
    edited = git.with_files(tree, {path: text.replace("likely(nr_ptes == 1)", condition)})
    one = builder.wanted(parse_ref(build_text(BuildRef(tree="debian-source:7.3", pin=edited))), release_config, silent)
    builder.build_image(one, silent)
    return [line.split()[-1] for line in builder.log_of(one.key).read_text().splitlines() if " CC " in line]


def test_a_timed_run_waits_until_the_kernel_knows_its_clock(base: KernelArtifact, tmp_path: Path) -> None:
    """This kernel boots faster than it learns the TSC's rate: without the wait that falls into the region."""
    image = tmp_path / "initramfs"
    run = initramfs.job(("--run", "size=1MiB", "--rounds", "2", "--clock", "monotonic"), 0)
    init, workload = (compile.build(name, "x86_64") for name in ("init", "mincore_scan"))
    image.write_bytes(initramfs.build(init=init, workload=workload, job=run, timed=True))
    machine = machine_for("tcg")
    job = Job(
        directory=str(tmp_path), program=(), kernel=base.image, initramfs=str(image),
        cmdline=machine.cmdline("x86_64", 1, "short"), cpus=1, memory_bytes=1 << 30, seed=1, timeout_s=100,
    )  # fmt: skip
    files = {one.path: one.content or "" for one in protocol.parse(machine.run(job, "x86_64").stream).files}
    assert "\nclock calibrated\nstate quiet\n" in files["kassay/quiescence"]


def test_a_patch_that_makes_it_slower_is_found_and_itemised(kassay: Kassay, tmp_path: Path) -> None:
    words = (*RESTORED, "--perturb", "1", "--format", "json", "--out", str(tmp_path / "runs"))
    ran = kassay("compare", "mprotect_toggle", BASE, SLOW_PATH, *words)
    assert ran.status == 0, ran.err
    finding = next(one for one in ran.json()["findings"] if one["primary"])
    assert (finding["verdict"], finding["evidence"]) == ("regression", "exact")
    rows = finding["attribution"]["rows"]
    assert any(row["function"] == "prot_commit_flush_ptes" and row["delta"] > 0 for row in rows)
    source = ran.json()["kernels"][1]["build"]
    assert source["patches"] == ["mm/mprotect: no special case for order-0 folios"]
    for row in rows:  # every function of the kernel adds up from lines of the sources, inlined functions included
        if row["place"] == "kernel":
            assert sum(part["delta"] for part in row["source"]) == pytest.approx(row["delta"], abs=1e-9)
    changed = next(row for row in rows if row["function"] == "change_protection")["source"]
    assert any(part["function"] == "change_pte_range" and part["file"] == "mm/mprotect.c" for part in changed)
    assert "at mm/mprotect.c:" in finding["attribution"]["sentence"]
    assert finding["changed"]["state"] == "executed"
    packed = tmp_path / "bundle"
    assert kassay("bundle", "pack", str(tmp_path / "runs"), "--out", str(packed)).status == 0
    assert (packed / "run" / "changes.json").is_file()
    assert kassay("bundle", "verify", str(packed)).status == 0  # lines and changes are recomputed from the bundle alone


@pytest.mark.release
def test_line_tables_change_no_byte_of_the_image(
    base: KernelArtifact, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same kernel, built without line tables: every object of it once more, in a directory of its own."""
    monkeypatch.setattr(line_tables, "ARGUMENTS", ())
    one = builder.wanted(parse_ref(BASE), release_config, silent)
    without = builder.build_image(one, silent)
    assert base.lines is not None
    assert line_tables.lines_with_code(Path(base.lines), ("mm/mprotect.c",))["mm/mprotect.c"]
    (tmp_path / "without").write_bytes(without.lines)
    assert line_tables.lines_with_code(tmp_path / "without", ("mm/mprotect.c",)) == {}
    assert without.image == Path(base.image).read_bytes()


def test_a_patch_that_the_workload_does_not_execute_is_not_called_equivalent(
    kassay: Kassay, base: KernelArtifact, tmp_path: Path
) -> None:
    """A line of mremap's, which no mprotect() executes, and a comment above code that runs."""
    patches = tmp_path / "patches"
    patches.mkdir()
    line, definition = "\tbool force_flush = false;\n", "static long change_pte_range("
    edits = (
        ("mm/mremap.c", line, f"{line}\t(void)READ_ONCE(pmc->old->vm_flags);\n"),
        ("mm/mprotect.c", definition, f"/* A comment.\n * Of two lines. */\n{definition}"),
    )
    for number, (path, old, new) in enumerate(edits, 1):
        before = "".join(f"{text}\n" for text in _lines(path))
        assert before.count(old) == 1
        texts = before.splitlines(keepends=True), before.replace(old, new).splitlines(keepends=True)
        diff = "".join(difflib.unified_diff(texts[0], texts[1], f"a/{path}", f"b/{path}"))
        (patches / f"{number}.patch").write_text(f"Subject: patch {number}\n\n{diff}")
    words = ("series", "mprotect_toggle", "--base", BASE, "--patches", str(patches), *RESTORED, *ONCE)
    ran = kassay(*words, "--out", str(tmp_path / "series"))
    assert ran.status == 0, ran.err
    found = ran.json()
    rows = {row["name"]: row for row in found["series"]["rows"]}
    assert (rows["whole"]["outcome"], rows["whole"]["same_as"]) == ("same-image", "1")  # other lines, the same code
    values = {one["row"]: one for one in next(t for t in found["series"]["tables"] if t["primary"])["values"]}
    assert (values["1"]["delta"], values["1"]["changed"]) == (0, "not-executed")
    assert "not executed in the measured part" in found["verdict"] and "left out" not in found["verdict"]
    (part,) = next(one for one in found["findings"] if one["primary"])["changed"]["parts"]
    assert (part["path"], part["function"], part["executed"]) == ("mm/mremap.c", "move_ptes", [])
    assert part["not_executed"]
    assert [one["function"] for one in values["1"]["elsewhere"]] == ["move_ptes"]
    assert "folio_mremap" in values["1"]["elsewhere"][0]["workloads"]


def test_a_patch_that_does_not_apply_and_one_that_does_not_compile_are_refused(kassay: Kassay, tmp_path: Path) -> None:
    once = EXAMPLES / "mprotect-general.patch"
    ran = kassay("kernels", "fetch", f"{BASE}+{once}+{once}")
    assert (ran.status, "is in the source already" in ran.err) == (2, True)
    patch = tmp_path / "one.patch"
    head = "--- a/mm/msync.c\n+++ b/mm/msync.c\n@@ -1,2 +1,3 @@\n"
    patch.write_text(f"{head} // not its first line\n+int x;\n /*\n")
    ran = kassay("kernels", "fetch", f"{BASE}+{patch}")
    assert ran.status == 2
    assert "mm/msync.c:1" in ran.err and "+int x;" in ran.err
    first, second = _lines("mm/msync.c")[:2]
    patch.write_text(f"{head} {first}\n+int x = zero;\n {second}\n")
    ran = kassay("kernels", "fetch", f"{BASE}+{patch}")
    assert ran.status == 2
    assert "mm/msync.c:2" in ran.err and "zero" in ran.err and ".log" in ran.err


def _lines(path: str) -> list[str]:
    found = built(BASE).identity.build
    assert found is not None
    return str(git.read(found.tree, path)).splitlines()


def test_a_commit_is_found_past_one_that_does_not_build_and_one_that_panics(
    kassay: Kassay, base: KernelArtifact, tmp_path: Path
) -> None:
    assert base.identity.build is not None
    place = tmp_path / "history.git"
    guilty = _guilty.make(place, base.identity.build.tree, commits=8, guilty=6, unbuildable=4, unbootable=2)
    words = ("bisect", "mprotect_toggle", "--good", f"build:{place}@good", "--bad", f"build:{place}@main")
    ran = kassay(*words, *RESTORED, *ONCE, "--out", str(tmp_path / "search"))
    assert ran.status == 0, ran.err
    found = ran.json()["bisection"]
    first = found["candidates"][found["steps"][0]["first"]]
    assert first["name"] == guilty
    assert len(found["steps"]) == 1 and found["measured"] <= 5 + len(found["skipped"])


def test_a_series_says_which_of_its_patches_does_it(kassay: Kassay, tmp_path: Path) -> None:
    words = ("series", "mprotect_toggle", "--base", SLOW_PATH, "--patches", str(EXAMPLES / "mprotect-order-0"))
    ran = kassay(*words, *RESTORED, *ONCE, "--out", str(tmp_path / "series"))
    assert ran.status == 0, ran.err
    found = ran.json()["series"]
    assert [patch["number"] for patch in found["patches"]] == [1, 2, 3, 4]
    assert {row["kind"] for row in found["rows"]} == {"base", "cumulative", "without"}
    values = {one["row"]: one for one in next(t for t in found["tables"] if t["primary"])["values"]}
    whole = next(row["name"] for row in found["rows"] if row["kind"] == "cumulative" and len(row["patches"]) == 4)
    assert values[whole]["to_base"] < -0.1


def test_sources_in_the_slots_are_what_their_trees_say(base: KernelArtifact) -> None:
    """Last: after everything above the checked-out sources are still exactly a tree of the store."""
    for slot in slots.directory().glob("src-*"):
        assert git.git(("diff-files", "--name-only"), index=slot / "index", work_tree=slot / "src") == ""
