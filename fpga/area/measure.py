"""Measures a block: exports it, runs the flows of its core, reads their logs."""

import functools
import hashlib
import json
import os
import re
import subprocess
import time
from pathlib import Path

import logs

FPGA = Path(__file__).resolve().parents[1]

# Too large to place in a reasonable time, or for any ECP5: cells only; and those that are larger than the first, which fits none, on UltraScale+ only.
XILINX_ONLY = ["nic", "nic_large", "xtq_target"]
CELLS_ONLY = ["nic_small", *XILINX_ONLY]


def build():
    """Builds `xtq` once and names it to all flows, so that several blocks can be exported at the same time."""
    if "XTQ" in os.environ:
        return
    cargo = ["cargo", "build", "--locked", "--quiet", "--release"]
    subprocess.run(cargo, cwd=FPGA.parent, check=True)
    asked = subprocess.run(["cargo", "metadata", "--no-deps", "--format-version", "1"], cwd=FPGA.parent, check=True, capture_output=True)
    os.environ["XTQ"] = f"{json.loads(asked.stdout)['target_directory']}/release/xtq"


def flow(target, block):
    """Runs a flow of the exported core; its folder."""
    subprocess.run([FPGA / "run", target, block], check=True, stdout=subprocess.DEVNULL)
    return FPGA / "build" / target / block


def verilog(block):
    """A digest of what the numbers of a block come from: its exported modules, without comments."""
    digest = hashlib.sha256()
    for file in sorted(flow("export", block).glob("*.v")):
        # No string of the exported text has two slashes.
        code = re.sub(r"//.*", "", file.read_text())
        digest.update(f"{file.name}\n{code}\n".encode())
    return digest.hexdigest()[:16]


def measure(block):
    """All numbers of a block, the digest and the tools they belong to, and the seconds that they took. CalledProcessError: a flow failed; ValueError: its log says nothing of use."""
    start = time.monotonic()
    found = {"verilog": verilog(block)}
    if block not in XILINX_ONLY:
        found |= logs.ecp5(flow("synth", block) / "yosys.log")
    if block not in CELLS_ONLY:
        found |= logs.timing(flow("pnr", block) / "report.json")
    found["xilinx"] = logs.xilinx(flow("synth_xilinx", block) / "yosys.log")
    return found | {"tools": tools(), "seconds": round(time.monotonic() - start)}


@functools.cache
def tools():
    """The versions that measure."""
    say = lambda *command: subprocess.run(command, capture_output=True, text=True)  # noqa: E731
    nextpnr = say("nextpnr-ecp5", "--version")
    version = (nextpnr.stdout + nextpnr.stderr).strip().splitlines()[-1]
    return " ".join(say("yosys", "-V").stdout.split()[:2]) + ", " + version[version.index("(Version ") + 9 : -1]
