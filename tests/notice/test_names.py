# SPDX-License-Identifier: GPL-2.0-only
"""A function that a kernel lacks is refused: its code would be counted on one side only."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from kassay.errors import BadInput
from kassay.labs.notice.commands import _names
from kassay.labs.notice.names import check_names
from kassay.model.experiment import Experiment, KernelUse, WorkloadUse
from kassay.model.progress import silent
from tests.notice.paths import paths

HEAD = {"__x64_sys_mprotect", "mprotect_fixup", "change_protection", "change_pte_range", "added"}
KERNELS = {"6.16": HEAD - {"change_pte_range", "added"}, "6.17": HEAD}
WAYS = paths({
    "mprotect > mprotect_fixup > added > change_pte_range": 1.0,
    "mprotect > change_protection > change_pte_range": 5.0,
}).paths  # fmt: skip


@pytest.mark.parametrize(
    ("name", "what", "remedy"),
    [
        ("change_pte_range", "6.16 has no function change_pte_range", ": change_protection and mprotect_fixup"),
        ("change_protecton", "no function change_protecton in 6.16 or 6.17", "did you mean change_protection? "),
    ],
)  # fmt: skip
def test_a_name_that_a_kernel_lacks_is_refused_with_what_to_name(name: str, what: str, remedy: str) -> None:
    with pytest.raises(BadInput) as caught:
        check_names({name, "change_protection"}, KERNELS, lambda: WAYS)
    assert caught.value.what.startswith(what)
    assert remedy in caught.value.remedy


def test_names_that_all_kernels_have_are_accepted() -> None:
    check_names({"change_protection"}, KERNELS, tuple)


def test_symbols_are_read_before_anything_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A compiler's copy has the name of the original; a kernel without symbols is not checked."""
    artifacts = []
    for name, function in (("a", "own.constprop.0"), ("b", "other"), ("c", "")):
        file = tmp_path / name
        symbols = enumerate(("T _text", f"t {function}", "t last", "T _end"))
        file.write_text("".join(f"{0xFFFFFFFF81000000 + 16 * at:x} {symbol}\n" for at, symbol in symbols))
        artifacts.append(SimpleNamespace(symbols=str(file) if function else None, identity=SimpleNamespace(ref=name)))
    monkeypatch.setattr(_names, "fetch_kernels", lambda *_: tuple(artifacts))
    monkeypatch.setattr(_names, "load_modules", lambda *_: ())
    uses = tuple(KernelUse(ref=f"debian:6.{minor}") for minor in (16, 17, 18))
    experiment = Experiment(name="x", question="ladder", kernels=uses, workloads=(WorkloadUse(name="page_fault"),))
    _names.check_before({"last"}, experiment, silent)
    with pytest.raises(BadInput, match=r"debian:6\.17 has no function own of its own") as caught:
        _names.check_before({"own"}, experiment, silent)
    assert "`kassay profile DIR" in caught.value.remedy
