# SPDX-License-Identifier: GPL-2.0-only
"""Experiment files are read strictly, every problem with its place, and written so that they read back."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.errors import BadInput
from kassay.model.experiment import ORDERS, Axis, Experiment, KernelUse, WorkloadUse
from kassay.model.profile import PROFILES
from kassay.spec.load import dump, parse
from kassay.supply.arches import arches

GOOD = """
question = "ladder"
kernels = ["debian:6.12", {ref = "debian:6.17", cmdline = "a=b"}]
memory_bytes = ["1GiB", "2GiB"]
[[workloads]]
name = "mprotect_toggle"
set = { size = ["8MiB", "16MiB"], share = "shared" }
"""


def problems(text: str) -> str:
    with pytest.raises(BadInput) as caught:
        parse(text, "x.toml")
    return str(caught.value)


def test_a_file_with_a_clock_of_time_has_its_defaults() -> None:
    text = 'clock = "kvm"\nkernels = ["debian:6.12", "debian:6.17"]\nworkloads = ["mprotect_toggle"]\n'
    timed = parse(text, "x.toml")
    assert (timed.repeats, timed.perturb, timed.margin) == (24, 0, 0.02)
    with pytest.raises(BadInput, match="perturb: moves what exact counts"):
        parse("perturb = 1\n" + text, "x.toml")


def test_a_good_file_is_read() -> None:
    experiment = parse(GOOD, "dir/mine.toml")
    assert experiment.name == "mine"
    assert experiment.kernels[1] == KernelUse(ref="debian:6.17", cmdline="a=b")
    assert experiment.memory_bytes == (1 << 30, 2 << 30)
    assert experiment.workloads[0].axes[0] == Axis(name="size", values=("8MiB", "16MiB"))


text = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=1, max_size=30)
names = st.text("abcdefghijk_", min_size=1, max_size=10)


@given(
    st.builds(
        Experiment,
        name=text,
        question=st.just("ladder"),
        kernels=st.lists(
            st.builds(KernelUse, ref=names.map(lambda n: f"image:/{n}"), cmdline=names), min_size=2, max_size=4
        ).map(tuple),
        workloads=st.lists(
            st.builds(
                WorkloadUse,
                name=text,
                axes=st.dictionaries(text, st.lists(text, min_size=1, max_size=3), max_size=3).map(
                    lambda d: tuple(Axis(name=k, values=tuple(v)) for k, v in d.items())
                ),
            ),
            min_size=1,
            max_size=3,
        ).map(tuple),
        memory_bytes=st.lists(
            st.integers(1 << 14, 1 << 27).map(lambda n: n * 8192), min_size=1, max_size=3, unique=True
        ).map(tuple),
        order=st.sampled_from(ORDERS),
        seed=st.integers(0, (1 << 63) - 1),
        margin=st.floats(0.0001, 0.9),
        profile=st.sampled_from(PROFILES),
        quiesce=st.booleans(),
        background=st.integers(0, 64),
    )
)
def test_what_is_written_reads_back_the_same(experiment: Experiment) -> None:
    assert parse(dump(experiment), "x.toml") == experiment


def test_an_unknown_key_is_named_with_the_known_ones() -> None:
    said = problems(GOOD.replace("question", "repeat = 3\nquestion", 1))
    assert "x.toml: repeat: unknown key; did you mean repeats? known: " in said
    assert "repeats" in said


def test_every_problem_is_reported_at_once() -> None:
    said = problems('clock = "sundial"\norder = "up"\nmargin = 7\nkernels = ["linux"]\nworkloads = ["x"]\n')
    for place in ("clock:", "order:", "margin:", "kernels:", "kernels[0].ref:"):
        assert place in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "kernels: missing"),
        ("kernels = 3\nworkloads = []\n", "kernels: missing, or not a list"),
        ("question = [", "x.toml: "),
        (GOOD.replace('"1GiB"', '"1 furlong"'), "memory_bytes[0]: '1 furlong' is not a size"),
        (GOOD.replace('"1GiB"', '"9999999999TiB"'), "larger than any machine"),
        (GOOD.replace('"ladder"', '"ladder"\nrepeats = "two"'), "repeats: write a number"),
        (GOOD.replace('"ladder"', '"ladder"\nrepeats = 0'), "repeats: 0 is outside 1..1000"),
        (GOOD.replace("debian:6.12", "host"), "kernel host and clock host go together"),
        (GOOD.replace("debian:6.12", "arm64/debian:6.12"), "is for arm64, the experiment for x86_64"),
        ('arch = "arm64"\ncpus = [1, 9]\n' + GOOD, "cpus: QEMU's machine for arm64 has at most 8"),
        (GOOD.replace('name = "mprotect_toggle"', 'nme = "x"'), "workloads[0]: must be"),
        (GOOD.replace('["8MiB", "16MiB"]', "[]"), "workloads[0].set.size: needs at least one value"),
        (GOOD.replace('"ladder"', '"ladder"\ndeferred = "later"'), "deferred: unknown 'later'; known: included, apart"),
        (
            GOOD.replace('"ladder"', '"ladder"\ndeferred = "apart"\nprofile = "none"'),
            'deferred: "apart" takes the profile of each run: use clock icount, and not profile none',
        ),
        (
            GOOD.replace('"ladder"', '"ladder"\ndeferred = "apart"\npredict = ["zen3"]'),
            'deferred: a prediction has deferred work in it: leave out predict, or "apart"',
        ),
        (GOOD.replace('"ladder"', '"ladder"\nprofile = "heat"'), "profile: unknown 'heat'; known: auto, none, counts"),
        (
            GOOD.replace('"ladder"', '"ladder"\nprofile = "stacks"\nclock = "kvm"'),
            "profile: 'stacks' needs clock icount",
        ),
        (GOOD.replace('"ladder"', '"ladder"\nquiesce = "no"'), "quiesce: write true or false"),
        (GOOD.replace('"ladder"', '"ladder"\nmthp = "4=always,4=never"'), "an order has two policies"),
        (GOOD.replace('"ladder"', '"ladder"\nmemcg = "8GiB"'), "memcg: 8GiB is more than 2GiB of memory"),
        (GOOD.replace('"ladder"', '"ladder"\nbackground = 65'), "background: 65 is outside 0..64"),
        (GOOD.replace('"ladder"', '"ladder"\nquiesce = false\nclock = "host"'), "quiesce and background cannot be"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str, said: str) -> None:
    assert said in problems(text)


@given(st.text(max_size=200))
def test_no_text_makes_it_crash(text: str) -> None:
    with contextlib.suppress(BadInput):
        parse(text, "x.toml")


SHORT = 'kernels = ["debian:6.12", "debian:6.17"]\nworkloads = ["mprotect_toggle"]\n'
NATIVE = 'clock = "host"\n' + SHORT.replace("debian:6.12", "host").replace("debian:6.17", "host")


@pytest.mark.parametrize(
    ("field", "least", "most"),
    [("repeats", 1, 1000), ("perturb", 0, 1000), ("rounds", 2, 100_000), ("timeout_s", 1, 86_400), ("retries", 0, 10),
     ("seed", 0, (1 << 63) - 1), ("background", 0, 64)],
)  # fmt: skip
def test_a_number_at_a_bound_is_taken_and_one_beyond_it_is_refused(field: str, least: int, most: int) -> None:
    for value in (least, most):
        assert getattr(parse(f"{field} = {value}\n{SHORT}", "x.toml"), field) == value
    for value in (least - 1, min(most + 1, (1 << 63) - 1)):
        assert value == most or f"{field}: {value} is outside" in problems(f"{field} = {value}\n{SHORT}")


@pytest.mark.parametrize("arch", arches())
def test_a_machine_has_as_many_cpus_and_as_much_memory_as_qemu_can_give_it(arch: str) -> None:
    most = min(255, arches()[arch].qemu.most_cpus)
    of = f'arch = "{arch}"\n{SHORT}'
    assert parse(f"cpus = [1, {most}]\n{of}", "x.toml").cpus == (1, most)
    assert parse(f'memory_bytes = ["128MiB", "4TiB"]\n{of}', "x.toml").memory_bytes == (128 << 20, 1 << 42)
    assert "cpus" in problems(f"cpus = [{most + 1}]\n{of}") and "cpus[0]: 0 is outside" in problems(f"cpus = [0]\n{of}")
    for wrong in ("134209536B", "4398046519296B"):  # 8 KiB less, and more
        assert "memory_bytes[0]: " in problems(f'memory_bytes = ["{wrong}"]\n{of}')


def test_a_cpu_is_known_by_the_spellings_that_predict_takes() -> None:
    read = parse('cpu = ["Skylake-SP", "zen3"]\n' + GOOD, "x.toml")
    assert read.cpu == ("skylake_sp", "zen3")
    of_a_kernel = GOOD.replace("cmdline =", 'cpu = "alder-lake-p", cmdline =')
    assert parse(of_a_kernel, "x.toml").kernels[1].cpu == "alderlake_p"
    assert "no 'skylake-sq'" in problems('cpu = ["skylake-sq"]\n' + GOOD)


@pytest.mark.parametrize("chosen", ["cpus = [2]", 'memory_bytes = ["2GiB"]', "background = 1", "quiesce = false"])
def test_of_the_machine_that_kassay_runs_on_nothing_can_be_chosen(chosen: str) -> None:
    assert parse(NATIVE, "x.toml").clock == "host"
    assert "cannot be chosen" in problems(f"{chosen}\n{NATIVE}")


def test_kernel_parameters_of_the_kernel_that_runs_are_refused_too() -> None:
    given = NATIVE.replace('"host", "host"', '{ref = "host", cmdline = "a=b"}, "host"')
    assert "kernel parameters cannot be chosen" in problems(given)
