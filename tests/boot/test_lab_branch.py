# SPDX-License-Identifier: GPL-2.0-only
"""A laboratory that follows a branch finds a loss that was committed to it, and names the commit."""

from pathlib import Path

import pytest

from kassay.labs.site.model import Site
from kassay.labs.site.turn.settings import load
from kassay.labs.site.turn.steps_file import read
from kassay.labs.site.turn.turn import Outside, turn
from kassay.model.progress import silent
from kassay.supply.building import git
from tests.boot.test_ci import SUITE, Tree

pytestmark = [pytest.mark.boot, pytest.mark.network, pytest.mark.timeout(3000)]
FILE = "mm/mprotect.c"
BATCH = "\t\t\tnr_ptes = mprotect_folio_pte_batch(folio, pte, oldpte, max_nr_ptes, flags);\n"


def test_the_commit_of_a_planted_loss_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = Tree(tmp_path / "linux")
    text = git.read(tree.base, FILE)
    assert text is not None and BATCH in text
    since = tree.revision("main")
    for old, new in (("/* Set nr_ptes number", "/* Sets nr_ptes number"), (BATCH, "\t\t\tnr_ptes = 1 + 0 * flags;\n"),
                     ("/* Sets nr_ptes number", "/* Set the nr_ptes number")):  # fmt: skip
        text = text.replace(old, new)
        tree.commit("main", git.with_files(tree.base, {FILE: text}), "main")
    loss = tree.revision("main^")
    (tmp_path / "ext" / "suites").mkdir(parents=True)
    (tmp_path / "ext" / "suites" / "tiny.toml").write_text(SUITE.replace('["0", "9"]', '["9"]'))
    monkeypatch.setenv("KASSAY_PATH", str(tmp_path / "ext"))
    (tmp_path / "lab.toml").write_text(
        f'suites = ["tiny"]\n[[branch]]\ntree = "linux"\nname = "main"\nsince = "{since}"\n'
    )
    lab, sites = load(tmp_path / "lab.toml"), list[Site]()
    outside = Outside(write_site=lambda site, directory, tell: sites.append(site))
    turned = turn(lab, outside, silent)
    assert turned.notes == () and len(turned.measured) == 1
    entries = read(Path(lab.steps))
    assert {entry.state for entry in entries} == {"narrowed"}
    assert all(entry.text.startswith(f"commit {loss[:12]}") for entry in entries)
    drafts = [path.read_text() for path in Path(lab.outbox).iterdir()]
    subjects = [" ".join(draft.partition("\n\n")[0].split()) for draft in drafts]
    assert len(drafts) == len(entries)
    known = f"#regzbot introduced: {loss[:12]} (found by bisection)"
    assert all(known in " ".join(draft.split()) for draft in drafts)
    assert all(f"linux {tree.revision('main')[:12]} against linux {since[:12]}" in subject for subject in subjects)
    again = turn(lab, outside, silent)
    assert (again.measured, again.found, again.missing) == ((), 0, ())
