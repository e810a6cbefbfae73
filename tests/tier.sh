#!/bin/bash
# tier.sh TIER... - prints the test programs of these tiers as FOLDER/NAME. Fails on an unknown tier.
#
# A test names its tiers in its top comment:
#
#     tier: browser     needs a browser or packages of npm: `make test-browser`
#     tier: fault       repeatedly kills, stops or starves processes: `make test-fault`
#     tier: time        asserts a duration, or needs an idle machine: `make test-time` runs these one by one
#     tier: time quiet  likewise, but uses less than a fifth of a core: such tests run side by side
#
# A test without a tier runs in `make test`. "tier: test browser" runs in both, since some of its cases need npm. "all" means
# every tier; "quiet" can be requested alone.
set -euo pipefail
cd "$(dirname "$0")"
awk -v wanted=" $* " '
    function has(list, word) { return index(" " list " ", " " word " ") > 0 }
    FNR == 1 { over = 0; tiers[FILENAME] = "test" }
    over { next }
    /^ \* tier: / { tiers[FILENAME] = substr($0, 10) }
    /\*\// { over = 1 }
    END {
        for (file in tiers) {
            known = split(tiers[file], words, " ") > 0
            shown = has(wanted, "all")
            for (i in words) {
                known = known && has("test browser fault time quiet", words[i])
                shown = shown || has(wanted, words[i])
            }
            if (!known) {
                print "tests/" file ": unknown tier \"" tiers[file] "\"" > "/dev/stderr"
                bad = 1
            }
            if (shown) { sub(/\.c$/, "", file); print file }
        }
        exit bad
    }' {unit,integration,http,fault}/test_*.c | sort
