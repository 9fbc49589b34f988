#!/usr/bin/env bash
# Writes again all in README.md, rtl/README.md and docs/ that is made from the sources or printed by the program.
# What takes measurements has commands of its own; CONTRIBUTING.md lists them.
set -euo pipefail
# Paths in the environment are relative to where the user is.
for name in XTQ TMPDIR CARGO_TARGET_DIR; do
    [[ -z ${!name:-} || ${!name} == /* ]] || export "$name=$PWD/${!name}"
done
# An absolute path: others `cd` also looks for in CDPATH.
cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.."

export UPDATE_DOCS=1
# Both write, also if a test of one of them fails; the exit code is that of the worse.
worse=0
run() { cargo test --release --workspace --all-features --test "$@" || worse=$(($? > worse ? $? : worse)); }
run pages
run cli -- docs:: readme::
exit "$worse"
