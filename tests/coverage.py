#!/usr/bin/env python3
"""Lines that were run, by folder: `make coverage`. usage: coverage.py BUILD

Reads what a build with --coverage left behind (*.gcda) by gcov. A line counts once, in the file that it stands in; lines of
headers count as run when any file ran them. What was killed by a signal has written nothing.
"""
import collections
import concurrent.futures
import json
import os
import subprocess
import sys


def counts(data):
    """[(file, line, run)] of one object."""
    out = subprocess.run(['gcov', '--json-format', '--stdout', data], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                         check=True, text=True).stdout
    return [(entry['file'], line['line_number'], line['count'] > 0)
            for text in out.splitlines() if text.startswith('{') for entry in json.loads(text)['files']
            for line in entry['lines'] if not entry['file'].startswith('/')]


def main():
    build = sys.argv[1]
    notes = [os.path.join(folder, name) for folder, _, names in os.walk(build) for name in names if name.endswith('.gcno')]
    if not any(os.path.exists(note[:-4] + 'gcda') for note in notes):
        sys.exit('coverage: %s has no *.gcda: nothing was run' % build)
    lines = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for found in pool.map(counts, notes):
            for path, number, run in found:
                key = os.path.normpath(path), number
                lines[key] = lines.get(key, False) or run
    table = collections.defaultdict(lambda: [0, 0])
    for (path, _), run in lines.items():
        top = path.split('/')[0]
        if top in ('tests', build):
            continue
        for folder in {os.path.dirname(path), top + '/*', '*'}:
            table[folder][0] += run
            table[folder][1] += 1
    print('%-24s %7s %7s %8s' % ('folder', 'run', 'lines', 'percent'))
    for folder, (run, total) in sorted(table.items(), key=lambda row: row[0].replace('*', '~')):
        print('%-24s %7d %7d %7.1f%%' % (folder, run, total, 100 * run / total))


if __name__ == '__main__':
    main()
