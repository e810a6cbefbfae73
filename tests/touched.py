#!/usr/bin/env python3
"""Prints the test programs that a change touches, for `make check-asan-touched`.

usage: touched.py BUILD REF SECONDS PROGRAM...

The change is the difference between commit REF and the working tree, or everything if REF is empty. A program of tests/unit or
tests/integration is touched when it contains a changed file: its linker map (PROGRAM.map, from -Wl,-Map) names its objects,
whose .d files name their sources. A program that starts the daemons (tests/http, tests/fault) is touched by its own sources
and, with less weight, by any daemon's. In this order, the shortest first, it prints as many as fit into SECONDS by
tests/durations, which has times without a sanitizer. The number of omitted ones goes to standard error.
"""
import pathlib
import re
import subprocess
import sys

STARTS_DAEMONS = {"http", "fault"}
# A generated source comes from a directory's .sql files, but its .d file names only the generated one.
GENERATED = re.compile(r"gen/([a-z]+)(?:/|_schema)")


def changed_files(ref):
    """Returns the changed paths, or None for all."""
    if not ref:
        return None
    out = subprocess.run(["git", "diff", "--name-only", ref], check=True, capture_output=True, text=True).stdout
    return set(out.split())


def durations():
    """Maps program names to seconds, for those that take more than one."""
    rows = {}
    for line in pathlib.Path("tests/durations").read_text().splitlines():
        if not line.startswith("#"):
            duration, _, name = line.split()[:3]
            rows[name] = int(duration)
    return rows


class Build:
    """A build tree: the sources of each object and program."""

    def __init__(self, folder):
        self.folder = folder
        self.members = {}  # an object's base name to its paths, because a map names an archive's member by base name
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
    """True when a source file, named as in a .d file, is changed or generated from a changed one."""
    if source in changed:
        return True
    generated = GENERATED.search(source)
    return bool(generated) and any(
        path.endswith(".sql") and path.startswith((generated.group(1) + "/", "common/service/sql/")) for path in changed)


def rank(build, program, changed):
    """Returns 0: own file, 1: linked file, 2: a daemon that it starts; None: not touched."""
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
