# SPDX-License-Identifier: GPL-2.0-only
"""The text of every reason: one table for reports, and plainer texts for readers who do not know kassay's terms.

A text names its arguments in braces, with a format (":.1%", or one of _SPECS) and "!k" where it is a kernel's label.
What stands in brackets is left out when an argument inside has no value. A reason that concerns one kernel begins with
its name, unless the text says where the name stands.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from string import Formatter
from types import MappingProxyType
from typing import Any

from kassay.model.reason import Reason

TEXTS: Mapping[str, str] = MappingProxyType({
    "own-words": "{text}",
    # of exact counts
    "no-successful-run": "one side has no successful run",
    "zero-count": "a count of zero: the phase is too short for this clock",
    "repeats-disagree": "repeats disagree, which is a defect of the instrument: {kernel}: {phase}, round {round}: "
    "{count} instructions in {run}, {other_count} in {other_run}",
    "hosts-disagree": "hosts {host} and {other} disagree, and are not merged: {kernel}: {phase}, round {round}: "
    "{count} instructions in {run} on {host}, {other_count} in {other_run} on {other}",
    "margin-crossed": "runs that should not differ spread from {low:+.2%} to {high:+.2%}, across the margin of "
    "{margin:.1%}",
    "own-runs-apart": "its own runs lie {apart:.2%} apart, no less than the change",
    "layout-floor": "layout floor {floor:.4%}: so far do runs that should not differ lie apart ({base_runs} and "
    "{head_runs} runs)",
    "one-plain-run": "one plain run, so that repeats agree is not shown",
    "no-perturbed-run": "no perturbed run, so that layout does not matter is not shown",
    "runs-lost": "{count} planned run(s) never succeeded",
    "runs-unmade": "{count} planned run(s) not made yet",
    # of one side, whatever the clock
    "never-settles": "its rounds never settle: half of them differ from the other half",
    "others-not-known": "whether other tasks ran in the region is not known",
    "others-in-boots": "other tasks ran in the measured part of {count} of {boots} boots",
    # of times
    "zero-time": "a time of zero: the phase is shorter than this clock's tick",
    "screening-only": "screening only: {boots:boots} on a side, a verdict on time needs {needed}",
    "look-not-reached": "the first look, after {boots:boots} a side and their controls, is not reached yet",
    "blocks-too-small": "{boots:boots} a side in blocks of this shape cannot show a difference at p ≤ {threshold}",
    "clock-doubt": "{text}",
    "clock-step-not-known": "the clock shows one value only, so how coarse it is is not known",
    "direction-not-known": "the values differ, but whether more is better is not known",
    "change-may-be-small": "the change may be as small as {change:.1%}, inside the margin",
    "undecided": "|change| < {bound:.1%} after {boots:boots} a side[, of at most {most}]; that allows both a change "
    "and none",
    "boots-lost": "{count} of the planned boots failed for good",
    "planned-values-lost": "{count} of the planned boots failed for good",
    "boots-unmade": "{count} planned boots of this look were not made yet",
    "boots-fail-more": "boots fail more often on one side: {base_failed} of {base_tried} on {base!k}, {head_failed} "
    "of {head_tried} on {head!k} (Fisher p = {p:.2g})",
    "order-fixed": "the order inside a block was fixed, not random",
    "order-sequential": "one kernel was measured after the other: drift looks like a change",
    "order-not-known": "the order of the boots is not known: drift looks like a change",
    "boots-far-apart": "half of the boots are further than 10 % from the median (MAD ratio): {shares:shares}",
    "boots-stray": "boots stray by more than 10 % (coefficient of variation): {shares:shares}",
    # of one timed session, of many settings, of a ladder
    "kernel-differs-from-itself": "the session is void: {which!k} differs from itself by {change:+.1%} (p = {p:.2g})",
    "kernels-differ-from-themselves": "the session is void: over all settings a kernel differs from itself by "
    "{change:+.1%} (p = {p:.2g})",
    "control-missing": "the boots that would hold the first kernel against itself failed, or are too few to show a "
    "difference",
    "provisional": "provisional: the session goes on, to at most {most} boots a side, for what is not decided yet",
    "lost-among-settings": "p = {p:.2g} does not stand among {settings} cells: by chance one of so many differs as "
    "much",
    "no-step-between": "these two alone differ, but all kernels together show no step between them",
    "step-of-all": "all kernels together show a step here; these two alone do not",
    # of several hosts
    "hosts-differ": "the hosts differ in it by more than boots of one host do (p = {p:.2g}): from {low:+.1%} on "
    "{low_host} to {high:+.1%} on {high_host}[; beyond their boots they scatter by {scatter:.1%}]",
    "hosts-agree": "the hosts differ in it by no more than boots of one host do (p = {p:.2g}): {common:+.1%} fits "
    "all; the intervals of two hosts allow a difference of up to {apart:.1%}",
    "hosts-not-told": "whether the hosts differ by more than their boots cannot be told: {host} has {boots:boots} a "
    "side",
    "hosts-same-digits": "counts of {hosts} hosts, the same to the digit",
    "hosts-other-digits": "counts do not depend on the host, and yet {kernel} has {count} on {host} and {other_count} "
    "on {other}: one of the two is not what it seems",
    "hosts-other-emulator": "{host} has {program}, {other} has {other_program}",
    "hosts-other-guest": "{host} and {other} measured with different guest programs",
    "host-without-comparison": "{host} has no comparison of these kernels at these settings",
    # refusals of the state gate
    "no-plain-run": "no plain run succeeded: {outcomes:outcomes}[ ({detail})]",
    "guest-busy": "{kernel}, run {run}: the guest never became quiet before the workload: {quiescence}[ (and {more} "
    "more runs)]",
    "others-took-time": "{kernel}, run {run}: other tasks took {share:.1%} of the measured region, most of it {task} "
    "({ns} ns)[; the profile is not used: {problem}][ (and {more} more runs)]",
    "others-executed": "{kernel}, run {run}: other tasks[ ({tasks:names})] executed {share:.1%} of the measured "
    "region's instructions[, most in {functions:counts}][ (and {more} more runs)]",
    "state-not-as-needed": "{moment} the region, {field} must be {operator} {value}, and is {found} ({count} of "
    "{runs} runs)",
    "state-differs": "{field} {moment} the region: {base_value} on {base!k}, {head_value} on {head!k}[, and {more} "
    "more]",
    "runs-differ": "runs differ among themselves: {field} {moment} the region: {value} in run {run}, {other_value} "
    "in run {other_run}",
    # of others' results
    "no-value": "one side has no value",
    "means-only": "the file gives means and spreads, no single values (of {base_values} and {head_values} values)",
    "means-only-of-unknown": "the file gives means and spreads, no single values (of how many values it does not say)",
    "mean-on-one-side": "single values on one side, only a mean on the other",
    "values-not-positive": "values of zero or below: their ratio means nothing",
    "state-not-known": "the page state that the kernels worked on is not known: the values may differ for that alone",
    "values-of-boots": "each value is from a boot of its own",
    "values-of-processes": "values come from processes of one boot, which are not independent of each other",
    "values-of-one-process": "values come from one process",
    "values-of-unknown": "the file does not say whether its values come from separate boots",
    "derived-from-means": "derived from printed means: no single values, so no interval",
    # why a difference is not itemised
    "no-profile-in-file": "the file has no profile of this metric",
    "metric-is-time": "a profile counts instructions, this metric is time",
    "no-run-to-profile": "no plain run succeeded, so there is no profile",
    "run-without-profile": "{kernel}, run {run}: the run carries no profile",
    "profile-not-made": "{kernel}, run {run}: {problem}",
    "profile-not-readable": "run {run}: the profile cannot be read: {problem}",
    "profile-not-usable": "{kernel}, run {run}: {problem}",
    "not-in-overview": "a report of many workloads itemises changes of primary metrics only",
    # why a share of a gap is not told, and how its interval was made
    "comparison-refused": "{base!k} to {head!k}: {verdict:verdict}[: {because}]",
    "kernel-without-value": "a kernel has no value",
    "no-gap": "{base!k} to {head!k} is {verdict}: there is no gap to close",
    "gap-overlaps": "the runs of old and new overlap: there is no gap to close",
    "few-common-blocks": "{blocks} blocks with all three kernels: too few",
    "gap-not-clear": "old and new are not apart, block by block",
    "interval-of-corners": "corners: each kernel's count anywhere between its lowest and its highest run, perturbed "
    "ones included",
    "interval-of-ranks": "signed ranks of (new - candidate) - share (new - old) over {blocks} blocks[, {level:.3g} % "
    "interval]; the share need not be that of the medians shown",
    # of counts and times of the same work
    "no-verdict-to-compare": "the {which} have no verdict ({verdict:verdict}), so there is nothing to hold against "
    "the other",
    "time-undecided": "the counts decide, the time does not[: {because}]",
    "counts-undecided": "the time decides, the counts do not: see why under their finding",
    "neither-changed": "neither changed",
    "counts-within-time": "no disagreement: what the counts show is small enough to lie within the interval of time",
    "time-alone-changed": "same instructions, other time: caches, TLB, atomics, locks or the layout of code and "
    "data, not more code",
    "counts-alone-changed": "{more_or_fewer} instructions, same time: the processor hides them, or they are not on "
    "this path in practice",
    "opposite-directions": "opposite directions: what the instructions cost changed more than their number; look at "
    "caches and atomics",
    "time-too-wide": "the interval of time is too wide to hold against the counts: more boots would tell",
    "time-changed-more": "time changed far more than the instructions: caches, atomics or locks rather than the "
    "length of the path",
    "counts-changed-more": "instructions changed far more than time: most of them overlap with waiting, or are cheap "
    "ones",
    "changed-alike": "instructions and time changed alike, as far as the interval of time tells: the path is "
    "{longer_or_shorter}",
    "clock-remark": "{because} ({text})",
    # of counts and the time predicted from them
    "counts-over-state": "counts over-state: {counts:+.1%} instructions, {time:+.1%} predicted time on {cpu}: an "
    "instruction {more_or_fewer} takes {each:.2g} ns, those before take {before:.2g} ns on average",
    "counts-without-time": "counts over-state: {counts:+.1%} instructions, and no clear change of predicted time on "
    "{cpu} ({low:+.1%} to {high:+.1%})",
    "counts-under-state": "counts under-state: {counts:+.1%} instructions, {time:+.1%} predicted time on {cpu}: "
    "{cause} {part:+.3g} of {total:+.3g} ns",
    "counts-blind": "counts are blind: {counts:+.1%} instructions, {time:+.1%} predicted time on {cpu}: {cause} "
    "{part:+.3g} of {total:+.3g} ns",
    "counts-mislead": "counts mislead: {counts:+.1%} instructions, {time:+.1%} predicted time on {cpu}: {cause} "
    "{part:+.3g} of {total:+.3g} ns",
    # why no time is predicted, or with what doubt
    "no-trace": "no run carries a trace",
    "cpu-not-known": "{problem}",
    "trace-not-usable": "{kernel}, run {run}: {problem}",
    "others-not-predicted": "{share:.1%} of the instructions are of interrupts and other tasks, whose time is not in "
    "the prediction",
    "trace-cut": "the trace was cut by its budget: {complete} of {rounds} rounds are complete",
    "traced-round-left-out": "a recorded round is left out: {problem}",
    "trace-too-short": "the trace was cut by its budget before two rounds in a row were complete: "
    "--trace-budget allows more",
    "several-cpus": "waiting of {cpus} CPUs for each other (locks, cache lines) is not in the model",
    "interrupts-between-cpus": "interrupts between CPUs are not in the model: {functions:amounts}",
    "instructions-without-data": "{share:.1%} of the time is in instructions that the timing file has no data for"
    "[: {forms:names}]",
    "other-cpu-booted": "the kernels booted on {booted} and chose their code for it; on the CPU itself some may differ",
    "traced-rounds-differ": "the rounds answered for execute {traced:.4g} instructions per operation, the value "
    "stands for {value:.4g}",
    "rounds-spread": "the rounds answered for spread by {spread:.1%}",
    # what every reader is told
    "clock-limit": "{text}",
    "different-compilers": "The kernels were built by different compilers, which may be part of any difference: see "
    "Kernels.",
    "command-line": "Kernel command line: {parameters}",
    "own-parameters": "Further kernel parameters of {which!k}: {parameters}",
    "did-not-wait": "The guest did not wait until it was quiet (--no-quiesce).",
    "background-tasks": "{count} task(s) named kassay-spin ran beside the workload (--background).",
    "times-of-other-images": "The times in beside/ are of other kernel images than the counts, so they are not shown "
    "(--fresh).",
    "read-from": "Read from {file} ({format}, sha256 {sha256:.16}).",
    "one-value-is": "{because:sentence}",
    # the state of memory that the kernels worked on
    "memory-same": "all kernels agree, before and after; before: {fields:amounts}[; {note}]",
    "memory-not-audited": "no range was audited[; {note}]",
    "memory-of-program": "partial: the program's memory was seen once, at the end of an execution outside of the "
    "region: {fields:amounts}; --state NAME asks that a field agrees[; different on the kernels: {differing}]",
    "memory-differs": "not the same: {field} {moment} the region is {base_value} on {base!k}, {head_value} on "
    "{head!k}",
    "memory-not-shown": "not shown to be the same ({verdicts:names})",
    "memory-not-known": "unknown: no run succeeded",
    "memory-of-files": "unknown: the files prove neither the page state the kernels worked on, nor which kernels "
    "these were",
    # what a search leaves open; "!c" is a candidate, by its position
    "end-not-measured": "the {end} end cannot be measured",
    "ends-alike": "the two ends cost the same within {margin:.1%}: {good:g} and {bad:g}",
    "not-searched": "another change between {low!c} and {high!c} was not searched (--steps all)",
    "spread-over-small": "{rest:+.1%} of the good end's cost is spread over changes that are each within the margin",
    "smaller-steps": "of {whole:+.1%} between the ends {known:+.1%} is in the steps that were found: there may be "
    "smaller ones",
    "search-undecided": "between {low!c} and {high!c} nothing was decided after {boots} boots, of {all_boots} in "
    "all; the likeliest is {likeliest!c} with {odds:.0%}",
    "stretch-not-measured": "{candidate!c}, an end of the search, cannot be measured",
    "change-below-scatter": "between {low!c} and {high!c} time changes by {change:+.1%}, {apart:.1f} times the "
    "scatter of a boot ({scatter:.1%}): too little to be bisected on this clock",
    "merge-itself": "the merge itself: {problem}",
    # of predictions
    "no-changes-measured": "the CPU's figures were measured, but no changes: the interval is that of published data",
    "cause-not-calibrated": "{share:.0%} of what changed is {cause}, which was never calibrated on this CPU: it moved "
    "in {calibrated} of its measured changes, and {needed} are needed",
})  # fmt: skip
"""By code. docs/reasons.md lists them."""

EVERYDAY: Mapping[str, str] = MappingProxyType({
    "own-runs-apart": "its own boots lie {apart:.2%} apart, no less than the change",
    "layout-floor": "layout floor {floor:.4%}: so far do boots that should not differ lie apart ({base_runs} and "
    "{head_runs} boots)",
    "one-plain-run": "only one boot with nothing moved, so that repeats agree is not shown",
    "no-perturbed-run": "no boots with something moved on purpose, so that layout does not matter is not shown",
    "others-not-known": "whether other tasks ran in the measured part is not known",
    "lost-among-settings": "p = {p:.2g} does not stand among {settings} settings: by chance one of so many differs "
    "as much",
    "no-plain-run": "no boots with nothing moved succeeded: {outcomes:outcomes}[ ({detail})]",
    "guest-busy": "{kernel}, run {run}: the guest never became quiet before the workload: {quiescence}[ (and {more} "
    "more boots)]",
    "others-took-time": "{kernel}, run {run}: other tasks took {share:.1%} of the measured part, most of it {task} "
    "({ns} ns)[; the profile is not used: {problem}][ (and {more} more boots)]",
    "others-executed": "{kernel}, run {run}: other tasks[ ({tasks:names})] executed {share:.1%} of the measured "
    "part's instructions[, most in {functions:counts}][ (and {more} more boots)]",
    "state-not-as-needed": "{moment} the measured part, {field} must be {operator} {value}, and is {found} ({count} "
    "of {runs} boots)",
    "state-differs": "{field} {moment} the measured part: {base_value} on {base!k}, {head_value} on {head!k}[, and "
    "{more} more]",
    "runs-differ": "boots differ among themselves: {field} {moment} the measured part: {value} in run {run}, "
    "{other_value} in run {other_run}",
    "planned-values-lost": "{count} of the runs failed",
    "gap-overlaps": "the boots of old and new overlap: there is no gap to close",
    "interval-of-corners": "corners: each kernel's count anywhere between its lowest and its highest boot, those "
    "with something moved included",
    "counts-undecided": "the time decides, the counts do not: see why under their result",
    "memory-differs": "not the same: {field} {moment} the measured part is {base_value} on {base!k}, {head_value} on "
    "{head!k}",
    "memory-not-known": "no run succeeded",
    "memory-of-files": "the files prove neither the page state the kernels worked on, nor which kernels these were",
})  # fmt: skip
"""Texts for mails, to people who do not know kassay, where they differ from TEXTS."""

_EVERYDAY_VERDICTS = {
    "state-mismatch": "the state differs", "semantic-failure": "the work was not done as declared",
    "hosts-disagree": "two hosts count the same work otherwise",
}  # fmt: skip


def reason_text(reason: Reason, names: Mapping[str, str] = MappingProxyType({}), *, everyday: bool = False,
                candidates: Sequence[str] = ()) -> str:  # fmt: skip
    """A reason as a part of a sentence, without a full stop; some, that stand alone, are whole sentences.

    names: what a kernel's label is called, where not by itself. everyday: in words that need no glossary. candidates:
    of a search, by position.
    """
    filler = _Filler(names, candidates, everyday=everyday)
    return filler.filled(reason)


def reasons_text(reasons: Iterable[Reason]) -> str:
    """All of them, in order."""
    return "; ".join(map(reason_text, reasons))


def starts_with_name(reason: Reason) -> bool:
    """Whether its text begins with a kernel's name, which keeps its small letter where a sentence begins."""
    text = TEXTS[reason.code]
    return bool(reason.kernel) or text.startswith(("{base!k}", "{which!k}"))


