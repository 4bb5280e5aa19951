/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The part of QEMU's documented plugin interface that is used here, in our own
 * words, because distributions ship QEMU without its header. Source: QEMU's
 * documentation, "QEMU TCG Plugins". KASSAY_QEMU_API is 1 (QEMU 4.2 to 8.2),
 * 2 (9.0), 3 (9.1 and later, as long as they accept it), 6 (the same for what
 * is used here) or 7 (11.1). They differ in the way to read code bytes, and in
 * what callbacks of the whole plugin are given: the plugin's id before 7, and a
 * pointer since then.
 */
#ifndef KASSAY_QEMU_API_H
#define KASSAY_QEMU_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifndef KASSAY_QEMU_API
#error "define KASSAY_QEMU_API as 1, 2, 3, 6 or 7"
#endif

#define PLUGIN_EXPORT __attribute__((visibility("default")))

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_hwaddr;
struct qemu_plugin_register;

typedef uint64_t qemu_plugin_id_t;

typedef struct qemu_info_t {
	const char *target_name;
	struct {
		int min;
		int cur;
	} version;
	bool system_emulation;
	union {
		struct {
			int smp_vcpus;
			int max_vcpus;
		} system;
	};
} qemu_info_t;

enum { QEMU_PLUGIN_CB_NO_REGS = 0, QEMU_PLUGIN_CB_R_REGS = 1 };
enum { QEMU_PLUGIN_MEM_R = 1, QEMU_PLUGIN_MEM_W = 2, QEMU_PLUGIN_MEM_RW = 3 };

/* Parameters of callbacks, and the last one of what registers them. None is used but the block. */
#define UNUSED __attribute__((unused))
#if KASSAY_QEMU_API >= 7
#define ON_TRANSLATION struct qemu_plugin_tb *tb, UNUSED void *data
#define ON_RESET UNUSED void *data
#define ON_FLUSH UNUSED void *data
#define ON_EXIT UNUSED void *data
#define DATA , void *data
#define NO_DATA , NULL
#else
#define ON_TRANSLATION UNUSED qemu_plugin_id_t id, struct qemu_plugin_tb *tb
#define ON_RESET UNUSED qemu_plugin_id_t id
#define ON_FLUSH UNUSED qemu_plugin_id_t id
#define ON_EXIT UNUSED qemu_plugin_id_t id, UNUSED void *data
#define DATA
#define NO_DATA
#endif

typedef void (*qemu_plugin_reset_cb_t)(ON_RESET);
typedef void (*qemu_plugin_flush_cb_t)(ON_FLUSH);
typedef void (*qemu_plugin_atexit_cb_t)(ON_EXIT);
typedef void (*qemu_plugin_vcpu_udata_cb_t)(unsigned int vcpu, void *data);
typedef void (*qemu_plugin_vcpu_tb_trans_cb_t)(ON_TRANSLATION);
typedef void (*qemu_plugin_vcpu_mem_cb_t)(unsigned int vcpu, uint32_t info, uint64_t vaddr, void *data);

/* What the plugin exports. */
extern PLUGIN_EXPORT int qemu_plugin_version;
PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv);

/* What QEMU exports. */
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_tb_trans_cb_t cb DATA);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, qemu_plugin_vcpu_udata_cb_t cb, int flags,
					  void *data);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, qemu_plugin_vcpu_udata_cb_t cb, int flags,
					    void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, qemu_plugin_vcpu_mem_cb_t cb, int flags, int rw,
				      void *data);
bool qemu_plugin_mem_is_store(uint32_t info);
/* Logarithm of the number of bytes. */
unsigned int qemu_plugin_mem_size_shift(uint32_t info);
struct qemu_plugin_hwaddr *qemu_plugin_get_hwaddr(uint32_t info, uint64_t vaddr);
bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr *haddr);
uint64_t qemu_plugin_hwaddr_phys_addr(const struct qemu_plugin_hwaddr *haddr);
/* Forgets all callbacks and all that is translated before the next block runs, then calls @cb. */
void qemu_plugin_reset(qemu_plugin_id_t id, qemu_plugin_reset_cb_t cb DATA);
/* @cb is called when all that is translated has been forgotten. */
void qemu_plugin_register_flush_cb(qemu_plugin_id_t id, qemu_plugin_flush_cb_t cb DATA);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_plugin_atexit_cb_t cb, void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
#if KASSAY_QEMU_API >= 3
/* GLib's, which QEMU is linked with. */
typedef struct {
	char *data;
	unsigned int len;
} GArray;

typedef struct {
	uint8_t *data;
	unsigned int len;
} GByteArray;

unsigned int g_array_get_element_size(GArray *array);
char *g_array_free(GArray *array, int free_segment);
GByteArray *g_byte_array_new(void);
GByteArray *g_byte_array_set_size(GByteArray *array, unsigned int length);

typedef struct {
	struct qemu_plugin_register *handle;
	const char *name;
} qemu_plugin_reg_descriptor;

/* Of the CPU that runs, in a callback that was registered with QEMU_PLUGIN_CB_R_REGS. */
GArray *qemu_plugin_get_registers(void);
int qemu_plugin_read_register(struct qemu_plugin_register *handle, GByteArray *value);
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *ret, size_t length);
#else
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
#endif

/* Copies the first @size bytes of an instruction. */
static inline void insn_code(const struct qemu_plugin_insn *insn, uint8_t *ret, size_t size)
{
#if KASSAY_QEMU_API >= 3
	qemu_plugin_insn_data(insn, ret, size);
#else
	memcpy(ret, qemu_plugin_insn_data(insn), size);
#endif
}

#endif
