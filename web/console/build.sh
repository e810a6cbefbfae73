#!/bin/sh
# build.sh GEN - bundles the console and the API reference into GEN: the files that the gateway serves at /docs and below
# /console/, each plain, with gzip and with brotli, and their table console_files.c. Needs esbuild, brotli and Debian's
# essential packages; no Node, no network.
#
# A file below assets/ has a hash of its bytes in its name and never changes. The document contains the shell, its
# styles and boot.js. It defers the modules (application, screens, languages) until they are needed, and names them with
# their hashes: its CSP allows only these bytes.
set -eu
gen=$1
from=$(dirname "$0")

(cd "$from/vendor" && sha256sum --quiet -c SHA256SUMS) >&2
"$from/check_texts.pl" "$from" "$from/../../docs/mail-templates.md" >&2
rm -rf "$gen/files" "$gen/console_files.c"
mkdir -p "$gen/files"

hash_of() { sha256sum "$1" | cut -c1-16; }
integrity_of() { sha256sum "$1" | perl -ne 'print pack "H*", substr $_, 0, 64' | base64; }

bundle() { esbuild "$@" --bundle --minify --target=es2020 --charset=utf8 --legal-comments=none --log-level=warning; }
# Indentation is by four spaces and never part of a text; htm ignores line breaks between elements.
shrink() { perl -0777 -pi -e 's/>\n(?: {4})+(?=<)/>/g; s/\n(?: {4})+/\n/g' "$1"; }

modules='' # as deferred in the document
hashes=''  # as allowed by the CSP
assets=''  # their names

# asset NAME: makes the module NAME of GEN a file below assets/.
asset() {
    name=$1-$(hash_of "$gen/$1.js").js
    hash=$(integrity_of "$gen/$1.js")
    modules="$modules<template id=\"module-$1\"><script type=\"module\" src=\"/console/assets/$name\" integrity=\"sha256-$hash\"></script></template>"
    hashes="$hashes 'sha256-$hash'"
    assets="$assets $1:$name"
}

bundle "$from/main.js" --format=esm --alias:preact="./$from/vendor/preact.module.js" \
    --alias:hooks="./$from/vendor/hooks.module.js" --alias:htm="./$from/vendor/htm.module.js" --outfile="$gen/app.js"
shrink "$gen/app.js"
asset app
app=$name

# part NAME WHAT FILE: makes a module that passes on WHAT from FILE, and imports from the application what that exports.
shared=$(perl -ne 'print " --external:$1 --external:.$1" if m{^export \* from .(\./[\w/]+\.js)}' "$from/main.js")
part() {
    # shellcheck disable=SC2086 # options, one by one
    echo "import $2 from '$3'; import { arrive } from './lib/load.js'; arrive('$1', $2);" \
        | (cd "$from" && bundle --format=esm --alias:mail-templates="$templates" $shared) > "$gen/$1.js"
    perl -pi -e 's{\bfrom"\.\.?/[\w/]+\.js"}{from"/console/assets/'"$app"'"}g' "$gen/$1.js"
    shrink "$gen/$1.js"
    asset "$1"
}

"$from/mail_templates.pl" "$from/../../docs/mail-templates.md" > "$gen/mail_templates.js"
templates=$(realpath "$gen/mail_templates.js")
perl -ne '$names{$1}{$2} = 1 if /module: .(\w+)., name: .(\w+)/;
    END { print "$_ { ", join(", ", sort keys %{$names{$_}}), " }\n" for sort keys %names }' "$from/screens/index.js" > "$gen/screens"
while read -r screen names; do
    part "$screen" "$names" "./screens/$screen.js"
done < "$gen/screens"
for language in de es; do
    part "$language" words "./text/$language.json"
done
"$from/shell.pl" "$from" "$gen"
bundle "$from/boot.js" --format=iife --alias:shell-texts="./$gen/shell_texts.js" --outfile="$gen/boot.js"
# A person can choose a color scheme: the colors of the dark one apply if it is chosen, too, and not if the light one is.
cat "$from/../../authd/page/template/part/palette.css" "$from/style.css" \
    | perl -0777 -pe 's/(\@media \(prefers-color-scheme: dark\) \{\s*):root (\{.*?\})\s*\}/$1:root:not([data-theme="light"]) $2 }\n:root[data-theme="dark"] $2/gs' \
    | esbuild --loader=css --minify --log-level=warning > "$gen/style.css"
# The hash is of the element's text, which has no newline at its end.
perl -pi -e 'chomp if eof' "$gen/style.css" "$gen/boot.js"

