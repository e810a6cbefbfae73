#!/bin/bash
# run.sh - the other half of `make test-image`: deploy/'s manifests for Kubernetes, with keys.sh's output, and for compose,
# validated with schemas from npm (validate.cjs). Needs `make npm-manifests` and a build.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$(mktemp -d "${TMPDIR:-/tmp}/atrium-manifests-XXXXXX")
trap 'rm -rf "$work"' EXIT
index=10
for daemon in gateway authd settingsd maild docd botd; do
    for replica in 0 1; do echo "$daemon-$replica 10.96.0.$((index += 1))"; done
done | PATH=$(realpath "${BUILD:-build}")/bin:$PATH deploy/kubernetes/keys.sh "$work/keys" >"$work/keys.yaml"
timeout 300 node tests/manifests/validate.cjs deploy/compose.yaml deploy/kubernetes/*.yaml "$work/keys.yaml"
