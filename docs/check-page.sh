#!/usr/bin/env bash
# Opens a page in Chromium without a screen and without a network, and fails unless nothing stands on its console and
# every figure is drawn: it has a size, and something in it does. Needs chromium of Debian.
#
#     docs/check-page.sh experiments.html
set -euo pipefail
# Paths in the environment are relative to where the user is.
for name in XTQ TMPDIR CARGO_TARGET_DIR; do
    [[ -z ${!name:-} || ${!name} == /* ]] || export "$name=$PWD/${!name}"
done
# An absolute path: others `cd` also looks for in CDPATH.
cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.."

page=$1
[[ $page == /* ]] || page=$OLDPWD/$page
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# The page with a script at its end that counts what is drawn and says so in the title.
{
    cat -- "$page"
    cat <<'SCRIPT'
<script>
const figures = [...document.querySelectorAll('figure svg')];
const isDrawn = figure => figure.getBoundingClientRect().height > 100
    && [...figure.querySelectorAll('polyline, rect, circle, path')].filter(part => part.getBBox().height > 0).length > 1;
const pairs = [...document.querySelectorAll('section')].every(section => section.querySelector('table'));
document.title = `drawn ${figures.filter(isDrawn).length} of ${figures.length}, statements ${pairs}`;
</script>
SCRIPT
} >"$folder/page.html"

chromium --headless --no-sandbox --disable-gpu --host-resolver-rules='MAP * ~NOTFOUND' --user-data-dir="$folder/profile" \
    --enable-logging=stderr --v=0 --dump-dom "file://$folder/page.html" >"$folder/dom" 2>"$folder/log"

if grep -F 'CONSOLE' "$folder/log" >&2; then
    echo "docs/check-page.sh: the page writes to the console" >&2
    exit 1
fi
title=$(sed -n 's/.*<title>\(.*\)<\/title>.*/\1/p' "$folder/dom" | head -n 1)
if [[ ! $title =~ ^'drawn '([1-9][0-9]*)' of '([0-9]+)', statements true'$ || ${BASH_REMATCH[1]} != "${BASH_REMATCH[2]}" ]]; then
    echo "docs/check-page.sh: not all is drawn: $title" >&2
    exit 1
fi
echo "$1: $title"
