#!/bin/bash
# valgrind.sh COMMAND PROGRAM... - runs the HTTP programs with daemons under the command (Valgrind and its options), in a separate
# build directory, because programs find each other by their directory. botd is left out, because it needs pidfds. Fails when a
# program fails or Valgrind finds something. Called by `make check-valgrind`.
set -euo pipefail
command=$1 build=$(realpath "${BUILD:-build}")
shift
folder=$(mktemp -d "${TMPDIR:-/tmp}/atrium-valgrind-XXXXXX")
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
mkdir -p "$folder/bin" "$folder/tests/http"
mkdir -m 1777 "$folder/found" # the daemons can have another user
cp "$build"/bin/* "$folder/bin"
for daemon in gateway authd settingsd docd maild; do
    cat >"$folder/bin/atrium-$daemon" <<END
#!/bin/sh
exec $command --log-file='$folder/found/$daemon.%p' '$build/bin/atrium-$daemon' "\$@"
END
done
cp "$@" "$folder/tests/http"
failed=0
BUILD=$folder ATRIUM_TEST_JOBS=2 ATRIUM_TEST_COST=4 tests/run.sh "${@/#*\//$folder/tests/http/}" || failed=1
# Its warnings about unknown calls lack the sign ==.
if grep -h '^==' "$folder"/found/*; then failed=1; fi
exit "$failed"
