# SPDX-License-Identifier: GPL-2.0-only
"""kassay kernels list and show: for people and for programs."""

import json
from pathlib import Path

from kassay.commands._known_kernels import LISTED, SHOWN, KernelList, KnownKernels
from kassay.model.kernel import parse_ref
from kassay.model.records import to_json
from kassay.supply.kernels import KernelVersion, fetch
from tests.kernels import fakes
from tests.kernels.fakes import Told


def test_a_kernel_is_shown_with_whole_hashes_on_any_terminal(cache: Path, tmp_path: Path) -> None:
    image = tmp_path / "vmlinuz"
    image.write_bytes(fakes.bzimage(fakes.gzip(fakes.vmlinux("6.99.1"))))
    kernels = KnownKernels(kernels=tuple(fetch([parse_ref(f"image:{image}")], "cloud", Told())))
    identity = kernels.kernels[0].identity
    screen = SHOWN.form("terminal").screen
    assert screen is not None and identity.image_sha256 is not None
    lines = [line.text.split() for line in screen(kernels)]
    assert ["image_sha256", identity.image_sha256] in lines and ["package_version", "-"] in lines
    shown = json.loads(SHOWN.form("json").render(kernels))
    assert shown["kernels"][0]["identity"] == json.loads(to_json(identity))


def test_a_list_of_kernels_names_those_that_were_fetched() -> None:
    kernels = tuple(
        KernelVersion(ref=f"debian:6.{minor}.1", upstream=f"6.{minor}.1", arch="x86_64", flavour="cloud",
                      package="linux-image", version=f"6.{minor}.1-1", suite="trixie", size_bytes=1, fetched=fetched)
        for minor, fetched in ((12, True), (17, False))
    )  # fmt: skip
    answer = KernelList(arch="x86_64", flavour="cloud", kernels=kernels)
    screen = LISTED.form("terminal").screen
    assert screen is not None
    rows = [line.text.split() for line in screen(answer)][-2:]
    assert rows == [["debian:6.12.1", "6.12.1-1", "trixie", "fetched"], ["debian:6.17.1", "6.17.1-1", "trixie"]]
    assert [kernel["fetched"] for kernel in json.loads(LISTED.form("json").render(answer))["kernels"]] == [True, False]
