# SPDX-License-Identifier: GPL-2.0-only
"""A Java virtual machine runs Eclipse's compiler on a file."""

import random
from collections.abc import Mapping

from kassay.model.application import Application

_CLASSES = 2
_JARS = "/usr/share/java/eclipse-jdt-core-compiler-batch.jar"


def _inputs() -> Mapping[str, bytes]:
    chance = random.Random(16)
    classes = "".join(
        f"\nclass Unit{number} {{\n"
        + "".join(
            f"\tstatic int work{method}(Map<String, List<Integer>> table, int seed) {{\n"
            f"\t\tint sum = seed * {chance.randrange(1, 9999)};\n"
            f"\t\tfor (Map.Entry<String, List<Integer>> entry : table.entrySet()) {{\n"
            f"\t\t\tsum += entry.getValue().stream().mapToInt(value -> value ^ {chance.randrange(1, 9999)}).sum();\n"
            f'\t\t\tif (sum % {chance.randrange(2, 99)} == 0)\n\t\t\t\tsum -= ("u" + entry.getKey() + sum).length();\n'
            "\t\t}\n\t\treturn sum;\n\t}\n"
            for method in range(4)
        )
        + "}\n"
        for number in range(_CLASSES)
    )
    return {"Units.java": f"import java.util.List;\nimport java.util.Map;\n{classes}".encode()}


APPLICATION = Application(
    name="jvm_compile",
    summary=f"a JVM starts and runs Eclipse's Java compiler on a file of {_CLASSES} classes (JIT of tier 1)",
    uses="heap reserved as one PROT_NONE mapping and committed by mprotect and mmap; code cache; compiler threads",
    packages=("default-jre-headless", "libeclipse-jdt-core-compiler-batch-java"),
    command=("/usr/lib/jvm/default-java/bin/java", "-XX:TieredStopAtLevel=1", "-Xmx256m", "-cp", _JARS,
             "org.eclipse.jdt.internal.compiler.batch.Main", "-proc:none", "-17", "-d", "out", "Units.java"),
    environment=("PATH=/usr/bin",),
    checks=(("/usr/lib/jvm/default-java/bin/java", "-version"),),
    operation="file",
    memory="2GiB",
    inputs=_inputs,
)  # fmt: skip
