#!/bin/bash
# trail.sh - `make bench-trail`: how many sealed audit rows per second become leaves of their projects' trees, and the cost
# of a proof among BENCH_ROWS (default 10,000,000) rows of BENCH_TENANTS (default 1) projects, see trail.c. BENCH_PROOFS
# (default 2000): number of proofs. Ten million rows need about 15 GB of disk.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/bench/suite.sh
tenants=${BENCH_TENANTS:-1}

suite_start suite --no-demo
suite_seed suite "$tenants" $((10 * tenants)) 1
"$build/tests/bench/trail" "$(suite_text suite conninfo)" "$(suite_base suite)" "$scratch/suite.people" \
    "${BENCH_ROWS:-10000000}" "${BENCH_PROOFS:-2000}"
