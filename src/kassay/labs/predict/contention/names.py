# SPDX-License-Identifier: GPL-2.0-only
"""The kernel's locks by the functions that take them: what a lock is called, and which CPUs share it.

A trace has addresses, and not the types of what lies there. So a lock is known by its caller, as in
include/linux/mmzone.h and mm/ of the kernel. All acquisitions of one address are the same lock.
"""

import re
from functools import cache
from typing import NamedTuple

SPIN, MUTEX, WRITER, READER, LINE = "spinlock", "mutex", "rwsem, writer", "rwsem, reader", "line"
"""Disciplines. LINE: no lock, a line that is written by an atomic instruction or into the kernel's own data."""
CPU, OWN, PROCESS, NODE, SYSTEM = "cpu", "own", "process", "node", "system"
"""Sharers. CPU: nobody else. OWN: an object of one task, such as a page or a VMA. PROCESS: the threads of a process.
NODE: the CPUs of a socket, each of which has one. SYSTEM: all CPUs."""

_SPIN_TAKERS = re.compile(r"_raw_(spin|read|write)_(try)?lock(_bh|_irq|_irqsave)?")
_MUTEX_TAKERS = re.compile(r"(ww_)?mutex_(try)?lock(_\w+)?")
_WRITERS = re.compile(r"(down_write|rwsem_down_write)\w*|percpu_down_write")
_READERS = re.compile(r"down_read\w*")
_GIVERS = re.compile(r"_raw_(spin|read|write)_unlock\w*|mutex_unlock|up_read\w*|up_write|downgrade_write|vma_end_read")
_THUNKS = re.compile(r"__x86_(indirect|return)_\w+|its_return_thunk|srso_\w+|retbleed_\w+|__cond_resched|__fentry__|"
                     r"rcu_all_qs|__rcu_read_(un)?lock|dynamic_might_resched")  # fmt: skip
SLOW_PATHS = re.compile(r"(native_|__pv_)?queued_(spin|read|write)_lock_slowpath(_\w+)?|__mutex_lock\S*|"
                        r"rwsem_down_(read|write)_slowpath|osq_lock")  # fmt: skip
"""Functions that run only if a lock was held by somebody else."""


class Rule(NamedTuple):
    """One lock. The first rule that matches counts."""

    name: str
    sharers: str
    callers: str
    """Regular expression of the function that takes it, or of the one that executes the atomic instruction."""
    disciplines: tuple[str, ...] = (SPIN, MUTEX, WRITER, READER, LINE)
    taker: str = ""
    """Regular expression of the locking function, if several of a caller must be told apart. One that is inlined
    matches all."""

    def matches(self, discipline: str, taker: str, caller: str) -> bool:
        return (discipline in self.disciplines and re.fullmatch(self.callers, caller) is not None
                and (not self.taker or not taker or re.fullmatch(self.taker, taker) is not None))  # fmt: skip


_ALLOCATOR = r"get_page_from_freelist|rmqueue\w*|free_unref_\w+|__?_?free_frozen_pages|free_frozen_page\w*|" \
    r"decay_pcp_high|drain_\w+|alloc_pages_bulk\w*|__alloc_pages_bulk|free_pages_bulk|__free_pages\w*"  # fmt: skip
