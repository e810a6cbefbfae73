#!/bin/bash
# inside.sh PACKAGE.deb - an operator's work from installation to purge, on a machine that run.sh booted. Prints a line for each
# step and stops at the first failure.
set -Eeuo pipefail
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8
package=$1
daemons=(settingsd authd maild docd botd gateway)
api=http://127.0.0.1:8080 readers=()
password='correct horse battery'
work=/var/tmp/atrium-test
mkdir -m 755 $work
cd $work

step() { echo "test-systemd: $1 ($SECONDS s)"; }

fail() {
    echo "test-systemd: $1" >&2
    journalctl --no-pager -n 30 -o cat -u 'atrium*' >&2
    exit 1
}
trap 'fail "line $LINENO: $BASH_COMMAND"' ERR

# until_true SECONDS COMMAND...
until_true() {
    local deadline=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        [ "$SECONDS" -lt "$deadline" ] || fail "in vain: $*"
        sleep 0.1
    done
}

refuses() { if "$@" >/dev/null 2>&1; then fail "should be refused: $*"; fi; }
same() { [ "$1" = "$2" ] || fail "\"$1\" is not \"$2\""; }
as() { setpriv --reuid "$1" --regid "$1" --init-groups -- "${@:2}"; }
ready() { curl -sf http://127.0.0.1:9080/readyz; }
post() { curl -sS --fail-with-body "$api$1" -H 'Content-Type: application/json' -d "$2"; }
text() { sed "s/.*\"$1\":\"\([^\"]*\)\".*/\1/"; }
pid_of() { systemctl show --value -p MainPID "$1"; }
keys() { sha256sum /etc/atrium/*.key; }

# Prints the operator guide's fenced block that begins with the given line, so that the guide itself is tested.
guide() { awk -v first="$1" '/^```/ { inside = 0 } inside || $0 == first { inside = 1; print }' \
    /usr/share/doc/atrium/operations.md; }

follow() {
    guide "$1" >guide.sh
    [ -s guide.sh ] || fail "no block \"$1\" in the guide"
    bash -euo pipefail guide.sh >guide.log 2>&1 || { cat guide.log; fail "the guide's block \"$1\""; }
}

# Connects to a bus socket as a user: curl's code is 7 when that is not permitted.
may_connect() {
    local code=0
    as "$1" curl -s -m 0.5 --unix-socket "/run/atrium/bus/$2" http://bus/ || code=$?
    [ "$code" != 7 ]
}

sign_in() {
    local code
    code=$(post /auth/tenant/Patient/login/start "{\"email\":\"ana@example.org\",\"password\":\"$password\",
        \"tenantCode\":\"north\",\"codeChallenge\":\"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM\"}" | text sessionCode)
    token=$(post /auth/tenant/Patient/login/token "{\"sessionCode\":\"$code\",
        \"codeVerifier\":\"dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk\"}" | text accessToken)
}

# Four clients read in a loop on new connections until the file enough exists; responses other than 200 are recorded.
read_on() {
    local status
    while [ ! -e enough ]; do
        status=$(curl -s -m 15 -o /dev/null -w '%{http_code}' "$api/auth/me" -H "Authorization: Bearer $token") || true
        if [ "$status" = 200 ]; then echo >>reads; else echo "$status $EPOCHREALTIME" >>failed; fi
    done
}

start_reading() {
    rm -f enough failed reads
    touch failed reads
    readers=()
    for _ in 1 2 3 4; do
        read_on &
        readers+=($!)
    done
    until_true 10 have_read 20
}

have_read() { [ "$(wc -l <reads)" -ge "$1" ]; }

# Continues for a while, because the restarted daemon must serve too.
stop_reading() {
    until_true 20 have_read $(($(wc -l <reads) + 40))
    touch enough
    wait "${readers[@]}"
    [ ! -s failed ] || fail "$1: $(wc -l <failed) reads failed, $(wc -l <reads) did not: $(head -3 failed)"
    step "$1: $(wc -l <reads) reads, none failed"
}

# Makes an old package: the same with an older version and atrium.conf as a conffile.
make_old_package() {
    dpkg-deb -R "$package" old
    install -D -m 644 old/usr/share/atrium/atrium.conf old/etc/atrium/atrium.conf
    echo /etc/atrium/atrium.conf >old/DEBIAN/conffiles
    rm old/usr/share/atrium/*.conf
    sed -i '/local.conf/d' old/DEBIAN/postinst
    sed -i '/ usr\/share\/atrium\/.*conf$/d' old/DEBIAN/md5sums
    sed -i 's/^Version: .*/Version: 0.1.0/' old/DEBIAN/control
    dpkg-deb --root-owner-group -Znone --build old old.deb >/dev/null
    rm -r old
}

# Upgrades with an edited atrium.conf; dpkg has no terminal for questions.
upgrade_edited() {
    make_old_package
    dpkg -i old.deb >dpkg.log 2>&1 || { cat dpkg.log; fail "dpkg -i old.deb"; }
    sed -i 's|^    #log_level = .*|    log_level = "notice"|' /etc/atrium/atrium.conf
    sha256sum /etc/atrium/atrium.conf >conf.before
    dpkg -i "$package" </dev/null >dpkg.log 2>&1 || { cat dpkg.log; fail "dpkg -i over an edited atrium.conf"; }
    sha256sum -c --quiet conf.before
    # shellcheck disable=SC2016 # a literal
    grep -q '^    seal_key = "$CREDENTIALS_DIRECTORY/seal"' /usr/share/atrium/atrium.conf
    dpkg -i "$package" </dev/null >dpkg.log 2>&1 || { cat dpkg.log; fail "dpkg -i again"; }
    sha256sum -c --quiet conf.before
    dpkg -P atrium >/dev/null 2>&1
    [ ! -e /etc/atrium ] || fail "/etc/atrium was left: $(ls -R /etc/atrium)"
    step 'an edited atrium.conf survived the upgrade'
}

install_package() {
    dpkg -i "$package" >dpkg.log 2>&1 || { cat dpkg.log; fail "dpkg -i"; }
    for daemon in settingsd authd docd maild botd; do
        same "$(stat -c '%a %U' /etc/atrium/$daemon.key) $(wc -c </etc/atrium/$daemon.key)" '600 root 64'
    done
    same "$(systemctl list-units --all --plain --no-legend 'atrium-*@*.service')" ''
    same "$(bash -c '. /usr/share/bash-completion/completions/atriumctl; complete -p atriumctl')" \
        'complete -F _atriumctl atriumctl'
    [ -s /usr/share/zsh/site-functions/_atriumctl ] && [ -s /usr/share/fish/vendor_completions.d/atriumctl.fish ]
    [ -s /usr/share/doc/atrium/monitoring/prometheus-rules.yml ]
    while read -r file; do
        [ -s "$file" ] || fail "operations.md names $file"
    done < <(grep -o '/usr/share/[A-Za-z0-9/_.-]*[A-Za-z0-9]' /usr/share/doc/atrium/operations.md)
    refuses [ -e /usr/bin/atrium-dev ]
    grep -q 'atrium-dev is not installed' <<<"$(atriumctl dev 2>&1 || true)"
    grep -q 'conf.d' /etc/atrium/atrium.conf
    step installed
}

make_database() {
    until_true 30 as postgres psql -c 'select 1'
    follow '# database'
    atriumctl database sql | as postgres psql -q -v ON_ERROR_STOP=1 atrium
    refuses as atrium-docd psql -h /run/postgresql -U atrium-authd atrium -c 'select 1'
    step 'database made'
}

start() {
    follow '# start'
    until_true 60 ready
    for daemon in "${daemons[@]}"; do
        limit=15
        [ $daemon != botd ] || limit=30
        systemd-analyze security --no-pager --threshold=$limit atrium-$daemon@1.service >security.log ||
            { cat security.log; fail "exposure of $daemon"; }
    done
    may_connect atrium-gateway authd/gateway.1
    refuses may_connect atrium-docd authd/gateway.1
    refuses may_connect atrium-authd docd/gateway.1
    refuses as atrium-docd touch /run/atrium/bus/authd/gateway.2
    refuses as atrium-authd cat /etc/atrium/authd.key
    step started
}

make_project() {
    useradd -G atrium-ctl olga
    refuses as nobody atriumctl project list
    as olga atriumctl project create 'North Clinic' --code north >/dev/null
    echo '{"name":"patients","resource":[{"resourceType":"DocumentReference"}]}' >policy.json
    policy=$(as olga atriumctl --json policy put --project north - <policy.json | tr -d '\n ' | text id)
    as olga atriumctl project set north default-patient-access-policy "AccessPolicy/$policy" >/dev/null
    echo "$password" | as olga atriumctl user create-admin --project north --email eve@example.org --name Eve \
        --surname Admin >/dev/null
    as olga atriumctl status >/dev/null
    post /auth/tenant/Patient/register "{\"email\":\"ana@example.org\",\"password\":\"$password\",\"name\":\"Ana\",
        \"surname\":\"Prova\",\"tenantCode\":\"north\"}" >/dev/null
    sign_in
    step 'project, admin, registration and sign-in'
}

# Uploads and downloads a document through nginx.
behind_nginx() {
    local tls='--cacert /etc/ssl/atrium/fullchain.pem --resolve api.example.org:443:127.0.0.1'
    mkdir -p /etc/ssl/atrium
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=api.example.org \
        -addext subjectAltName=DNS:api.example.org -keyout /etc/ssl/atrium/key.pem \
        -out /etc/ssl/atrium/fullchain.pem 2>/dev/null
    guide '# /etc/nginx/sites-enabled/atrium' >/etc/nginx/sites-enabled/atrium
    nginx -tq
    systemctl restart nginx
    follow '# behind a proxy'
    for daemon in "${daemons[@]}"; do CREDENTIALS_DIRECTORY=/ atrium-$daemon --check-config >/dev/null; done
    until_true 20 ready
    base64 -d >image.png <<<iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==
    api=https://api.example.org
    # shellcheck disable=SC2086 # words
    document=$(curl -sS --fail-with-body $tls $api/document -H "Authorization: Bearer $token" \
        -H 'Content-Type: application/json' -d '{"fileName":"image.png","contentType":"image/png"}')
    same "$(text url <<<"$document")" $api/storage/documents
    form=$(sed 's/.*"fields":{\([^}]*\)}.*/\1/; s/"\([^"]*\)":"\([^"]*\)",*/-F \1=\2 /g' <<<"$document")
    document=$(sed 's/{"id":"\([^"]*\)".*/\1/' <<<"$document")
    # shellcheck disable=SC2086 # words
    curl -sS --fail-with-body $tls $api/storage/documents $form -F 'file=@image.png' >/dev/null
    # shellcheck disable=SC2086 # words
    curl -sS --fail-with-body $tls -o served.png "$api/document/$document" -H "Authorization: Bearer $token"
    cmp image.png served.png
    api=http://127.0.0.1:8080
    step 'a document through nginx'
}

bots() {
    printf '#!/bin/sh\ncat\n' >/var/lib/atrium/bots/echo
    chmod 755 /var/lib/atrium/bots/echo
    echo '{"name":"Echo","identifier":[{"system":"https://atrium.example/bots","value":"echo"}],"kind":"program",
        "program":"echo"}' >bot.json
    as olga atriumctl bot put --project north - <bot.json >/dev/null
    as olga atriumctl bot run --project north echo >bot.out 2>&1 || { cat bot.out; fail 'a program bot'; }
    step 'a program in the sandbox'
}

