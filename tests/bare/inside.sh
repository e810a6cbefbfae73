#!/bin/bash
# inside.sh run|test TREE - one of the README's two commands on the machine that run.sh made.
set -euo pipefail
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
cd "$2"

# The README's first request: everything between its comment and the next one.
registration() { awk '/^# register a patient/ { on = 1; next } on && /^$/ { exit } on' README.md; }

serve() {
    : >../run.log
    make run >>../run.log 2>&1 &
    local run=$! ready=1
    for ((i = 0; i < 1100; i++)); do
        if grep -q '^atrium: ready' ../run.log; then ready=0 && break; fi
        kill -0 "$run" 2>/dev/null || break
        sleep 1
    done
    if [ "$ready" != 0 ] || ! registration | bash | grep -q '"accessToken"'; then
        tail -40 ../run.log
        exit 1
    fi
    pkill -INT -x atrium-dev
    wait "$run" || true
    if pgrep -l '^atrium'; then
        echo "these were left behind"
        exit 1
    fi
}

case $1 in
run)
    # Plain make installs nothing and names what does. For the second user everything is installed.
    if ! command -v gcc >/dev/null &&
        { make >../make.log 2>&1 || ! grep -q 'missing: .*`make deps`' ../make.log; }; then
        tail -3 ../make.log
        exit 1
    fi
    serve
    ;;
test)
    status=0
    make test >../test.log 2>&1 || status=$?
    grep -aE '^(FAILED: |[a-z0-9_]+: left out: )' ../test.log || true
    # Programs, cases and assertions that failed.
    grep -aE '^==== |\.\.\.FAILED|^ +[0-9]+\. [a-z]|^make: ' ../test.log | grep -aB1 -vE '^==== ' | grep -av '^--$' || true
    grep -aE '^[0-9]+ passed' ../test.log | tail -1 >../verdict
    exit "$status"
    ;;
esac
