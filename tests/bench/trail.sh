#!/bin/bash
# trail.sh - `make bench-trail`: how many sealed rows of the audit trail become leaves of the trees of their projects in a
# second, and what a proof costs among BENCH_ROWS (default 10,000,000) rows of BENCH_TENANTS (default 1) projects, see
# trail.c. BENCH_PROOFS (default 2000): proofs that are asked for. Ten million rows take about 15 GB of disk while it runs.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/bench/suite.sh
tenants=${BENCH_TENANTS:-1}

suite_start suite --no-demo
suite_seed suite "$tenants" $((10 * tenants)) 1
"$build/tests/bench/trail" "$(suite_text suite conninfo)" "$(suite_base suite)" "$scratch/suite.people" \
    "${BENCH_ROWS:-10000000}" "${BENCH_PROOFS:-2000}"
