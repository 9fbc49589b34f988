#!/usr/bin/env bash
# Loads a trace of `xtq run --trace` in Perfetto's own trace_processor, and fails unless it takes every slice and every
# flow of it without an error. The package of PyPI that is pinned here downloads the trace_processor whose sum it
# knows; XTQ_TRACE_PROCESSOR names one that is there already. Exit code 3: there is none to be had.
#
#     docs/check-trace.sh trace.json
set -euo pipefail
# Paths in the environment are relative to where the user is.
for name in XTQ TMPDIR CARGO_TARGET_DIR; do
    [[ -z ${!name:-} || ${!name} == /* ]] || export "$name=$PWD/${!name}"
done
# An absolute path: others `cd` also looks for in CDPATH.
cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.."

readonly PERFETTO=0.59.1
trace=$1
[[ $trace == /* ]] || trace=$OLDPWD/$trace
readonly VENV=target/perfetto-$PERFETTO
[[ -x $VENV/bin/python3 ]] || python3 -m venv "$VENV"
"$VENV/bin/python3" -m pip install --quiet --disable-pip-version-check "perfetto==$PERFETTO" >&2
exec "$VENV/bin/python3" - "$trace" <<'PYTHON'
import json
import os
import subprocess
import sys

from perfetto.trace_processor import TraceProcessor, TraceProcessorConfig

path = sys.argv[1]
events = json.load(open(path))["traceEvents"]
slices = sum(event["ph"] in "Xi" for event in events)
arrows = sum(event["ph"] in "tf" for event in events)
config = TraceProcessorConfig(bin_path=os.environ.get("XTQ_TRACE_PROCESSOR"))
try:
    processor = TraceProcessor(trace=path, config=config)
except (OSError, subprocess.CalledProcessError) as error:
    print(f"docs/check-trace.sh: no trace_processor: {error}", file=sys.stderr)
    sys.exit(3)


def number(query):
    return next(iter(processor.query(query))).number


found = {
    "slices": (number("select count(*) as number from slice"), slices),
    "flows": (number("select count(*) as number from flow"), arrows),
    "errors": (number("select ifnull(sum(value), 0) as number from stats where severity = 'error'"), 0),
}
for name, (got, wanted) in found.items():
    if got != wanted:
        sys.exit(f"docs/check-trace.sh: {name}: {got}, not {wanted}")
print(f"{sys.argv[1]}: {slices} slices and {arrows} steps of flows loaded")
PYTHON
