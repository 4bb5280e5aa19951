/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CALL(name, number of its arguments, a bit for each that is a name of a file), of the kernel's SYSCALL_DEFINEn(). Left
 * out are calls whose arguments are chance: numbers of processes, words of memory (futex), signals. Calls with 0
 * arguments here are read by arguments.c.
 */
#ifndef KASSAY_CALL_ARGUMENTS_H
#define KASSAY_CALL_ARGUMENTS_H

#define ARGUMENTS_OF_ALL \
	CALL(accept, 3, 0) CALL(accept4, 4, 0) CALL(bind, 3, 0) CALL(bpf, 3, 0) CALL(cachestat, 4, 0) \
	CALL(chdir, 1, 1) CALL(chroot, 1, 1) CALL(clock_nanosleep, 0, 0) CALL(clone, 0, 0) CALL(clone3, 0, 0) \
	CALL(close, 1, 0) CALL(close_range, 3, 0) CALL(connect, 3, 0) CALL(copy_file_range, 6, 0) CALL(dup, 1, 0) \
	CALL(dup3, 3, 0) CALL(epoll_create1, 1, 0) CALL(epoll_ctl, 4, 0) CALL(epoll_pwait, 6, 0) \
	CALL(epoll_pwait2, 4, 0) CALL(eventfd2, 2, 0) CALL(execve, 3, 1) CALL(execveat, 5, 2) CALL(exit_group, 1, 0) \
	CALL(faccessat, 3, 2) CALL(faccessat2, 4, 2) CALL(fadvise64, 4, 0) CALL(fallocate, 4, 0) \
	CALL(fanotify_mark, 5, 0) CALL(fchdir, 1, 0) CALL(fchmod, 2, 0) CALL(fchmodat, 3, 2) CALL(fchown, 3, 0) \
	CALL(fchownat, 5, 2) CALL(fcntl, 3, 0) CALL(fdatasync, 1, 0) CALL(fgetxattr, 4, 0) CALL(flistxattr, 3, 0) \
	CALL(flock, 2, 0) CALL(fremovexattr, 2, 0) CALL(fsconfig, 5, 0) CALL(fsetxattr, 5, 0) CALL(fsmount, 3, 0) \
	CALL(fsopen, 2, 0) CALL(fspick, 3, 2) CALL(fstat, 2, 0) CALL(fstatfs, 2, 0) CALL(fsync, 1, 0) \
	CALL(ftruncate, 2, 0) CALL(getdents64, 3, 0) CALL(getsockopt, 5, 0) CALL(getxattr, 4, 1) \
	CALL(inotify_add_watch, 3, 2) CALL(inotify_init1, 1, 0) CALL(inotify_rm_watch, 2, 0) CALL(io_destroy, 1, 0) \
	CALL(io_getevents, 3, 0) CALL(io_pgetevents, 3, 0) CALL(io_setup, 1, 0) CALL(io_submit, 3, 0) \
	CALL(io_uring_enter, 6, 0) CALL(io_uring_register, 4, 0) CALL(io_uring_setup, 2, 0) CALL(ioctl, 3, 0) \
	CALL(ioprio_set, 0, 0) CALL(landlock_add_rule, 4, 0) CALL(landlock_create_ruleset, 3, 0) \
	CALL(landlock_restrict_self, 2, 0) CALL(lgetxattr, 4, 1) CALL(linkat, 5, 10) CALL(listen, 2, 0) \
	CALL(listxattr, 3, 1) CALL(llistxattr, 3, 1) CALL(lremovexattr, 2, 1) CALL(lseek, 3, 0) CALL(lsetxattr, 5, 1) \
	CALL(madvise, 3, 0) CALL(mbind, 6, 0) CALL(membarrier, 3, 0) CALL(memfd_create, 2, 0) \
	CALL(memfd_secret, 1, 0) CALL(mincore, 3, 0) CALL(mkdirat, 3, 2) CALL(mknodat, 4, 2) CALL(mlock, 2, 0) \
	CALL(mlock2, 3, 0) CALL(mlockall, 1, 0) CALL(mmap, 6, 0) CALL(mount, 5, 3) CALL(mount_setattr, 3, 2) \
	CALL(move_mount, 5, 10) CALL(move_pages, 6, 0) CALL(mprotect, 3, 0) CALL(mq_getsetattr, 2, 0) \
	CALL(mq_notify, 1, 0) CALL(mq_open, 3, 1) CALL(mq_timedreceive, 3, 0) CALL(mq_timedsend, 4, 0) \
	CALL(mq_unlink, 1, 1) CALL(mremap, 5, 0) CALL(msgctl, 2, 0) CALL(msgget, 3, 0) CALL(msgrcv, 5, 0) \
	CALL(msgsnd, 4, 0) CALL(msync, 3, 0) CALL(munlock, 2, 0) CALL(munmap, 2, 0) CALL(nanosleep, 2, 0) \
	CALL(newfstatat, 4, 2) CALL(open_tree, 3, 2) CALL(openat, 4, 2) CALL(openat2, 4, 2) \
	CALL(perf_event_open, 0, 0) CALL(personality, 1, 0) CALL(pipe2, 2, 0) CALL(pivot_root, 2, 3) \
	CALL(pkey_alloc, 3, 0) CALL(pkey_free, 1, 0) CALL(pkey_mprotect, 4, 0) CALL(ppoll, 5, 0) CALL(prctl, 5, 0) \
	CALL(pread64, 4, 0) CALL(preadv, 5, 0) CALL(preadv2, 6, 0) CALL(prlimit64, 0, 0) CALL(process_madvise, 5, 0) \
	CALL(process_mrelease, 3, 0) CALL(process_vm_readv, 0, 0) CALL(process_vm_writev, 0, 0) CALL(pselect6, 6, 0) \
	CALL(pwrite64, 4, 0) CALL(pwritev, 5, 0) CALL(pwritev2, 6, 0) CALL(quotactl, 4, 0) CALL(read, 3, 0) \
	CALL(readahead, 3, 0) CALL(readlinkat, 4, 2) CALL(readv, 3, 0) CALL(recvfrom, 6, 0) CALL(recvmmsg, 5, 0) \
	CALL(recvmsg, 3, 0) CALL(remap_file_pages, 5, 0) CALL(removexattr, 2, 1) CALL(renameat2, 5, 10) \
	CALL(rt_sigaction, 4, 0) CALL(rt_sigprocmask, 4, 0) CALL(sched_setaffinity, 0, 0) CALL(sched_setattr, 3, 0) \
	CALL(sched_setparam, 0, 0) CALL(sched_setscheduler, 0, 0) CALL(seccomp, 3, 0) CALL(semctl, 4, 0) \
	CALL(semget, 3, 0) CALL(semop, 3, 0) CALL(semtimedop, 4, 0) CALL(sendfile, 4, 0) CALL(sendmmsg, 4, 0) \
	CALL(sendmsg, 3, 0) CALL(sendto, 6, 0) CALL(set_mempolicy, 3, 0) CALL(set_mempolicy_home_node, 0, 0) \
	CALL(setgroups, 2, 0) CALL(setitimer, 1, 0) CALL(setns, 2, 0) CALL(setpriority, 0, 0) CALL(setrlimit, 2, 0) \
	CALL(setsockopt, 5, 0) CALL(setxattr, 5, 1) CALL(shmat, 3, 0) CALL(shmctl, 3, 0) CALL(shmdt, 1, 0) \
	CALL(shmget, 3, 0) CALL(shutdown, 2, 0) CALL(signalfd4, 4, 0) CALL(socket, 3, 0) CALL(socketpair, 4, 0) \
	CALL(splice, 6, 0) CALL(statfs, 2, 1) CALL(statx, 5, 2) CALL(swapoff, 1, 0) CALL(swapon, 2, 0) \
	CALL(symlinkat, 3, 5) CALL(sync_file_range, 4, 0) CALL(syncfs, 1, 0) CALL(tee, 4, 0) CALL(timer_create, 1, 0) \
	CALL(timer_delete, 1, 0) CALL(timer_settime, 4, 0) CALL(timerfd_create, 2, 0) CALL(timerfd_settime, 4, 0) \
	CALL(truncate, 2, 1) CALL(umask, 1, 0) CALL(umount2, 2, 1) CALL(unlinkat, 3, 2) CALL(unshare, 1, 0) \
	CALL(userfaultfd, 1, 0) CALL(utimensat, 4, 2) CALL(vmsplice, 4, 0) CALL(write, 3, 0) CALL(writev, 3, 0)

#ifdef __x86_64__
#define ARGUMENTS_OF_ARCH \
	CALL(access, 2, 1) CALL(chmod, 2, 1) CALL(chown, 3, 1) CALL(creat, 2, 1) CALL(dup2, 2, 0) CALL(epoll_wait, 4, 0) \
	CALL(getdents, 3, 0) CALL(link, 2, 3) CALL(lstat, 2, 1) CALL(mkdir, 2, 1) CALL(mknod, 3, 1) CALL(open, 3, 1) \
	CALL(pipe, 1, 0) CALL(poll, 3, 0) CALL(readlink, 3, 1) CALL(rename, 2, 3) CALL(rmdir, 1, 1) \
	CALL(select, 5, 0) CALL(stat, 2, 1) CALL(symlink, 2, 3) CALL(unlink, 1, 1)
#else
#define ARGUMENTS_OF_ARCH
#endif

#define CALLS_WITH_ARGUMENTS ARGUMENTS_OF_ALL ARGUMENTS_OF_ARCH

#endif
