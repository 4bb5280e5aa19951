# SPDX-License-Identifier: GPL-2.0-only
"""One self-signed certificate for all hosts of one cluster: who has its key belongs to it."""

import tempfile
from pathlib import Path

from kassay.effects.files import disk_errors, write_atomic
from kassay.errors import BadInput
from kassay.tools.cluster.address import certificates_directory


def make_certificates() -> Path:
    """Writes ca.pem, cert.pem and key.pem, the key for this user alone. Raises BadInput where one is there."""
    from distributed import Security

    directory = certificates_directory()
    if existing := sorted(path.name for path in directory.glob("*")):
        raise BadInput(f"{directory}: {', '.join(existing)} there already", "remove the directory to make others")
    security = Security.temporary()
    texts = {"key.pem": security.tls_client_key, "cert.pem": security.tls_client_cert, "ca.pem": security.tls_ca_file}
    with disk_errors(directory):
        directory.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="cluster-", dir=directory.parent) as made:
            for name, text in texts.items():
                write_atomic(Path(made, name), str(text).encode(), mode=0o600)
            Path(made).rename(directory)  # all of them at once
    return directory
