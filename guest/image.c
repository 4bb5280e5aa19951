// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "image.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "memory.h"

#define DIRECTORY "/tmp/kassay-image"
#define MAX_FILES (IMAGE_LIBRARIES + 2)
#define SEGMENTS 4
#define CODE_ADDRESS (IMAGE_ADDRESS + MIB) /* for code that is not below the image, as in a position-independent program */

/* A library: a page of headers, then these parts. The last has no bytes in the file. */
#define HEADERS (64 * KIB) /* no kernel's pages are larger */
#define CODE (512 * KIB)
#define CONSTANTS (256 * KIB)
#define DATA (128 * KIB)
#define ZEROS (64 * KIB)
#define LIBRARY (HEADERS + CODE + CONSTANTS + DATA)
#define FIRST_LIBRARY 0x100000000UL /* far from all that a program without libraries has */
#define TOUCHED_CODE (64 * KIB)     /* one page in so many bytes is read */

static char files[MAX_FILES][64];
static size_t file_count;
static struct image *image;

struct image *image_start(struct run *run)
{
	void *where = (void *)(uintptr_t)IMAGE_ADDRESS;

	if (mkdir(DIRECTORY, 0700)) {
		fail(run, "making " DIRECTORY ": %s", strerror(errno));
		return NULL;
	}
	image = mmap(where, sizeof(*image), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (image == MAP_FAILED) {
		fail(run, "mapping an image: %s", strerror(errno));
		rmdir(DIRECTORY);
		image = NULL;
	}
	return image;
}

static int write_file(struct run *run, const char *name, char *path, const void *data, size_t length)
{
	int fd = -1;
	ssize_t done = -1;

	snprintf(path, sizeof(files[0]), DIRECTORY "/%.32s", name);
	if (file_count < MAX_FILES) {
		strcpy(files[file_count++], path);
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
		done = fd < 0 ? -1 : write(fd, data, length);
	}
	if (fd >= 0)
		close(fd);
	return done == (ssize_t)length ? 0 : fail(run, "writing %zu bytes to %s: %s", length, path, strerror(errno));
}

/* The ELF header of this very program, for what depends on the architecture. */
static int own_header(struct run *run, Elf64_Ehdr *header)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, header, sizeof(*header));

	if (fd >= 0)
		close(fd);
	if (got != sizeof(*header))
		return fail(run, "/proc/self/exe: %s", strerror(errno));
	header->e_phoff = sizeof(*header);
	header->e_phnum = SEGMENTS;
	header->e_shnum = header->e_shstrndx = 0;
	header->e_shoff = 0;
	return 0;
}

static Elf64_Phdr segment(uint32_t flags, uint64_t address, size_t offset, size_t length)
{
	return (Elf64_Phdr){ .p_type = PT_LOAD, .p_flags = flags, .p_vaddr = address, .p_paddr = address, .p_offset = offset,
			     .p_filesz = length, .p_memsz = length, .p_align = page_bytes() };
}

int image_write(struct run *run, const char *name, char *path)
{
	size_t page = page_bytes(), text, data = (sizeof(*image) + page - 1) / page * page;
	uintptr_t start = (uintptr_t)measured_begin / page * page, to = start < IMAGE_ADDRESS ? start : CODE_ADDRESS;
	struct {
		Elf64_Ehdr header;
		Elf64_Phdr segments[SEGMENTS];
	} *top;
	int status;

	text = ((uintptr_t)measured_end - start + page - 1) / page * page;
	top = calloc(1, page + text + data);
	if (!top || script_close(run, &image->script) || own_header(run, &top->header)) {
		free(top);
		return -1;
	}
	top->header.e_type = ET_EXEC;
	top->header.e_entry = (uintptr_t)image_enter - start + to;
	/* In the order of their addresses, which the kernel maps as one range first. */
	top->segments[to > IMAGE_ADDRESS] = segment(PF_R | PF_X, to, page, text);
	top->segments[to < IMAGE_ADDRESS] = segment(PF_R | PF_W, IMAGE_ADDRESS, page + text, data);
	for (size_t i = 0; i <= image->script.count; i++)
		image->script.steps[i].run = (void (*)(void))((uintptr_t)image->script.steps[i].run - start + to);
	top->segments[2].p_type = PT_GNU_STACK;
	top->segments[2].p_flags = PF_R | PF_W;
	memcpy((char *)top + page, (void *)start, text);
	memcpy((char *)top + page + text, image, sizeof(*image));
	status = write_file(run, name, path, top, page + text + data);
	free(top);
	return status;
}

