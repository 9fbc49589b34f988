#!/usr/bin/env bash
# Counts the instructions of the host library's functions with callgrind and writes costs.toml, beside this script.
# Needs gcc and valgrind. `count.sh --check` writes nothing and fails if a count is another.
set -euo pipefail
# Paths in the environment are relative to where the user is.
for name in XTQ TMPDIR CARGO_TARGET_DIR; do
    [[ -z ${!name:-} || ${!name} == /* ]] || export "$name=$PWD/${!name}"
done
# An absolute path: others `cd` also looks for in CDPATH.
cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sources="network.c dispatch.c messages.c vectors.c measure.c"

# build FILE FLAGS...
build() {
    out=$1
    shift
    # shellcheck disable=SC2086
    gcc -std=c11 -Wall -Wextra -Werror -O2 -fno-tree-loop-distribute-patterns "$@" -o "$work/$out" $sources
}

# count PROGRAM NAME [FUNCTION]: instructions of a call, or of a line of 64 bytes.
count() {
    calls=$("$work/$1" "$2")
    function=${3:-$2}
    all=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null --collect-atstart=no \
        --toggle-collect="$function" "$work/$1" "$2" 2>&1 >/dev/null | sed -n 's/.*Collected : \([0-9]*\).*/\1/p')
    awk "BEGIN { printf \"%.2f\", $all / $calls }"
}

whole() { awk "BEGIN { printf \"%d\", $1 + 0.999 }"; }

# Loops stay loops: no call of memcpy. Scalar, 16-byte and 32-byte vector registers.
build simd_0 -fno-tree-vectorize
build simd_16 -ftree-vectorize -fvect-cost-model=dynamic
build simd_32 -ftree-vectorize -fvect-cost-model=dynamic -mavx2

new=$work/costs.toml
{
    echo "# Instructions of the host library, counted by callgrind in what gcc -O2 makes of the C beside this file."
    echo "# Written by testbench/compute/costs/count.sh; do not edit."
    echo "compiler = \"$(gcc --version | sed -n 1p)\""
    echo "counter = \"$(valgrind --version)\""
    echo
    echo "# Of a call."
    echo "put = $(whole "$(count simd_0 ptl_put)")"
    echo "event_poll = $(whole "$(count simd_0 event_poll)")"
    echo "event_get = $(whole "$(count simd_0 event_get)")"
    echo "aql_dispatch = $(whole "$(count simd_0 aql_dispatch)")"
    echo "agent_take = $(whole "$(count simd_0 agent_take)")"
    echo "agent_end = $(whole "$(count simd_0 agent_end)")"
    echo "signal_poll = $(whole "$(count simd_0 signal_poll)")"
    # The put within is counted by itself.
    echo "send = $(whole "$(awk "BEGIN { print $(count simd_0 mpi_send) - $(count simd_0 ptl_put) }")")"
    echo "receive = $(whole "$(count simd_0 mpi_receive)")"
    echo "progress = $(whole "$(awk "BEGIN { print $(count simd_0 mpi_progress) - $(count simd_0 event_get) }")")"
    none=$(count simd_0 match_none match)
    hundred=$(count simd_0 match_100 match)
    echo "match_base = $(whole "$none")"
    echo "match_entry = $(awk "BEGIN { printf \"%.2f\", ($hundred - $none) / 100 }")"
    echo
    echo "# Of a line of 64 bytes, by the bytes of a vector register (0: none)."
    echo "copy_line = $(count simd_16 copy_words)"
    for kind in int32 int64 float double; do
        echo "$kind = { simd_0 = $(count simd_0 sum_$kind), simd_16 = $(count simd_16 sum_$kind)," \
            "simd_32 = $(count simd_32 sum_$kind) }"
    done
} >"$new"

case ${1:-} in
--check) diff -u costs.toml "$new" ;;
*) cp "$new" costs.toml ;;
esac
