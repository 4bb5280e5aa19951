/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KASSAY_VDSO_H
#define KASSAY_VDSO_H

struct stream;

/* Ships a line "OFFSET NAME" for each function of the vDSO; nothing if there is no vDSO. The offset is hexadecimal. */
void vdso_emit(struct stream *stream);

#endif
