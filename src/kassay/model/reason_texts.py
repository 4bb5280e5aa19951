# SPDX-License-Identifier: GPL-2.0-only
"""The text of every reason, in one table.

A text names its arguments in braces, with a format (":.1%", or one of FORMATS) and "!k" where it is a kernel's label.
What stands in brackets is left out when an argument inside has no value. A reason that concerns one kernel begins with
its name, unless the text says where the name stands.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from string import Formatter
from types import MappingProxyType
from typing import Any

from kassay.model.reason import Reason
from kassay.model.reason_formats import FORMATS
from kassay.model.texts import counted, listed

TEXTS: Mapping[str, str] = MappingProxyType({
    "own-words": "{text}",
    # of exact counts
    "no-successful-run": "one side has no successful run",
    "zero-count": "the count is zero: the phase is too short for this clock",
    "repeats-disagree": "two identical runs disagree, which is a defect of kassay: {kernel}: {phase}, round {round}: "
    "{count} instructions in {run}, {other_count} in {other_run}",
    "hosts-disagree": "hosts {host} and {other} counted the same run differently and are not merged: {kernel}: "
    "{phase}, round {round}: {count} instructions in {run} on {host}, {other_count} in {other_run} on {other}",
    "margin-crossed": "the change may be from {low:+.2%} to {high:+.2%}, on both sides of the margin of {margin:.1%}",
    "own-runs-apart": "runs of this kernel differ by {apart:.2%}, at least as much as the kernels do",
    "layout-floor": "noise floor {floor:limit}: the largest difference between runs that should be identical "
    "({base_runs} and {head_runs} runs)",
    "one-plain-run": "there is only one unmodified run, so no repeat confirms it",
    "no-perturbed-run": "no run has a modified layout, so the noise floor is unknown",
    "rounds-otherwise": "the value changes by {change:change}, the mean of the rounds by {low:change}[ to "
    "{high:change}]: some rounds changed otherwise than the others",
    "runs-lost": "{count:n planned run} never succeeded",
    "runs-unmade": "not made yet: {count:n planned run}",
    # of one side, whatever the clock
    "never-settles": "the rounds of a run never settle: one half differs from the other (try more --rounds)",
    "others-not-known": "it is unknown whether other tasks ran in the measured region",
    "perturbed-left-out": "left out, as other tasks ran in the measured region: {count:n perturbed run}",
    "others-in-boots": "other tasks ran in the measured region in {count} of {boots} boots",
    "work-not-known": "it is unknown whether the program did the same work: no run has call stacks",
    "work-not-watched": "it is unknown whether the program did the same work: not all of its calls were watched",
    "work-not-proportional": "{share:.1%} of the value belongs to work that is not proportional to the printed "
    "operations",
    "fixed-in-value": "{share:.1%} of the value are calls that each execution makes as often, however many operations "
    "it prints: {calls}[ and {more} more]; without them the change is {rest:+.1%}",
    "more-operations": "{base_value} and {head_value} operations were done, and one costs more where there were more: "
    "it may cost more with each that came before",
    "faults-left-out": "page faults[ {where}] differ: {base_value} and {head_value}, which carry {share:.1%} of the "
    "value; the program executes as many instructions, so the kernels are taken for their cause",
    "faults-otherwise": "page faults did not do the same: {base_value} and {head_value} {what}; what differs carries "
    "{share:.1%} of the value",
    "faults-on-one-side": "{base_value} page faults per round on {base!k}, {head_value} on {head!k}: one kernel may "
    "leave out the work that faults are for",
    "resident-differs": "the program ends with {base_value} and {head_value} kB[ of {kind} memory] resident, "
    "and the same calls do not explain it: it may have used other pages",
    "arguments-differ": "{calls}: the calls were given other arguments on one kernel (addresses, numbers, flags, or "
    "names of another length); what may have worked on other memory or files carries {share:.1%} of the value",
    "arguments-unread": "{calls}: the calls were given more than kassay reads, and what may have worked on "
    "other memory or files carries {share:.1%} of the value",
    "found-otherwise": "{what} found {base_value} {noun} on {base!k} and {head_value} on {head!k}[, and {more:n more "
    "system call} found other things]: what was there before was not the same; this carries {share:.1%} of the value",
    "outside-differs": "outside of the region the program did not do the same in all runs: {calls}[ and {more} more]; "
    "what it left may make the region cost more",
    "calls-not-watched": "errors and lengths are known of the program's first {count} system calls alone",
    "others-not-watched": "errors and lengths of system calls of its children and threads are not known",
    "change-elsewhere": "kernel code outside of system calls and page faults, such as interrupts, task switches and "
    "the idle loop,[ is {share:.0%} of the difference][ changes by {elsewhere:+.1%} of the value, and all else by "
    "{rest:+.1%}]: it is not known whether that was the same work",
    "mostly-elsewhere": "{share:.0%} of the value is kernel code outside of system calls and page faults, such as the "
    "idle loop while the program sleeps; it hides that the rest changes by {change:+.1%}",
    "turns-differ": "the scheduler gave the program's tasks other turns: {base_value} and "
    "{head_value} {what}; what differs carries at least {share:.1%} of the value",
    "change-by-chance": "the runs do not all do the same work: {what}, and what varies carries {share:.1%} of the "
    "value; without it the change may lie inside the margin of {margin:.1%}",
    "timer-may-end": "the program sets a timer or sleeps ({timers}); if that ends it, it costs the same on "
    "every kernel",
    "prints-differ": "the program prints {name} {base_value} on {base!k}, {head_value} on {head!k}[, and {more} more], "
    "so it may have done different work",
    "work-varies": "the program does not do the same work in all runs: {what}, which carries {share:.1%} of the value",
    # of times
    "zero-time": "the time is zero: the phase is shorter than one tick of this clock",
    "screening-only": "screening only: {boots:n boot} per kernel; a verdict on time needs {needed}",
    "look-not-reached": "nothing is decided before {boots:n boot} per kernel and their controls are complete",
    "blocks-too-small": "{boots:n boot} per kernel in blocks of this shape cannot show a difference at p ≤ {threshold}",
    "clock-doubt": "{text}",
    "clock-step-not-known": "the resolution of the clock is unknown: all its values are the same",
    "direction-not-known": "the values differ, but it is unknown whether more is better",
    "change-may-be-small": "the change may be as small as {change:.1%}, which is within the margin",
    "undecided": "|change| < {bound:.1%} after {boots:n boot} per kernel[, of at most {most}]: it may be a change or "
    "none",
    "boots-lost": "{count} of the planned boots failed permanently",
    "planned-values-lost": "{count} of the planned boots failed permanently",
    "boots-unmade": "not made yet: {count:n planned boot}",
    "boots-fail-more": "boots fail more often on one side: {base_failed} of {base_tried} on {base!k}, {head_failed} "
    "of {head_tried} on {head!k} (Fisher p = {p:.2g})",
    "order-fixed": "the order within a block was fixed instead of random",
    "order-sequential": "one kernel was measured after the other, so drift looks like a change",
    "order-not-known": "the order of the boots is unknown, so drift may look like a change",
    "boots-far-apart": "half of the boots differ from the median by more than 10 % (MAD ratio): {shares:shares}",
    "boots-stray": "boots vary by more than 10 % (coefficient of variation): {shares:shares}",
    # of one timed session, of many settings, of a ladder
    "kernel-differs-from-itself": "the session is void: {which!k} differs from itself by {change:+.1%} (p = {p:.2g})",
    "kernels-differ-from-themselves": "the session is void: over all settings a kernel differs from itself by "
    "{change:+.1%} (p = {p:.2g})",
    "control-missing": "the boots that compare the first kernel with itself failed, or are too few to show a "
    "difference",
    "provisional": "provisional: the session continues, to at most {most} boots per kernel, for what is not decided "
    "yet",
    "lost-among-settings": "p = {p:.2g} is not significant among {settings} comparisons: one of so many differs as "
    "much by chance",
    "no-step-between": "these two kernels differ, but all kernels together show no step between them",
    "step-of-all": "all kernels together show a step here; these two kernels alone do not",
    # of several hosts
    "hosts-differ": "the hosts differ by more than the boots of one host do (p = {p:.2g}): from {low:+.1%} on "
    "{low_host} to {high:+.1%} on {high_host}[; beyond that, hosts vary by {scatter:.1%}]",
    "hosts-agree": "the hosts differ by no more than the boots of one host do (p = {p:.2g}): {common:+.1%} fits all; "
    "the intervals of two hosts allow a difference of up to {apart:.1%}",
    "hosts-not-told": "it is unknown whether the hosts differ by more than their boots do: {host} has {boots:n boot} "
    "per kernel",
    "hosts-same-digits": "the counts of {hosts} hosts are the same to the digit",
    "hosts-other-digits": "exact counts do not depend on the host, but {kernel} has {count} on {host} and "
    "{other_count} on {other}: something other than the host differs",
    "hosts-other-emulator": "{host} has {program}, {other} has {other_program}",
    "hosts-other-guest": "{host} and {other} measured with different guest programs",
    "hosts-other-plugin": "{host} and {other} may have measured with different plugins of QEMU",
    "host-without-comparison": "{host} has no comparison of these kernels at these settings",
    # refusals of the state gate
    "no-plain-run": "no unmodified run succeeded: {outcomes:outcomes}[ ({detail})]",
    "guest-busy": "{kernel}, run {run}: the guest was never idle before the workload: {quiescence}"
    "[ (and {more:n more run})]",
    "deferred-not-known": "{kernel}, run {run}: deferred work cannot be left out of the value, as nothing tells how "
    "much it was: there is no usable profile, or the kernel lacks the functions by which it is followed",
    "deferred-differs": "{kernel}: deferred work cannot be left out of both values alike: {kinds} was not followed in "
    "all runs",
    "others-took-time": "{kernel}, run {run}: other tasks took {share:.1%} of the measured region, most of it {task} "
    "({ns} ns)[; the profile is not used: {problem}][ (and {more:n more run})]",
    "others-executed": "{kernel}, run {run}: other tasks[ ({tasks:names})] executed {share:.1%} of the measured "
    "region's instructions[, most in {functions:counts}][ (and {more:n more run})]",
    "state-not-as-needed": "{moment} the region, {field} must be {operator} {value}, and is {found} ({count} of "
    "{runs} runs)",
    "state-differs": "{field} {moment} the region: {base_value} on {base!k}, {head_value} on {head!k}[, and {more} "
    "more]",
    "runs-differ": "runs of one kernel differ: {field} {moment} the region: {value} in run {run}, {other_value} in "
    "run {other_run}",
    "different-work": "the program did different work: {what} {base_value} on {base!k}, {head_value} on {head!k} per "
    "{unit}[, and {more:n more kind} of work]; what differs carries {share:.1%} of the value[; as many "
    "reads of {files} returned other lengths, which the kernels decide][; the program reads a "
    "clock ({reads} per round), so the amount of work may depend on time][; it sets a timer or sleeps ({timers}), "
    "which may end its work]",
    "work-by-chance": "the program does not do the same work in all runs: {what} {low} to {high} per "
    "{unit}[, and {more:n more kind} of work]; what varies carries {share:.1%} of the value, and the kernels differ by "
    "{change:+.1%}[; the program reads a clock ({reads} per round), so the amount of work may depend on time][; it "
    "sets a timer or sleeps ({timers}), which may end its work]",
    "watched-work": "the program did different work: {what} {base_value} on {base!k}, {head_value} on {head!k} in the "
    "execution that is watched before the time is taken[, and {more:n more kind} of work]",
    # of others' results
    "runs-did-other-work": "the runs did different work: {what} is {base_value:.6g} on {base!k}, {head_value:.6g} on "
    "{head!k}",
    "no-value": "one side has no value",
    "means-only": "the file has means and spreads but no single values (of {base_values} and {head_values} values)",
    "means-only-of-unknown": "the file has means and spreads but no single values, and not their number",
    "mean-on-one-side": "one side has single values, the other only a mean",
    "values-not-positive": "some values are zero or negative, so their ratio means nothing",
    "state-not-known": "the page state of the kernels is unknown, and may be the reason for any difference",
    "values-of-boots": "each value comes from its own boot",
    "values-of-processes": "the values come from processes of one boot, which are not independent of each other",
    "values-of-one-process": "the values come from one process",
    "values-of-unknown": "it is unknown whether the values come from separate boots",
    "derived-from-means": "derived from printed means, so there is no interval",
    # why a difference is not itemised
    "no-profile-in-file": "the file has no profile of this metric",
    "metric-is-time": "a profile counts instructions, and this metric is a time",
    "no-run-to-profile": "no unmodified run succeeded, so there is no profile",
    "run-without-profile": "{kernel}, run {run}: the run has no profile",
    "profile-not-made": "{kernel}, run {run}: {problem}",
    "profile-not-readable": "run {run}: the profile cannot be read: {problem}",
    "profile-not-usable": "{kernel}, run {run}: {problem}",
    "not-in-overview": "a report of many workloads itemises changes of primary metrics only",
    # why a share of a gap is not told, and how its interval was made
    "comparison-refused": "{base!k} to {head!k}: {verdict:verdict}[: {because}]",
    "kernel-without-value": "a kernel has no value",
    "no-gap": "{base!k} to {head!k} is {verdict}: there is no gap to close",
    "gap-undecided": "{base!k} to {head!k} is {verdict}",
    "gap-overlaps": "runs of old and new overlap",
    "few-common-blocks": "{blocks} blocks have all three kernels, which is too few",
    "gap-not-clear": "old and new do not differ clearly, block by block",
    "interval-of-corners": "each kernel's count may lie anywhere between its lowest and its highest run",
    "interval-of-ranks": "signed ranks of (new - candidate) - share (new - old) over {blocks} blocks[, {level:.3g} % "
    "interval]; the share need not be that of the medians shown",
    # of counts and times of the same work
    "no-verdict-to-compare": "the {which} have no verdict ({verdict:verdict}), so counts and time cannot be compared",
    "time-undecided": "the counts decide, the time does not[: {because}]",
    "counts-undecided": "the time decides, the counts do not; their result says why",
    "neither-changed": "neither changed",
    "counts-within-time": "counts and time agree: the change in counts lies within the interval of time",
    "time-alone-changed": "the instructions are the same and the time differs: the cause is caches, TLB, atomics, "
    "locks or layout, not more code",
    "counts-alone-changed": "{more_or_fewer} instructions, same time: the processor hides them, or they are not "
    "executed in practice",
    "opposite-directions": "instructions and time changed in opposite directions: the cost of each instruction "
    "changed more than their number; look at caches and atomics",
    "time-too-wide": "the interval of time is too wide to compare with the counts; more boots would narrow it",
    "time-changed-more": "time changed far more than the instructions: caches, atomics or locks rather than the "
    "length of the path",
    "counts-changed-more": "instructions changed far more than time: most of them overlap with waiting, or are cheap "
    "ones",
    "changed-alike": "instructions and time changed alike, within the interval of time: the path is "
    "{longer_or_shorter}",
    "clock-remark": "{because} ({text})",
    # of counts and the time predicted from them
    "counts-over-state": "counts overstate the change: {counts:change} instructions, {time:change} predicted time on "
    "{cpu}[ ({low:change} to {high:change})]: one instruction {more_or_fewer} takes {each:.2g} ns, the existing ones "
    "take {before:.2g} ns on average",
    "counts-without-time": "the time need not follow the counts: {counts:change} instructions, and the predicted time "
    "on {cpu} may fall or rise ({low:change} to {high:change})",
    "counts-under-state": "counts understate the change: {counts:change} instructions, {time:change} predicted time "
    "on {cpu}[ ({low:change} to {high:change})]: {cause} {part:signed} of {total:signed} ns[/{per}]",
    "counts-blind": "counts miss the change: {counts:change} instructions, {time:change} predicted time on {cpu}"
    "[ ({low:change} to {high:change})]: {cause} {part:signed} of {total:signed} ns[/{per}]",
    "counts-mislead": "counts mislead: {counts:change} instructions, {time:change} predicted time on {cpu}"
    "[ ({low:change} to {high:change})]: {cause} {part:signed} of {total:signed} ns[/{per}]",
    # why no time is predicted, or with what doubt
    "no-trace": "no run has a trace",
    "cpu-not-known": "{problem}",
    "trace-not-usable": "{kernel}, run {run}: {problem}",
    "others-not-predicted": "{share:.1%} of the instructions belong to interrupts and other tasks, whose time is not "
    "predicted",
    "trace-cut": "the trace reached its size limit: {complete} of {rounds} rounds are complete",
    "traced-round-left-out": "a recorded round is left out: {problem}",
    "trace-too-short": "the trace reached its size limit before two consecutive rounds were complete; raise "
    "--trace-budget",
    "several-cpus": "the model does not include {cpus} CPUs waiting for each other (locks, cache lines)",
    "interrupts-between-cpus": "the model does not include interrupts between CPUs: {functions:amounts}",
    "instructions-without-data": "{share:.1%} of the time is spent in instructions without data in the timing file[: "
    "{forms:names}]",
    "huge-pages-as-small": "{size} kB are in huge pages, and the model takes them as pages of 4 KiB: page walks may be "
    "fewer",
    "other-cpu-booted": "the kernels booted on {booted} and chose their code for it; on the predicted CPU some code "
    "may differ",
    "library-chose": "the C library chose {functions:names} for the emulated CPU, which lacks {features:names}; on the "
    "predicted CPU it may choose others",
    "kernel-chose": "the emulated CPU lacks {features:names}, so the kernel chose {functions:names}; the predicted CPU "
    "has {features:names} and executes other functions, whose time may differ",
    "kernel-mitigates": "the kernel has {mitigations:names} on the emulated CPU only[; to end them: {options}]",
    "traced-rounds-differ": "the rounds answered for execute {traced:.4g} instructions per operation, the value "
    "stands for {value:.4g}",
    "rounds-spread": "the predicted rounds vary by {spread:.1%}",
    "placements-spread": "the time varies by {spread:.1%} with where its pages lie in physical memory",
    # what every reader is told
    "deferred-work": "{kernel}: {share:.1%} of the instructions in the measured region are work that the workload "
    "queued and the kernel did later, {part}. Instructions in all its rounds: {counts:counts}[; not finished when the "
    "region ended: {outstanding:amounts}].",
    "deferred-not-followed": "{kernel}: the kernel lacks functions by which deferred work is followed; {kinds} counts "
    "as other tasks or as interrupts.",
    "idle-counted": "{kernel}: {share:.1%} of the value of {workload} is time that the guest was idle: {count} of "
    "{total} {unit}.",
    "clock-limit": "{text}",
    "different-compilers": "The kernels were built by different compilers, which may explain part of any difference; "
    "see Kernels.",
    "compiled-differently": "{base!k} and {head!k} have the same sources and compiler, so their configuration decides "
    "the code[: it differs in {different}][; inlined in one of them, or left out: {inlined}][; the same in {same}].",
    "compiled-the-same": "{base!k} and {head!k} have the same sources and compiler. The symbols that differ left the "
    "code of {same} as it is, so their effect is in the work or the data.",
    "host-dependent": "Digits of {count:n run} of {total} may depend on the host: {why}.",
    "command-line": "Kernel command line: {parameters}",
    "own-parameters": "Additional kernel parameters of {which!k}: {parameters}",
    "did-not-wait": "The guest did not wait until it was idle (--no-quiesce).",
    "background-tasks": "{count:n task} named kassay-spin ran beside the workload (--background).",
    "times-of-other-images": "The times in beside/ belong to other kernel images than the counts, so they are not "
    "shown. --fresh measures both again.",
    "read-from": "Read from {file} ({format}, sha256 {sha256:.16}).",
    "one-value-is": "{because:sentence}",
    # the state of memory that the kernels worked on
    "memory-same": "the same on all kernels[ with runs (none of {failed:kernels} succeeded)], before and after; "
    "before[ ({setting}; other settings differ)]: {fields:amounts}[; {note}]",
    "memory-not-audited": "no memory was audited[; {note}]",
    "memory-of-program": "partial: the program's memory was read once, at the end of an execution outside of the "
    "region: {fields:amounts}; --state NAME requires that a field is the same[; different on the kernels: "
    "{differing}]",
    "memory-differs": "not the same: {field} {moment} the region is {base_value} on {base!k}, {head_value} on "
    "{head!k}",
    "memory-not-shown": "not proved to be the same ({verdicts:names})",
    "memory-not-known": "unknown: no run succeeded",
    "memory-of-files": "unknown: the files say neither which page state the kernels worked on, nor which kernels "
    "these are",
    # the work of users' programs
    "work-same": "the same on all kernels, as far as it is compared: system calls with their results, faults and their "
    "pages, the program's own instructions; share of the value that may differ: {share:limit}[. The program reads a "
    "clock ({reads} per round), and still did the same work][. It sets a timer or sleeps ({timers}), and "
    "still did the same work]",
    "work-in-doubt": "no difference is known that is the program's. The reasons of the evidence say what may still "
    "differ[. The program reads a clock ({reads} per round)][. It sets a timer or sleeps ({timers})]",
    # what a search leaves open; "!c" is a candidate, by its position
    "end-not-measured": "the {end} end cannot be measured",
    "ends-alike": "the two ends cost the same within {margin:.1%}: {good:g} and {bad:g}",
    "states-alike": "{field} is the same on the two ends: {state}",
    "not-searched": "another change between {low!c} and {high!c} was not searched for; --steps all does",
    "spread-over-small": "changes that are each within the margin make up {rest:+.1%} of the good end's cost",
    "smaller-steps": "the steps that were found make up {known:+.1%} of {whole:+.1%} between the ends; there may be "
    "smaller ones",
    "search-undecided": "nothing was decided between {low!c} and {high!c} after {boots} boots, of {all_boots} in "
    "all; the likeliest candidate is {likeliest!c}, at {odds:.0%}",
    "stretch-not-measured": "{candidate!c}, an end of the search, cannot be measured",
    "change-below-scatter": "between {low!c} and {high!c} the time changes by {change:+.1%}, {apart:.1f} times the "
    "variation of a boot ({scatter:.1%}): too little to bisect on this clock",
    "merge-itself": "the merge itself: {problem}",
    "merge-of-several": "the merge brought in {branches} branches, which were not searched: bisect each of them",
    # of predictions
    "no-changes-measured": "the CPU was calibrated, but no changes were measured on it: the interval is an estimate",
    "cause-not-calibrated": "{share:.0%} of the change is {cause}, which was never calibrated on this CPU: it occurs "
    "in {calibrated} of its measured changes, and {needed} are needed",
})  # fmt: skip
"""Text of each reason, by code. docs/reference/reasons.md lists them."""

_EVERYDAY_VERDICTS = {
    "state-mismatch": "the state differs", "semantic-failure": "the work was not done as declared",
    "hosts-disagree": "two hosts count the same work otherwise", "different-work": "the work differs",
}  # fmt: skip


def reason_text(reason: Reason, names: Mapping[str, str] = MappingProxyType({}), *, everyday: bool = False,
                candidates: Sequence[str] = ()) -> str:  # fmt: skip
    """A reason as a part of a sentence, without a full stop. Some reasons that stand alone are whole sentences.

    `names` replaces labels of kernels. With `everyday` verdicts of the gate are described instead of named.
    `candidates` are the candidates of a search, by position.
    """
    filler = _Filler(names, candidates, everyday=everyday)
    return filler.filled(reason)


def reasons_text(reasons: Iterable[Reason]) -> str:
    """All of them, in order."""
    return "; ".join(map(reason_text, reasons))


def starts_with_name(reason: Reason) -> bool:
    """True if its text begins with a kernel's name, which keeps its small letter at the start of a sentence."""
    text = TEXTS[reason.code]
    return bool(reason.kernel) or text.startswith(("{base!k}", "{which!k}"))


