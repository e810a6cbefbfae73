#!/bin/bash
# collection.sh FILE - `make collection`: the collection of clients/postman, from /openapi.json of a suite of its own.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/bench/suite.sh
suite_start suite
curl -sS --fail "$(suite_text suite baseUrl)/openapi.json" >"$scratch/openapi.json"
node clients/postman/collection.mjs "$scratch/openapi.json" >"$1.new"
mv "$1.new" "$1"
echo "$1"
