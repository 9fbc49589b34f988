"""The tables of docs/fpga.md, between two marks."""

from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs/fpga.md"
START, END = "<!-- area: written by `fpga/run report --update` -->", "<!-- end -->"

TARGET_MHZ = 200

# LUTs of the largest parts: name, LUTs, block RAMs (18 Kbit on ECP5, 36 Kbit on UltraScale+).
ECP5 = [("LFE5U-25", 24_288, 56), ("LFE5U-45", 43_848, 108), ("LFE5U-85", 83_640, 208)]
XILINX = [("XCAU15P", 77_760, 144), ("XCKU5P", 216_960, 480), ("XCVU9P", 1_182_240, 2_160)]


def fits(luts, brams, parts):
    """The smallest part in which it takes at most 80 % of the LUTs and all block RAMs are there."""
    return next((name for name, most, rams in parts if luts <= 0.8 * most and brams <= rams), "none")


def table(results):
    """Blocks with their numbers."""
    rows = [
        "| block | LUTs | FFs | block RAMs | MHz | slowest path | UltraScale+ LUTs | FFs | block RAMs |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for block, found in sorted(results.items()):
        other = found["xilinx"]
        path, mhz = "-", "-"
        if found.get("fmax"):
            mhz = f"{found['fmax']:.0f}"
            if found["fmax"] < TARGET_MHZ:
                way = ", ".join(f"`{name}`" for name in [*found["through"], found["to"]])
                path = f"{found['levels']} levels, {found['logic_ns']} + {found['routing_ns']} ns: {way}"
        cells = [block, found["luts"], found["ffs"], found["brams"], mhz, path, other["luts"], other["ffs"], other["brams"]]
        rows.append("| " + " | ".join(f"{cell:,}" if isinstance(cell, (int, float)) else cell for cell in cells) + " |")
    return "\n".join(rows)


def parts(results):
    """Which part the whole configurations fit."""
    rows = []
    for block in ("nic", "nic_2", "xtq_target"):
        if found := results.get(block):
            other = found["xilinx"]
            on_ecp5, on_xilinx = fits(found["luts"], found["brams"], ECP5), fits(other["luts"], other["brams"], XILINX)
            rows.append(f"| {block} | {on_ecp5} | {on_xilinx} |")
    if not rows:
        return "Which part the whole NIC fits is not measured yet."
    return "\n".join(["| configuration | ECP5 | UltraScale+ |", "|---|---|---|", *rows])


def summary(results):
    """How many blocks reach the target."""
    measured = [found["fmax"] for found in results.values() if found.get("fmax")]
    reached = sum(fmax >= TARGET_MHZ for fmax in measured)
    return f"{reached} of {len(measured)} placed blocks reach {TARGET_MHZ} MHz."


def write(document):
    """Puts the tables into the page."""
    results, tools = document["blocks"], document["tools"]
    text = PAGE.read_text()
    before, rest = text.split(START)
    _, after = rest.split(END)
    body = "\n\n".join(["", summary(results), "Tools: " + ", ".join(tools.values()) + ".", table(results), parts(results), ""])
    PAGE.write_text(before + START + body + END + after)
