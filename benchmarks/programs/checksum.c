// SPDX-License-Identifier: GPL-2.0-only
/* CRC-32 of two megabytes, a byte at a time by a table. */
#include <stdint.h>
#include <stdio.h>

static uint8_t data[2 << 20];

int main(void)
{
	uint32_t table[256], crc = ~0u;

	for (uint32_t i = 0; i < 256; i++) {
		table[i] = i;
		for (int bit = 0; bit < 8; bit++)
			table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320 : 0);
	}
	for (unsigned int i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 7);
	for (unsigned int i = 0; i < sizeof(data); i++)
		crc = crc >> 8 ^ table[(crc ^ data[i]) & 255];
	printf("crc=%u\n", ~crc);
	return 0;
}
