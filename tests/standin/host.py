# SPDX-License-Identifier: GPL-2.0-only
"""One started stand-in: its address, console log, power switch and network cable.

Everything of it is in one directory. The disk's changes go into an unnamed file that ends with the process.
"""

import io
import json
import os
import shutil
import signal
import socket
import subprocess
import tarfile
import time
from pathlib import Path
from typing import NamedTuple

from kassay.effects.files import read_errors
from kassay.errors import HostLacks
from tests.standin.image import Image

USER = "lab"
_UID = 1000
_SSH_FAILED = 255
_SANDBOX = "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny"
# Now and then a CPU executes a breakpoint of the kernel that another one has just removed, as QEMU 7.2 has a thread for
# each: that boot ends in a panic, and the next one begins.
_CMDLINE = "root=LABEL=standin ro console=ttyS0 net.ifnames=0 no_timer_check quiet panic=5"
# With cmpxchg16b some boots under QEMU 7.2 ended in a double fault, and none without it, which kernels can do: QEMU is
# suspected to leave wrong flags behind it. Of a core with two threads only a CPU of Intel's makes siblings by itself.
_MODELS = {1: ("2", "qemu64,+rdrand,-cx16,-svm"), 2: ("2,sockets=1,cores=1,threads=2", "Nehalem,+rdrand,-cx16")}
BOOT_S = 900


class Ran(NamedTuple):
    """A command that ended on the stand-in."""

    status: int
    out: str
    err: str


