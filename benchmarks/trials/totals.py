# SPDX-License-Identifier: GPL-2.0-only
"""The totals of campaigns: one file each in benchmarks/trials/campaigns, so that the counts of many nights add up.

`python -m benchmarks.trials page --out DIR` writes the file of DIR's campaign, whose name is the time of its first
trial. Written again, it replaces itself.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from benchmarks.trials import fuzz
from benchmarks.trials.campaign import FIND, Trial, read
from kassay.effects.files import write_atomic
from kassay.model.records import Record, from_json, to_json

CAMPAIGNS = Path(__file__).with_name("campaigns")


class Total(Record, frozen=True, kw_only=True):
    """The trials of one name in one campaign, or in all of them."""

    kind: str
    """kills, faults, fuzz or selves."""
    name: str
    """The command, fault, target or workload."""
    trials: int
    count: int
    """Kills, faults, executions or findings."""
    outcomes: dict[str, int]
    """Number of trials by outcome."""
    seconds: float
    finds: tuple[str, ...] = ()
    """One line for each find; of fuzzing, for each input that is a find."""

    def __add__(self, other: "Total") -> "Total":
        return Total(
            kind=self.kind, name=self.name, trials=self.trials + other.trials, count=self.count + other.count,
            outcomes=dict(Counter(self.outcomes) + Counter(other.outcomes)), seconds=self.seconds + other.seconds,
            finds=(*self.finds, *other.finds),
        )  # fmt: skip


class Campaign(Record, frozen=True, kw_only=True):
    """One campaign."""

    began: str
    """End of its first trial, UTC, as YYYY-MM-DDTHH:MM:SS."""
    commits: tuple[str, ...]
    """Commits of the source tree; "+" stands for changes that were not committed."""
    totals: tuple[Total, ...]


def began(directory: Path) -> str:
    """When the first trial of a campaign's directory ended, UTC; "" before that."""
    return min((trial.ended_utc for trial in read(directory)), default="")[:19]


def campaign_of(directory: Path) -> Campaign:
    """The totals of a campaign's directory."""
    trials = read(directory)
    groups: dict[tuple[str, str], list[Trial]] = {}
    for trial in trials:
        groups.setdefault((trial.kind, trial.name), []).append(trial)
    executions = fuzz.executed(directory, fuzz.all_names())
    totals = []
    for (kind, name), own in groups.items():
        finds = tuple(f"{trial.detail[:160]} (trial {trial.number})" for trial in own if trial.outcome == FIND)
        fuzzed = kind == "fuzz"
        totals.append(
            Total(
                kind=kind, name=name, trials=len(own),
                count=executions[name] if fuzzed else sum(trial.count for trial in own),
                outcomes=dict(Counter(trial.outcome for trial in own)),
                seconds=round(sum(trial.seconds for trial in own), 1),
                finds=tuple(sorted(fuzz.finds(directory, name).values())) if fuzzed else finds,
            )
        )  # fmt: skip
    commits = tuple(dict.fromkeys(trial.commit for trial in trials))
    return Campaign(began=began(directory), commits=commits, totals=tuple(totals))


def save(directory: Path, into: Path = CAMPAIGNS) -> None:
    """Writes the totals of a campaign's directory."""
    if name := began(directory).replace(":", ""):
        write_atomic(into / f"{name}.json", to_json(campaign_of(directory)))


def saved(into: Path = CAMPAIGNS) -> tuple[Campaign, ...]:
    """All campaigns, the oldest first."""
    return tuple(from_json(path.read_bytes(), Campaign) for path in sorted(into.glob("*.json")))


def summed(campaigns: Iterable[Campaign]) -> Mapping[tuple[str, str], Total]:
    """The totals of several campaigns together, by kind and name."""
    found: dict[tuple[str, str], Total] = {}
    for campaign in campaigns:
        for total in campaign.totals:
            key = total.kind, total.name
            found[key] = found[key] + total if key in found else total
    return found
