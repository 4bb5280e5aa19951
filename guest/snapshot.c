// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ports and layouts: docs/specs/pvpanic.rst and docs/specs/fw_cfg.rst of QEMU.
 * Both devices are read by port, which needs no driver and no interrupt, so
 * that the same instructions run after every restore.
 */
#include "snapshot.h"

#include <stdint.h>
#include <string.h>

#include "arch.h"

#define PVPANIC_PORT 0x505
#define PVPANIC_PANICKED 1
#define FW_CFG_SELECTOR 0x510
#define FW_CFG_DATA 0x511
#define FW_CFG_FILE_DIR 0x19
#define JOB_FILE "opt/kassay/job"

struct fw_cfg_file { /* numbers are big endian */
	uint8_t size[4];
	uint8_t select[2];
	uint8_t reserved[2];
	char name[56];
};

static void fw_cfg_read(void *into, size_t size)
{
	uint8_t *bytes = into;

	while (size--)
		*bytes++ = arch_port_read(FW_CFG_DATA);
}

static uint32_t big_endian(const uint8_t *bytes, size_t size)
{
	uint32_t value = 0;

	while (size--)
		value = value << 8 | *bytes++;
	return value;
}

int snapshot_take_job(char *text, size_t size, const char **why)
{
	struct fw_cfg_file file;
	uint8_t count[4];

	if (arch_ports_open()) {
		*why = "this machine has no ports, or gives no right to use them";
		return -1;
	}
	arch_port_write(PVPANIC_PORT, PVPANIC_PANICKED, 1);
	arch_port_write(FW_CFG_SELECTOR, FW_CFG_FILE_DIR, 2);
	fw_cfg_read(count, sizeof(count));
	for (uint32_t left = big_endian(count, sizeof(count)); left; left--) {
		fw_cfg_read(&file, sizeof(file));
		if (strncmp(file.name, JOB_FILE, sizeof(file.name)))
			continue;
		if (big_endian(file.size, sizeof(file.size)) >= size)
			break;
		arch_port_write(FW_CFG_SELECTOR, (uint16_t)big_endian(file.select, sizeof(file.select)), 2);
		fw_cfg_read(text, big_endian(file.size, sizeof(file.size)));
		text[big_endian(file.size, sizeof(file.size))] = '\0';
		return 0;
	}
	*why = "no job in fw_cfg, or one too long";
	return -1;
}
