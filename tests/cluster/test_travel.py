# SPDX-License-Identifier: GPL-2.0-only
"""Files travel between hosts by their content, jobs without paths, and results only for the run that was asked for."""

from hashlib import sha256
from pathlib import Path

import pytest

from kassay.effects.files import sha256_bytes
from kassay.errors import BadInput
from kassay.model.run import WallTime
from kassay.supply.machines import Ended, Job
from kassay.tools.cluster import store
from kassay.tools.cluster.address import address_of, certificates_directory
from kassay.tools.cluster.parcel import Delivery, delivery_from, packed, parcel_from, to_bytes, unpacked

DATA = b"a kernel, say" * 1000


@pytest.fixture(autouse=True)
def _own_directories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


def test_a_file_comes_in_parts_and_is_there_once_it_is_whole() -> None:
    name = sha256(DATA).hexdigest()
    store.keep(name, "a", 0, DATA[:100], len(DATA))
    store.keep(name, "b", 0, DATA[:7], len(DATA))  # another sender, who is cut off
    assert store.missing([name]) == [name]
    store.keep(name, "a", 100, DATA[100:], len(DATA))
    assert store.missing([name]) == []
    assert store.path_of(name).read_bytes() == DATA


def test_what_is_not_the_file_that_its_hash_names_is_not_kept() -> None:
    name = sha256(DATA).hexdigest()
    with pytest.raises(store.WrongContent, match="that is not"):
        store.keep(name, "a", 0, DATA[:-1] + b"X", len(DATA))
    assert store.missing([name]) == [name]


def job(directory: Path, further: tuple[str, ...] = ()) -> Job:
    for name in ("vmlinux", "runner"):
        (directory.parent / name).write_bytes(name.encode())
    directory.mkdir()
    for name in ("initramfs", "job"):
        (directory / name).write_bytes(name.encode() * 2)
    (directory / "points").write_bytes(b"points" * 20_000)  # too large to travel inside
    return Job(
        directory=str(directory), program=(str(directory.parent / "runner"), "--run", "a=1"),
        kernel=str(directory.parent / "vmlinux"), initramfs=str(directory / "initramfs"), cmdline="quiet", cpus=1,
        memory_bytes=1 << 28, seed=1, timeout_s=9, snapshot="k i", profile="counts", further=further,
    )  # fmt: skip


def arrived(job: Job, there: Path) -> Job:
    """The job as another host has it, with all its files kept there."""
    sent = packed("icount", "qemu_icount", "x86_64", job)
    assert str(there.parent) not in repr(sent.parcel)
    parcel = parcel_from(to_bytes(sent.parcel))
    assert parcel == sent.parcel
    for name, source in sent.sources.items():
        store.keep(name, "a", 0, source.read_bytes(), source.stat().st_size)
    there.mkdir()
    return unpacked(parcel, there, {name: store.path_of(name) for name in parcel.files.values()})


def test_a_job_is_the_same_on_another_host_but_for_its_paths(tmp_path: Path) -> None:
    found = arrived(job(tmp_path / "run"), tmp_path / "there")
    assert found.kernel is not None and found.initramfs is not None
    read = [Path(path).read_bytes() for path in (found.kernel, found.initramfs, found.program[0])]
    assert read == [b"vmlinux", b"initramfs" * 2, b"runner"]
    own = {path.name: path.read_bytes() for path in (tmp_path / "there").iterdir()}
    assert own == {"points": b"points" * 20_000, "job": b"job" * 2}
    assert (found.program[1:], found.cmdline, found.snapshot) == (("--run", "a=1"), "quiet", "k i")


def test_further_archives_travel_and_the_initramfs_may_grow_there(tmp_path: Path) -> None:
    (tmp_path / "image").write_bytes(b"image" * 100_000)
    layer = tmp_path / "run" / "layer"
    made = job(tmp_path / "run", (str(tmp_path / "image"), str(layer)))
    layer.write_bytes(b"layer")
    found = arrived(made, tmp_path / "there")
    assert [Path(path).read_bytes() for path in found.further] == [b"image" * 100_000, b"layer"]
    assert found.initramfs is not None
    with Path(found.initramfs).open("ab") as grown:
        grown.write(b"more")
    assert store.path_of(sha256(b"initramfs" * 2).hexdigest()).read_bytes() == b"initramfs" * 2


def test_a_result_of_another_run_and_what_is_none_are_refused() -> None:
    ended = Ended(status=0, timed_out=False, detail="", stream=b"\0\xff", console=b"", wall=WallTime(), argv=("q",))
    data = to_bytes(Delivery(parcel=sha256_bytes(b"mine"), ended=ended))
    assert delivery_from(data, b"mine").ended == ended
    for wrong, parcel in ((data, b"other"), (data[:-3], b"mine"), (b"garbage", b"mine"), (b"", b"mine")):
        with pytest.raises(ValueError, match=r"another run|not a run's result"):
            delivery_from(wrong, parcel)


@pytest.mark.parametrize("text", ["tcp://127.0.0.1:9", "tcp://localhost:9", "tcp://[::1]:9", "plain://10.0.0.1:9"])
def test_on_this_host_and_where_it_is_asked_for_nothing_is_encrypted(text: str) -> None:
    assert (address_of(text).port, address_of(text).url[:6]) == (9, "tcp://")


@pytest.mark.parametrize("text", ["tcp://10.0.0.1", "tls://127.0.0.1:9", "tcp://farm.example:8786"])
def test_beyond_this_host_everything_is_encrypted_or_refused(text: str) -> None:
    with pytest.raises(BadInput, match=r"no ca.pem, cert.pem, key.pem .* encrypted"):
        address_of(text)
    certificates_directory().mkdir(parents=True)
    for name in ("ca.pem", "cert.pem", "key.pem"):
        (certificates_directory() / name).touch()
    assert address_of(text).encrypted and address_of(text).url.startswith("tls://")


@pytest.mark.parametrize(
    "text", ["", "10.0.0.1:8786", "http://a:1", "tcp://a:0", "tcp://a:70000", "tcp://:1", "tcp://a b"]
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="no address of a cluster"):
        address_of(text)
