#!/bin/bash
# run.sh - the other half of `make test-image`: what deploy/ has for Kubernetes, with what keys.sh makes for it, and for compose,
# against schemas from npm (validate.cjs). Needs `make npm-manifests` and a build.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$(mktemp -d "${TMPDIR:-/tmp}/atrium-manifests-XXXXXX")
trap 'rm -rf "$work"' EXIT
index=10
for daemon in gateway authd settingsd maild docd botd; do
    for replica in 0 1; do echo "$daemon-$replica 10.96.0.$((index += 1))"; done
done | PATH=$(realpath "${BUILD:-build}")/bin:$PATH deploy/kubernetes/keys.sh "$work/keys" >"$work/keys.yaml"
timeout 300 node tests/manifests/validate.cjs deploy/compose.yaml deploy/kubernetes/*.yaml "$work/keys.yaml"
