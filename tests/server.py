"""A PostgreSQL of the tests' own: thrown away at the end, reached by a socket, without root."""

import os
import shutil
import subprocess
import tempfile
import uuid
from importlib.util import find_spec
from itertools import count
from pathlib import Path

DEBIAN = Path("/usr/lib/postgresql")
MISSING = (
    "There is no PostgreSQL here, so half of the store's tests would not run: install the Debian "
    "package postgresql, or `pip install pgserver`."
)


def programs():
    """The folder of initdb and pg_ctl: RATERBOOK_POSTGRES, else the system's, else that of
    pgserver; None without any."""
    if named := os.environ.get("RATERBOOK_POSTGRES"):
        return Path(named)
    found = [path.parent for path in sorted(DEBIAN.glob("*/bin/initdb"), reverse=True)]
    if on_path := shutil.which("initdb"):
        found.append(Path(on_path).resolve().parent)
    if (spec := find_spec("pgserver")) and spec.origin:
        found.append(Path(spec.origin).parent / "pginstall" / "bin")
    return next((folder for folder in found if (folder / "initdb").exists()), None)


def lowered():
    """A server refuses to run as root: then it runs as somebody with no rights."""
    if os.geteuid() != 0:
        return []
    import pwd

    for name in ("postgres", "nobody"):
        try:
            found = pwd.getpwnam(name)
        except KeyError:
            continue
        return ["setpriv", f"--reuid={found.pw_uid}", f"--regid={found.pw_gid}", "--clear-groups"]
    raise RuntimeError("no user to run PostgreSQL as")


def required():
    """A test that needs a server fails without one where nothing may be left out."""
    import pytest

    if programs() is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(MISSING)


class Cluster:
    """`address` names a database of it; `owner` owns everything, others log in by name alone,
    but to databases called secure_…, where they need their password."""

    def __init__(self, flushes=False):
        self.flushes = flushes
        self.folder = Path(tempfile.mkdtemp(prefix="rbpg-"))
        self.programs, self._number, self._templates = programs(), count(), {}
        self._as = lowered()
        if self._as:
            uid, gid = (int(word.partition("=")[2]) for word in self._as[1:3])
            os.chown(self.folder, uid, gid)
        self.folder.chmod(0o755)
        self.data = self.folder / "data"
        how = ["-A", "trust", "-U", "owner", "--no-sync", "-E", "UTF8", "--locale=C.UTF-8"]
        self._call("initdb", "-D", self.data, *how)
        hba = "local all owner trust\nlocal /^secure_.* all scram-sha-256\nlocal all all trust\n"
        if self.version() < 16:  # no patterns before
            hba = hba.replace("/^secure_.*", "secure_one,secure_two")
        (self.data / "pg_hba.conf").write_text(hba, encoding="utf-8")
        self.start()

    def version(self):
        said = subprocess.run(
            [self.programs / "postgres", "--version"], capture_output=True, text=True, check=True
        )
        return int(said.stdout.split()[2].partition(".")[0])

    def start(self):
        options = (
            f"-k {self.folder} -h '' -c fsync={'on' if self.flushes else 'off'}"
            " -c shared_buffers=32MB -c max_connections=200"
        )
        log = self.folder / "log"
        self._call("pg_ctl", "-D", self.data, "-w", "-s", "-o", options, "-l", log, "start")

    def stop(self, mode="fast"):
        self._call("pg_ctl", "-D", self.data, "-w", "-s", "-m", mode, "stop")

    def _call(self, program, *words):
        command = [*self._as, self.programs / program, *words]
        done = subprocess.run(
            list(map(str, command)),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,  # a server that stays would hold a pipe open
            stderr=subprocess.DEVNULL,
            cwd=self.folder,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"{program} failed: {self.said()}")

    def said(self):
        log = self.folder / "log"
        return log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""

    def remove(self):
        try:
            self.stop("immediate")
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)

    def address(self, database, login="owner"):
        return f"postgresql://{login}@/{database}?host={self.folder}"

    def connect(self, database="postgres", login="owner", **how):
        import psycopg

        where = {"host": str(self.folder), "dbname": database, "user": login}
        return psycopg.connect(**where, autocommit=True, **how)

    def sql(self, statement, database="postgres"):
        with self.connect(database) as connection:
            found = connection.execute(statement)
            return found.fetchall() if found.description else []

    def empty(self, name=""):
        """A new database; its address."""
        name = name or f"t{next(self._number)}"
        self.sql(f'CREATE DATABASE "{name}"')
        return self.address(name)

    def like(self, template, make=None):
        """The name of a new database that is a copy of one that is made once."""
        if template not in self._templates:
            self._templates[template] = f"{template}_{uuid.uuid4().hex[:6]}"
            address = self.empty(self._templates[template])
            make(address)
        name = f"t{next(self._number)}"
        self.sql(f'CREATE DATABASE "{name}" TEMPLATE "{self._templates[template]}"')
        return name


def with_schema(address):
    from raterbook.rounds import Store

    Store(address).dispose()
