# SPDX-License-Identifier: GPL-2.0-only
"""Two reports -> what an earlier one claimed, why it does not hold, and what does, with the line for regzbot."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from kassay.errors import BadInput
from kassay.model.experiment import KernelUse, labels
from kassay.model.finding import CHANGES, REFUSED, Finding
from kassay.model.records import Record
from kassay.model.report import Report
from kassay.model.texts import Table, cells, counted, figures, listed, machine_text, settings_text, table
from kassay.report.answers import Kind
from kassay.report.document import VERDICT, Document, Envelope, Paragraph, filled, section
from kassay.report.mail.answer import answer
from kassay.report.mail.headline import STRONG, headline, subject_line
from kassay.report.mail.names import everyday_text, identity, mail_name, mail_names, quantity, unit_text
from kassay.report.mail.text import ascii_text, bare_percent, number, percent, sentence
from kassay.report.parted import parted_sentences
from kassay.report.sections.refused import differences_letter
from kassay.supply.clocks import clock_of

SCHEMA = "kassay-retraction/1"
INCONCLUSIVE, RESOLVE = "inconclusive", "resolve"
"""Commands of regzbot: nothing can be said about the regression, or there is none any more."""
_ONE_SIDED = 5


class Claim(Record, frozen=True, kw_only=True):
    """A change that the earlier report claimed, and what the new one says of it."""

    what: str
    """Workload, metric and setting."""
    base: str
    head: str
    claimed: float | None
    """Relative change."""
    verdict: str
    now: float | None
    """Relative change of the new report; None if it was refused or not measured."""
    now_verdict: str
    """Verdict of the new report; "" if it has no such comparison."""


class Retraction(Record, frozen=True, kw_only=True):
    """One report taken back by another. Texts are plain ASCII sentences."""

    subject: str
    """Subject of the earlier mail."""
    claimed: tuple[str, ...]
    claims: tuple[Claim, ...]
    reasons: tuple[str, ...]
    """Reasons why the claim does not hold, the most important one first."""
    differing: Table | None
    """State that should have been the same and was not."""
    measured: tuple[str, ...]
    """Differences between the two measurements."""
    holds: tuple[str, ...]
    command: str
    """INCONCLUSIVE or RESOLVE; empty if the earlier report claimed no regression, or if the regression stands and only
    its size does not."""
    command_reason: str
    tracked: bool
    """True if the earlier mail told regzbot of the regression."""
    resized: bool
    """True if the change stands and only its size does not."""
    old_experiment: str
    new_experiment: str
    kassay_version: str
    schema: str = SCHEMA

    @property
    def regzbot(self) -> str:
        return f"#regzbot {self.command}: {self.command_reason}" if self.command else ""


def retraction(new: Report, old: Report) -> Retraction:
    """Everything that `new` takes back of `old`. Raises BadInput if `old` claims nothing, or if `new` says the same."""
    topic, now_topic = headline(old), headline(new)
    if topic is None or topic.finding.verdict not in CHANGES:
        raise BadInput("--retracts: that report claims no change, so there is nothing to take back",
                       "name the directory or bundle of the report that did")  # fmt: skip
    if now_topic is None:
        raise BadInput("--retracts: the new report compares nothing", "name a directory that compares the kernels")
    f = topic.finding
    now = _same(new, old, f)
    if now is None and clock_of(f.machine.clock).imported:
        now = now_topic.finding  # its kernels have no releases
    if now is None:
        releases = _releases(old, f)
        pair = " and ".join(releases if len({*releases}) > 1 else f.kernels)
        raise BadInput(f"--retracts: the new report does not compare {pair} by {f.workload} {f.metric} in a way that "
                       "can contradict the earlier one",
                       "measure these kernels with the same settings, machine and clock, then retract")  # fmt: skip
    if now.verdict == f.verdict and not _other_size(now, f, new.experiment.margin):
        raise BadInput(f"--retracts: the new report has the same verdict ({f.verdict}) and the same size; it takes "
                       "nothing back",
                       "send the new report as a reply, if it says more")  # fmt: skip
    command, differs = _command(now, f), now.verdict == "state-mismatch" and bool(now.differences)
    return Retraction(
        subject=subject_line(old), claimed=tuple(answer(old)[:1]), claims=tuple(_claims(new, old)),
        reasons=tuple(_reasons(new, now, f)), differing=differences_letter(new, now) if differs else None,
        measured=tuple(_measured(new, old, now, f)),
        holds=tuple(_holds(new, now)), command=command, command_reason=_command_reason(new, now, command),
        tracked=topic.tag == "[REGRESSION]", resized=now.verdict == f.verdict, old_experiment=old.plan_id,
        new_experiment=new.plan_id, kassay_version=new.kassay_version,
    )  # fmt: skip


def _command(now: Finding, f: Finding) -> str:
    """Only strong evidence ends a regression: a tracker forgets what is resolved."""
    if f.verdict != "regression" or now.verdict == f.verdict:
        return ""
    gone = now.verdict in ("equivalent", "improvement") and now.evidence in STRONG and _can_contradict(now, f)
    return RESOLVE if gone else INCONCLUSIVE


def _can_contradict(now: Finding, f: Finding) -> bool:
    """True if both have the same workload, metric, settings and machine, and one clock or two that measure time.
    Counts do not contradict times."""
    clocks = [clock_of(one.machine.clock) for one in (now, f)]
    machine = replace(now.machine, clock=f.machine.clock)
    same = (now.workload, now.metric, now.settings, machine) == (f.workload, f.metric, f.settings, f.machine)
    return same and (clocks[0] == clocks[1] or all(clock.decides for clock in clocks))


def _other_size(now: Finding, f: Finding, margin: float) -> bool:
    """True if the change is another one: intervals do not overlap, or exact counts differ by more than the margin."""
    if now.change is None or f.change is None:
        return False
    if now.interval is not None and f.interval is not None:
        return now.interval[0] > f.interval[1] or f.interval[0] > now.interval[1]
    return abs(now.change - f.change) > margin


def _same(new: Report, old: Report, f: Finding) -> Finding | None:
    """The comparison of the new report that can contradict this one, or that was refused for the same work."""
    about, wanted = (f.workload, f.metric, f.settings), _sources(old, f)
    found = [
        n for n in new.findings
        if (n.workload, n.metric, n.settings) == about and _sources(new, n) == wanted
        and (n.verdict in REFUSED or _can_contradict(n, f))
    ]  # fmt: skip
    return min(found, key=lambda n: n.machine != f.machine, default=None)


def _sources(report: Report, f: Finding) -> tuple[object, ...]:
    """The widest of what both kernels are known by in which they differ; their images where they differ in none."""
    uses = dict(zip(labels(report.experiment), report.experiment.kernels, strict=True))
    known = [_known_by(report, label, uses.get(label, KernelUse(ref=label))) for label in f.kernels]
    *wider, images = zip(*known, strict=True)
    return next((both for both in wider if len({*both}) > 1), images)


def _known_by(report: Report, label: str, use: KernelUse) -> tuple[object, object, object]:
    """(the tree of a build, as builds of several commits have one release, else the release; its configuration, or else
    the image, with parameters and CPU; its image)."""
    kernel = identity(report, label)
    if kernel is None:
        return label, (None, use.cmdline, use.cpu), None
    image, build = kernel.image_sha256, kernel.build
    if build is None:
        return kernel.release, (image, use.cmdline, use.cpu), image
    return build.tree, ((build.config, build.fragments), use.cmdline, use.cpu), image


def _releases(report: Report, f: Finding) -> tuple[str, ...]:
    kernels = [identity(report, label) for label in f.kernels]
    return tuple(
        kernel.release if kernel is not None else label for kernel, label in zip(kernels, f.kernels, strict=True)
    )


def _claims(new: Report, old: Report) -> Iterator[Claim]:
    for f in old.findings:
        if not f.primary or f.verdict not in CHANGES:
            continue
        now = _same(new, old, f)
        setting = settings_text(f.settings)
        yield Claim(
            what=ascii_text(f"{f.workload} {f.metric}{f' ({setting})' if setting else ''}"),
            base=mail_name(old, f.kernels[0]), head=mail_name(old, f.kernels[1]), claimed=f.change, verdict=f.verdict,
            now=now.change if now is not None and now.verdict not in REFUSED else None,
            now_verdict=now.verdict if now is not None else "",
        )  # fmt: skip


def _reasons(new: Report, now: Finding, f: Finding) -> Iterator[str]:
    base, head = (mail_name(new, label) for label in now.kernels)
    whys = listed([everyday_text(new, why) for why in now.reasons])
    if now.verdict in REFUSED:
        yield sentence(f"{base} and {head} cannot be compared by this workload{f': {whys}' if whys else ''}")
        yield from map(ascii_text, parted_sentences(new, now, mail_names(new)))
        return
    values = f"{number(now.base_value)} on {base} and {number(now.head_value)} {unit_text(now.unit)} on {head}"
    if now.verdict == "inconclusive":
        yield sentence(f"Measured again, it is not decided: {values}{f' ({whys})' if whys else ''}")
    elif now.verdict == "equivalent":
        yield f"Measured again, there is no difference beyond {bare_percent(new.experiment.margin)}: {values}."
    elif now.verdict == f.verdict:
        yield f"Measured again, the size is another one: {values} ({percent(now.change)}), not {percent(f.change)}."
    else:
        claimed = "more" if (f.change or 0.0) > 0 else "less"
        yield f"Measured again, it is the other way round: {values} ({percent(now.change)}), not {claimed}."


def _measured(new: Report, old: Report, now: Finding, f: Finding) -> Iterator[str]:
    """Differences between the two measurements, one phrase each."""
    here = _conditions(new, now)
    for name, then in _conditions(old, f).items():
        if then != here[name]:
            yield ascii_text(f"{name}: {then or 'not known'} then, {here[name] or 'not known'} now")


def _conditions(report: Report, f: Finding) -> dict[str, str]:
    """The conditions of a measurement by their names; "" for one that is not known."""
    kernels = [identity(report, label) for label in f.kernels]
    images = [(kernel.image_sha256 or "")[:12] if kernel is not None else "" for kernel in kernels]
    compilers = dict.fromkeys((kernel.compiler or "").partition(", ")[0] for kernel in kernels if kernel)
    return {
        "workload": f.workload, "settings": settings_text(f.settings), "machine": machine_text(f.machine),
        "clock": f"{f.machine.clock} ({clock_of(f.machine.clock).scope})", "boots": f"{f.n_base} and {f.n_head}",
        "images": listed(images), "compilers": listed(list(compilers)),
    }  # fmt: skip


def _holds(new: Report, now: Finding) -> Iterator[str]:
    """Findings of the new report that stand, in sentences."""
    if now.verdict not in REFUSED:
        yield answer(new)[0]
    else:
        others = [f for f in new.findings if f.primary and f.verdict not in (*REFUSED, "inconclusive") and f is not now]
        yield from (_other(new, f) for f in others)
        if now.one_sided:
            ran = [
                f"{row.function} on {mail_name(new, row.kernel)} ({number(row.calls)} calls)"
                for row in now.one_sided[:_ONE_SIDED]
            ]
            operation = now.unit.partition("/")[2] or "operation"
            yield ascii_text(
                f"Both kernels have these functions and one of them ran them, per {operation}: {listed(ran)}."
            )
        if not others:
            yield "Nothing about the cost of this work on these kernels follows from either measurement."


def _other(new: Report, f: Finding) -> str:
    base, head = (mail_name(new, label) for label in f.kernels)
    where = settings_text(f.settings)
    return ascii_text(
        f"{f.workload} {f.metric}{f' ({where})' if where else ''}: {number(f.base_value)} on {base}, "
        f"{number(f.head_value)} {unit_text(f.unit)} on {head}, {percent(f.change)}: {f.verdict}."
    )


def _command_reason(new: Report, now: Finding, command: str) -> str:
    """A few words for a tracker's web page; "" without a command."""
    if not command:
        return ""
    base, head = (mail_name(new, label) for label in now.kernels)
    if now.verdict == "state-mismatch" and now.differences:
        first = now.differences[0]
        return ascii_text(
            f"{base} and {head} did not work on the same state ({first.field} {first.base} and {first.head})"
        )
    if now.verdict in REFUSED:
        return ascii_text(f"{base} and {head} cannot be compared by this workload")
    if now.verdict == "inconclusive":
        return "measured again, the difference is not decided"
    if command == INCONCLUSIVE and now.evidence in STRONG:
        return "measured again by other work, the regression does not show"
    if command == INCONCLUSIVE:
        return f"measured again, the regression does not show, but the evidence is {now.evidence}"
    if not clock_of(now.machine.clock).timed:
        what = quantity(now.unit, now.metric, now.machine.clock)
        return ascii_text(f"measured again, {head} does not execute more {what} than {base}")
    return ascii_text(f"measured again, {head} is not slower than {base}")


