# SPDX-License-Identifier: GPL-2.0-only
"""One self-signed certificate for all hosts of one cluster: who has its key belongs to it."""

from pathlib import Path

from kassay.effects.files import write_atomic
from kassay.errors import BadInput
from kassay.tools.cluster.address import certificates_directory


def make_certificates() -> Path:
    """Writes ca.pem, cert.pem and key.pem, the key for this user alone. Raises BadInput where one is there."""
    from distributed import Security

    directory = certificates_directory()
    if existing := [name for name in ("ca.pem", "cert.pem", "key.pem") if (directory / name).exists()]:
        raise BadInput(f"{directory}: {', '.join(existing)} there already", "remove the directory to make others")
    security = Security.temporary()
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    for name, text in (
        ("key.pem", security.tls_client_key),
        ("cert.pem", security.tls_client_cert),
        ("ca.pem", security.tls_ca_file),
    ):
        write_atomic(directory / name, str(text).encode(), mode=0o600)
    return directory
