// SPDX-License-Identifier: GPL-2.0-only
/* Encodings: Intel SDM volume 2 (opcode maps, appendix A). */
#include <string.h>

#include "code.h"

static int64_t read_signed(const uint8_t *bytes, size_t size)
{
	int32_t value;

	if (size == 1)
		return (int8_t)bytes[0];
	memcpy(&value, bytes, sizeof(value));
	return value;
}

static bool is_prefix(uint8_t byte)
{
	switch (byte) {
	case 0x26: case 0x2e: case 0x36: case 0x3e: case 0x64: case 0x65: case 0x66: case 0x67: case 0xf0: case 0xf2: case 0xf3:
		return true;
	default:
		return byte >= 0x40 && byte <= 0x4f; /* REX */
	}
}

static bool is_string_op(uint8_t opcode)
{
	return (opcode >= 0x6c && opcode <= 0x6f) || (opcode >= 0xa4 && opcode <= 0xa7) ||
	       (opcode >= 0xaa && opcode <= 0xaf);
}

/* FF /2 and /4 with their far forms /3 and /5. */
static enum ending group5(uint8_t modrm)
{
	switch (modrm >> 3 & 7) {
	case 2: case 3:
		return END_CALL_INDIRECT;
	case 4: case 5:
		return END_JUMP_INDIRECT;
	default:
		return END_PLAIN;
	}
}

static enum ending two_byte_opcode(uint8_t opcode)
{
	switch (opcode) {
	case 0x05:
		return END_SYSCALL;
	case 0x07:
		return END_SYSCALL_RETURN;
	default:
		return opcode >= 0x80 && opcode <= 0x8f ? END_JUMP : END_PLAIN;
	}
}

static enum ending one_byte_opcode(uint8_t opcode, uint8_t modrm, bool repeated)
{
	if ((opcode >= 0x70 && opcode <= 0x7f) || (opcode >= 0xe0 && opcode <= 0xe3))
		return END_JUMP;
	if (is_string_op(opcode))
		return repeated ? END_REPEAT : END_PLAIN;
	switch (opcode) {
	case 0xe8:
		return END_CALL;
	case 0xe9: case 0xeb:
		return END_JUMP;
	case 0xc2: case 0xc3: case 0xca: case 0xcb:
		return END_RETURN;
	case 0xcf:
		return END_EXCEPTION_RETURN;
	case 0xf4:
		return END_HALT;
	case 0xff:
		return group5(modrm);
	default:
		return END_PLAIN;
	}
}

static struct last_insn ending(const uint8_t *code, size_t size, uint64_t address)
{
	struct last_insn last = { END_PLAIN, 0 };
	bool repeated = false;
	size_t at = 0;

	for (; at < size && is_prefix(code[at]); at++)
		repeated |= code[at] == 0xf2 || code[at] == 0xf3;
	if (at == size)
		return last;
	if (code[at] == 0x0f && at + 1 < size)
		last.ending = two_byte_opcode(code[++at]);
	else
		last.ending = one_byte_opcode(code[at], at + 1 < size ? code[at + 1] : 0, repeated);
	if (last.ending == END_JUMP || last.ending == END_CALL)
		last.target = address + size + (uint64_t)read_signed(code + at + 1, size - at - 1);
	return last;
}

/* nopl 0x4b4153<letter>(%rax) */
static int mark(const uint8_t *code, size_t size)
{
	static const uint8_t head[] = { 0x0f, 0x1f, 0x80 }, tail[] = { 0x53, 0x41, 0x4b };

	return size == 7 && !memcmp(code, head, 3) && !memcmp(code + 4, tail, 3) ? code[3] : 0;
}

/* mov %rsp,disp32(%rdi) and mov disp32(%rsi),%rsp, in __switch_to_asm. */
static bool moves_stack(const uint8_t *code, size_t size)
{
	static const uint8_t save[] = { 0x48, 0x89, 0xa7 }, load[] = { 0x48, 0x8b, 0xa6 };

	return size == 7 && (!memcmp(code, save, sizeof(save)) || !memcmp(code, load, sizeof(load)));
}

/* mov to a control register, invlpg and its like, invpcid, wrmsr. */
static bool moves_pages(const uint8_t *code, size_t size)
{
	size_t at = 0;

	while (at < size && is_prefix(code[at]))
		at++;
	if (at + 2 >= size || code[at] != 0x0f)
		return at + 2 == size && code[at] == 0x0f && code[at + 1] == 0x30;
	switch (code[at + 1]) {
	case 0x01:
		return code[at + 2] >= 0xc0 ? code[at + 2] == 0xdf : (code[at + 2] & 0x38) == 0x38;
	case 0x22:
		return true;
	case 0x38:
		return at + 3 < size && code[at + 2] == 0x82;
	default:
		return false;
	}
}

/*
 * Relative to the stack pointer: push, call, and a ModRM byte that a SIB byte with base rsp follows; to the frame pointer:
 * a ModRM byte of rbp with a negative displacement.
 */
static bool is_on_stack(const uint8_t *code, size_t size, size_t at, bool extended)
{
	uint8_t opcode = code[at], modrm;

	if ((opcode >= 0x50 && opcode <= 0x57) || opcode == 0x68 || opcode == 0x6a || opcode == 0x9c || opcode == 0xe8)
		return true;
	at += opcode == 0x0f ? 2 : 1;
	if (at >= size || is_string_op(opcode) || (opcode >= 0xa0 && opcode <= 0xa3))
		return false;
	modrm = code[at];
	if (opcode == 0xff && (group5(modrm) == END_CALL_INDIRECT || (modrm >> 3 & 7) == 6))
		return true;
	if (modrm >> 6 == 3 || at + 1 >= size || extended)
		return false;
	if ((modrm & 7) == 4)
		return (code[at + 1] & 7) == 4;
	if ((modrm & 7) != 5 || !(modrm >> 6))
		return false;
	return code[at + (modrm >> 6 == 1 ? 1 : 4)] & 0x80;
}

static enum store store(const uint8_t *code, size_t size)
{
	bool locked = false, extended = false;
	size_t at = 0;

	for (; at < size && is_prefix(code[at]); at++) {
		locked |= code[at] == 0xf0;
		extended = (code[at] & 0xf1) == 0x41; /* REX.B: the base is none of the two */
	}
	if (at == size || is_on_stack(code, size, at, extended))
		return STORE_STACK;
	return locked ? STORE_ATOMIC : STORE_PLAIN;
}

static struct arch x86_64 = {
	.target = "x86_64", .ending = ending, .mark = mark, .moves_stack = moves_stack, .moves_pages = moves_pages,
	.store = store, .cpu_registers = { "gs_base", "k_gs_base" },
};

ARCH(x86_64)
