/* SPDX-License-Identifier: GPL-2.0-only */
/* The names of system calls: those of every architecture, and those that only x86_64 has. */
#ifndef KASSAY_CALL_NAMES_H
#define KASSAY_CALL_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether a table of calls has this one. */
static inline bool is_among(const uint64_t *numbers, size_t count, uint64_t number)
{
	for (size_t i = 0; i < count; i++) {
		if (numbers[i] == number)
			return true;
	}
	return false;
}

#ifndef __NR_cachestat
#define __NR_cachestat 451 /* Linux 6.5, of every architecture */
#endif

#define CALLS_OF_ALL \
	CALL(accept) CALL(accept4) CALL(acct) CALL(add_key) CALL(adjtimex) CALL(bind) CALL(bpf) CALL(brk) \
	CALL(cachestat) CALL(capget) CALL(capset) CALL(chdir) CALL(chroot) CALL(clock_adjtime) CALL(clock_getres) \
	CALL(clock_gettime) CALL(clock_nanosleep) CALL(clock_settime) CALL(clone) CALL(clone3) CALL(close) CALL(close_range) \
	CALL(connect) CALL(copy_file_range) CALL(delete_module) CALL(dup) CALL(dup3) CALL(epoll_create1) \
	CALL(epoll_ctl) CALL(epoll_pwait) CALL(epoll_pwait2) CALL(eventfd2) CALL(execve) CALL(execveat) CALL(exit) \
	CALL(exit_group) CALL(faccessat) CALL(faccessat2) CALL(fadvise64) CALL(fallocate) CALL(fanotify_init) \
	CALL(fanotify_mark) CALL(fchdir) CALL(fchmod) CALL(fchmodat) CALL(fchown) CALL(fchownat) CALL(fcntl) \
	CALL(fdatasync) CALL(fgetxattr) CALL(finit_module) CALL(flistxattr) CALL(flock) CALL(fremovexattr) \
	CALL(fsconfig) CALL(fsetxattr) CALL(fsmount) CALL(fsopen) CALL(fspick) CALL(fstat) CALL(fstatfs) CALL(fsync) \
	CALL(ftruncate) CALL(futex) CALL(futex_waitv) CALL(get_mempolicy) CALL(get_robust_list) CALL(getcpu) \
	CALL(getcwd) CALL(getdents64) CALL(getegid) CALL(geteuid) CALL(getgid) CALL(getgroups) CALL(getitimer) \
	CALL(getpeername) CALL(getpgid) CALL(getpid) CALL(getppid) CALL(getpriority) CALL(getrandom) CALL(getresgid) \
	CALL(getresuid) CALL(getrlimit) CALL(getrusage) CALL(getsid) CALL(getsockname) CALL(getsockopt) CALL(gettid) \
	CALL(gettimeofday) CALL(getuid) CALL(getxattr) CALL(init_module) CALL(inotify_add_watch) CALL(inotify_init1) \
	CALL(inotify_rm_watch) CALL(io_cancel) CALL(io_destroy) CALL(io_getevents) CALL(io_pgetevents) CALL(io_setup) \
	CALL(io_submit) CALL(io_uring_enter) CALL(io_uring_register) CALL(io_uring_setup) CALL(ioctl) \
	CALL(ioprio_get) CALL(ioprio_set) CALL(kcmp) CALL(kexec_file_load) CALL(kexec_load) CALL(keyctl) CALL(kill) \
	CALL(landlock_add_rule) CALL(landlock_create_ruleset) CALL(landlock_restrict_self) CALL(lgetxattr) \
	CALL(linkat) CALL(listen) CALL(listxattr) CALL(llistxattr) CALL(lookup_dcookie) CALL(lremovexattr) \
	CALL(lseek) CALL(lsetxattr) CALL(madvise) CALL(mbind) CALL(membarrier) CALL(memfd_create) CALL(memfd_secret) \
	CALL(migrate_pages) CALL(mincore) CALL(mkdirat) CALL(mknodat) CALL(mlock) CALL(mlock2) CALL(mlockall) \
	CALL(mmap) CALL(mount) CALL(mount_setattr) CALL(move_mount) CALL(move_pages) CALL(mprotect) \
	CALL(mq_getsetattr) CALL(mq_notify) CALL(mq_open) CALL(mq_timedreceive) CALL(mq_timedsend) CALL(mq_unlink) \
	CALL(mremap) CALL(msgctl) CALL(msgget) CALL(msgrcv) CALL(msgsnd) CALL(msync) CALL(munlock) CALL(munlockall) \
	CALL(munmap) CALL(name_to_handle_at) CALL(nanosleep) CALL(newfstatat) CALL(nfsservctl) \
	CALL(open_by_handle_at) CALL(open_tree) CALL(openat) CALL(openat2) CALL(perf_event_open) CALL(personality) \
	CALL(pidfd_getfd) CALL(pidfd_open) CALL(pidfd_send_signal) CALL(pipe2) CALL(pivot_root) CALL(pkey_alloc) \
	CALL(pkey_free) CALL(pkey_mprotect) CALL(ppoll) CALL(prctl) CALL(pread64) CALL(preadv) CALL(preadv2) \
	CALL(prlimit64) CALL(process_madvise) CALL(process_mrelease) CALL(process_vm_readv) CALL(process_vm_writev) \
	CALL(pselect6) CALL(ptrace) CALL(pwrite64) CALL(pwritev) CALL(pwritev2) CALL(quotactl) CALL(quotactl_fd) \
	CALL(read) CALL(readahead) CALL(readlinkat) CALL(readv) CALL(reboot) CALL(recvfrom) CALL(recvmmsg) \
	CALL(recvmsg) CALL(remap_file_pages) CALL(removexattr) CALL(renameat) CALL(renameat2) CALL(request_key) \
	CALL(restart_syscall) CALL(rseq) CALL(rt_sigaction) CALL(rt_sigpending) CALL(rt_sigprocmask) \
	CALL(rt_sigqueueinfo) CALL(rt_sigreturn) CALL(rt_sigsuspend) CALL(rt_sigtimedwait) CALL(rt_tgsigqueueinfo) \
	CALL(sched_get_priority_max) CALL(sched_get_priority_min) CALL(sched_getaffinity) CALL(sched_getattr) \
	CALL(sched_getparam) CALL(sched_getscheduler) CALL(sched_rr_get_interval) CALL(sched_setaffinity) \
	CALL(sched_setattr) CALL(sched_setparam) CALL(sched_setscheduler) CALL(sched_yield) CALL(seccomp) \
	CALL(semctl) CALL(semget) CALL(semop) CALL(semtimedop) CALL(sendfile) CALL(sendmmsg) CALL(sendmsg) \
	CALL(sendto) CALL(set_mempolicy) CALL(set_mempolicy_home_node) CALL(set_robust_list) CALL(set_tid_address) \
	CALL(setdomainname) CALL(setfsgid) CALL(setfsuid) CALL(setgid) CALL(setgroups) CALL(sethostname) \
	CALL(setitimer) CALL(setns) CALL(setpgid) CALL(setpriority) CALL(setregid) CALL(setresgid) CALL(setresuid) \
	CALL(setreuid) CALL(setrlimit) CALL(setsid) CALL(setsockopt) CALL(settimeofday) CALL(setuid) CALL(setxattr) \
	CALL(shmat) CALL(shmctl) CALL(shmdt) CALL(shmget) CALL(shutdown) CALL(sigaltstack) CALL(signalfd4) \
	CALL(socket) CALL(socketpair) CALL(splice) CALL(statfs) CALL(statx) CALL(swapoff) CALL(swapon) \
	CALL(symlinkat) CALL(sync) CALL(sync_file_range) CALL(syncfs) CALL(sysinfo) CALL(syslog) CALL(tee) \
	CALL(tgkill) CALL(timer_create) CALL(timer_delete) CALL(timer_getoverrun) CALL(timer_gettime) \
	CALL(timer_settime) CALL(timerfd_create) CALL(timerfd_gettime) CALL(timerfd_settime) CALL(times) CALL(tkill) \
	CALL(truncate) CALL(umask) CALL(umount2) CALL(uname) CALL(unlinkat) CALL(unshare) CALL(userfaultfd) \
	CALL(utimensat) CALL(vhangup) CALL(vmsplice) CALL(wait4) CALL(waitid) CALL(write) CALL(writev)

