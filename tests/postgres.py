"""A PostgreSQL server of the tests' own: Debian's programs, a folder that goes away, loopback only."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PASSWORD = "s3cret/word"
QUIET = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "shared_buffers=16MB")


@dataclass(frozen=True)
class Server:
    """A running server that makes databases."""

    port: int
    restart: Callable[[], None]

    def url(self, database: str, password: str = PASSWORD) -> str:
        """The address of a database, as a user writes it."""
        return f"postgresql://team:{password.replace('/', '%2F')}@127.0.0.1:{self.port}/{database}"

    def new_database(self) -> str:
        """A database that nobody has used."""
        import psycopg

        name = f"d{uuid.uuid4().hex[:12]}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f"create database {name}")
        return self.url(name)


def programs() -> Path | None:
    """The folder of initdb and pg_ctl: Debian keeps it off the path, a version a folder."""
    found = shutil.which("pg_ctl")
    if found:
        return Path(found).parent
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))
    return folders[-1].parent if folders else None


@contextmanager
def running(binaries: Path) -> Iterator[Server]:
    """Start a server and stop it again. It refuses to run as root, so root hands it to `postgres`."""
    as_user = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
    folder = Path(tempfile.mkdtemp(prefix="polyglitch-pg-"))
    data, secret, log = folder / "data", folder / "secret", folder / "log"
    secret.write_text(PASSWORD)
    if as_user:
        shutil.chown(folder, "postgres")
        shutil.chown(secret, "postgres")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    def call(program: str, *arguments: str) -> None:
        command = [*as_user, str(binaries / program), "-D", str(data), *arguments]
        subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL, timeout=120)

    secured = ("-A", "scram-sha-256", "-U", "team", f"--pwfile={secret}")
    call("initdb", "--no-sync", "--encoding=UTF8", "--locale=C.UTF-8", *secured)
    settings = (f"port={port}", "listen_addresses=127.0.0.1", f"unix_socket_directories={folder}")
    options = " ".join(f"-c {setting}" for setting in (*settings, *QUIET))
    call("pg_ctl", "-w", "-l", str(log), "-o", options, "start")
    try:
        yield Server(port, lambda: call("pg_ctl", "-w", "-m", "fast", "-l", str(log), "restart"))
    finally:
        call("pg_ctl", "-m", "immediate", "stop")
        shutil.rmtree(folder)
