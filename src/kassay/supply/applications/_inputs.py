# SPDX-License-Identifier: GPL-2.0-only
"""Texts and C sources of any length for applications: the same bytes on every machine."""

import random
from collections.abc import Iterator

_SYLLABLES = ("ka", "lo", "mi", "re", "tun", "sa", "vel", "no", "dri", "fa", "go", "hes", "ji", "pel", "qua", "bar")
_OPERATORS = ("+", "-", "^", "|", "&", "*")
_HEADERS = ("ctype.h", "errno.h", "fcntl.h", "math.h", "signal.h", "stdint.h", "stdio.h", "stdlib.h", "string.h",
            "sys/mman.h", "sys/stat.h", "time.h", "unistd.h")  # fmt: skip

_PERL = """\
use strict; use warnings; use threads;
sub work {
	my ($seed) = @_;
	my $sum = 0;
	for my $round (1 .. 2) {
		my (%table, @rows);
		for my $i (1 .. 3000) {
			$seed = ($seed * 1103515245 + 12345) & 0x7fffffff;
			push @{ $table{$seed % 499} }, "x" x ($seed % 700);
			push @rows, [ $i, $seed, { key => $seed % 97, text => "row $seed" } ];
		}
		$sum += length($_) for map { @$_ } values %table;
		$sum += $_->[2]{key} for sort { $a->[1] <=> $b->[1] } @rows;
	}
	return $sum;
}
my @tasks = map { threads->create(\\&work, $_) } 1 .. 4;
my $sum = 0;
$sum += $_->join for @tasks;
print "sum=$sum\\n";
"""


def words(chance: random.Random) -> Iterator[str]:
    """Words without end; a few are frequent, as in a language."""
    vocabulary = ["".join(chance.choice(_SYLLABLES) for _ in range(chance.randrange(1, 5))) for _ in range(2000)]
    while True:
        yield vocabulary[int(len(vocabulary) * chance.random() ** 3)]


def text(seed: int, lines: int) -> bytes:
    """Lines of ten words."""
    source = words(random.Random(seed))
    return "".join(" ".join(next(source) for _ in range(10)) + "\n" for _ in range(lines)).encode()


def c_source(seed: int, functions: int) -> bytes:
    """A C program of so many functions over one structure, that ends with status 0."""
    chance = random.Random(seed)
    lines = [f"#include <{header}>\n" for header in _HEADERS]
    lines += ["struct item {\n\tuint32_t key, count;\n\tdouble weight;\n\tchar name[24];\n\tstruct item *next;\n};\n"]
    lines += [_function(chance, number) for number in range(functions)]
    calls = "".join(f"\tsum += function{number}(items, 64);\n" for number in range(functions))
    lines.append(
        "\nint main(void)\n{\n\tstatic struct item items[64];\n\tuint32_t sum = 0;\n\n"
        "\tfor (int i = 0; i < 64; i++)\n\t\titems[i] = (struct item){ .key = i * 2654435761u, .next = items };\n"
        f'{calls}\tprintf("sum=%u\\n", sum);\n\treturn 0;\n}}\n'
    )
    return "".join(lines).encode()


def _function(chance: random.Random, number: int) -> str:
    cases = "".join(
        f"\t\tcase {case}:\n\t\t\titem->count {chance.choice(_OPERATORS)}= {chance.randrange(1, 9999)} + item->key;\n"
        f"\t\t\tsum {chance.choice(_OPERATORS)}= item->key {chance.choice(_OPERATORS)} {chance.randrange(1, 9999)}u;\n"
        f"\t\t\titem->weight = sqrt(item->weight + {chance.random():.6f}) * item->count;\n\t\t\tbreak;\n"
        for case in range(chance.randrange(4, 9))
    )
    return (
        f"\nuint32_t function{number}(struct item *items, size_t count)\n{{\n\tuint32_t sum = {number};\n\n"
        "\tfor (size_t i = 0; i < count; i++) {\n\t\tstruct item *item = &items[i];\n\n"
        f"\t\tswitch (item->key % {chance.randrange(9, 20)}) {{\n{cases}"
        f'\t\tdefault:\n\t\t\tsnprintf(item->name, sizeof(item->name), "item %u", item->key + {number});\n'
        "\t\t\tsum += strlen(item->name) + item->next->key;\n\t\t}\n\t}\n\treturn sum;\n}\n"
    )


def perl_threads() -> bytes:
    """A perl script: four threads make rows in hashes and arrays and drop them; it prints sum=9519139."""
    return _PERL.encode()
