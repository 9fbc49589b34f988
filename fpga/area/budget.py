"""The budget of each block, and what exceeds it."""

TOLERANCE = 0.10
"""A block may grow, or lose frequency, by this share."""

SLACK = 8
"""So many cells are never too many: a small block moves by one or two with every change."""

SECONDS = 80
"""So many seconds, as the budgets have them, fit a run for each commit on each core."""

ALWAYS = ["reset_ram", "header_writer"]
"""Measured also if nothing has changed, so that the numbers are seen to come out again: a memory, and a state machine."""


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
    """What a run for each commit measures of the blocks that have changed, longest first, and those that are left to another: `always`, then the short ones first, while `jobs` cores need at most `most` seconds each and no block alone needs more. `seconds`: of a block."""
    taken, left, spent = list(always), [], sum(map(seconds, always))
    for block in sorted(set(changed) - set(always), key=seconds):
        spent += seconds(block)
        (taken if spent <= most * jobs and seconds(block) <= most else left).append(block)
    # The longest first, so that no other core waits for it at the end.
    return sorted(taken, key=seconds, reverse=True), left


def routed(found):
    """The frequency of a block is that behind the router, not what the placer estimates."""
    return found.get("routed", True)


def timed(found):
    """What the frequency of a block is of: nothing if only cells are counted. An estimate is not compared with what the router comes to."""
    if "fmax" not in found:
        return "not placed"
    return "routed" if routed(found) else "placed only"


def exceeded(block, found, budget):
    """What a block exceeds its budget by, a sentence each."""
    if budget is None:
        return [f"{block} has no budget: `fpga/run report --update {block}` sets it"]
    # Of the largest, cells of UltraScale+ are counted only.
    wrong = list(cells(block, found, budget, "ECP5")) if "luts" in budget else []
    if "xilinx" in budget:
        wrong += cells(block, found["xilinx"], budget["xilinx"], "UltraScale+")
    if timed(found) != timed(budget):
        wrong.append(f"{block}: {timed(found)}, but the budget is of a block that is {timed(budget)}: `fpga/run report --update {block}` sets a new one")
    elif "fmax" in budget and found["fmax"] < budget["fmax"] * (1 - TOLERANCE):
        path = f"{found['from']} -> {found['to']}, {found['levels']} levels"
        wrong.append(f"{block}: {found['fmax']} MHz, the budget is {budget['fmax']} MHz; {path}")
    return wrong
