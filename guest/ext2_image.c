// SPDX-License-Identifier: GPL-2.0-only
/* Offsets: Documentation/filesystems/ext4, "Super Block", "Block Group Descriptors", "Index Nodes", "Directory Entries". */
#define _GNU_SOURCE
#include "ext2_image.h"

#include <string.h>
#include <unistd.h>

#define BLOCK 4096U
#define GROUP (BLOCK * 8) /* blocks whose bits one block holds */
#define INODES 16U        /* one block of them */
#define INODE_BYTES 256U
#define RESERVED 10U      /* inodes before the first free one */
#define ROOT 2U           /* the inode of the root directory */

enum { SUPER, GROUPS, BLOCK_BITS, INODE_BITS, INODE_TABLE, ROOT_BLOCK, USED };

static unsigned char blocks[USED][BLOCK];

static void put(unsigned int block, size_t at, uint32_t value, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		blocks[block][at + i] = (unsigned char)(value >> (8 * i));
}

static void set_bits(unsigned int block, uint32_t from, uint32_t to)
{
	for (uint32_t bit = from; bit < to; bit++)
		blocks[block][bit / 8] |= (unsigned char)(1U << (bit % 8));
}

static void make_super(uint32_t count)
{
	const size_t at = 1024;

	put(SUPER, at + 0x00, INODES, 4);
	put(SUPER, at + 0x04, count, 4);
	put(SUPER, at + 0x0c, count - USED, 4);
	put(SUPER, at + 0x10, INODES - RESERVED, 4);
	put(SUPER, at + 0x18, 2, 4); /* blocks of 1 KiB << 2 */
	put(SUPER, at + 0x1c, 2, 4); /* and clusters */
	put(SUPER, at + 0x20, GROUP, 4);
	put(SUPER, at + 0x24, GROUP, 4);
	put(SUPER, at + 0x28, INODES, 4);
	put(SUPER, at + 0x36, 0xffff, 2); /* mounts before a check: no limit */
	put(SUPER, at + 0x38, 0xef53, 2);
	put(SUPER, at + 0x3a, 1, 2); /* clean */
	put(SUPER, at + 0x3c, 1, 2); /* on errors: continue */
	put(SUPER, at + 0x4c, 1, 4); /* inodes have the size below */
	put(SUPER, at + 0x54, RESERVED + 1, 4);
	put(SUPER, at + 0x58, INODE_BYTES, 2);
	put(SUPER, at + 0x60, 0x42, 4); /* types in directory entries, extents */
	put(SUPER, at + 0x64, 0x02, 4); /* files of 2 GiB and more */
}

static void make_group(uint32_t count)
{
	put(GROUPS, 0x00, BLOCK_BITS, 4);
	put(GROUPS, 0x04, INODE_BITS, 4);
	put(GROUPS, 0x08, INODE_TABLE, 4);
	put(GROUPS, 0x0c, count - USED, 2);
	put(GROUPS, 0x0e, INODES - RESERVED, 2);
	put(GROUPS, 0x10, 1, 2); /* directories */
	set_bits(BLOCK_BITS, 0, USED);
	set_bits(BLOCK_BITS, count, GROUP);
	set_bits(INODE_BITS, 0, RESERVED);
	set_bits(INODE_BITS, INODES, GROUP);
}

static void make_root(void)
{
	const size_t at = (ROOT - 1) * INODE_BYTES;

	put(INODE_TABLE, at + 0x00, 040755, 2);
	put(INODE_TABLE, at + 0x04, BLOCK, 4);
	put(INODE_TABLE, at + 0x1a, 2, 2);           /* links */
	put(INODE_TABLE, at + 0x1c, BLOCK / 512, 4); /* sectors */
	put(INODE_TABLE, at + 0x28, ROOT_BLOCK, 4);
	put(INODE_TABLE, at + 0x80, 32, 2); /* bytes of an inode behind the first 128 */
	put(ROOT_BLOCK, 0, ROOT, 4);
	put(ROOT_BLOCK, 4, 12, 2);
	put(ROOT_BLOCK, 6, 0x0201, 2); /* one letter, a directory */
	put(ROOT_BLOCK, 8, '.', 1);
	put(ROOT_BLOCK, 12, ROOT, 4);
	put(ROOT_BLOCK, 16, BLOCK - 12, 2);
	put(ROOT_BLOCK, 18, 0x0202, 2);
	put(ROOT_BLOCK, 20, 0x2e2e, 2); /* ".." */
}

int ext2_image_write(int fd, uint64_t bytes)
{
	uint64_t count = bytes / BLOCK < GROUP ? bytes / BLOCK : GROUP;

	memset(blocks, 0, sizeof(blocks));
	make_super((uint32_t)count);
	make_group((uint32_t)count);
	make_root();
	if (pwrite(fd, blocks, sizeof(blocks), 0) != (ssize_t)sizeof(blocks))
		return -1;
	return fsync(fd);
}
