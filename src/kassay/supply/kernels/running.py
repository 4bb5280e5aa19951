# SPDX-License-Identifier: GPL-2.0-only
"""running: the installed kernel that runs on this host now, booted in QEMU."""

import os

from kassay.errors import BadInput
from kassay.model.kernel import KernelArtifact, KernelRef
from kassay.model.progress import Tell
from kassay.supply.kernels import installed
from kassay.supply.kernels._source import KernelSource


class RunningKernel(KernelSource):
    """The installed kernel whose release and banner are those of the running one."""

    name = "running"
    summary = "the installed kernel that runs on this host, booted in QEMU: running"

    def check(self, ref: KernelRef, flavour: str, tell: Tell) -> None:
        """See KernelSource."""
        installed.check_installed(ref, os.uname().release)

    def resolve(self, ref: KernelRef, flavour: str, tell: Tell) -> KernelArtifact:
        """See KernelSource; flavour means nothing here."""
        release = os.uname().release
        artifact = installed.installed(ref, release, tell)
        running = (installed.ROOT / "proc/version").read_text("utf-8", "replace").strip()
        if (artifact.identity.banner or "").strip() != running:
            raise BadInput(
                f"kernel {ref.text!r}: the installed image of {release} is another build than the running kernel\n"
                f"  installed: {artifact.identity.banner}\n  running: {running}",
                f"restart the host, or write installed:{release} for the installed one",
            )
        return artifact


SOURCE = RunningKernel()