second_instances() {
    follow '# second instances'
    until_true 20 ready
    same "$(as olga atriumctl status | grep -c ' 2 ')" "${#daemons[@]}"
    # Any gateway can respond.
    for _ in 1 2 3 4 5 6; do
        same "$(curl -sf http://127.0.0.1:9080/metrics | grep -c '^atrium_uptime_seconds{')" "$((2 * ${#daemons[@]}))"
    done
    step 'two instances of each'
}

restarts() {
    for daemon in "${daemons[@]}"; do
        start_reading
        for instance in 1 2; do
            systemctl restart atrium-$daemon@$instance.service
        done
        stop_reading "$daemon restarted"
    done
}

# systemctl waits for the daemons' notification, so they have the new configuration when it returns.
reloads() {
    local before=() after=()
    for daemon in "${daemons[@]}"; do before+=("$(pid_of atrium-$daemon@1.service)"); done
    start_reading
    printf 'common\n    log_level = debug\nauthd\n    issuer = other\n' >/etc/atrium/conf.d/reload.conf
    systemctl reload 'atrium-*@*.service'
    same "$(as olga atriumctl config show authd.1 | grep -c 'common.log_level *debug */etc/atrium/conf.d/reload.conf:2')" 1
    same "$(as olga atriumctl config check authd.1 | grep -c 'restart *authd.issuer')" 1
    echo '    broken = 1' >>/etc/atrium/conf.d/reload.conf
    systemctl reload 'atrium-*@*.service'
    refuses as olga atriumctl config check authd.1
    rm /etc/atrium/conf.d/reload.conf
    systemctl reload 'atrium-*@*.service'
    as olga atriumctl config check >/dev/null
    stop_reading reloaded
    for daemon in "${daemons[@]}"; do after+=("$(pid_of atrium-$daemon@1.service)"); done
    same "${before[*]}" "${after[*]}"
}

