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
from budget import ALWAYS, SECONDS, asked, chosen, deeper, exceeded, routed, short
from measure import CELLS_ONLY, FPGA, OPTIONS, PARTS, RULERS, STA, build, measure, rulers, sources, tools
from short import REASONS

BUDGET = FPGA / "budget.json"

# A block with a page that has no budget, as it is a module of two lines. Any other without one is an error.
NOT_MEASURED = {"reg"}

# Above and below what must not be overlooked.
RULE = "!" * 80


def pages():
    """The blocks that have a page of their own, and the configurations of the whole NIC."""
    names = {file.stem for file in (FPGA.parent / "docs/blocks").rglob("*.md")}
    return [name for name in sorted(names - set(CELLS_ONLY)) + CELLS_ONLY if name not in NOT_MEASURED]


def l2():
    """The blocks of the L2, which is the GPU's: no part of the NIC."""
    return {file.stem for file in (FPGA.parent / "docs/blocks/l2").glob("*.md")}


def of(budgets, block, ruler):
    """The budget of a block by a ruler, or None."""
    budget = budgets.get(block)
    return budget and (budget.get("sta") if ruler == STA else budget)


def split(budgets, jobs):
    """What a run for each commit measures: of the blocks whose sources or tools are not those of their budget those that fit the time, the short ones first. Those, and the blocks that are left, each with its ruler."""
    blocks = [block for block in pages() if block in budgets]
    with ThreadPoolExecutor(jobs) as pool:
        digests = dict(zip(blocks, pool.map(sources, blocks)))
    tried = [(block, ruler) for block in blocks for ruler in digests[block] if of(budgets, block, ruler)]
    made_from = lambda block, ruler: (of(budgets, block, ruler).get("sources"), of(budgets, block, ruler).get("tools"))  # noqa: E731
    changed = [(block, ruler) for block, ruler in tried if made_from(block, ruler) != (digests[block][ruler], tools()[ruler])]
    # A budget of older options cannot be compared: somebody has to take the time for a new one.
    older = [each for each in changed if each not in ALWAYS and each[1] == PARTS and budgets[each[0]].get("options") != OPTIONS]
    seconds = lambda each: of(budgets, *each).get("seconds", SECONDS)  # noqa: E731
    taken, left = chosen(ALWAYS, [each for each in changed if each not in older], seconds, SECONDS, jobs)
    missing = [(block, ruler) for block in blocks for ruler in digests[block] if not of(budgets, block, ruler)]
    return taken, left + older + missing


def not_measured(blocks):
    """What is printed, before the last line, of blocks that are left to another run."""
    return f"""{RULE}
NOT MEASURED, though changed since their budget, as they take too long for this run, or their budget is of older options
of the flows, or there is none by this ruler yet ({len(blocks)}):
    {' '.join(f'{block}({ruler})' for block, ruler in blocks)}
./test.sh --nightly measures them; so does
    fpga/run report {' '.join(sorted({block for block, _ in blocks}))}
{RULE}"""


def said(found):
    """What is printed of a block."""
    if "ns" in found:
        return f"{found['ns']} ns, {found['cells']} cells, {found['um2']} um2 in standard cells"
    speed = "not placed"
    if "fmax" in found:
        speed = f"{found['fmax']} MHz" if routed(found) else f"~{found['fmax']} MHz (placed only)"
    part, area = ("ECP5", found) if "luts" in found else ("UltraScale+", found["xilinx"])
    return f"{area['luts']} LUTs, {area['ffs']} FFs, {area['brams']} block RAMs of {part}, {speed}"


def tried(block, wanted):
    """Measures a block with some rulers, one after the other, as they share its export; each with its numbers, or None and what failed."""
    found = []
    for ruler in wanted:
        try:
            found.append((ruler, measure(block, ruler), None))
        except subprocess.CalledProcessError as error:
            found.append((ruler, None, f"{block}: {' '.join(map(str, error.cmd))} failed"))
        except (ValueError, OSError) as error:
            found.append((ruler, None, f"{block}: {error}"))
    return found


def measured(blocks, jobs):
    """Measures blocks with their rulers, several blocks at a time; each with its numbers, or None and what failed."""
    wanted = {block: [ruler for other, ruler in blocks if other == block] for block, _ in blocks}
    with ThreadPoolExecutor(jobs) as pool:
        under_way = {pool.submit(tried, *each): each[0] for each in wanted.items()}
        for count, done in enumerate(as_completed(under_way), 1):
            block = under_way[done]
            for ruler, found, failed in done.result():
                if found:
                    print(f"[{count}/{len(wanted)}] {block}: {said(found)}; {found['seconds']} s", flush=True)
                yield block, ruler, found, failed


def kept(budgets, block, ruler, found):
    """Puts what is measured into the budgets."""
    if ruler == STA:
        budgets.setdefault(block, {})["sta"] = found
        return
    other = budgets.get(block, {}).get("sta")
    budgets[block] = found | ({"sta": other} if other else {})


def main():
    parser = argparse.ArgumentParser(prog="fpga/run report", description=__doc__.splitlines()[0])
    parser.add_argument("blocks", nargs="*", help="blocks; all: every one with a page, and the whole NIC [default: those of which Verilog, options or tools are not those of their budget, as many as a run for each commit has time for]")
    parser.add_argument("--update", action="store_true", help="take what is measured as the new budget, and write docs/reference/area.md")
    parser.add_argument("--only", choices=RULERS, help="measure with one ruler: parts (area on ECP5 and UltraScale+, frequency on ECP5) or sta (standard cells) [default: both]")
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
    else:
        blocks = [(block, ruler) for block in blocks for ruler in rulers(block)]
    only = [arguments.only] if arguments.only else RULERS
    blocks = [(block, ruler) for block, ruler in blocks if ruler in only]
    for block, ruler, found, failed in measured(blocks, arguments.jobs):
        if failed:
            wrong.append(failed)
        elif arguments.update:
            kept(budgets, block, ruler, found)
            BUDGET.write_text(json.dumps(document, indent=1, sort_keys=True) + "\n")
        else:
            wrong += (deeper if ruler == STA else exceeded)(block, found, of(budgets, block, ruler))
    if arguments.update:
        page.write(document, l2(), REASONS)
    if arguments.blocks in ([], ["all"]):
        wrong += [line for block in pages() if block not in budgets for line in exceeded(block, None, None)]
        wrong += short(budgets, l2(), REASONS)
    if left:
        print(not_measured(left))
    print("\n".join(wrong) or f"{len({block for block, _ in blocks})} blocks are within fpga/budget.json" + (f", {len({block for block, _ in left})} HAVE CHANGED AND ARE NOT MEASURED" if left else ""))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
