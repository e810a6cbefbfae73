#!/bin/sh
# make.sh - makes vectors.tsv: hashes by implementations that authd does not use. Needs npm, python3-passlib, python3-bcrypt
# and python3-argon2. Run it in the root of the tree.
#
# argon2 is pinned to 0.44, whose package contains its binary. 0.45's is for version 10 of the Node-API and crashes Node.js 20,
# which has version 9.
set -eu
make --no-print-directory npm-passwords >/dev/null
cp tests/passwords/vectors.mjs build/npm/passwords
{
    echo "# Made by tests/passwords/make.sh: who made the hash, the password in hex, the hash."
    node build/npm/passwords/vectors.mjs
    /usr/bin/python3 tests/passwords/vectors.py
} >tests/passwords/vectors.tsv.new
mv tests/passwords/vectors.tsv.new tests/passwords/vectors.tsv
wc -l tests/passwords/vectors.tsv