kills() {
    for daemon in "${daemons[@]}"; do
        pid=$(pid_of atrium-$daemon@1.service)
        # A killed gateway's client loses its connection; all others must notice nothing.
        [ $daemon = gateway ] || start_reading
        kill -9 "$pid"
        until_true 10 eval "[ \$(pid_of atrium-$daemon@1.service) != $pid ] &&
            systemctl is-active atrium-$daemon@1.service"
        [ $daemon = gateway ] || stop_reading "$daemon killed and back"
    done
    until_true 20 ready
}

words() { as postgres psql -Atc 'select md5(string_agg(words::text, key)) from doc.content_translation' atrium; }

backup_and_restore() {
    local before
    echo '[{"type":"manual","key":"first","language":"en","title":"First aid"}]' |
        as olga atriumctl content import --project north - >/dev/null
    before=$(words)
    [ -n "$before" ]
    follow '# back up'
    rm -rf /var/lib/atrium/storage /etc/atrium/*.key
    follow '# restore'
    until_true 30 ready
    sign_in
    curl -sS --fail-with-body -o served.png "$api/document/$document" -H "Authorization: Bearer $token"
    cmp image.png served.png
    same "$(words)" "$before"
    step 'backed up and restored'
}

database_restart() {
    systemctl restart postgresql
    until_true 30 ready
    as olga atriumctl keys rotate >/dev/null
    sign_in
    as olga atriumctl session revoke --email ana@example.org >/dev/null
    same "$(curl -s -o /dev/null -w '%{http_code}' $api/auth/me -H "Authorization: Bearer $token")" 401
    sign_in
    step 'PostgreSQL restarted, keys rotated, sessions revoked'
}

upgrade() {
    local before=()
    keys >keys.before
    for daemon in "${daemons[@]}"; do before+=("$(pid_of atrium-$daemon@1.service)"); done
    start_reading
    dpkg -i "$package" >dpkg.log 2>&1 || { cat dpkg.log; fail "dpkg -i"; }
    stop_reading 'upgraded'
    for i in "${!daemons[@]}"; do
        [ "$(pid_of "atrium-${daemons[i]}@1.service")" != "${before[i]}" ] || fail "${daemons[i]} was not restarted"
    done
    keys | diff keys.before -
}

nothing_forbidden() {
    if journalctl --no-pager -o cat | grep -E 'atrium-.*(status=31/SYS|code=dumped|Failed to set up|NAMESPACE)'; then
        fail 'a unit forbids what its daemon needs'
    fi
}

uninstall() {
    dpkg -r atrium >/dev/null 2>&1
    same "$(systemctl list-units --plain --no-legend 'atrium*')" ''
    same "$(pgrep -c '^atrium-' || true)" 0
    keys | diff keys.before -
    dpkg -P atrium >/dev/null 2>&1
    [ ! -e /etc/atrium ] && [ ! -e /var/lib/atrium ] && [ ! -e /run/atrium ]
    [ ! -e /etc/systemd/system/atrium.target.wants ]
    step 'removed and purged'
}

upgrade_edited
install_package
make_database
start
make_project
second_instances
behind_nginx
bots
restarts
reloads
kills
database_restart
backup_and_restore
upgrade
nothing_forbidden
uninstall
