#!/bin/bash
# run.sh - runs test_bridge.mjs in a temporary directory, with a certificate authority that lasts as long as the test. As root,
# the servers run as www-data.
set -euo pipefail
cd "$(dirname "$0")"
dir=$(mktemp -d "${TMPDIR:-/tmp}/atrium-bridge-XXXXXX")
trap '[ -n "${KEEP:-}" ] || rm -rf "$dir"' EXIT
../patroni/certificates.sh "$dir"
[ "$(id -u)" != 0 ] || chown -R www-data: "$dir"
NODE_EXTRA_CA_CERTS=$dir/ca.crt timeout --kill-after=10 "${ATRIUM_TEST_SECONDS:-300}" node test_bridge.mjs "$dir"
