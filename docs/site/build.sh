#!/bin/bash
# build.sh - `make docs`: the documentation and the man pages as a static website with search, in $BUILD/site/VERSION.
# Versions that are there stay and can be chosen on each page. Open $BUILD/site/VERSION/index.html, or publish $BUILD/site.
set -euo pipefail
cd "$(dirname "$0")/../.."
source=$BUILD/site-source
rm -rf "$source" "$BUILD/site/$VERSION"
mkdir -p "$source/man"
git_files() { find docs clients examples common authd web -name '*.md' -not -path '*/node_modules/*' -not -path docs/site/\*; }
git_files | while read -r file; do install -D -m 644 "$file" "$source/$file"; done
find docs -name '*.png' | while read -r file; do install -D -m 644 "$file" "$source/$file"; done
install -m 644 ./*.md LICENSE "$source"
for page in */*.[18] common/service/atrium.conf.5; do
    name=$(basename "$page")
    case $name in atrium*) ;; *) name=atrium-$name ;; esac
    {
        echo "# ${name%.*}(${name##*.})"
        echo
        # without the lines at the head and the foot of a printed page, and with headings below that of the page
        mandoc -T html -O fragment "$page" | sed -e '/<table class="head">/,/<.table>/d' -e '/<table class="foot">/,/<.table>/d' \
            -e 's/<\(.\?\)h2/<\1h3/g' -e 's/<\(.\?\)h1/<\1h2/g'
    } >"$source/man/$name.md"
done
mkdocs build --quiet --config-file docs/site/mkdocs.yml --site-dir "$(realpath -m "$BUILD/site/$VERSION")"
if grep -rlE '<(script|link|img|iframe)[^>]* (src|href)="?(https?:)?//' "$BUILD/site/$VERSION" --include='*.html'; then
    echo "docs: these pages load something from another server" >&2
    exit 1
fi
# What the choice of versions reads, newest first.
find "$BUILD/site" -mindepth 1 -maxdepth 1 -type d -printf '%f\n' | sort -rV \
    | sed 's/.*/{"version": "&", "title": "&", "aliases": []}/' | paste -sd, | sed 's/.*/[&]/' >"$BUILD/site/versions.json"
