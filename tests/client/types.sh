#!/bin/bash
# types.sh - `make client-types`: generates the types of clients/typescript from a suite's /openapi.json.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/bench/suite.sh
suite_start suite
curl -sS --fail "$(suite_text suite baseUrl)/openapi.json" >"$scratch/openapi.json"
node tests/client/check.mjs types clients/typescript "$scratch/openapi.json"
