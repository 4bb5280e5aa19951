/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files that execve() takes: a program that executes a script in the measured code and exits, and one that has an
 * interpreter. No compiler and no C library made any of what they execute.
 */
#ifndef KASSAY_IMAGE_H
#define KASSAY_IMAGE_H

#include "script.h"

#define IMAGE_LIBRARIES 3

/*
 * What a program made here has as its data, at the same address as in this process. A script may use all of it, and
 * memory that it maps itself, but nothing else of this process. Steps do not return from a failure: the program exits with it.
 */
struct image {
	struct script script;
	uint64_t file; /* a descriptor that a step opened */
	struct {
		uint64_t whole, text, constants, data, zeros; /* where the library's parts go */
		uint64_t found;
		char path[64];
	} libraries[IMAGE_LIBRARIES];
	char header[1024]; /* read from a library */
};

/* Maps the image, at IMAGE_ADDRESS, and makes the directory for the files. Returns it, or NULL after fail(). */
struct image *image_start(struct run *run);

/* A program that executes the image's script, which must be complete; its path goes to @path (64 bytes). */
int image_write(struct run *run, const char *name, char *path);

/* A position-independent program that @interpreter is to start, and that is never entered itself. */
int image_write_dynamic(struct run *run, const char *name, const char *interpreter, char *path);

/* A library, the parts of which image_library() maps. */
int image_write_library(struct run *run, unsigned int number);

/* Adds the steps by which a program's loader maps library @number, relocates it and protects it, to the image's script. */
void image_library(unsigned int number);

/* For teardown(): files and image are gone. */
void image_release(void);

#endif
