# SPDX-License-Identifier: GPL-2.0-only
"""Hosts on one machine: network namespaces, each with a name and an address of its own, on one bridge.

A namespace lives as long as the process that holds it, and these end with ours: nothing is left behind. Nothing of this
machine's own network is used or changed, and no host reaches anything but the others.
"""

import contextlib
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import IO, NamedTuple

_NET = "10.87.0"
_HOLD = ("setpriv", "--pdeathsig", "KILL", "unshare", "--net", "--uts", "sh", "-c")
_NEEDED = ("ip", "nsenter", "setpriv", "tc", "unshare")


class Host(NamedTuple):
    """One namespace. port: its end of the cable at the bridge. holder: the process that keeps it."""

    name: str
    address: str
    port: str
    holder: "subprocess.Popen[bytes]"

    def argv(self, *words: str) -> list[str]:
        """A command as it is started on this host, with this host's name."""
        return ["nsenter", "-t", str(self.holder.pid), "-n", "-u", "--", *words]

    def start(self, words: Sequence[str], environment: Mapping[str, str], log: IO[bytes]) -> "subprocess.Popen[bytes]":
        """A process of this host, in a group of its own; it ends with us."""
        argv = ["setpriv", "--pdeathsig", "KILL", *self.argv(*words)]
        return subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=dict(environment),
                                start_new_session=True)  # fmt: skip


class Network:
    """Hosts by name, and cables that can be cut, mended and made slow."""

    def __init__(self, names: Sequence[str]) -> None:
        self._bridge = _held("bridge")
        hosts: dict[str, Host] = {}
        self.hosts: Mapping[str, Host] = MappingProxyType(hosts)
        try:
            self._on_bridge("ip", "link", "add", "name", "middle", "type", "bridge")
            self._on_bridge("ip", "link", "set", "middle", "up")
            for number, name in enumerate(names, 1):
                hosts[name] = self._host(name, number)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """The namespaces end with what holds them; whatever still runs there is without a network."""
        for holder in (*(host.holder for host in self.hosts.values()), self._bridge):
            holder.kill()
            holder.wait()

    def cut(self, name: str) -> None:
        """Nothing goes through this host's cable any more; neither end is told."""
        self._on_bridge("ip", "link", "set", self.hosts[name].port, "nomaster")

    def mend(self, name: str) -> None:
        """Joins a cut cable."""
        self._on_bridge("ip", "link", "set", self.hosts[name].port, "master", "middle")

    def limit(self, name: str, rate: str) -> None:
        """Limit the rate of all data to this host ("20mbit")."""
        words = ("root", "tbf", "rate", rate, "burst", "64kb", "latency", "400ms")
        self._on_bridge("tc", "qdisc", "replace", "dev", self.hosts[name].port, *words)

    def unlimit(self, name: str) -> None:
        """Undoes limit()."""
        self._on_bridge("tc", "qdisc", "del", "dev", self.hosts[name].port, "root")

    def _host(self, name: str, number: int) -> Host:
        host = Host(name, f"{_NET}.{number}", f"port{number}", _held(name))
        inside = ("peer", "name", "eth0", "netns", str(host.holder.pid))
        self._on_bridge("ip", "link", "add", "name", host.port, "type", "veth", *inside)
        self._on_bridge("ip", "link", "set", host.port, "master", "middle", "up")
        _done(host.argv("ip", "address", "add", f"{host.address}/24", "dev", "eth0"))
        _done(host.argv("ip", "link", "set", "eth0", "up"))
        return host

    def _on_bridge(self, *words: str) -> None:
        _done(["nsenter", "-t", str(self._bridge.pid), "-n", "--", *words])


@contextlib.contextmanager
def network(*names: str) -> Iterator[Network]:
    """Hosts with these names, for the time of the block. Raises OSError where obstacle() is not ""."""
    made = Network(names)
    try:
        yield made
    finally:
        made.close()


def obstacle() -> str:
    """Why there cannot be such a network here; "" where there can."""
    found = os.environ.get("PATH", "").split(":")
    absent = [name for name in _NEEDED if not any(Path(directory, name).exists() for directory in found)]
    if absent:
        return f"{', '.join(absent)}: not installed"
    try:
        Network(["probe"]).close()
    except OSError as error:
        return f"no right to make network namespaces ({error})"
    return ""


def _held(name: str) -> "subprocess.Popen[bytes]":
    """A process in a new namespace, which is ready when this returns. Raises PermissionError without the right."""
    script = f"hostname {name} && ip link set lo up && echo ready && exec sleep infinity"
    holder = subprocess.Popen((*_HOLD, script), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL)  # fmt: skip
    assert holder.stdout is not None
    ready = holder.stdout.readline()
    holder.stdout.close()
    if not ready:
        holder.wait()
        raise PermissionError("unshare --net --uts was refused")
    return holder


def _done(argv: Sequence[str]) -> None:
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        raise OSError(f"{' '.join(argv)}: {done.stderr.strip()}")
