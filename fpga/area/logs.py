"""Numbers out of what Yosys and nextpnr write: cells of a block, and the slowest path between registers."""

import json
import re
from pathlib import Path

# Cells of ECP5, as LUTs of four inputs: a carry cell is two of them, 64 bits of distributed RAM take six.
ECP5_LUTS = {"LUT4": 1, "CCU2C": 2, "TRELLIS_DPR16X4": 6}
ECP5_FFS = {"TRELLIS_FF": 1}
ECP5_BRAMS = {"DP16KD": 1, "PDPW16KD": 1}
ECP5_MULTIPLIERS = {"MULT18X18D": 1}
# In the slice of the LUTs that they join.
ECP5_FREE = {"PFUMX", "L6MUX21"}

# Cells of UltraScale+. RAM cells of LUTs by the number of LUTs they take; a block RAM of 18 Kbit is half of one.
XILINX_LUTS = {f"LUT{n}": 1 for n in range(1, 7)} | {"RAM32X1S": 1, "RAM64X1S": 1, "RAM128X1S": 2}
XILINX_LUTS |= {"RAM32X1D": 2, "RAM64X1D": 2, "RAM128X1D": 4, "RAM32M": 4, "RAM64M": 4}
XILINX_LUTS |= {"RAM32M16": 8, "RAM64M8": 8, "SRL16E": 1, "SRLC32E": 1, "INV": 1}
XILINX_FFS = dict.fromkeys(("FDRE", "FDSE", "FDCE", "FDPE"), 1)
XILINX_BRAMS = {"RAMB36E2": 1, "RAMB18E2": 0.5}
XILINX_MULTIPLIERS = {"DSP48E2": 1}
# In the slice of the LUTs that they join, and at the pins.
XILINX_FREE = {"CARRY4", "CARRY8", "MUXF7", "MUXF8", "MUXF9", "IBUF", "OBUF", "BUFG"}

# Raised when the functions below read other numbers, or other names of a path, out of the same log.
VERSION = 1


def cells(log):
    """Cells by type: the last statistics of a log of Yosys."""
    text = Path(log).read_text()
    last = text[text.rindex("Number of cells:") :]
    found = {}
    for line in last.splitlines()[1:]:
        match = re.fullmatch(r"\s+(\S+)\s+(\d+)", line)
        if not match:
            break
        found[match[1]] = int(match[2])
    return found


def count(found, weights):
    """Cells of some types, weighted."""
    return sum(found.get(cell, 0) * weight for cell, weight in weights.items())


def area(log, kinds, free):
    """LUTs, flip-flops, block RAMs and multipliers. ValueError: there are cells of a type that is neither counted nor free."""
    found = cells(log)
    unknown = set(found) - set().union(free, *kinds)
    if unknown:
        raise ValueError(f"cells that nobody counts: {', '.join(sorted(unknown))}")
    return dict(zip(("luts", "ffs", "brams", "multipliers"), (count(found, kind) for kind in kinds)))


ECP5 = (ECP5_LUTS, ECP5_FFS, ECP5_BRAMS, ECP5_MULTIPLIERS)
XILINX = (XILINX_LUTS, XILINX_FFS, XILINX_BRAMS, XILINX_MULTIPLIERS)


def ecp5(log):
    """Area on ECP5."""
    return area(log, ECP5, ECP5_FREE)


def xilinx(log):
    """Area on UltraScale+."""
    return area(log, XILINX, XILINX_FREE)


# How the log of each flow is read: what its numbers depend on besides the log.
READING = {"synth": (VERSION, ECP5), "synth_xilinx": (VERSION, XILINX), "pnr": VERSION}


def signal(name):
    """A cell or net of the netlist as the signal of the block that it makes: `block.state_q.q_LUT4_Z_3_D1` is `state_q.q`."""
    name = name.removeprefix("block.").split("$")[0].split("[")[0]
    return re.split(r"_(?:[A-Z]+\d*_)?(?:TRELLIS|LUT4|PFUMX|L6MUX21|CCU2C|DP16KD)(?:_|$)|_[A-Z]+\d*_(?:TRELLIS|LUT4|PFUMX|L6MUX21|CCU2C)", name)[0]


def passed(names):
    """Signals, each once, in order, without those of the frame."""
    return list(dict.fromkeys(name for name in names if name and not re.fullmatch(r"out|fold\d+", name)))


def through(steps):
    """The signals on a path, each once, in order."""
    return passed(signal(step["net"]) for step in steps if step["type"] == "routing")


def timing(report):
    """Highest frequency in MHz and the path that limits it, out of nextpnr's JSON report."""
    report = json.loads(Path(report).read_text())
    [(clock, fmax)] = report["fmax"].items()
    paths = [path for path in report["critical_paths"] if clock in path["from"] and clock in path["to"]]
    steps = paths[0]["path"]
    delay = lambda *kinds: round(sum(step["delay"] for step in steps if step["type"] in kinds), 2)  # noqa: E731
    return {
        "fmax": round(fmax["achieved"], 1),
        "from": signal(steps[0]["from"]["cell"]),
        "to": signal(steps[-1]["to"]["cell"]),
        "through": through(steps),
        "levels": sum(step["type"] == "logic" for step in steps),
        "logic_ns": delay("clk-to-q", "logic", "setup"),
        "routing_ns": delay("routing"),
    }
