#!/usr/bin/env python3
"""Area and timing of blocks: measures, compares with fpga/budget.json, writes the tables of docs/fpga.md.

`fpga/run report` calls it once the Python tools are there.
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

import logs
import page
from budget import exceeded

FPGA = Path(__file__).resolve().parents[1]
BUDGET = FPGA / "budget.json"

# For every commit: a memory with logic around it, and the widest state machine at the network port. Each takes a minute on an idle core.
QUICK = ["lookup_cache", "receive_parser"]

# Too large to place in a reasonable time, or for any ECP5: cells only.
CELLS_ONLY = ["nic_small", "nic", "nic_large", "xtq_target", "l2"]


def pages():
    """The blocks that have a page of their own, but the tops."""
    names = [file.stem for file in (FPGA.parent / "docs/blocks").glob("*.md")]
    # Modules of two lines, and words of Verilog.
    return sorted(set(names) - {"reg", *CELLS_ONLY})


def flow(target, block):
    """Runs a flow of the exported core; its folder."""
    subprocess.run([FPGA / "run", target, block], check=True, stdout=subprocess.DEVNULL)
    return FPGA / "build" / target / block


def measure(block):
    """All numbers of a block."""
    found = logs.ecp5(flow("synth", block) / "yosys.log")
    if block not in CELLS_ONLY:
        found |= logs.timing(flow("pnr", block) / "report.json")
    found["xilinx"] = logs.xilinx(flow("synth_xilinx", block) / "yosys.log")
    return found


def tools():
    """The versions that measured."""
    say = lambda *command: subprocess.run(command, capture_output=True, text=True)  # noqa: E731
    nextpnr = say("nextpnr-ecp5", "--version")
    version = (nextpnr.stdout + nextpnr.stderr).strip().splitlines()[-1]
    return {
        "yosys": " ".join(say("yosys", "-V").stdout.split()[:2]),
        "nextpnr": version[version.index("(Version ") + 9 : -1] + ", LFE5UM5G-85F, speed grade 8",
    }


def main():
    parser = argparse.ArgumentParser(prog="fpga/run report", description=__doc__.splitlines()[0])
    parser.add_argument("blocks", nargs="*", help="blocks; all: those that have a page, and the whole NIC (without --update: that have a budget) [default: a few, for each commit]")
    parser.add_argument("--update", action="store_true", help="take what is measured as the new budget, and write docs/fpga.md")
    arguments = parser.parse_args()
    blocks = arguments.blocks or QUICK
    document = json.loads(BUDGET.read_text()) if BUDGET.exists() else {"blocks": {}}
    if blocks == ["all"]:
        blocks = pages() + CELLS_ONLY
        unknown = [block for block in blocks if block not in document["blocks"]]
        if unknown and not arguments.update:
            print(f"without a budget, not measured: {', '.join(unknown)}")
            blocks = [block for block in blocks if block in document["blocks"]]
    document["tools"], wrong = tools(), []
    for block in blocks:
        start = time.monotonic()
        try:
            found = measure(block)
        except subprocess.CalledProcessError as error:
            wrong.append(f"{block}: {' '.join(map(str, error.cmd))} failed")
            continue
        speed = f"{found['fmax']} MHz" if "fmax" in found else "not placed"
        print(f"{block}: {found['luts']} LUTs, {found['ffs']} FFs, {found['brams']} block RAMs, {speed}; {time.monotonic() - start:.0f} s", flush=True)
        if arguments.update:
            document["blocks"][block] = found
            BUDGET.write_text(json.dumps(document, indent=1, sort_keys=True) + "\n")
        else:
            wrong += exceeded(block, {"fmax": float("inf")} | found, {"fmax": 0} | document["blocks"][block] if block in document["blocks"] else None)
    if arguments.update:
        page.write(document)
    print("\n".join(wrong) or f"{len(blocks)} blocks are within fpga/budget.json")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
