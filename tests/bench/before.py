#!/usr/bin/env python3
"""before.py REF - `make bench-before REF=`: the cost of a request in this build and in an earlier commit.

Two suites with their own PostgreSQL get the same requests in alternating slices of BENCH_SECONDS (2), BENCH_ROUNDS (5)
times, because a shared machine's speed changes by the minute. Prints the microseconds of CPU time for each operation, by
program, and the median ratio of neighboring slices; below 1 this build is cheaper. BENCH_ONLY="me list" selects
operations. REF can also be the directory of an existing build.
"""
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile

import peers
from server import ROUNDS, SECONDS, Plan
from suite import BUILD, Suite

ISSUER = ("userinfo", "introspect", "client_token", "page")  # Suite.issuer_plans()
OPERATIONS = {name: ("", peers.CONNECTIONS) for name in ("health", *ISSUER)} | peers.OPERATIONS
FEW_US = 1  # less is not a program's work for the operation


def suite(scratch, name, build):
    os.mkdir(f"{scratch}/{name}", 0o755)
    return Suite(f"{scratch}/{name}", build)


def build_of(ref, scratch):
    """Builds a commit and returns the directory of its programs."""
    if os.path.isdir(ref):
        return ref
    subprocess.run(["bash", "-c", '. tests/mixed/then.sh; then_build "$@"', "then_build", f"{scratch}/source", ref, "all",
                    "build/tests/bench/seed"], check=True)
    return f"{scratch}/source/build"


def middle(slices, value):
    return statistics.median(map(value, slices))


def compare(operation, now, then):
    _, connections = OPERATIONS[operation]
    pairs = []
    for turn in range(ROUNDS):
        order = [now, then] if turn % 2 == 0 else [then, now]
        measured = {server: server.measure(operation, connections) for server in order}
        if None in measured.values():
            sys.exit(f"before: {operation}: nothing was done in a slice; see BENCH_SECONDS")
        pairs.append((measured[now], measured[then]))
    print(f"{operation}: rate {middle(pairs, lambda p: p[0]['rate'] / p[1]['rate']):.2f}, refused "
          f"{sum(p[0]['bad'] for p in pairs)} and {sum(p[1]['bad'] for p in pairs)}")
    programs = sorted({name for pair in pairs for each in pair for name in each["programs"]})
    rows = [(name, lambda each, name=name: each["programs"].get(name, 0)) for name in programs]
    for name, value in rows + [("all", lambda each: each["cpu"])]:
        mine, other = (middle(pairs, lambda p: value(p[i])) for i in (0, 1))
        if max(mine, other) < FEW_US:
            continue
        ratios = [value(a) / value(b) for a, b in pairs if value(b) > 0]
        ratio = "{:.3f}  ({:.3f} to {:.3f})".format(statistics.median(ratios), min(ratios), max(ratios)) if ratios else ""
        print("  {:18} {:9.1f} us {:9.1f} us  {}".format(name, mine, other, ratio), flush=True)


def main():
    scratch = tempfile.mkdtemp(prefix="atrium-before-")
    os.chmod(scratch, 0o755)  # PostgreSQL runs as another user
    only = os.environ.get("BENCH_ONLY", "").split()
    servers = []
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        for name, build in (("now", BUILD), ("then", build_of(sys.argv[1], scratch))):
            servers.append(suite(scratch, name, build))
        image = peers.make_image(scratch)
        for server in servers:
            server.seed(image)
            server.plans |= {"health": Plan("/partner/health-check"), **server.issuer_plans()}
        print(f"this build and {sys.argv[1]}: CPU of an operation, and the ratio ({ROUNDS} slices of {SECONDS:g} s)")
        for operation in OPERATIONS:
            if operation in servers[0].plans and (not only or operation in only):
                compare(operation, *servers)
    finally:  # only processes started here
        for server in servers:
            server.stop()
        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    main()
