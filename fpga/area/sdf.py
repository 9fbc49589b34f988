"""The slowest path between registers of a block that is placed, not routed: out of the delays that nextpnr writes as SDF, as its own report has paths of routed blocks only."""

import json
import math
import re
import sys
from graphlib import TopologicalSorter
from pathlib import Path

from logs import passed, signal

# A triple is fastest, typical, slowest; what counts is the slowest, in ps.
TRIPLE = r"\(\d+:\d+:(\d+)\)"
INSTANCE = re.compile(r"\s+\(INSTANCE (.*)\)")
WIRE = re.compile(rf"\s+\(INTERCONNECT (\S+) (\S+) {TRIPLE} {TRIPLE}\)")
CELL = re.compile(rf"\s+\(IOPATH (\S+) (\S+) {TRIPLE} {TRIPLE}\)")
CHECK = re.compile(rf"\s+\(SETUPHOLD \(\w+ (\S+)\) \(posedge \S+\) {TRIPLE}")
# Delays begin at these: of a register, and of the two sides of a block RAM.
CLOCKS = {"CLK", "CLKA", "CLKB"}

# Raised when the functions below find other numbers, or other names of a path, in the same file.
VERSION = 1


def read(file):
    """Delays to each pin: pin -> [(pin before it, ps, kind)], kind `wire`, `cell` or `start`; and what each end needs before the clock: pin -> ps. A pin is `cell/PIN`. ValueError: a delay is written in another way."""
    delays, ends, cell = {}, {}, ""
    with Path(file).open() as lines:
        for line in lines:
            if found := WIRE.match(line):
                delays.setdefault(found[2], []).append((found[1], max(int(found[3]), int(found[4])), "wire"))
            elif found := CELL.match(line):
                kind = "start" if found[1] in CLOCKS else "cell"
                delays.setdefault(f"{cell}/{found[2]}", []).append((f"{cell}/{found[1]}", max(int(found[3]), int(found[4])), kind))
            elif found := CHECK.match(line):
                end = f"{cell}/{found[1]}"
                ends[end] = max(ends.get(end, 0), int(found[2]))
            elif found := INSTANCE.match(line):
                cell = found[1]
            elif re.match(r"\s+\((INTERCONNECT|IOPATH|SETUPHOLD) ", line):
                raise ValueError(f"{file}: a delay of a form that is not known: {line.strip()}")
    return delays, ends


def slowest(delays, ends):
    """The pin at whose end the data come last, and the steps to it, from the clock on: (pin before it, ps, kind). ValueError: there is no path between registers."""
    # A path begins at a clock: what is before it is not followed.
    before = {pin: [source for source, _, kind in steps if kind != "start"] for pin, steps in delays.items()}
    arrival, last = {}, {}
    for pin in TopologicalSorter(before).static_order():
        for step in delays.get(pin, []):
            source, delay, kind = step
            at = delay if kind == "start" else arrival.get(source, -math.inf) + delay
            if at > arrival.get(pin, -math.inf):
                arrival[pin], last[pin] = at, step
    reached = [pin for pin in ends if pin in arrival]
    if not reached:
        raise ValueError("no path between registers")
    end = max(reached, key=lambda pin: arrival[pin] + ends[pin])
    steps, pin = [last[end]], last[end][0]
    while steps[-1][2] != "start":
        steps.append(last[pin])
        pin = last[pin][0]
    return end, steps[::-1]


def name(pin):
    """The signal that the cell of a pin makes. SDF has a backslash before a dollar sign and its like."""
    return signal(re.sub(r"\\(.)", r"\1", pin).rsplit("/", 1)[0])


def timing(file, log):
    """Highest frequency in MHz and the path that limits it, as `logs.timing` gives them, but that the signals are named by cells, as SDF has no nets. ValueError: there is no path between registers, or nextpnr, which says in its log how fast the block is but not why, has found another frequency."""
    delays, ends = read(file)
    end, steps = slowest(delays, ends)
    total = lambda *kinds: sum(delay for _, delay, kind in steps if kind in kinds)  # noqa: E731
    logic, routing = total("start", "cell") + ends[end], total("wire")
    fmax = 1e6 / (logic + routing)
    said = re.findall(r"Max frequency for clock +'\S+': ([\d.]+) MHz", Path(log).read_text())
    # With two clocks, or another frequency than that of this path, these are not the delays that nextpnr takes.
    if len(said) != 1 or abs(float(said[0]) - fmax) > 0.1:
        raise ValueError(f"{file}: the slowest path has {fmax:.2f} MHz, nextpnr says: {', '.join(said) or 'nothing'}")
    return {
        "fmax": round(fmax, 1),
        "from": name(steps[0][0]),
        "to": name(end),
        "through": passed(name(source) for source, _, kind in steps if kind == "wire"),
        "levels": sum(kind == "cell" for _, _, kind in steps),
        "logic_ns": round(logic / 1000, 2),
        "routing_ns": round(routing / 1000, 2),
    }


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("Usage: sdf.py FILE.sdf FILE.log\n\nPrints the slowest path in the delays that `fpga/run place BLOCK` writes, as JSON; the log is that of nextpnr, whose frequency it must have.")
    try:
        print(json.dumps(timing(*sys.argv[1:])))
    except (OSError, ValueError) as error:
        sys.exit(f"sdf.py: {error}")
