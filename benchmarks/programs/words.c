// SPDX-License-Identifier: GPL-2.0-only
/* A text is made with snprintf(), and its words are counted with strchr(), strlen() and strcmp(). */
#include <stdio.h>
#include <string.h>

static char text[1 << 18];

int main(void)
{
	unsigned long used = 0, words = 0, letters = 0, same = 0;
	char before[32] = "";

	for (int i = 0; used + 64 < sizeof(text); i++)
		used += (unsigned long)snprintf(text + used, 64, "word%d is %s ", i % 100, i % 3 ? "here" : "elsewhere");
	for (char *at = text; *at; words++) {
		char word[32], *end = strchr(at, ' ');
		unsigned long length = (unsigned long)(end - at);

		memcpy(word, at, length);
		word[length] = 0;
		letters += strlen(word);
		same += !strcmp(word, before);
		strcpy(before, word);
		at = end + 1;
	}
	printf("words=%lu letters=%lu same=%lu\n", words, letters, same);
	return 0;
}
