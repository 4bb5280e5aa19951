// SPDX-License-Identifier: GPL-2.0-only
#include "vcpu.h"

#include "block.h"

static struct {
	const struct arch *arch;
	unsigned int count;           /* of CPUs */
	unsigned int seen;            /* CPUs that were asked for */
	uint64_t addresses[MAX_CPUS]; /* of their data, in the order in which they were */
	unsigned int now;
	uint64_t unknown;
} v;

bool vcpu_asks;

void vcpu_start(const struct arch *arch, unsigned int count)
{
	v.arch = arch;
	v.count = count;
	vcpu_asks = KASSAY_QEMU_API >= 3 && count > 1;
}

#if KASSAY_QEMU_API >= 3

static struct qemu_plugin_register *registers[CPU_REGISTERS];
static GByteArray *value;

static void find_registers(void)
{
	GArray *all = qemu_plugin_get_registers();

	for (unsigned int i = 0; i < all->len; i++) {
		const qemu_plugin_reg_descriptor *found = (void *)(all->data + i * g_array_get_element_size(all));

		for (unsigned int j = 0; j < CPU_REGISTERS && v.arch->cpu_registers[j]; j++) {
			if (!strcmp(found->name, v.arch->cpu_registers[j]))
				registers[j] = found->handle;
		}
	}
	g_array_free(all, 1);
	value = g_byte_array_new();
}

/* Of the kernel's data for the CPU that runs; 0 if no register has one. */
static uint64_t data_address(void)
{
	uint64_t address;

	if (!value)
		find_registers();
	for (unsigned int i = 0; i < CPU_REGISTERS; i++) {
		if (!registers[i])
			continue;
		g_byte_array_set_size(value, 0);
		qemu_plugin_read_register(registers[i], value);
		if (value->len != sizeof(address))
			continue;
		memcpy(&address, value->data, sizeof(address));
		if (!code_is_user(address))
			return address;
	}
	return 0;
}

#else

static uint64_t data_address(void)
{
	return 0;
}

#endif

unsigned int vcpu_ask(void)
{
	uint64_t address = data_address();
	unsigned int i;

	if (v.seen && v.addresses[v.now] == address)
		return v.now;
	for (i = 0; i < v.seen && v.addresses[i] != address; i++)
		;
	if (!address || i == v.count) {
		v.unknown++;
		return v.now;
	}
	if (i == v.seen)
		v.addresses[v.seen++] = address;
	return v.now = i;
}

unsigned int vcpu_last(void)
{
	return v.now;
}

uint64_t vcpu_unknown(void)
{
	return v.unknown;
}
