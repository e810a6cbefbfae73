#!/usr/bin/env python3
"""peers.py - `make bench-peers`: the suite compared with other servers on the same requests.

A shared machine's speed changes by the minute, so slices of BENCH_SECONDS (2) alternate,
BENCH_ROUNDS (5) times, and the median ratio of neighbors counts. CPU time per request includes all
processes of a server and its database. BENCH_ONLY="me refresh" selects operations,
BENCH_PEERS="pocketbase nginx" servers.

Each server has one calling person, a hundred documents for the list, and equally many random files
and copies of one image; the suite also has 2,000 accounts for sign-ins and refreshes. The files
exceed the gateway's cache, and no image is resized to the same size twice, so nothing is cached.
"""
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, "tests/peers")
from directus import Directus
from glewlwyd import Glewlwyd
from nginx import Nginx
from pocketbase import PocketBase
from postgres import Postgres
from server import ROUNDS, SECONDS
from suite import BUILD, Suite

ONLY = os.environ.get("BENCH_ONLY", "").split()
CONNECTIONS = 32
FEW = 4  # a hash or an image occupies a core for milliseconds: more connections would only wait
OPERATIONS = {
    # name: (label, connections)
    "me": ("who am I", CONNECTIONS),
    "settings": ("settings", CONNECTIONS),
    "refresh": ("renewal", CONNECTIONS),
    "list": ("list of 100", CONNECTIONS),
    "10k": ("first read of 10 KiB", CONNECTIONS),
    "1m": ("first read of 1 MiB", CONNECTIONS),
    "resize": ("first resize", FEW),
    "sign-in": ("sign-in", FEW),
}
PEERS = {
    # name: (server, whether it needs a PostgreSQL)
    "pocketbase": (PocketBase, False),
    "directus": (Directus, True),
    "glewlwyd": (Glewlwyd, True),
    "nginx": (Nginx, False),
}
CHOSEN = os.environ.get("BENCH_PEERS", "").split() or list(PEERS)


def ratio(numerators, denominators, key):
    """Returns the median ratio of neighboring slices in which both servers did something."""
    pairs = [(a[key], b[key]) for a, b in zip(numerators, denominators) if a and b]
    return statistics.median(a / b for a, b in pairs) if pairs else float("nan")


def compare(operation, servers):
    """Runs slices in turn; prints a line per server with the ratio of the suite's rate to its own."""
    label, connections = OPERATIONS[operation]
    slices = {server.name: [] for server in servers if operation in server.plans}
    asked = [server for server in servers if server.name in slices]
    for turn in range(ROUNDS):
        for server in asked if turn % 2 == 0 else asked[::-1]:
            slices[server.name].append(server.measure(operation, connections))
    suite = slices["atrium"]
    for server in servers:
        mine = slices.get(server.name, [])
        done = [each for each in mine if each]
        if not done:
            print("{:22} {:11} {:>11}".format(label, server.name, "none in time" if mine else "-"))
            continue
        middle = {
            key: statistics.median(each[key] for each in done) for key in ("rate", "p99", "cpu")
        }
        print(
            "{:22} {:11} {:9.0f}/s {:9.1f} ms {:9.0f} us".format(
                label, server.name, middle["rate"], middle["p99"], middle["cpu"]
            ),
            end="\n" if mine is suite else "",
        )
        if mine is suite:
            continue
        bad = sum(each["bad"] for each in done)
        print(
            "  {:6.2f} {:6.2f}{}".format(
                ratio(suite, mine, "rate"),
                ratio(mine, suite, "cpu"),
                f"  {bad} refused" if bad else "",
            ),
            flush=True,
        )


def make_image(scratch):
    file = f"{scratch}/image.jpg"
    subprocess.run([f"{BUILD}/tests/bench/images", "make", file], check=True)
    with open(file, "rb") as f:
        return f.read()


def main():
    scratch = tempfile.mkdtemp(prefix="atrium-peers-")
    os.chmod(scratch, 0o755)  # PostgreSQL and the workers of nginx run as other users
    servers, database = [], None
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        servers.append(Suite(scratch))
        for peer, needs_database in (PEERS[name] for name in CHOSEN):
            if needs_database and not database:
                database = Postgres(scratch)
            servers.append(peer(scratch, database) if needs_database else peer(scratch))
        image = make_image(scratch)
        for server in servers:
            server.seed(image)
        print(
            f"{time.strftime('%Y-%m-%d')}, "
            f"{', '.join(server.version() for server in servers[1:])}, "
            f"{os.cpu_count()} cores, "
            f"{ROUNDS} slices of {SECONDS:g} s each, {CONNECTIONS} connections "
            f"({FEW} for resizing and sign-ins)"
        )
        print(
            "{:22} {:11} {:>11} {:>12} {:>12}  {:>6} {:>6}".format(
                "", "", "rate", "p99", "CPU each", "x rate", "x CPU"
            )
        )
        for operation in OPERATIONS:
            if not ONLY or operation in ONLY:
                compare(operation, servers)
        for server in servers:
            if server.connections < CONNECTIONS:
                print(f"{server.name} is asked by {server.connections} connections at most")
            if server.lacks:
                print(f"-: {server.name} {server.lacks}")
        print(
            "passwords: "
            + "; ".join(
                f"{server.name} {server.password_hash}"
                for server in servers
                if server.password_hash
            )
        )
    finally:  # only processes started here
        for server in [*servers, database]:
            if server:
                server.stop()
        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    main()
