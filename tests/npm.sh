#!/bin/bash
# npm.sh WORKSPACE... - installs what these workspaces of tests/package.json need in build/npm, beside what is there.
#
# build/npm/installed/WORKSPACE is there when its packages are. No package runs a script.
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
# Debian 12's npm 9 reads no override that names another package.
npm=npm
case $(npm --version) in [0-9].*) npm='npx --yes npm@10.9.4' ;; esac
timeout 1200 $npm ci --ignore-scripts --prefer-offline --no-audit --no-fund --loglevel=error $(printf -- '--workspace %s ' $wanted)
(cd installed && touch $wanted)
