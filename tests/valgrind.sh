#!/bin/bash
# valgrind.sh COMMAND PROGRAM... - runs the HTTP programs with daemons that the command (Valgrind and its options) runs,
# in a build folder of their own, since programs find one another by the folder that they lie in. botd is left out: it
# needs pidfds. Fails when a program does, or when Valgrind has found something. Called by `make check-valgrind`.
set -euo pipefail
command=$1 build=$(realpath "${BUILD:-build}")
shift
folder=$(mktemp -d "${TMPDIR:-/tmp}/atrium-valgrind-XXXXXX")
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
mkdir -p "$folder/bin" "$folder/tests/http"
mkdir -m 1777 "$folder/found" # the daemons may be another user's
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
# Of calls that it does not know it warns without these signs.
if grep -h '^==' "$folder"/found/*; then failed=1; fi
exit "$failed"