def can_be_joined(reason: Reason) -> bool:
    """True if several kernels with this reason can share one text, in front of which their names stand."""
    return bool(reason.kernel) and "{kernel}" not in TEXTS[reason.code]


class _Filler(Formatter):
    """Texts with their arguments filled in."""

    def __init__(self, names: Mapping[str, str], candidates: Sequence[str], *, everyday: bool) -> None:
        self._names, self._candidates, self._everyday = names, candidates, everyday

    def filled(self, reason: Reason) -> str:
        text = TEXTS[reason.code]
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
        if format_spec == "kernels":
            return listed([self._names.get(kernel, kernel) for kernel, _ in value])
        if format_spec == "verdict":
            return _EVERYDAY_VERDICTS.get(value, value) if self._everyday else str(value)
        if format_spec == "names":
            return ", ".join(self.format_field(name, "verdict") for name, _ in value)
        if format_spec.startswith("n "):
            return counted(value, format_spec[2:])
        return FORMATS[format_spec](value) if format_spec in FORMATS else str(super().format_field(value, format_spec))


_OPTIONAL = re.compile(r"\[([^]]*)\]")


def _has_all(part: str, arguments: Mapping[str, Any]) -> bool:
    """True if every argument that a part of a text names has a value."""
    names = (name for _, name, _, _ in Formatter().parse(part) if name)
    return all(arguments.get(name) not in (None, "", ()) for name in names)
