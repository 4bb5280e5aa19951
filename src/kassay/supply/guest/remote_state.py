# SPDX-License-Identifier: GPL-2.0-only
"""State of a machine elsewhere, which no guest has: the settings that kassay makes there, and what is only recorded."""

import re

from kassay.model.guest import GuestReport

_CPU = "/sys/devices/system/cpu/"
_GOVERNOR = re.compile(rf"{_CPU}cpufreq/policy\d+/scaling_governor")
_MITIGATION = f"{_CPU}vulnerabilities/"
_MARK = "kassay/elsewhere"
"""A file that only scripts/state.sh captures, on such a machine."""


def host_fields(report: GuestReport) -> dict[str, str | None]:
    """host.governor, .turbo, .smt, .microcode, .preempt, .throttling and .mitigation.NAME; "none" for what the machine
    has not. host.throttling is "unknown" if the kernel does not count it, as on AMD CPUs. No fields of a guest."""
    texts = {file.path: (file.content or "").strip() for file in report.files if file.moment == "boot"}
    if _MARK not in texts:
        return {}
    governors = {text for path, text in texts.items() if _GOVERNOR.fullmatch(path)}
    fields: dict[str, str | None] = {
        "host.governor": " ".join(sorted(governors)) or "none",
        "host.turbo": _turbo(texts.get(f"{_CPU}intel_pstate/no_turbo"), texts.get(f"{_CPU}cpufreq/boost")),
        "host.smt": texts.get(f"{_CPU}smt/control") or "none",
        "host.microcode": texts.get("kassay/microcode") or "none",
        "host.preempt": _chosen(texts.get("kassay/preempt")),
        "host.throttling": texts.get("kassay/throttling"),
    }
    mitigations = ((path, text) for path, text in texts.items() if path.startswith(_MITIGATION))
    return fields | {f"host.mitigation.{path.removeprefix(_MITIGATION)}": text for path, text in sorted(mitigations)}


def _turbo(no_turbo: str | None, boost: str | None) -> str:
    if no_turbo is not None:
        return "off" if no_turbo == "1" else "on"
    return "none" if boost is None else "off" if boost == "0" else "on"


def _chosen(text: str | None) -> str | None:
    match = re.search(r"\(([^)]+)\)", text or "")
    return match[1] if match else None
