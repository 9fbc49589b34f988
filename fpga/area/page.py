"""The tables of docs/reference/area.md, between two marks."""

from pathlib import Path

from budget import routed

PAGE = Path(__file__).resolve().parents[2] / "docs/reference/area.md"
START, END = "<!-- area: written by `fpga/run report --update` -->", "<!-- end -->"

TARGET_MHZ = 200

# LUTs of the largest parts: name, LUTs, block RAMs (18 Kbit on ECP5, 36 Kbit on UltraScale+).
ECP5 = [("LFE5U-25", 24_288, 56), ("LFE5U-45", 43_848, 108), ("LFE5U-85", 83_640, 208)]
XILINX = [("XCAU15P", 77_760, 144), ("XCKU5P", 216_960, 480), ("XCVU9P", 1_182_240, 2_160)]


# What is used as a whole: name, and what it has.
CONFIGURATIONS = [
    ("nic_small", "2 contexts, 64 match entries, 32 headers (memories for twice as many)"),
    ("nic", "4 contexts, 256 match entries, 128 headers"),
    ("nic_large", "4 contexts, 1,024 match entries, 1,024 headers"),
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


def table(results):
    """Blocks with their numbers."""
    rows = [
        "| block | LUTs | FFs | block RAMs | MHz | slowest path | UltraScale+ LUTs | FFs | block RAMs |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for block, found in sorted(results.items()):
        other = found.get("xilinx", dict.fromkeys(("luts", "ffs", "brams"), "-"))
        path, mhz = "-", "-"
        if found.get("fmax"):
            mhz = f"{found['fmax']:.0f}" if routed(found) else f"~{found['fmax']:.0f}"
            if found["fmax"] < TARGET_MHZ:
                way = ", ".join(f"`{name}`" for name in [*found["through"], found["to"]])
                path = f"{found['levels']} levels, {found['logic_ns']} + {found['routing_ns']} ns: {way}"
        own = found if "luts" in found else dict.fromkeys(("luts", "ffs", "brams"), "-")
        cells = [block, own["luts"], own["ffs"], own["brams"], mhz, path, other["luts"], other["ffs"], other["brams"]]
        rows.append("| " + " | ".join(f"{cell:,}" if isinstance(cell, (int, float)) else cell for cell in cells) + " |")
    return "\n".join(rows)


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
    """How many blocks reach the target."""
    speeds = {block: found for block, found in results.items() if found.get("fmax")}
    measured = [found["fmax"] for found in speeds.values() if routed(found)]
    reached = sum(fmax >= TARGET_MHZ for fmax in measured)
    text = f"{reached} of {len(measured)} routed blocks reach {TARGET_MHZ} MHz."
    if estimated := sorted(f"`{block}`" for block, found in speeds.items() if not routed(found)):
        text += f" After `~`, what the placer estimates: {', '.join(estimated)}."
    return text


def write(document):
    """Puts the tables into the page."""
    results = document["blocks"]
    tools = sorted({found["tools"] for found in results.values() if "tools" in found})
    text = PAGE.read_text()
    before, rest = text.split(START)
    _, after = rest.split(END)
    body = "\n\n".join(["", summary(results), f"Tools: {'; '.join(tools)}.", table(results), parts(results), ""])
    PAGE.write_text(before + START + body + END + after)
