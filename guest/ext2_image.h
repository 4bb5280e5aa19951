/* SPDX-License-Identifier: GPL-2.0-only */
/* An empty file system of the format of ext2, which ext4 mounts: guests have no mkfs. */
#ifndef KASSAY_EXT2_IMAGE_H
#define KASSAY_EXT2_IMAGE_H

#include <stdint.h>

/*
 * Writes it to the start of @fd, which has @bytes (at most 128 MiB are used): blocks of 4 KiB in one group, 5 free
 * inodes, no journal. Returns 0 or -1 (errno).
 */
int ext2_image_write(int fd, uint64_t bytes);

#endif
