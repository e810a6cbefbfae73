#!/bin/bash
# npm.sh WORKSPACE... - installs these workspaces of tests/package.json into build/npm. build/npm/installed/WORKSPACE exists
# when its packages do. No package runs a script.
set -euo pipefail
cd "$(dirname "$0")"
place=../build/npm
mkdir -p $place/installed
exec 9>$place/busy
flock 9
cmp -s package-lock.json $place/package-lock.json || stale=1
wanted=$(printf '%s\n' "$@" $(ls $place/installed) | sort -u)
[ -n "${stale:-}" ] || [ "$wanted" != "$(ls $place/installed)" ] || exit 0
rm -f $place/installed/*
cp --parents package.json package-lock.json */package.json $place
cd $place
# Debian 12's npm 9 ignores overrides that name another package.
npm=npm
case $(npm --version) in [0-9].*) npm='npx --yes npm@10.9.4' ;; esac
timeout 1200 $npm ci --ignore-scripts --prefer-offline --no-audit --no-fund --loglevel=error $(printf -- '--workspace %s ' $wanted)
(cd installed && touch $wanted)
