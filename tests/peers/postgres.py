"""postgres.py - PostgreSQL for peers that need one, with the options of `atriumctl dev`."""
import glob
import os
import pwd
import signal
import subprocess

from server import Server


class Postgres(Server):
    name = "postgres"

    def __init__(self, scratch):
        super().__init__(scratch)
        self.programs = max(
            glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[4])
        )
        user = {"user": "postgres"} if os.getuid() == 0 else {}  # the server refuses to run as root
        if user:
            os.chown(self.dir, pwd.getpwnam("postgres").pw_uid, -1)
        subprocess.run(
            [
                f"{self.programs}/initdb",
                "-D",
                f"{self.dir}/data",
                "--username=postgres",
                "--auth=trust",
                "--encoding=UTF8",
                "--locale=C.UTF-8",
                "--data-checksums",
                "--no-sync",
            ],
            cwd=self.dir,
            check=True,
            stdout=subprocess.DEVNULL,
            **user,
        )
        options = (
            "listen_addresses=",
            "max_connections=200",
            "shared_buffers=128MB",
            "synchronous_commit=on",
        )
        self.start(
            [
                f"{self.programs}/postgres",
                "-D",
                f"{self.dir}/data",
                "-k",
                self.dir,
                *(word for option in options for word in ("-c", option)),
            ],
            self.accepts,
            cwd=self.dir,
            **user,
        )

    def accepts(self):
        return subprocess.run([f"{self.programs}/pg_isready", "-q", "-h", self.dir]).returncode == 0

    def sql(self, database, text):
        """Runs the statements and returns the last one's rows, a line each."""
        return subprocess.run(
            ["psql", "-qAtX", "-v", "ON_ERROR_STOP=1", "-h", self.dir, "-U", "postgres", database],
            input=text,
            env={**os.environ, "PGOPTIONS": "-c client_min_messages=warning"},
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        ).stdout.split("\n")[:-1]

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)  # ends connections
            self.process.wait()
