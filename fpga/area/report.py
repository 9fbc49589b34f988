#!/usr/bin/env python3
"""Area and timing of blocks: measures, compares with fpga/budget.json, writes the tables of docs/reference/area.md.

`fpga/run report` calls it once the Python tools are there.
"""

import argparse
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor, as_completed

import page
from budget import ALWAYS, SECONDS, asked, chosen, exceeded, routed
from measure import CELLS_ONLY, FPGA, build, measure, sources, tools

BUDGET = FPGA / "budget.json"

# Blocks with a page that have no budget: a module of two lines, and one that nextpnr had not routed after ten minutes
# (docs/fpga.md, "What is not there"). Any other without one is an error.
NOT_MEASURED = {"reg", "hash_match"}

# Above and below what must not be overlooked.
RULE = "!" * 80


def pages():
    """The blocks that have a page of their own, and the configurations of the whole NIC."""
    names = {file.stem for file in (FPGA.parent / "docs/blocks").rglob("*.md")}
    return [name for name in sorted(names - set(CELLS_ONLY)) + CELLS_ONLY if name not in NOT_MEASURED]


def split(budgets, jobs):
    """What a run for each commit measures: of the blocks whose sources or tools are not those of their budget those that fit the time, the short ones first. Those, and the blocks that are left."""
    blocks = [block for block in pages() if block in budgets]
    with ThreadPoolExecutor(jobs) as pool:
        digests = dict(zip(blocks, pool.map(sources, blocks)))
    made_from = lambda block: (budgets[block].get("sources"), budgets[block].get("tools"))  # noqa: E731
    changed = [block for block in blocks if made_from(block) != (digests[block], tools())]
    return chosen(ALWAYS, changed, lambda block: budgets[block].get("seconds", SECONDS), SECONDS, jobs)


def not_measured(blocks):
    """What is printed, before the last line, of blocks that are left to another run."""
    return f"""{RULE}
NOT MEASURED, though changed since their budget, as they take too long for this run ({len(blocks)}):
    {' '.join(blocks)}
./test.sh --nightly measures them; so does
    fpga/run report {' '.join(blocks)}
{RULE}"""


def measured(blocks, jobs):
    """Measures blocks, several at a time; each with its numbers, or None and what failed."""
    with ThreadPoolExecutor(jobs) as pool:
        under_way = {pool.submit(measure, block): block for block in blocks}
        for count, done in enumerate(as_completed(under_way), 1):
            block = under_way[done]
            try:
                found = done.result()
            except subprocess.CalledProcessError as error:
                yield block, None, f"{block}: {' '.join(map(str, error.cmd))} failed"
                continue
            except (ValueError, OSError) as error:
                yield block, None, f"{block}: {error}"
                continue
            speed = "not placed"
            if "fmax" in found:
                speed = f"{found['fmax']} MHz" if routed(found) else f"~{found['fmax']} MHz (placed only)"
            part, area = ("ECP5", found) if "luts" in found else ("UltraScale+", found["xilinx"])
            numbers = f"{area['luts']} LUTs, {area['ffs']} FFs, {area['brams']} block RAMs of {part}, {speed}; {found['seconds']} s"
            print(f"[{count}/{len(blocks)}] {block}: {numbers}", flush=True)
            yield block, found, None


def main():
    parser = argparse.ArgumentParser(prog="fpga/run report", description=__doc__.splitlines()[0])
    parser.add_argument("blocks", nargs="*", help="blocks; all: every one with a page, and the whole NIC [default: those of which Verilog, options or tools are not those of their budget, as many as a run for each commit has time for]")
    parser.add_argument("--update", action="store_true", help="take what is measured as the new budget, and write docs/reference/area.md")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="blocks at a time [default: the number of cores]")
    arguments = parser.parse_args()
    build()
    document = json.loads(BUDGET.read_text()) if BUDGET.exists() else {"blocks": {}}
    budgets = document["blocks"]
    wrong, left = [], []
    try:
        blocks = asked(arguments.blocks, pages())
    except ValueError as error:
        parser.error(str(error))
    if not blocks:
        blocks, left = split(budgets, arguments.jobs)
    for block, found, failed in measured(blocks, arguments.jobs):
        if failed:
            wrong.append(failed)
        elif arguments.update:
            budgets[block] = found
            BUDGET.write_text(json.dumps(document, indent=1, sort_keys=True) + "\n")
        else:
            wrong += exceeded(block, found, budgets.get(block))
    if arguments.update:
        page.write(document)
    if not arguments.blocks:
        wrong += [line for block in pages() if block not in budgets for line in exceeded(block, None, None)]
    if left:
        print(not_measured(left))
    print("\n".join(wrong) or f"{len(blocks)} blocks are within fpga/budget.json" + (f", {len(left)} HAVE CHANGED AND ARE NOT MEASURED" if left else ""))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