#ifdef __x86_64__
#define CALLS_OF_ARCH \
	CALL(_sysctl) CALL(access) CALL(afs_syscall) CALL(alarm) CALL(arch_prctl) CALL(chmod) CALL(chown) CALL(creat) \
	CALL(create_module) CALL(dup2) CALL(epoll_create) CALL(epoll_ctl_old) CALL(epoll_wait) CALL(epoll_wait_old) \
	CALL(eventfd) CALL(fork) CALL(futimesat) CALL(get_kernel_syms) CALL(get_thread_area) CALL(getdents) \
	CALL(getpgrp) CALL(getpmsg) CALL(inotify_init) CALL(ioperm) CALL(iopl) CALL(lchown) CALL(link) CALL(lstat) \
	CALL(mkdir) CALL(mknod) CALL(modify_ldt) CALL(open) CALL(pause) CALL(pipe) CALL(poll) CALL(putpmsg) \
	CALL(query_module) CALL(readlink) CALL(rename) CALL(rmdir) CALL(security) CALL(select) CALL(set_thread_area) \
	CALL(signalfd) CALL(stat) CALL(symlink) CALL(sysfs) CALL(time) CALL(tuxcall) CALL(unlink) CALL(uselib) \
	CALL(ustat) CALL(utime) CALL(utimes) CALL(vfork) CALL(vserver)
#else
#define CALLS_OF_ARCH
#endif

#endif
