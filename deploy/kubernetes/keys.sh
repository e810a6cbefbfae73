#!/bin/bash
# keys.sh - prints Secrets and the bus ConfigMap for `kubectl apply -n atrium -f -`: a key pair for each pod and for
# operators, a seal key for each daemon, and bus.hosts with the addresses of the pods' Services. Needs atriumctl.
#
#     kubectl -n atrium get services --no-headers -o custom-columns=:metadata.name,:spec.clusterIP | keys.sh FOLDER
#
# FOLDER keeps the keys: a later call, for another pod or after an address has changed, makes only what is missing. Back
# it up: without these keys the database cannot be read.
set -euo pipefail
folder=$1
declare -A ports=([gateway]=7100 [authd]=7101 [settingsd]=7102 [maild]=7103 [docd]=7104 [botd]=7105)
umask 077
mkdir -p "$folder/bus"
printf 'common\n    bus_keys = "%s"\n' "$(realpath "$folder")/bus" >"$folder/atrium.conf"

line() { atriumctl --config "$folder/atrium.conf" keys bus "$@" | grep '^[a-z]*\.[a-z0-9-]* '; }

hosts=$(line ctl.ctl-0)
while read -r name address; do
    daemon=${name%-[0-9]*}
    [ "$name" != "$daemon" ] && [ -n "${ports[$daemon]:-}" ] || continue
    hosts+=$'\n'$(line "$daemon.$name" --listen "$address:${ports[$daemon]}")
    [ "$daemon" = gateway ] || [ -s "$folder/$daemon.seal" ] ||
        od -An -N32 -tx1 /dev/urandom | tr -d ' \n' >"$folder/$daemon.seal"
done

secret() { # NAME KEY=FILE...
    printf -- '---\napiVersion: v1\nkind: Secret\ntype: Opaque\nmetadata:\n  name: %s\ndata:\n' "$1"
    shift
    for item; do printf '  %s: %s\n' "${item%%=*}" "$(base64 -w 0 "${item#*=}")"; done
}

printf -- '---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: atrium-bus\ndata:\n  bus.hosts: |\n'
while read -r row; do printf '    %s\n' "$row"; done <<<"$hosts"
secret atrium-ctl "ctl.ctl-0.key=$folder/bus/ctl.ctl-0.key"
for daemon in "${!ports[@]}"; do
    items=()
    for file in "$folder/bus/$daemon".*.key; do [ ! -e "$file" ] || items+=("${file##*/}=$file"); done
    [ ! -e "$folder/$daemon.seal" ] || items+=("seal=$folder/$daemon.seal")
    secret "atrium-$daemon" "${items[@]}"
done
