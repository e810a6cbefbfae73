#!/usr/bin/env python3
"""Prints the test programs that a change touches, for `make check-asan-touched`.

usage: touched.py BUILD REF SECONDS PROGRAM...

The change is what differs between commit REF and the working tree; without REF (an empty word) it is everything. A
program of tests/unit and tests/integration is touched when a file of the change went into it: its linker map
(PROGRAM.map, from -Wl,-Map) names its objects, and their .d files what those were compiled from. A program that starts
the daemons (tests/http, tests/fault) is touched by its own sources and, with less weight, by those of any daemon.
In this order, the shortest first, as many as fit into SECONDS of program time by tests/durations, which counts programs
without a sanitizer. How many were left is told on standard error.
"""
import pathlib
import re
import subprocess
import sys

STARTS_DAEMONS = {"http", "fault"}
# A generated source comes from the .sql files of a folder; its .d file names the generated one alone.
GENERATED = re.compile(r"gen/([a-z]+)(?:/|_schema)")


def changed_files(ref):
    """The paths of the change, or None for all."""
    if not ref:
        return None
    out = subprocess.run(["git", "diff", "--name-only", ref], check=True, capture_output=True, text=True).stdout
    return set(out.split())


def durations():
    """Program name to seconds, of those that take more than one."""
    rows = {}
    for line in pathlib.Path("tests/durations").read_text().splitlines():
        if not line.startswith("#"):
            duration, _, name = line.split()[:3]
            rows[name] = int(duration)
    return rows


class Build:
    """A build tree: which sources each of its objects and programs was made of."""

    def __init__(self, folder):
        self.folder = folder
        self.members = {}  # base name of an object to its paths: a map names a member of an archive by its base name
        self.known = {}
        for path in pathlib.Path(folder).rglob("*.o"):
            self.members.setdefault(path.name, []).append(str(path))

    def sources(self, obj):
        if obj not in self.known:
            path = pathlib.Path(obj).with_suffix(".d")
            text = path.read_text() if path.exists() else ""
            self.known[obj] = set(re.findall(r"[^\s:\\]+\.(?:c|h|def|S)\b", text))
        return self.known[obj]

    def objects(self, program):
        text = pathlib.Path(program + ".map").read_text()
        found = set(re.findall(rf"^LOAD ({re.escape(self.folder)}/\S+\.o)$", text, re.M))
        for member in set(re.findall(rf"{re.escape(self.folder)}/\S+\.a\((\S+\.o)\)", text)):
            found.update(self.members.get(member, []))
        return found


def touches(source, changed):
    """Whether a source file, as a .d file names it, is one of the change or is generated from one."""
    if source in changed:
        return True
    generated = GENERATED.search(source)
    return bool(generated) and any(
        path.endswith(".sql") and path.startswith((generated.group(1) + "/", "common/service/sql/")) for path in changed)


def rank(build, program, changed):
    """0: a file of its own, 1: a file that it is linked with, 2: a daemon that it starts; None: not touched."""
    if changed is None:
        return 1
    own = program + ".o"
    if any(touches(s, changed) for s in build.sources(own) if s.startswith("tests/")):
        return 0
    objects = build.objects(program)
    if any(touches(s, changed) for obj in objects for s in build.sources(obj)):
        return 1
    parent = pathlib.Path(program).parent.name
    product = re.compile(r"(common|gateway|authd|settingsd|docd|maild|botd|ctl|dev)/")
    return 2 if parent in STARTS_DAEMONS and any(product.match(path) for path in changed) else None


def main():
    folder, ref, budget, *programs = sys.argv[1:]
    build, changed, seconds = Build(folder), changed_files(ref), durations()
    ranked = []
    for program in programs:
        found = rank(build, program, changed)
        if found is not None:
            ranked.append((found, seconds.get(pathlib.Path(program).name, 1), program))
    spent, left = 0, 0
    for _, cost, program in sorted(ranked):
        if spent + cost > int(budget):
            left += 1
            continue
        spent += cost
        print(program)
    print(f"touched: {len(ranked)} programs, {left} of them left for the nightly run", file=sys.stderr)


if __name__ == "__main__":
    main()
