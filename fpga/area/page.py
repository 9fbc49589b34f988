"""The tables of docs/reference/area.md, between two marks."""

from pathlib import Path

from budget import FLOOR_MHZ, GOAL_MHZ, MOST_NS, falls_short, routed

PAGE = Path(__file__).resolve().parents[2] / "docs/reference/area.md"
START, END = "<!-- area: written by `fpga/run report --update` -->", "<!-- end -->"

# LUTs of the largest parts: name, LUTs, block RAMs (18 Kbit on ECP5, 36 Kbit on UltraScale+).
ECP5 = [("LFE5U-25", 24_288, 56), ("LFE5U-45", 43_848, 108), ("LFE5U-85", 83_640, 208)]
XILINX = [("XCAU15P", 77_760, 144), ("XCKU5P", 216_960, 480), ("XCVU9P", 1_182_240, 2_160)]


# What is used as a whole: name, and what it has.
CONFIGURATIONS = [
    ("nic_small", "2 contexts, 64 match entries, 32 headers (memories for twice as many)"),
    ("nic", "4 contexts, 256 match entries, 128 headers"),
    ("nic_large", "4 contexts, 4,096 match entries, 4,096 headers (measured with 1,024 of each)"),
    ("xtq_target", "the target side alone, 4 contexts"),
    ("l2", "the L2 of the GPU, eight banks"),
]

FILL = 0.8
"""More of a part's LUTs cannot be placed and routed in reasonable time."""


def fits(luts, brams, parts):
    """The smallest part that has the block RAMs and in which at most `FILL` of the LUTs are taken, and how much of it is; of the largest if none is large enough."""
    for name, most, rams in parts:
        if luts <= FILL * most and brams <= rams:
            return f"{name}: {luts / most:.0%} of the LUTs, {brams / rams:.0%} of the block RAMs"
    name, most, rams = parts[-1]
    return f"none; {name} has {most / luts:.0%} of the LUTs it takes" if luts > FILL * most else f"none; {name} has {rams / brams:.0%} of the block RAMs it takes"


def way(found):
    """A slowest path: levels, and the signals on it."""
    return f"{found['levels']} levels, {{}}: " + ", ".join(f"`{name}`" for name in [*found["through"], found["to"]])


def frequency(found):
    """MHz on ECP5 with the others of three seeds, and the path of a block below the goal."""
    if not found.get("fmax"):
        return "-", "-"
    mhz = f"{found['fmax']:.0f}" if routed(found) else f"~{found['fmax']:.0f}"
    if seeds := sorted(found.get("seeds", [])):
        mhz += f" ({seeds[0]:.0f} to {seeds[-1]:.0f})"
    else:
        mhz += " *"
    path = "-" if found["fmax"] >= GOAL_MHZ else way(found).format(f"{found['logic_ns']} + {found['routing_ns']} ns")
    return mhz, path


def depth(found):
    """Nanoseconds and um2 in standard cells, and the path of a block above what is wanted."""
    if not found:
        return "-", "-", "-"
    path = "-" if found["ns"] <= MOST_NS else way({**found, "through": [found["from"], *found["through"]]}).format("standard cells")
    return f"{found['ns']:.2f}", found["um2"], path


def table(results):
    """Blocks with their numbers by both rulers."""
    rows = [
        "| block | LUTs | FFs | block RAMs | MHz | ns | um2 | slowest path, if too slow | UltraScale+ LUTs | FFs | block RAMs |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for block, found in sorted(results.items()):
        other = found.get("xilinx", dict.fromkeys(("luts", "ffs", "brams"), "-"))
        (mhz, path), (ns, um2, deep) = frequency(found), depth(found.get("sta"))
        paths = "; ".join(each for each in (path, deep) if each != "-") or "-"
        own = found if "luts" in found else dict.fromkeys(("luts", "ffs", "brams"), "-")
        luts = other["luts"] if found.get("options") or other["luts"] == "-" else f"{other['luts']:,} *"
        cells = [block, own["luts"], own["ffs"], own["brams"], mhz, ns, um2, paths, luts, other["ffs"], other["brams"]]
        rows.append("| " + " | ".join(f"{cell:,}" if isinstance(cell, (int, float)) else cell for cell in cells) + " |")
    return "\n".join(rows)


def below(results, reasons):
    """The blocks of the NIC that fall short of a ruler, with the reason."""
    rows = [f"| {block} | {'; '.join(said)} | {reasons.get(block, 'no reason is known')} |" for block, found in sorted(results.items()) if (said := falls_short(found))]
    if not rows:
        return f"Every block of the NIC that is measured has {FLOOR_MHZ} MHz on ECP5 and at most {MOST_NS} ns in standard cells."
    return "\n".join(["Blocks of the NIC that fall short:", "", "| block | has | why |", "|---|---|---|", *rows])


def parts(results):
    """Which part the whole configurations fit."""
    rows = []
    for block, what in CONFIGURATIONS:
        if found := results.get(block):
            other = found.get("xilinx")
            on_ecp5 = fits(found["luts"], found["brams"], ECP5) if "luts" in found else "not counted"
            on_xilinx = fits(other["luts"], other["brams"], XILINX) if other else "not measured"
            rows.append(f"| `{block.replace('_', '-')}`: {what} | {on_ecp5} | {on_xilinx} |")
    if not rows:
        return "Which part the whole NIC fits is not measured yet."
    head = f"Which part is large enough, by cells, with {FILL:.0%} of the LUTs taken at most:"
    return "\n".join([head, "", "| configuration | ECP5 | UltraScale+ |", "|---|---|---|", *rows])


def summary(results):
    """How many blocks of the NIC reach what is wanted by each ruler."""
    speeds = {block: found for block, found in results.items() if found.get("fmax")}
    measured = [found["fmax"] for found in speeds.values() if routed(found)]
    deep = [found["sta"]["ns"] for found in results.values() if found.get("sta")]
    fast = lambda least: sum(fmax >= least for fmax in measured)  # noqa: E731
    text = f"{fast(GOAL_MHZ)} of {len(measured)} routed blocks of the NIC reach {GOAL_MHZ} MHz, {fast(FLOOR_MHZ)} the floor of {FLOOR_MHZ}; {sum(ns <= MOST_NS for ns in deep)} of {len(deep)} take at most {MOST_NS} ns in standard cells."
    if estimated := sorted(f"`{block}`" for block, found in speeds.items() if not routed(found)):
        text += f" After `~`, what the placer estimates: {', '.join(estimated)}."
    if old := sum("xilinx" in found and not found.get("options") for found in results.values()):
        text += f" Before `*`, {old} that were not measured since the options changed: one seed, without `-abc9`, `-flatten` and `-nowidelut`."
    return text


def write(document, l2, reasons):
    """Puts the tables into the page. `l2`: the blocks of the L2, which have a table of their own."""
    results = document["blocks"]
    nic = {block: found for block, found in results.items() if block not in l2}
    others = {block: found for block, found in results.items() if block in l2}
    tools = sorted({each["tools"] for found in results.values() for each in (found, found.get("sta", {})) if "tools" in each})
    text = PAGE.read_text()
    before, rest = text.split(START)
    _, after = rest.split(END)
    l2_head = "The L2 is the GPU's cache beside the NIC. It is a model in hardware, and has no part in the NIC's clock:"
    body = "\n\n".join(["", summary(nic), f"Tools: {'; '.join(tools)}.", table(nic), below(nic, reasons), l2_head, table(others), parts(results), ""])
    PAGE.write_text(before + START + body + END + after)
