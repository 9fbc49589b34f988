"""The log of a flow has no warning of a tool but those that are known here. Argument: the file, below fpga."""

import re
import sys
from pathlib import Path

# Verilator, FuseSoC and Yosys, Icarus and PeakRDL write it so, Python with its kind before it (RuntimeWarning:), cocotb
# after the time; Yosys's count at the end ("Warnings: 3 unique messages") is no warning.
WARNING = re.compile(r"%Warning|\b\w*warning:|^\s*[-\d.]+ns warning\b", re.IGNORECASE)

COLOUR = re.compile(r"\x1b\[[\d;]*m")

# The whole line of a warning of which nothing is wrong, and why not. `storage` is the array of a memory; the RTL has no
# instance of that name.
KNOWN = {
    r'ABC: Warning: The network is combinational(?: \(run "fraig" or "fraig_sweep"\))?\.': "Yosys gives ABC the logic between registers, without them",
    r"Warning: Resizing cell port \S+\.storage\.\d+\.\d+\.(?:ADDR|DIN|DOUT|WE)[A-Z]+ from \d+ bits to \d+ bits\.": "Yosys makes block RAMs of Xilinx of its own library, whose ports are as wide as the widest shape of them",
    r"0\.00ns WARNING +gpi +vpi_iterate returned NULL for type vpiInstance for object NULL": "cocotb asks Icarus for packages, which Verilog-2005 has not",
    r"Warning: Max frequency for clock '\S+': [\d.]+ MHz \(FAIL at [\d.]+ MHz\)": "the frequency is what the flow measures; fpga/budget.json judges it",
}

SHOWN = 20
"""So many of the warnings are shown."""


def unknown(text):
    """The lines with a warning that is not known, each once."""
    lines = (line.strip() for line in COLOUR.sub("", text).splitlines() if WARNING.search(line))
    return [line for line in dict.fromkeys(lines) if not any(re.fullmatch(known, line) for known in KNOWN)]


def main():
    log = sys.argv[1]
    found = unknown(Path(log).read_text(errors="replace"))
    if found:
        print(*found[:SHOWN], sep="\n", file=sys.stderr)
        sys.exit(f"fpga/run: fpga/{log} has warnings that are not known ({len(found)}): mend what they are about, or add them with the reason to fpga/check_log.py")


main()
