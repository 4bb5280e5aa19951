# SPDX-License-Identifier: GPL-2.0-only
"""Meaning of the keys in LKP's statistics: unit, direction, definition, and which one a report is about."""

import re

from kassay.tools.imports.importer import Metric

# key pattern, unit, better, definition; the first that matches counts
_KEYS: tuple[tuple[str, str, str, str], ...] = (
    (r"will-it-scale\.per_(process|thread)_ops", "ops/s", "higher", "operations per second of one {1}, mean over all"),
    (r"will-it-scale\.(\d+)\.(processes|threads)", "ops/s", "higher", "operations per second of {1} {2} together"),
    (r"will-it-scale\.workload", "ops/s", "higher", "operations per second of all tasks together"),
    (r"will-it-scale\.scalability", "", "higher", "operations of all tasks against those of one times their number"),
    (r"stress-ng\..*(ops_per_sec|per_sec)", "ops/s", "higher", "bogus operations of a stressor per second"),
    (r"stress-ng\..*\.ops", "ops", "higher", "bogus operations of a stressor"),
    (r"vm-scalability\.(median|throughput)", "KB/s", "higher", "{1} of the throughput, as the benchmark prints it"),
    (r"pft\.faults_per_sec_per_cpu", "faults/s", "higher", "page faults per second and CPU"),
    (r".+\.throughput", "", "higher", "throughput, as the benchmark prints it"),
    (r".+\.workload", "ops/s", "higher", "what the benchmark counts as its work, per second"),
    (r"perf-profile\.self\.cycles-pp\.(.+)", "%", "unknown", "share of all sampled cycles spent in {1} itself"),
    (r"perf-profile\.children\.cycles-pp\.(.+)", "%", "unknown", "share of all sampled cycles spent in {1} and below"),
    (r"perf-profile\.calltrace\.cycles-pp\.(.+)", "%", "unknown",
     "share of all sampled cycles in this call chain, innermost function first"),
    (r"perf-sched\.(sch_delay|wait_time|wait_and_delay)\.(avg|max)\.ms\..+", "ms", "lower",
     "{2} of the scheduler's {1} in this call chain"),
    (r"perf-sched\..*\.count\..+", "", "unknown", "number of times the scheduler saw this call chain"),
    (r"perf-stat\.i\.(cpi|ipc|MPKI|path-length|.+-per-.+|.+-between-.+|.+%)", "", "unknown",
     "{1}, ratio of counters, mean over intervals of one second"),
    (r"perf-stat\.i\.(.+)", "1/s", "unknown", "counter {1}, per second, mean over intervals of one second"),
    (r"perf-stat\.ps\.(.+)", "1/s", "unknown", "counter {1}, per second of the whole run"),
    (r"perf-stat\.overall\.path-length", "", "lower",
     "instructions of the whole run divided by operations per second; not instructions per operation"),
    (r"perf-stat\.overall\.(.+)", "", "unknown", "{1}, ratio of the whole run's counters"),
    (r"perf-stat\.total\.(.+)", "", "unknown", "counter {1}, sum of the whole run"),
    (r"turbostat\.(.*)Watt", "W", "unknown", "power drawn ({1})"),
    (r"proc-vmstat\.(.+)", "events", "unknown", "{1} of /proc/vmstat; events are the difference between end and start"),
    (r"(meminfo|numa-meminfo\.node\d+)\.(.+)", "kB", "unknown", "{2} of meminfo, mean over the run"),
    (r"time\.(elapsed_time|user_time|system_time).*", "s", "lower", "{1} of the whole job"),
)  # fmt: skip
_COMPILED = tuple((re.compile(pattern), unit, better, words) for pattern, unit, better, words in _KEYS)
_HEADLINES = tuple(
    re.compile(pattern)
    for pattern in (r"will-it-scale\.per_(process|thread)_ops", r"stress-ng\..*_per_sec", r"vm-scalability\.median",
                    r"vm-scalability\.throughput", r"pft\.faults_per_sec_per_cpu", r".+\.throughput", r".+\.workload")
)  # fmt: skip


def metric_of(key: str) -> Metric:
    """Unit, direction and definition of one key; unknown where LKP does not define it."""
    for pattern, unit, better, definition in _COMPILED:
        match = pattern.fullmatch(key)
        if match:
            return Metric(name=key, unit="%" if key.endswith("%") else unit, better=better,
                          definition=definition.format("", *match.groups()))  # fmt: skip
    unit = "%" if key.endswith("%") else ""
    return Metric(name=key, unit=unit, better="unknown", definition="a statistic of LKP; the file does not define it")


def headline_of(keys: list[str], testcase: str) -> str | None:
    """The key that the robot would report, else the first key of the benchmark itself, else None."""
    for pattern in _HEADLINES:
        for key in keys:
            if pattern.fullmatch(key):
                return key
    return next((key for key in keys if key.startswith(f"{testcase}.")), None)
