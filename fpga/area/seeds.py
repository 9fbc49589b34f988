#!/usr/bin/env python3
"""The frequency of a block with three seeds of the placer: its luck moves one by ten per cent and more, so the median counts.

`fpga/run pnr BLOCK` and `fpga/run place BLOCK` call it. The flow of the core has placed with the first seed.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import logs
import sdf

BUILD = Path(__file__).resolve().parents[1] / "build"

SEEDS = (1, 2, 3)
"""Of nextpnr; the first is that of the exported core."""
RESULTS = {"pnr": "--report", "place": "--sdf"}
"""The flows, and the option whose file the frequency is read from."""


def file(name, seed):
    """The file of a seed beside that of the core: report.json, report-2.json."""
    stem, ending = name.rsplit(".", 1)
    return name if seed == SEEDS[0] else f"{stem}-{seed}.{ending}"


def options(core, flow):
    """The options of nextpnr in an exported core, word by word. ValueError: it has none with a seed and a result."""
    found = core["targets"][flow]["flow_options"].get("nextpnr_options", [])
    words = [word for option in found for word in str(option).split()]
    for needed in ("--seed", RESULTS[flow]):
        if words.count(needed) != 1 or words[-1] == needed:
            raise ValueError(f"the core's options of nextpnr have not one {needed}: {' '.join(words)}")
    if words[words.index("--seed") + 1] != str(SEEDS[0]):
        raise ValueError(f"the core has not seed {SEEDS[0]}: {' '.join(words)}")
    return words


def command(words, flow, seed, netlist):
    """nextpnr with another seed."""
    words = list(words)
    words[words.index("--seed") + 1] = str(seed)
    at = words.index(RESULTS[flow]) + 1
    words[at] = file(words[at], seed)
    return ["nextpnr-ecp5", *words, "--json", netlist]


def log(flow, block, seed):
    """What nextpnr printed with a seed; with the first it is the log of the flow."""
    return BUILD / flow / (f"{block}.log" if seed == SEEDS[0] else f"{block}/seed-{seed}.log")


def only(folder, names):
    """The only file of a folder with such a name. FileNotFoundError: there is none, or are several."""
    found = list(folder.glob(names))
    if len(found) != 1:
        raise FileNotFoundError(f"{folder} has {len(found)} files {names}, not one: run the flow first")
    return found[0]


def run(flow, block):
    """Places with the other seeds. CalledProcessError, TimeoutExpired: nextpnr failed or took too long."""
    # Not there where only the functions above are tested.
    import yaml

    folder = BUILD / flow / block
    core = only(BUILD / "export" / block, "*.core")
    netlist = only(folder, "xtq_hardware_*.json").name
    words = options(yaml.safe_load(core.read_text()), flow)
    for seed in SEEDS[1:]:
        with log(flow, block, seed).open("w") as out:
            limit = int(os.environ.get("XTQ_SECONDS", 14400))
            subprocess.run(command(words, flow, seed, netlist), cwd=folder, stdout=out, stderr=subprocess.STDOUT, check=True, timeout=limit)


def timings(flow, block):
    """Frequency and path with each seed. ValueError: a file says nothing of use."""
    folder = BUILD / flow / block
    if flow == "pnr":
        return [logs.timing(folder / file("report.json", seed)) for seed in SEEDS]
    return [sdf.timing(folder / file("placed.sdf", seed), log(flow, block, seed)) for seed in SEEDS]


def median(found):
    """The middle one of an odd number of timings by frequency, with all frequencies in the order of the seeds."""
    middle = sorted(found, key=lambda timing: timing["fmax"])[len(found) // 2]
    return middle | {"seeds": [timing["fmax"] for timing in found]}


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in RESULTS:
        sys.exit("Usage: seeds.py pnr|place BLOCK\n\nPlaces a block, which the flow has placed already, with more seeds, and prints the median.")
    flow, block = sys.argv[1:]
    try:
        run(flow, block)
        found = median(timings(flow, block))
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"seeds.py: {error}")
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        sys.exit(f"seeds.py: {re.sub(' --json .*', '', str(error))}: fpga/build/{flow}/{block}/seed-*.log")
    print(f"{', '.join(map(str, found['seeds']))} MHz with seeds {', '.join(map(str, SEEDS))}: median {found['fmax']} MHz")


if __name__ == "__main__":
    main()