icon=icon-$(hash_of "$from/icon.svg").svg
boot_hash=$(integrity_of "$gen/boot.js")
style_hash=$(integrity_of "$gen/style.css")
perl -e 'my ($document, $style, $boot, $modules, $icon) = @ARGV; local $/;
    sub text { open my $file, "<", $_[0] or die "$_[0]: $!\n"; return <$file> }
    my %value = (STYLE => text($style), BOOT => text($boot), MODULES => $modules, ICON => $icon);
    my $text = text($document);
    $text =~ s/\@(STYLE|BOOT|MODULES|ICON)\@/$value{$1}/g;
    print $text' "$gen/shell.html" "$gen/style.css" "$gen/boot.js" "$modules" "$icon" > "$gen/index.html"

# The API reference, Swagger UI as its package has it: its document carries the styles, too.
esbuild "$from/reference/boot.js" --minify --target=es2020 --log-level=warning --outfile="$gen/reference.js"
{ cat "$from/vendor/swagger-ui.css"; esbuild "$from/reference/style.css" --minify --log-level=warning; } > "$gen/reference.css"
perl -pi -e 's{/\*# sourceMappingURL=.*?\*/}{}; chomp if eof' "$gen/reference.css"
cp "$from/vendor/swagger-ui-bundle.js" "$gen/swagger-ui.js"
bundle_hash=$(integrity_of "$gen/swagger-ui.js")
reference_hash=$(integrity_of "$gen/reference.js")
bundle=swagger-ui-$(hash_of "$gen/swagger-ui.js").js
reference=reference-$(hash_of "$gen/reference.js").js
perl -pe 'BEGIN { my ($style, @rest) = splice @ARGV, 1; local $/; open my $file, "<", $style or die "$style: $!\n";
    @value{qw(STYLE ICON BUNDLE BUNDLE_HASH BOOT BOOT_HASH)} = (scalar <$file>, @rest) }
    s/\@(STYLE|ICON|BUNDLE_HASH|BUNDLE|BOOT_HASH|BOOT)\@/$value{$1}/g' \
    "$from/reference/index.html" "$gen/reference.css" "$icon" "$bundle" "sha256-$bundle_hash" "$reference" \
    "sha256-$reference_hash" > "$gen/reference.html"

table=$gen/console_files.c.new
{
    echo '/* Made by web/console/build.sh. */'
    echo '#include "gateway/endpoint/console.h"'
} > "$table"
rows=''
count=0

# add FILE NAME TYPE KIND: adds a row of the table, and its bytes.
add() {
    id=console_file_$count
    count=$((count + 1))
    cp "$1" "$gen/files/$id"
    gzip -9nc "$1" > "$gen/files/$id.gz"
    brotli -q 11 -c "$1" > "$gen/files/$id.br"
    for form in '' .gz .br; do
        symbol=$id$(echo "$form" | tr . _)
        printf '%s\n' "__asm__(\".section .rodata\\n$symbol:\\n.incbin \\\"web/console/files/$id$form\\\"\\n.previous\\n\");"
        echo "extern const char $symbol[];"
    done >> "$table"
    rows="$rows    {\"$2\", \"$3\", $4, \"$(hash_of "$1")\",
     {$id, $(wc -c < "$1")}, {${id}_gz, $(wc -c < "$gen/files/$id.gz")}, {${id}_br, $(wc -c < "$gen/files/$id.br")}},
"
}

add "$gen/index.html" '' 'text/html; charset=utf-8' CONSOLE_DOCUMENT
add "$from/preview.html" preview.html 'text/html; charset=utf-8' CONSOLE_PREVIEW
for each in $assets; do
    add "$gen/${each%%:*}.js" "assets/${each#*:}" 'text/javascript; charset=utf-8' CONSOLE_ASSET
done
add "$from/icon.svg" "assets/$icon" 'image/svg+xml' CONSOLE_ASSET
add "$gen/reference.html" reference 'text/html; charset=utf-8' CONSOLE_REFERENCE
add "$gen/swagger-ui.js" "assets/$bundle" 'text/javascript; charset=utf-8' CONSOLE_ASSET
add "$gen/reference.js" "assets/$reference" 'text/javascript; charset=utf-8' CONSOLE_ASSET
{
    printf 'const struct console_file console_files[] = {\n%s};\n' "$rows"
    echo "const size_t console_file_count = $count;"
    echo "const char console_scripts[] = \"'sha256-$boot_hash'$hashes\", console_styles[] = \"'sha256-$style_hash'\";"
    echo "const char reference_scripts[] = \"'sha256-$bundle_hash' 'sha256-$reference_hash'\","
    echo "           reference_styles[] = \"'sha256-$(integrity_of "$gen/reference.css")'\";"
} >> "$table"
mv "$table" "$gen/console_files.c"
