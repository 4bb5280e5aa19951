# SPDX-License-Identifier: GPL-2.0-only
"""Output of a guest's recorder, made by hand: for each CPU events with their times and fields."""

import struct
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tests.guest.frames import frame
from tests.recording.ring_pages import event, pages

_EVENTS = "/sys/kernel/tracing/events/"
# Of each event its fields as they follow the common ones: a letter of struct, so that "4x" is a hole.
EVENTS: Mapping[str, tuple[int, str, tuple[str, ...]]] = {
    "kmem/mm_page_alloc": (1, "QI4xQi", ("pfn", "order", "gfp_flags", "migratetype")),
    "kmem/mm_page_free": (2, "QI", ("pfn", "order")),
    "kmem/mm_page_free_batched": (3, "Q", ("pfn",)),
    "kmem/mm_page_pcpu_drain": (4, "QIi", ("pfn", "order", "migratetype")),
    "kmem/mm_page_alloc_extfrag": (
        5, "Qiiiii",
        ("pfn", "alloc_order", "fallback_order", "alloc_migratetype", "fallback_migratetype", "change_ownership"),
    ),
    "kmem/mm_page_alloc_zone_locked": (6, "QIii", ("pfn", "order", "migratetype", "percpu_refill")),
    "vmscan/mm_vmscan_kswapd_wake": (7, "iii", ("nid", "zid", "order")),
    "vmscan/mm_vmscan_kswapd_sleep": (8, "i", ("nid",)),
    "workqueue/workqueue_execute_start": (9, "QQ", ("work", "function")),
    "workqueue/workqueue_execute_end": (10, "QQ", ("work", "function")),
    "kassay/bulk": (11, "QQI", ("__probe_func", "__probe_ret_ip", "pages")),
}  # fmt: skip
_CODES = {"Q": 8, "I": 4, "i": 4}
LISTS = "    cpu: {cpu}\n              count: {count}\n              high:  {high}\n              batch: 63\n"
ZONEINFO = """Node 0, zone    DMA32
  per-node stats
      nr_inactive_anon 5
  pages free     226424
        boost    0
        min      800
        low      1000
        high     1200
        spanned  258048
        present  258048
        managed  200000
  pagesets
{lists}  vm stats threshold: 8
  node_unreclaimable:  0
  start_pfn:           4096
Node 0, zone   Normal
  pages free     0
        managed  0
"""


class Happened(NamedTuple):
    """One event at a time, of a task."""

    time: int
    name: str
    fields: tuple[int, ...] = ()
    pid: int = 1


def written(cpus: Sequence[Sequence[Happened]], *, begin: int = 1000, ended: int = 100_000, dropped: int = 0,
            counts: Sequence[int] = (10,), looks: Sequence[int] = (), without: str = "",
            events: Mapping[str, tuple[int, str, tuple[str, ...]]] = EVENTS) -> bytes:  # fmt: skip
    """The whole output of one recorder; counts: of the lists of each CPU at begin. looks: times of
    further samples, with the same counts. without: an event not known. events: those that there are."""
    made = [
        _text("file", f"format:{_EVENTS}{name}/format", _format(name, *of)) for name, of in events.items()
        if name != without
    ]  # fmt: skip
    made.append(_text("file", "setting:/proc/sys/vm/percpu_pagelist_high_fraction", "0\n"))
    lists = "".join(LISTS.format(cpu=cpu, count=count, high=500) for cpu, count in enumerate(counts))
    made += [_text("sample", str(at), ZONEINFO.format(lists=lists)) for at in (begin - 10, begin, *looks)]
    made.append(_text("ended", "-", str(ended)))
    for cpu, happened in enumerate(cpus):
        made.append(frame("pages", f"cpu{cpu}", pages((one.time, _event(one, events)) for one in happened)))
        stats = f"entries: 0\noverrun: 0\ncommit overrun: 0\ndropped events: {dropped}\nread events: 5\n"
        made.append(_text("file", f"cpu{cpu}:/sys/kernel/tracing/per_cpu/cpu{cpu}/stats", stats))
    return b"".join([*made, _text("end", "-", "")]) + bytes(4096)


def _text(kind: str, name: str, text: str) -> bytes:
    return frame(kind, name, text.encode())


def _event(one: Happened, events: Mapping[str, tuple[int, str, tuple[str, ...]]]) -> bytes:
    kind, codes, _ = events[one.name]
    return event(kind, struct.pack(f"<{codes}", *one.fields), one.pid)


def _format(name: str, kind: int, codes: str, fields: tuple[str, ...]) -> str:
    lines, offset = [], 8
    rest = iter(fields)
    for code in codes.replace("4x", "_"):
        if code != "_":
            size = _CODES[code]
            lines.append(f"\tfield:unsigned long {next(rest)};\toffset:{offset};\tsize:{size};\tsigned:0;")
        offset += _CODES.get(code, 4)
    common = ("\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
              "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n")  # fmt: skip
    return f"name: {name.partition('/')[2]}\nID: {kind}\nformat:\n{common}\n" + "\n".join(lines) + "\n"