def document(taken: Retraction) -> Document:
    """The retraction for every reader."""
    about, command = "This takes back an earlier report", f"the command is: {taken.regzbot}"
    untracked = () if taken.tracked or not taken.command else (f"Should the report be tracked, {command}",)
    does_not_hold = "There is a change, but not one of this size." if taken.resized else "Its claim does not hold."
    return Document(
        title=f"Taken back: {taken.subject}", kicker="kassay report", kassay_version=taken.kassay_version, level=3,
        envelope=Envelope(
            subject=f"Re: {taken.subject}", trailer=taken.regzbot if taken.tracked else "",
            signature=f"Written by kassay {ascii_text(taken.kassay_version)}, experiments "
            f"{ascii_text(taken.old_experiment)[:16]} and {ascii_text(taken.new_experiment)[:16]}.",
        ),
        blocks=(
            Paragraph(text=f'{about}, "{taken.subject}". {does_not_hold}', tone=VERDICT),
            section("What was claimed", text=taken.claimed, tables=_claims_table(taken.claims)),
            section("Why it does not hold", text=taken.reasons, tables=(taken.differing,) if taken.differing else ()),
            *filled("What differs between the two measurements", items=taken.measured),
            section("What does hold", text=taken.holds),
            *filled("", items=untracked),
        ),
    )  # fmt: skip


def _claims_table(claims: Sequence[Claim]) -> tuple[Table, ...]:
    """Every claim next to what is measured now; one alone stands in the sentences."""
    if len(claims) < 2:
        return ()
    rows = (
        cells(claim.what, f"{claim.base} > {claim.head}", percent(claim.claimed), percent(claim.now),
              claim.now_verdict or "not measured")
        for claim in claims
    )  # fmt: skip
    title = f"{counted(len(claims), 'claim')}, and what is measured now"
    return (table(title, ("what", "kernels", *figures("claimed", "now"), "verdict now"), rows),)


RETRACTION = Kind(document=document)