class StandIn:
    """A stand-in that was started in `directory`, by this process or another one."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory.resolve()
        with read_errors(directory, "name the directory in which a stand-in was started"):
            self.port = int((self.directory / "port").read_text())
            self.pid = int((self.directory / "pid").read_text())

    @property
    def address(self) -> str:
        """Address in the form that --on takes."""
        return f"ssh://{USER}@127.0.0.1:{self.port}"

    @property
    def path(self) -> str:
        """PATH with an ssh in front that knows the keys of this start."""
        return f"{self.directory}/bin:{os.environ['PATH']}"

    @property
    def console(self) -> str:
        """All that its kernels have written so far."""
        return (self.directory / "console").read_text("utf-8", "replace")

    @property
    def running(self) -> bool:
        """True if its QEMU is running."""
        try:
            return Path(f"/proc/{self.pid}/cwd").readlink() == self.directory
        except OSError:
            return False

    def ssh(self, command: str, *, timeout_s: float = 120) -> Ran:
        """A command line of its shell, as the user; status 255 where ssh itself failed."""
        argv = (f"{self.directory}/bin/ssh", "-p", str(self.port), f"{USER}@127.0.0.1", command)
        try:
            done = subprocess.run(argv, capture_output=True, text=True, timeout=timeout_s, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return Ran(255, "", f"no answer within {timeout_s} s")
        return Ran(done.returncode, done.stdout, done.stderr)

    def answers(self, within_s: float = BOOT_S) -> bool:
        """Waits until it has booted, to the last service; False when that takes longer, or QEMU ended."""
        until = time.monotonic() + within_s
        while self.running and time.monotonic() < until:
            if self.ssh("true", timeout_s=20).status == 0:
                return self.ssh("sudo systemctl is-system-running --wait", timeout_s=within_s).status < _SSH_FAILED
            time.sleep(1)
        return False

    def reset(self) -> None:
        """Reset it like a power switch that is turned off and on. It boots its own kernel."""
        self._qmp("system_reset")

    def link(self, *, up: bool) -> None:
        """Plugs the network cable in, or out."""
        self._qmp("set_link", name="card", up=up)

    def stop(self) -> None:
        """Ends it by the id of its process; the directory stays."""
        if self.running:
            os.kill(self.pid, signal.SIGKILL)
            while self.running:
                time.sleep(0.05)

    def _qmp(self, command: str, **arguments: object) -> None:
        place = os.open(self.directory, os.O_PATH | os.O_DIRECTORY)
        try:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.settimeout(20)
                connection.connect(f"/proc/self/fd/{place}/qmp")  # the directory's own name may be too long
                with connection.makefile("rw") as lines:
                    lines.readline()
                    for order in ({"execute": "qmp_capabilities"}, {"execute": command, "arguments": arguments}):
                        lines.write(json.dumps(order) + "\n")
                        lines.flush()
                        while "event" in (answer := json.loads(lines.readline())):
                            pass
                        if "error" in answer:
                            raise RuntimeError(f"{command}: {answer['error']['desc']}")
        finally:
            os.close(place)


def start(directory: Path, image: Image, *, governor: str = "", threads: int = 1, ends_with_us: bool = True) -> StandIn:
    """Starts QEMU and returns at once; answers() waits for the boot.

    governor: what files of a governor say after each boot, "" for no such files. threads: of a core, 1 or 2; there are
    two CPUs in any case. ends_with_us: whether the stand-in ends with the thread that started it.
    """
    directory = directory.resolve()
    if shutil.which("qemu-system-x86_64") is None:
        raise HostLacks("the stand-in needs qemu-system-x86_64")
    (directory / "bin").mkdir(parents=True, exist_ok=True)
    port = _free_port()
    _identity(directory, port, governor)
    (directory / "port").write_text(f"{port}\n")
    with (directory / "stderr").open("wb") as errors:
        child = subprocess.Popen(
            (*(("setpriv", "--pdeathsig", "KILL", "--") if ends_with_us else ()), *_argv(image, port, threads)),
            cwd=directory, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors, start_new_session=True,
            env={**os.environ, "TMPDIR": str(directory)},
        )  # fmt: skip
    (directory / "pid").write_text(f"{child.pid}\n")
    _children.append(child)
    return StandIn(directory)


_children: list[subprocess.Popen[bytes]] = []
"""Kept, as a Popen that is collected while its process runs is a warning."""


def _argv(image: Image, port: int, threads: int) -> tuple[str, ...]:
    cpus, model = _MODELS[threads]
    return (
        "qemu-system-x86_64", "-machine", "q35,sata=off", "-accel", "tcg,thread=multi", "-cpu", model,
        "-smp", cpus, "-m", "2G",
        "-nodefaults", "-no-user-config", "-display", "none", "-monitor", "none", "-sandbox", _SANDBOX,
        "-chardev", "file,id=console,path=console", "-serial", "chardev:console",
        "-qmp", "unix:qmp,server=on,wait=off",
        "-drive", f"if=none,id=disk,file={image.disk},format=raw,snapshot=on,cache=unsafe",
        "-device", "virtio-blk-pci,drive=disk",
        "-drive", "if=none,id=identity,file=identity.tar,format=raw,readonly=on",
        "-device", "virtio-blk-pci,drive=identity",
        "-netdev", f"user,id=net,restrict=on,hostfwd=tcp:127.0.0.1:{port}-:22",
        "-device", "virtio-net-pci,netdev=net,id=card",
        "-object", "rng-random,filename=/dev/urandom,id=random", "-device", "virtio-rng-pci,rng=random",
        "-kernel", str(image.kernel), "-initrd", str(image.initrd), "-append", _CMDLINE,
    )  # fmt: skip


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _identity(directory: Path, port: int, governor: str) -> None:
    """New keys of host and user; the host's half goes into the archive that it unpacks when it boots."""
    for name in ("key", "host_key"):
        for path in (directory / name, directory / f"{name}.pub"):
            path.unlink(missing_ok=True)
        argv = ("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "standin", "-f", str(directory / name))
        subprocess.run(argv, check=True, stdin=subprocess.DEVNULL)
    public = (directory / "host_key.pub").read_text()
    (directory / "known_hosts").write_text(f"[127.0.0.1]:{port} {public}")
    (directory / "ssh_config").write_text(
        f"Host *\n  UserKnownHostsFile {directory}/known_hosts\n  GlobalKnownHostsFile /dev/null\n"
        f"  StrictHostKeyChecking yes\n  IdentityFile {directory}/key\n  IdentitiesOnly yes\n  BatchMode yes\n"
        "  ConnectTimeout 15\n"
    )
    program = directory / "bin" / "ssh"
    program.write_text(f'#!/bin/sh\nexec {shutil.which("ssh", path=os.defpath)} -F {directory}/ssh_config "$@"\n')
    program.chmod(0o755)
    with tarfile.open(directory / "identity.tar", "w", format=tarfile.USTAR_FORMAT) as tar:
        _add(tar, "etc/ssh/ssh_host_ed25519_key", (directory / "host_key").read_text(), 0o600)
        _add(tar, "etc/ssh/ssh_host_ed25519_key.pub", public, 0o644)
        _add(tar, f"home/{USER}/.ssh", None, 0o700, _UID)
        _add(tar, f"home/{USER}/.ssh/authorized_keys", (directory / "key.pub").read_text(), 0o600, _UID)
        if governor:
            _add(tar, "etc/standin-governor", f"{governor}\n", 0o644)


def _add(tar: tarfile.TarFile, name: str, text: str | None, mode: int, owner: int = 0) -> None:
    """A file, or a directory where text is None."""
    member = tarfile.TarInfo(name)
    member.mode, member.uid, member.gid, member.mtime = mode, owner, owner, int(time.time())
    member.type = tarfile.REGTYPE if text is not None else tarfile.DIRTYPE
    data = (text or "").encode()
    member.size = len(data)
    tar.addfile(member, io.BytesIO(data))
