# SPDX-License-Identifier: GPL-2.0-only
"""What every form of a replay says: its sentences and tables."""

from collections.abc import Iterable

from kassay.model.pcp_replay import PcpReplay, Replayed, ReplayedTrace, Totals
from kassay.model.texts import Table, cells, cpus_text, figures, memory_text, table
from kassay.model.units import format_change, format_number

NOTES = (
    "The guest's own: its refills and drains are events of the trace, and no policy is given them; its high and count "
    "are from /proc/zoneinfo.",
    "all moved: pages refilled and drained, against the guest's. over time: mean distance of the pages moved up to "
    "each sample, relative to all that the guest moved. high, count: mean distance of a CPU's at each sample, relative "
    "to the guest's mean.",
)
BEGIN = (
    "Of what each list held at the begin the guest tells the sum alone: it is what the trace shows of each list until "
    "its first refill.",
    "All pages of the lists were taken for movable ones of order 0 at the begin, which the guest's were not.",
)


def verdict(answer: PcpReplay) -> str:
    """The largest error of the policies that the traced kernels have themselves."""
    own_policies = [policy for trace in answer.traces for policy in trace.policies if policy.policy == trace.own]
    moved = [abs(policy.errors.moved) for policy in own_policies if policy.errors.moved is not None]
    highs = [policy.errors.high for policy in own_policies if policy.errors.high is not None]
    if not moved or not highs:
        return f"{len(answer.traces)} traces replayed; none by the policy of its own kernel with pages that moved"
    of = "1 trace" if len(own_policies) == 1 else f"{len(own_policies)} traces"
    return (
        f"{of} by the policy of its own kernel: the pages that pass the zone lock are predicted to within "
        f"{_share(max(moved))}, PCP high over time to within {_share(max(highs))}"
    )


def title(trace: ReplayedTrace) -> str:
    """Kernel, workload and machine."""
    guest = trace.guest
    return f"{guest.release}: {guest.workload}; {cpus_text(guest.cpus)}, {memory_text(guest.memory_bytes)}"


def tables(answer: PcpReplay) -> Iterable[Table]:
    """For each trace the guest and every policy; then the errors of all."""
    for trace in answer.traces:
        rows = [cells("the guest", *_totals(trace.guest.totals))]
        rows += [cells(policy.policy, *_totals(policy.totals)) for policy in trace.policies]
        columns = ("", *figures("refills", "pages refilled", "pages drained", "by decay", "of order 1-3"))
        yield table(title(trace), columns, rows)
    rows = [
        cells(trace.guest.release.partition("+")[0], trace.guest.workload, policy.policy, *_errors(policy))
        for trace in answer.traces
        for policy in trace.policies
    ]
    columns = ("kernel", "workload", "policy", *figures("all moved", "over time", "high", "count"))
    yield table("Against the guest", columns, rows)


def notes(answer: PcpReplay) -> tuple[str, ...]:
    """What must be known to read it."""
    texts = [*NOTES, BEGIN[0 if answer.by_list else 1]]
    for trace in answer.traces:
        guest = trace.guest
        if guest.unexplained_pages:
            texts.append(
                f"{guest.release}, {guest.workload}: at the end {guest.unexplained_pages} pages of a CPU's lists are "
                "not explained by the recorded events."
            )
        if not guest.bulk_seen:
            texts.append(f"{guest.release}: allocations in bulk were not recorded.")
    return tuple(texts)


def _totals(totals: Totals) -> tuple[str, ...]:
    numbers = (totals.refills, totals.refilled_pages, totals.drained_pages, totals.decay_pages,
               totals.high_order_drained)  # fmt: skip
    return tuple(format_number(number) for number in numbers)


def _errors(policy: Replayed) -> tuple[str, ...]:
    errors = policy.errors
    return format_change(errors.moved), *(_share(value) for value in (errors.path, errors.high, errors.count))


def _share(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.2f} %"
