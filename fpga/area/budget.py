"""The budget of each block, and what exceeds it."""

TOLERANCE = 0.10
"""A block may grow, or lose frequency, by this share."""

SLACK = 8
"""So many cells are never too many: a small block moves by one or two with every change."""

SECONDS = 80
"""So many seconds of processor time, as the budgets have them, fit a run for each commit on each core."""

ALWAYS = [("skid", "parts"), ("header_writer", "sta")]
"""Measured also if nothing has changed, so that the numbers are seen to come out again: a small one by the first ruler, as three seeds take long, and a state machine by the second."""

GOAL_MHZ, FLOOR_MHZ = 125, 115
"""What a block of the NIC is to reach on ECP5, and what a run fails below."""
MOST_NS = 1.3
"""And the most it may take in standard cells."""


def cells(block, found, budget, part):
    """What a block takes too many of on a part, a sentence each."""
    for kind in ("luts", "ffs", "brams", "multipliers"):
        most = budget[kind] * (1 + TOLERANCE) + (SLACK if kind in ("luts", "ffs") else 0)
        if found[kind] > most:
            yield f"{block}: {found[kind]} {kind} on {part}, the budget is {budget[kind]}"


def asked(names, pages):
    """The blocks that are named on the command line: as `fpga/run` takes them, nic-small is nic_small; `all` alone is every one of `pages`. ValueError: `all` is not alone."""
    if "all" in names and len(names) > 1:
        raise ValueError("`all` is every block: name no other beside it")
    return list(pages) if names == ["all"] else [name.replace("-", "_") for name in names]


def chosen(always, changed, seconds, most, jobs):
    """What a run for each commit measures of the blocks that have changed, each with its ruler, longest first, and those that are left to another: `always`, then the short ones first, while `jobs` cores need at most `most` seconds each and no one alone needs more. `seconds`: of a block with its ruler."""
    taken, left, spent = list(always), [], sum(map(seconds, always))
    for block in sorted(set(changed) - set(always), key=seconds):
        spent += seconds(block)
        (taken if spent <= most * jobs and seconds(block) <= most else left).append(block)
    # The longest first, so that no other core waits for it at the end.
    return sorted(taken, key=seconds, reverse=True), left


def routed(found):
    """The frequency of a block is that after the router, not what the placer estimates."""
    return found.get("routed", True)


def timed(found):
    """What the frequency of a block is of: nothing if only cells are counted. An estimate is not compared with what the router comes to."""
    if "fmax" not in found:
        return "not placed"
    return "routed" if routed(found) else "placed only"


def exceeded(block, found, budget):
    """What a block exceeds its budget on parts by, a sentence each."""
    if budget is None:
        return [f"{block} has no budget: `fpga/run report --update {block}` sets it"]
    if found.get("options") != budget.get("options"):
        return [f"{block}: its budget is of other options ({budget.get('options', 'one seed, none of abc9, flatten and nowidelut')}): `fpga/run report --update {block}` sets a new one"]
    # Of the largest, cells of UltraScale+ are counted only.
    wrong = list(cells(block, found, budget, "ECP5")) if "luts" in budget else []
    if "xilinx" in budget:
        wrong += cells(block, found["xilinx"], budget["xilinx"], "UltraScale+")
    if timed(found) != timed(budget):
        wrong.append(f"{block}: {timed(found)}, but the budget is of a block that is {timed(budget)}: `fpga/run report --update {block}` sets a new one")
    elif "fmax" in budget and found["fmax"] < budget["fmax"] * (1 - TOLERANCE):
        wrong.append(f"{block}: {found['fmax']} MHz, the budget is {budget['fmax']} MHz; {path(found)}")
    return wrong


def deeper(block, found, budget):
    """What a block exceeds its budget in standard cells by."""
    if budget is None:
        return [f"{block} has no budget in standard cells: `fpga/run report --update {block}` sets it"]
    wrong = []
    if found["ns"] > budget["ns"] * (1 + TOLERANCE):
        wrong.append(f"{block}: {found['ns']} ns in standard cells, the budget is {budget['ns']} ns; {path(found)}")
    if found["um2"] > budget["um2"] * (1 + TOLERANCE) + SLACK:
        wrong.append(f"{block}: {found['um2']} um2 of standard cells, the budget is {budget['um2']}")
    return wrong


def path(found):
    return f"{found['from']} -> {found['to']}, {found['levels']} levels"


def falls_short(budget):
    """What a block of the NIC misses: the floor on ECP5, the nanoseconds in standard cells."""
    wrong = []
    if budget.get("fmax", FLOOR_MHZ) < FLOOR_MHZ:
        wrong.append(f"{budget['fmax']} MHz on ECP5, the floor is {FLOOR_MHZ}")
    if budget.get("sta", {}).get("ns", 0) > MOST_NS:
        wrong.append(f"{budget['sta']['ns']} ns in standard cells, at most {MOST_NS} are wanted")
    return wrong


def short(budgets, others, reasons):
    """What is wrong with the floors, a sentence each: a block of the NIC that falls short without a reason in `reasons`, and a reason for one that does not. `others`: blocks that are not of the NIC."""
    missed = {block: said for block, budget in budgets.items() if block not in others and (said := falls_short(budget))}
    wrong = [f"{block}: {'; '.join(said)}: mend it, or say why in fpga/area/short.py" for block, said in sorted(missed.items()) if block not in reasons]
    return wrong + [f"{block} holds both rulers (or is none of the NIC): take it out of fpga/area/short.py" for block in sorted(set(reasons) - set(missed))]