int image_write_dynamic(struct run *run, const char *name, const char *interpreter, char *path)
{
	size_t page = page_bytes();
	struct {
		Elf64_Ehdr header;
		Elf64_Phdr segments[SEGMENTS];
		char interpreter[64];
	} *top = calloc(1, 3 * page);
	int status;

	if (!top || own_header(run, &top->header)) {
		free(top);
		return -1;
	}
	top->header.e_type = ET_DYN;
	top->header.e_entry = page;
	strcpy(top->interpreter, interpreter);
	top->segments[0] = segment(PF_R, 0, (size_t)((char *)top->interpreter - (char *)top), strlen(interpreter) + 1);
	top->segments[0].p_type = PT_INTERP;
	top->segments[0].p_vaddr = top->segments[0].p_offset;
	top->segments[1] = segment(PF_R | PF_X, 0, 0, 2 * page);
	top->segments[2] = segment(PF_R | PF_W, 2 * page, 2 * page, page);
	top->segments[3].p_type = PT_GNU_STACK;
	top->segments[3].p_flags = PF_R | PF_W;
	status = write_file(run, name, path, top, 3 * page);
	free(top);
	return status;
}

int image_write_library(struct run *run, unsigned int number)
{
	char *content = calloc(1, LIBRARY), name[32];
	int status;

	if (!content)
		return fail(run, "no memory");
	snprintf(name, sizeof(name), "library%u", number);
	status = write_file(run, name, image->libraries[number].path, content, LIBRARY);
	free(content);
	return status;
}

/* The descriptor that a program gets which opens a file first: those that exec() closes are free then. */
static uint64_t first_descriptor(void)
{
	int fd = 0, flags;

	while ((flags = fcntl(fd, F_GETFD)) >= 0 && !(flags & FD_CLOEXEC))
		fd++;
	return (uint64_t)fd;
}

static void map_part(uint64_t *start, size_t offset, size_t length, int protection)
{
	bool zeros = offset >= LIBRARY;
	int flags = MAP_PRIVATE | MAP_FIXED | (zeros ? MAP_ANONYMOUS : 0);

	script_call(&image->script, mmap, start, length, (uint64_t)protection, (uint64_t)flags,
		    zeros ? UINT64_MAX : first_descriptor(), zeros ? 0 : offset);
}

void image_library(unsigned int number)
{
	uint64_t start = FIRST_LIBRARY + number * 2 * (uint64_t)LIBRARY;
	typeof(&image->libraries[0]) library = &image->libraries[number];

	library->whole = start;
	library->text = start + HEADERS;
	library->constants = library->text + CODE;
	library->data = library->constants + CONSTANTS;
	library->zeros = library->data + DATA;
	/* An absolute path: the descriptor of a directory, 0, is not looked at. */
	script_step(&image->script, (struct step){ .run = step_map, .number = SYS_openat, .start = &image->file, .what = "open",
						  .args = { (uintptr_t)library->path, O_RDONLY } });
	script_call(&image->script, read, &image->file, (uintptr_t)image->header, 832);
	map_part(&library->whole, 0, LIBRARY, PROT_READ);
	map_part(&library->text, HEADERS, CODE, PROT_READ | PROT_EXEC);
	map_part(&library->constants, HEADERS + CODE, CONSTANTS, PROT_READ);
	map_part(&library->data, HEADERS + CODE + CONSTANTS, DATA, PROT_READ | PROT_WRITE);
	map_part(&library->zeros, LIBRARY, ZEROS, PROT_READ | PROT_WRITE);
	script_call(&image->script, close, &image->file, 0);
	script_step(&image->script, (struct step){ .run = step_count, .start = &library->text,
						  .args = { CODE, 0, TOUCHED_CODE, (uintptr_t)&library->found } });
	memory_fill(&image->script, &library->data, DATA / 4, 1);
	memory_fill(&image->script, &library->zeros, page_bytes(), 1);
	script_call(&image->script, mprotect, &library->data, DATA / 8, PROT_READ);
}

void image_release(void)
{
	while (file_count)
		unlink(files[--file_count]);
	if (image) {
		rmdir(DIRECTORY);
		munmap(image, sizeof(*image));
		image = NULL;
	}
}
