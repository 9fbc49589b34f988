"""Measures a block: exports it, runs the flows of its core, reads their logs."""

import functools
import hashlib
import json
import os
import re
import subprocess
import time
from pathlib import Path

import yaml

import logs
import sdf

FPGA = Path(__file__).resolve().parents[1]

# Too large for any ECP5: cells only; the blocks in them that have a page are placed by themselves. And what is larger
# than the small NIC on UltraScale+ only: the whole L2 and the larger configurations.
XILINX_ONLY = ["l2", "nic", "nic_large", "xtq_target"]
CELLS_ONLY = ["nic_small", *XILINX_ONLY]
# Not routed, as it took too long or takes half of the part, or was not tried: frequency and path are those that the
# placer estimates (docs/fpga.md, "What is not there").
NOT_ROUTED = ["atomic_unit", "initiator", "l2_bank"]
# How the log of each flow is read.
READING = logs.READING | {"place": (logs.VERSION, sdf.VERSION)}


def build():
    """Builds `xtq` once and names it to all flows, so that several blocks can be exported at the same time."""
    # Paths in the environment are relative to where the user is.
    os.environ.update({name: os.path.abspath(os.environ[name]) for name in ("XTQ", "TMPDIR", "CARGO_TARGET_DIR") if os.environ.get(name)})
    if os.environ.get("XTQ"):
        return
    cargo = ["cargo", "build", "--locked", "--quiet", "--release"]
    subprocess.run(cargo, cwd=FPGA.parent, check=True)
    asked = subprocess.run(["cargo", "metadata", "--no-deps", "--format-version", "1"], cwd=FPGA.parent, check=True, capture_output=True)
    os.environ["XTQ"] = f"{json.loads(asked.stdout)['target_directory']}/release/xtq"


def flow(target, block):
    """Runs a flow of the exported core; its folder."""
    subprocess.run([FPGA / "run", target, block], check=True, stdout=subprocess.DEVNULL)
    return FPGA / "build" / target / block


def code(file):
    """A Verilog file without comments and the lines that have nothing else; no string of the exported text has two slashes."""
    lines = (re.sub(r" *//.*", "", line) for line in file.read_text().splitlines())
    return "\n".join(line for line in lines if line)


def targets(block):
    """The flows that are run for a block."""
    timing = [] if block in CELLS_ONLY else ["place"] if block in NOT_ROUTED else ["pnr"]
    return ["synth"] * (block not in XILINX_ONLY) + timing + ["synth_xilinx"]


def sources(block):
    """A digest of what the numbers of a block come from, but for the tools: exports it, and takes its modules without comments, the options of each flow that is run, how its log is read, and
    the frame for place and route if it is placed."""
    folder, flows = flow("export", block), targets(block)
    [core] = folder.glob("*.core")
    described = yaml.safe_load(core.read_text())["targets"]
    used = {name: (described[name]["flow_options"], described[name]["toplevel"], READING[name]) for name in flows}
    parts = [(file.name, code(file)) for file in sorted(folder.glob("*.v"))]
    if block not in CELLS_ONLY:
        parts += [(file.name, code(file)) for file in sorted(folder.glob("pnr/*.v"))]
    return hashlib.sha256(json.dumps([parts, used], sort_keys=True).encode()).hexdigest()[:16]


def measure(block):
    """All numbers of a block, the digest and the tools they belong to, and the seconds that they took. CalledProcessError: a flow failed; ValueError: its log says nothing of use."""
    start, flows = time.monotonic(), targets(block)
    found = {"sources": sources(block)}
    if "synth" in flows:
        found |= logs.ecp5(flow("synth", block) / "yosys.log")
    if "pnr" in flows:
        found |= logs.timing(flow("pnr", block) / "report.json")
    if "place" in flows:
        placed = flow("place", block)
        found |= sdf.timing(placed / "placed.sdf", Path(f"{placed}.log")) | {"routed": False}
    found["xilinx"] = logs.xilinx(flow("synth_xilinx", block) / "yosys.log")
    return found | {"tools": tools(), "seconds": round(time.monotonic() - start)}


@functools.cache
def tools():
    """The versions that measure."""
    say = lambda *command: subprocess.run(command, capture_output=True, text=True)  # noqa: E731
    nextpnr = say("nextpnr-ecp5", "--version")
    version = (nextpnr.stdout + nextpnr.stderr).strip().splitlines()[-1]
    return " ".join(say("yosys", "-V").stdout.split()[:2]) + ", " + version[version.index("(Version ") + 9 : -1]