class _Filler(Formatter):
    """Texts with their arguments filled in."""

    def __init__(self, names: Mapping[str, str], candidates: Sequence[str], *, everyday: bool) -> None:
        self._names, self._candidates, self._everyday = names, candidates, everyday

    def filled(self, reason: Reason) -> str:
        text = TEXTS[reason.code]
        if self._everyday:
            text = EVERYDAY.get(reason.code, text)
        kernel = self._names.get(reason.kernel, reason.kernel)
        arguments = {**dict(reason.arguments), "kernel": kernel}
        parts = (
            part if i % 2 == 0 or _has_all(part, arguments) else "" for i, part in enumerate(_OPTIONAL.split(text))
        )
        filled = self.vformat("".join(parts), (), arguments)
        return f"{kernel}: {filled}" if kernel and "{kernel}" not in text else filled

    def convert_field(self, value: Any, conversion: str | None) -> Any:
        if conversion == "k":
            return self._names.get(value, value)
        return self._candidates[value] if conversion == "c" else super().convert_field(value, conversion)

    def format_field(self, value: Any, format_spec: str) -> str:
        if isinstance(value, Reason):
            text = self.filled(value)
            return f"{text[:1].upper()}{text[1:]}." if format_spec == "sentence" else text
        if format_spec == "shares":
            return ", ".join(f"{share:.0%} on {self._names.get(kernel, kernel)}" for kernel, share in value)
        if format_spec == "verdict":
            return _EVERYDAY_VERDICTS.get(value, value) if self._everyday else str(value)
        if format_spec == "names":
            return ", ".join(self.format_field(name, "verdict") for name, _ in value)
        return _SPECS[format_spec](value) if format_spec in _SPECS else str(super().format_field(value, format_spec))


_OPTIONAL = re.compile(r"\[([^]]*)\]")
_SPECS: Mapping[str, Callable[[Any], str]] = {
    "boots": lambda count: "1 boot" if count == 1 else f"{count} boots",
    "outcomes": lambda pairs: ", ".join(f"{count} x {name}" for name, count in pairs) or "none was made yet",
    "counts": lambda pairs: ", ".join(f"{name} ({count})" for name, count in pairs),
    "amounts": lambda pairs: ", ".join(f"{amount} {name}" for name, amount in pairs),
}


def _has_all(part: str, arguments: Mapping[str, Any]) -> bool:
    """Whether every argument that a part of a text names has a value."""
    names = (name for _, name, _, _ in Formatter().parse(part) if name)
    return all(arguments.get(name) not in (None, "", ()) for name in names)
