# SPDX-License-Identifier: GPL-2.0-only
"""Kernel configurations: which of their symbols can change a result, by topic, and how two of them differ.

A configuration of a distribution has some 9000 symbols. Two versions of it differ in hundreds, nearly all of them
drivers and what the compiler can do. OPTIONS are the others: those that change the code that page faults, mprotect,
reclaim and the like execute, or the layout of the kernel.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kassay.model.records import Record, Setting


class Option(NamedTuple):
    """One thing that is configured."""

    topic: str
    name: str
    alternatives: tuple[tuple[str, ...], ...]
    """Symbols of a choice, or the one symbol of another option. Each has its newest name first, without "CONFIG_"."""
    absent: str | None
    """Value if a configuration has none of these symbols; None if their absence tells nothing."""


class OptionDifference(Record, frozen=True, kw_only=True):
    """One option that two configurations differ in."""

    topic: str
    name: str
    base: str
    """Value in the base configuration: "y", "n", a number, a text, or the symbol that is set of a choice."""
    head: str
    """Value in the head configuration, in the same form as `base`."""


# In the order in which reports name them. A word is a symbol without "CONFIG_", and
#   A|B       the symbol A, which was called B before
#   name:A/B  a choice: A or B is set
#   A!        a symbol that was made for what had always been compiled in: without it, y
#   A?        a symbol that says nothing where it is missing
_TOPICS = {
    "preemption": """
        preemption:PREEMPT_NONE/PREEMPT_VOLUNTARY/PREEMPT/PREEMPT_LAZY PREEMPT_RT PREEMPT_DYNAMIC HZ NO_HZ_FULL
        IRQ_TIME_ACCOUNTING VIRT_CPU_ACCOUNTING_GEN""",
    "mitigations": """
        CPU_MITIGATIONS|SPECULATION_MITIGATIONS MITIGATION_PAGE_TABLE_ISOLATION|PAGE_TABLE_ISOLATION
        MITIGATION_RETPOLINE|RETPOLINE MITIGATION_RETHUNK|RETHUNK MITIGATION_UNRET_ENTRY|CPU_UNRET_ENTRY
        MITIGATION_CALL_DEPTH_TRACKING|CALL_DEPTH_TRACKING MITIGATION_IBPB_ENTRY|CPU_IBPB_ENTRY
        MITIGATION_IBRS_ENTRY|CPU_IBRS_ENTRY MITIGATION_SRSO|CPU_SRSO MITIGATION_SLS|SLS MITIGATION_GDS!
        MITIGATION_RFDS! MITIGATION_SPECTRE_BHI! MITIGATION_ITS! MITIGATION_TSA! MITIGATION_VMSCAPE! MITIGATION_MDS!
        MITIGATION_TAA! MITIGATION_MMIO_STALE_DATA! MITIGATION_L1TF! MITIGATION_RETBLEED! MITIGATION_SPECTRE_V1!
        MITIGATION_SPECTRE_V2! MITIGATION_SRBDS! MITIGATION_SSB! X86_KERNEL_IBT X86_USER_SHADOW_STACK CFI|CFI_CLANG
        UNMAP_KERNEL_AT_EL0 MITIGATE_SPECTRE_BRANCH_HISTORY ARM64_BTI_KERNEL ARM64_PTR_AUTH_KERNEL SHADOW_CALL_STACK
        ARM64_SW_TTBR0_PAN""",
    "memory cgroups": """
        MEMCG MEMCG_V1! MEMCG_KMEM! CGROUP_HUGETLB PSI PSI_DEFAULT_DISABLED BLK_CGROUP""",
    "initialised memory": """
        INIT_ON_ALLOC_DEFAULT_ON INIT_ON_FREE_DEFAULT_ON
        INIT_STACK:INIT_STACK_NONE/INIT_STACK_ALL_PATTERN/INIT_STACK_ALL_ZERO KSTACK_ERASE|GCC_PLUGIN_STACKLEAK
        ZERO_CALL_USED_REGS""",
    "debugging": """
        DEBUG_VM DEBUG_VM_PGFLAGS DEBUG_VM_PGTABLE DEBUG_PAGEALLOC DEBUG_PAGEALLOC_ENABLE_DEFAULT PAGE_POISONING
        PAGE_OWNER PAGE_TABLE_CHECK PAGE_TABLE_CHECK_ENFORCED SLUB_DEBUG SLUB_DEBUG_ON SLUB_STATS KASAN KASAN_HW_TAGS
        KFENCE KFENCE_SAMPLE_INTERVAL? KMSAN KCSAN KCOV UBSAN UBSAN_BOUNDS UBSAN_SHIFT UBSAN_TRAP DEBUG_KMEMLEAK
        DEBUG_LIST DEBUG_OBJECTS DEBUG_SPINLOCK DEBUG_MUTEXES DEBUG_RWSEMS DEBUG_LOCK_ALLOC DEBUG_ATOMIC_SLEEP
        DEBUG_PREEMPT DEBUG_ENTRY DEBUG_PER_CPU_MAPS PROVE_LOCKING LOCK_STAT SCHEDSTATS FUNCTION_TRACER DYNAMIC_FTRACE
        GCOV_KERNEL MEM_ALLOC_PROFILING MEM_ALLOC_PROFILING_ENABLED_BY_DEFAULT""",
    "hardening": """
        HARDENED_USERCOPY HARDENED_USERCOPY_DEFAULT_ON FORTIFY_SOURCE STACKPROTECTOR STACKPROTECTOR_STRONG VMAP_STACK
        RANDOMIZE_KSTACK_OFFSET_DEFAULT SLAB_FREELIST_RANDOM SLAB_FREELIST_HARDENED RANDOM_KMALLOC_CACHES SLAB_BUCKETS
        SHUFFLE_PAGE_ALLOCATOR LIST_HARDENED BUG_ON_DATA_CORRUPTION SECURITY SECURITY_SELINUX SECURITY_APPARMOR
        SECURITY_SMACK SECURITY_TOMOYO SECURITY_IPE BPF_LSM AUDITSYSCALL RODATA_FULL_DEFAULT_ENABLED""",
    "huge pages": """
        TRANSPARENT_HUGEPAGE
        THP:TRANSPARENT_HUGEPAGE_ALWAYS/TRANSPARENT_HUGEPAGE_MADVISE/TRANSPARENT_HUGEPAGE_NEVER
        READ_ONLY_THP_FOR_FS HUGETLB_PAGE HUGETLB_PAGE_OPTIMIZE_VMEMMAP HUGETLB_PAGE_OPTIMIZE_VMEMMAP_DEFAULT_ON
        PAGE_BLOCK_MAX_ORDER? NO_PAGE_MAPCOUNT ARM64_CONTPTE""",
    "layout": """
        RANDSTRUCT:RANDSTRUCT_NONE/RANDSTRUCT_FULL|GCC_PLUGIN_RANDSTRUCT/RANDSTRUCT_PERFORMANCE
        page_size?:PAGE_SIZE_4KB|ARM64_4K_PAGES/PAGE_SIZE_16KB|ARM64_16K_PAGES/PAGE_SIZE_64KB|ARM64_64K_PAGES
        PGTABLE_LEVELS ARM64_VA_BITS? RANDOMIZE_BASE RANDOMIZE_MEMORY SMP NR_CPUS NUMA NODES_SHIFT SPARSEMEM_VMEMMAP
        optimisation:CC_OPTIMIZE_FOR_PERFORMANCE/CC_OPTIMIZE_FOR_SIZE LTO:LTO_NONE/LTO_CLANG_FULL/LTO_CLANG_THIN
        AUTOFDO_CLANG PROPELLER_CLANG FUNCTION_ALIGNMENT? FUNCTION_PADDING_BYTES DEBUG_FORCE_FUNCTION_ALIGN_64B
        X86_NATIVE_CPU JUMP_LABEL PARAVIRT PARAVIRT_XXL PARAVIRT_SPINLOCKS""",
    "memory management": """
        SWAP ZSWAP ZSWAP_DEFAULT_ON KSM USERFAULTFD MEM_SOFT_DIRTY COMPACTION MIGRATION NUMA_BALANCING
        NUMA_BALANCING_DEFAULT_ENABLED LRU_GEN LRU_GEN_ENABLED DAMON PAGE_IDLE_FLAG MEMORY_FAILURE
        MEMORY_HOTPLUG ZONE_DEVICE DEVICE_PRIVATE CMA SLUB_TINY
        SLUB_CPU_PARTIAL SLAB_MERGE_DEFAULT SCHED_CLASS_EXT UCLAMP_TASK
        SCHED_CORE RSEQ IO_URING ANON_VMA_NAME""",
}
_LINE = re.compile(r'^(?:CONFIG_(\w+)=("(?:[^"\\]|\\.)*"|\S+)|# CONFIG_(\w+) is not set)$', re.M)


def _option(topic: str, word: str) -> Option:
    name, colon, choice = word.partition(":")
    absent = {"!": "y", "?": None}.get(name[-1], "n")
    name = name.rstrip("!?")
    alternatives = tuple(tuple(alternative.split("|")) for alternative in (choice if colon else name).split("/"))
    return Option(topic, name.partition("|")[0].replace("_size", " size"), alternatives, absent)


OPTIONS = tuple(_option(topic, word) for topic, words in _TOPICS.items() for word in words.split())
TOPIC_OF = {option.name: option.topic for option in OPTIONS}
"""Name of an option -> its topic, in the order in which reports name them."""


def has_options(text: str) -> bool:
    """True if a line of this text is one of a .config."""
    return _LINE.search(text) is not None


def configured(text: str) -> tuple[Setting, ...]:
    """The options of a .config, in the order of OPTIONS; without those that the text tells nothing of."""
    values = {m[1] or m[3]: m[2] or "n" for m in _LINE.finditer(text)}
    options = ((option.name, _value(option, values)) for option in OPTIONS)
    return tuple(Setting(name=name, value=value) for name, value in options if value is not None)


def _value(option: Option, values: Mapping[str, str]) -> str | None:
    present = [(names[0], next(values[n] for n in names if n in values)) for names in option.alternatives
               if any(n in values for n in names)]  # fmt: skip
    if not present:
        return option.absent
    if len(option.alternatives) == 1:
        return present[0][1]
    return next((name for name, value in present if value == "y"), "n")


def differences(base: Sequence[Setting], head: Sequence[Setting]) -> tuple[OptionDifference, ...]:
    """The options in which two configurations differ, in the order of OPTIONS; what one of them tells nothing of, or an
    earlier version did not look at, is left out."""
    first, second = ({item.name: item.value for item in items} for items in (base, head))
    return tuple(
        OptionDifference(topic=topic, name=name, base=first[name], head=second[name])
        for name, topic in TOPIC_OF.items()
        if name in first and name in second and first[name] != second[name]
    )
