# SPDX-License-Identifier: GPL-2.0-only
"""Two configurations are compared: earlier names of a symbol, choices, and the meaning of a missing symbol."""

from kassay.model.configuration import TOPIC_OF, OptionDifference, configured, differences
from kassay.model.records import Setting

OLD = """\
# CONFIG_PREEMPT_NONE is not set
CONFIG_PREEMPT_VOLUNTARY=y
CONFIG_HZ=250
CONFIG_PAGE_TABLE_ISOLATION=y
CONFIG_MEMCG=y
CONFIG_DRIVER_OF_SOMETHING=y
"""
NEW = """\
CONFIG_PREEMPT_LAZY=y
# CONFIG_PREEMPT_VOLUNTARY is not set
CONFIG_HZ=250
CONFIG_MITIGATION_PAGE_TABLE_ISOLATION=y
CONFIG_MITIGATION_MDS=y
CONFIG_MEMCG=y
# CONFIG_MEMCG_V1 is not set
CONFIG_FUNCTION_ALIGNMENT=16
CONFIG_INIT_ON_ALLOC_DEFAULT_ON=y
CONFIG_LSM="a,b"
"""


def test_symbols_that_were_renamed_or_became_symbols_are_no_difference() -> None:
    assert differences(configured(OLD), configured(NEW)) == (
        OptionDifference(topic="preemption", name="preemption", base="PREEMPT_VOLUNTARY", head="PREEMPT_LAZY"),
        OptionDifference(topic="memory cgroups", name="MEMCG_V1", base="y", head="n"),
        OptionDifference(topic="initialised memory", name="INIT_ON_ALLOC_DEFAULT_ON", base="n", head="y"),
    )


def test_an_option_that_one_side_did_not_look_at_is_no_difference() -> None:
    assert differences((Setting(name="HZ", value="100"),), (Setting(name="KSM", value="y"),)) == ()


def test_what_a_missing_symbol_does_not_tell_is_left_out() -> None:
    values = {item.name: item.value for item in configured(OLD)}
    assert values["MITIGATION_MDS"] == "y" and values["KASAN"] == "n"
    assert "FUNCTION_ALIGNMENT" not in values and "page size" not in values
    assert values.keys() <= TOPIC_OF.keys()