_RWSEM = (WRITER, READER)
RULES = (
    Rule("zone lock", NODE, r"__rmqueue\w*|rmqueue_bulk|rmqueue_buddy|free_pcppages_bulk|free_one_page|"
         r"\w*reserve_\w*pageblock\w*", (SPIN,)),
    Rule("PCP lock", CPU, _ALLOCATOR, (SPIN,), r"_raw_spin_trylock"),
    Rule("zone lock", NODE, _ALLOCATOR, (SPIN,)),
    Rule("lruvec lock", NODE, r"folio_lruvec_(re)?lock\w*|lock_page_lruvec\w*|lru_\w+|folio_batch_move_lru|"
         r"release_pages|__page_cache_release|folios_put_refs|shrink_\w+|move_folios_to_lru|evict_folios|"
         r"folio_isolate_lru|lruvec_\w+", (SPIN,)),
    Rule("page table lock", OWN, r"_*pte_offset_map_(ro_|rw_)?\w*lock|pmd_trans_huge_lock\w*|__pmd_trans_huge_lock|"
         r"pmd_install|__p[mu]d_alloc|__p4d_alloc|__pte_alloc\w*|copy_\w+_range|zap_\w+|move_\w+|"
         r"change_\w+|unmap_page_range|do_huge_\w+|set_huge_\w+|follow_\w+|walk_\w+|pgtable_\w+", (SPIN,)),
    Rule("page tables", OWN, r"\w*(pte|pmd|pud|ptep|pmdp)_\w+|unmap_page_range|zap_\w+|move_\w+|copy_\w+_range|"
         r"change_\w+|wp_\w+|do_wp_page|do_anonymous_page|do_fault\w*|set_\w+|finish_fault|do_mprotect\w*", (LINE,)),
    Rule("VMA lock", OWN, r"lock_vma_under_rcu|vma_start_(read|write)\w*|__vma_start_write|vma_end_read|vma_mark_\w+"),
    # Until 6.14 a VMA has an rwsem, and vma_start_write() is inlined in these. Their callers take the mmap_lock.
    Rule("VMA lock", OWN, r"mprotect_fixup|mlock_fixup|madvise_update_vma|\w*mmap_region|do_brk_flags", (WRITER,)),
    Rule("mmap_lock", PROCESS, r"\w*mmap_\w+|\w*munmap\w*|do_mprotect_pkey\w*|mprotect_\w+|madvise_\w+|do_madvise\w*|"
         r"__vmf_anon_prepare|lock_mm_and_find_vma|vm_mmap_pgoff|\w+_m(re)?map\w*|\w*mremap\w*|\w*brk\w*|\w*mlock\w*|"
         r"get_mmap_lock\w*|upgrade_mmap_lock\w*|dup_mmap|exit_mmap|\w*mincore\w*|__mm_populate|uffd_\w+|"
         r"userfaultfd_\w+|populate_\w+|faultin_\w+", _RWSEM),
    Rule("anon_vma lock", OWN, r"\w*anon_vma\w*|vma_prepare|vma_complete|vma_expand|rmap_\w+|vm_lock_\w+", _RWSEM),
    Rule("mm->page_table_lock", PROCESS, r"__anon_vma_prepare", (SPIN,)),
    Rule("counters of a process", PROCESS, r"pmd_install|free_p[g4um]d_range|__p[mu]d_(alloc|free)\w*|tlb_\w+_mmu|"
         r"flush_tlb_\w+|mm_cid_\w+|task_mm_cid_work|unlink_anon_vmas|anon_vma_\w+|mm_(inc|dec)\w*", (LINE,)),
    Rule("counters of a memory cgroup", SYSTEM, r"page_counter_\w+|try_charge\w*|\w*memcg_uncharge\w*|"
         r"mem_cgroup_\w+|refill_stock|drain_stock\w*", (SPIN, LINE)),
    Rule("counters of a node", NODE, r"_*mod_(node|zone)_(page_)?state\w*|(inc|dec)_(node|zone)_\w+|"
         r"mod_\w+_state_\w+|refresh_cpu_vm_stats|node_page_state_add|zone_page_state_add", (LINE,)),
    Rule("run queue lock", CPU, r"__schedule|schedule\w*|raw_spin_rq_\w+|try_to_wake_up|ttwu_\w+|task_rq_lock|"
         r"sched_\w+|scheduler_tick|update_\w+|\w*rcu_\w+|hrtimer_\w+|lock_hrtimer_base\w*|lock_timer_base|"
         r"\w*timer\w*|task_work_\w+|run_posix_cpu_timers|__?irq\w*|handle_\w*irq\w*|softirq\w*|tick_\w+"),
    Rule("flags of a task", OWN, r"\w*exit_to_user_mode\w*|switch_fpu_return|__switch_to\w*|finish_task_switch|"
         r"resched_curr\w*|set_tsk_\w+|\w*signal\w*|mm_update_next_owner", (LINE,)),
    Rule("files->file_lock", PROCESS, r"\w*alloc_fd|\w*close_fd\w*|fd_install|do_dup2|close_range|"
         r"put_unused_fd", (SPIN,)),
    Rule("files->file_lock", PROCESS, r"fcntl_setlk(64)?", (SPIN,)),
    Rule("references of credentials", PROCESS, r"init_file|alloc_empty_\w+|file_free\w*|\w*put_cred\w*|"
         r"get_cred\w*|prepare_creds", (LINE,)),
    Rule("references of a security label", SYSTEM, r"apparmor_\w+|aa_\w+|security_\w+", (LINE,)),
    Rule("references of a dentry", OWN, r"lockref_\w+|dput|dget\w*|d_\w+|__d_\w+|\w*legitimize_\w+|try_to_unlazy\w*|"
         r"complete_walk|step_into\w*|fast_dput"),
    Rule("references of a file", OWN, r"fput\w*|fget\w*|__fget\w*|filp_\w+|file_ref_\w+|__file_ref_\w+|__x64_sys_close|"
         r"__arm64_sys_close|close_\w+|do_dentry_open", (LINE,)),
    Rule("lock of a file's locks", OWN, r"posix_\w+|flock_\w+|fcntl_\w+|_*locks_\w+"),
    Rule("list of a superblock's inodes", SYSTEM, r"inode_sb_list_\w+|evict_inodes", (SPIN,)),
    Rule("counters of a user", SYSTEM, r"\w*ucounts?\w*|inc_\w*ucount\w*|dec_\w*ucount\w*"),
    Rule("slab lists of a node", NODE, r"get_partial_node\w*|__slab_free|__unfreeze_partials|__put_partials|"
         r"free_to_partial_list|get_any_partial|deactivate_slab|\w*barn_\w+|__pcs_\w+|refill_\w+|get_from_partial\w*",
         (SPIN,)),
    Rule("resident set counters", PROCESS, r"percpu_counter_\w+", (SPIN,)),
    Rule("per-CPU counters", CPU, r"percpu_counter_\w+", (LINE,)),
    Rule("slab of a CPU", CPU, r"kmem_cache_\w+|\w*slab_\w+|kfree\w*|kmalloc\w*", (LINE,)),
)  # fmt: skip


@cache
def discipline_of(function: str) -> str:
    """How a locking function lets others in; "" for a function that takes no lock."""
    for discipline, pattern in (
        (SPIN, _SPIN_TAKERS), (MUTEX, _MUTEX_TAKERS), (READER, _READERS), (WRITER, _WRITERS),
    ):  # fmt: skip
        if pattern.fullmatch(function):
            return discipline
    return ""


def gives_back(function: str) -> bool:
    """True for a function whose atomic instruction ends a hold."""
    return _GIVERS.fullmatch(function) is not None


def is_thunk(function: str) -> bool:
    """True for functions that stand between a caller and the function that it calls, and call none themselves."""
    return _THUNKS.fullmatch(function) is not None


@cache
def rule_of(discipline: str, taker: str, caller: str) -> Rule | None:
    """The lock that is taken so; None for one that is not in the table."""
    return next((rule for rule in RULES if rule.matches(discipline, taker, caller)), None)
