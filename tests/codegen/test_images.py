# SPDX-License-Identifier: GPL-2.0-only
"""Functions in kernel images."""

from pathlib import Path

import msgspec
import pytest

from kassay.errors import BadInput
from kassay.model.kernel import KernelArtifact
from kassay.supply.machine_code.images import Image
from kassay.supply.machine_code.listing import listing
from tests.codegen.compiled import ARM64, SCAN, built, code_of, linked, linked_arm64, stubs

TOP = 0xFFFFFFFF81000000
ARM_TOP = 0xFFFF800080000000


def kernel(directory: Path) -> KernelArtifact:
    return linked((stubs(), built(SCAN)), TOP, directory)


def symbols_with(artifact: KernelArtifact, directory: Path, *more: str) -> KernelArtifact:
    assert artifact.symbols is not None
    other = directory / "symbols-more"
    other.write_text(Path(artifact.symbols).read_text() + "".join(f"{line}\n" for line in more))
    return msgspec.structs.replace(artifact, symbols=str(other))


def test_the_size_is_the_object_s(tmp_path: Path) -> None:
    found = Image(kernel(tmp_path)).find("scan")
    assert found is not None
    last = code_of(SCAN).instructions[-1]
    assert len(found.parts[0].code) == last.offset + last.size


def test_a_name_that_two_functions_have_is_ambiguous(tmp_path: Path) -> None:
    twice = symbols_with(kernel(tmp_path), tmp_path, f"{TOP + 2:016x} t scan")
    with pytest.raises(BadInput, match="2 functions are called scan"):
        Image(twice).find("scan")


def test_a_variable_that_the_table_calls_code_is_no_function(tmp_path: Path) -> None:
    """Since 6.16 sections of data are marked as executable on x86_64."""
    data = TOP + (1 << 24)
    lines = [
        f"{data:016x} T _sdata",
        f"{data + 8:016x} t scan",
        f"{data + 16:016x} t flag",
        f"{data + 24:016x} T _edata",
    ]
    image = Image(symbols_with(kernel(tmp_path), tmp_path, *lines))
    assert image.find("scan") == Image(kernel(tmp_path)).find("scan")._replace(file=image)  # type: ignore[union-attr]
    assert image.find("flag") is None and "flag" not in image.functions()
    assert image.name((0, data + 20)) == "flag+0x4"


def test_a_kernel_without_the_function_has_none_and_lists_others(tmp_path: Path) -> None:
    image = Image(symbols_with(kernel(tmp_path), tmp_path, f"{TOP:016x} t __pfx_scan"))
    assert image.find("scam") is None
    assert "scan" in image.functions() and "__pfx_scan" not in image.functions()


def test_a_kernel_without_symbols_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no symbol table"):
        Image(msgspec.structs.replace(kernel(tmp_path), symbols=None))


def test_code_that_is_not_in_the_file_is_refused(tmp_path: Path) -> None:
    far = symbols_with(
        kernel(tmp_path), tmp_path, f"{TOP + (1 << 28):016x} t far", f"{TOP + (1 << 28) + 16:016x} t end"
    )
    with pytest.raises(BadInput, match="is not in its file"):
        Image(far).find("far")


def test_an_arm64_image_has_the_object_s_function_wherever_it_is_linked(tmp_path: Path) -> None:
    texts = []
    for at in (ARM_TOP, ARM_TOP + 0x12000):
        found = Image(linked_arm64((built(SCAN, ARM64),), at, tmp_path)).find("scan")
        assert found is not None
        texts.append([one.text for one in listing(found).instructions])
    assert texts[0] == texts[1] == [one.text for one in code_of(SCAN, ARM64).instructions]


def test_a_file_that_is_no_arm64_image_is_refused(tmp_path: Path) -> None:
    wrong = msgspec.structs.replace(linked_arm64((), ARM_TOP, tmp_path), image=__file__)
    with pytest.raises(BadInput, match="neither an ELF file nor an arm64 Image"):
        Image(wrong)


def test_copies_of_one_name_are_of_two_functions(tmp_path: Path) -> None:
    """Static functions of two files, of which only copies are left."""
    both = symbols_with(kernel(tmp_path), tmp_path, f"{TOP + 2:016x} t odd.isra.0", f"{TOP + 4:016x} t odd.isra.0")
    with pytest.raises(BadInput, match=r"2 functions are called odd\.isra\.0"):
        Image(both).find("odd")


@pytest.mark.parametrize("copy", ["scan.isra.0", "scan.constprop.0", "scan.constprop.0.isra.0", "scan.llvm.12"])
def test_a_whole_copy_beside_the_function_may_be_of_another_file(copy: str, tmp_path: Path) -> None:
    both = symbols_with(kernel(tmp_path), tmp_path, f"{TOP + 2:016x} t {copy}")
    with pytest.raises(BadInput, match=f"2 functions are called scan or {copy}"):
        Image(both).find("scan")


@pytest.mark.parametrize("part", ["scan.cold", "scan.part.0", "scan.isra.0.cold"])
def test_parts_of_a_function_and_a_second_name_of_it_are_the_function(part: str, tmp_path: Path) -> None:
    own = kernel(tmp_path)
    start = Image(own).find("scan").parts[0].spot[1]  # type: ignore[union-attr]
    whole = symbols_with(own, tmp_path, f"{TOP + 2:016x} t {part}", f"{start:016x} t scan.isra.0")
    found = Image(whole).find("scan")
    assert found is not None and part in {one.name for one in found.parts}
