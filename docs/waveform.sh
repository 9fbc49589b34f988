#!/usr/bin/env bash
# Makes docs/waveform-sender.png and docs/waveform-receiver.png: the default scenario in GTKWave, as `xtq run --wave`
# sets it up, on a screen in memory. Fails unless GTKWave shows every signal of the save file. Needs gtkwave, xvfb and
# imagemagick of Debian. After `cargo build --release`, or with a built xtq in XTQ.
set -euo pipefail
# Paths in the environment are relative to where the user is.
for name in XTQ TMPDIR CARGO_TARGET_DIR; do
    [[ -z ${!name:-} || ${!name} == /* ]] || export "$name=$PWD/${!name}"
done
# An absolute path: others `cd` also looks for in CDPATH.
cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.."

xtq=${XTQ:-${CARGO_TARGET_DIR:-target}/release/xtq}
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
export folder
"$xtq" -q run --wave "$folder/run.vcd"
cat > "$folder/signals.tcl" <<'EOF'
foreach signal [gtkwave::getDisplayedSignals] { puts "shown $signal" }
EOF

# A picture of a save file of that folder.
picture() {
    # shellcheck disable=SC2016 # the inner shell expands them
    save="$folder/$1" xvfb-run --auto-servernum --server-args='-screen 0 1500x1500x24' sh -c '
        gtkwave --script "$folder/signals.tcl" "$save" > "$folder/log" 2>&1 &
        sleep 10
        import -window root "$folder/screen.png"
        kill $!'
    wanted=$(grep -c '^+{' "$folder/$1")
    shown=$(grep -c '^shown ' "$folder/log")
    echo "$2: $shown of $wanted signals shown"
    test "$shown" -eq "$wanted"
    # Without the title, which has the path.
    convert "$folder/screen.png" -gravity North -chop 0x62 -colors 32 "$2"
}

sed -i 's/^\[size\].*/[size] 1500 1500/' "$folder/run.gtkw"
picture run.gtkw docs/waveform-sender.png
# The same with node 0 closed.
sed -e '/^@800200$/{N;s/^@800200\n-node 0 /@c00200\n-node 0 /}' \
    -e '/^@1000200$/{N;s/^@1000200\n-node 0 /@1401200\n-node 0 /}' "$folder/run.gtkw" > "$folder/receiver.gtkw"
picture receiver.gtkw docs/waveform-receiver.png
