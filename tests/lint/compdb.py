#!/usr/bin/env python3
"""Makes compile_commands.json from what make would run: `make compdb`. Reads `make -Bn` from standard input."""
import json
import os
import shlex
import sys

commands = []
for line in sys.stdin:
    if ' -c ' not in line or ' -o ' not in line:
        continue
    try:
        words = shlex.split(line)
    except ValueError:  # a shell script's line
        continue
    if '-c' in words[:-1] and words[words.index('-c') + 1].endswith('.c'):
        commands.append({'directory': os.getcwd(), 'file': words[words.index('-c') + 1], 'arguments': words})
if not commands:
    sys.exit('compdb: make told no command that compiles')
json.dump(sorted(commands, key=lambda each: each['file']), sys.stdout, indent=1)
