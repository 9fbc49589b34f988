"""The budget of each block, and what exceeds it."""

TOLERANCE = 0.10
"""A block may grow, or lose frequency, by this share."""

SLACK = 8
"""So many cells are never too many: a small block moves by one or two with every change."""


def exceeded(block, found, budget):
    """What a block exceeds its budget by, a sentence each."""
    if budget is None:
        return [f"{block} has no budget: `fpga/run report --update {block}` sets it"]
    wrong = []
    for kind in ("luts", "ffs", "brams", "multipliers"):
        most = budget[kind] * (1 + TOLERANCE) + (SLACK if kind in ("luts", "ffs") else 0)
        if found[kind] > most:
            wrong.append(f"{block}: {found[kind]} {kind}, the budget is {budget[kind]}")
    if found["fmax"] < budget["fmax"] * (1 - TOLERANCE):
        path = f"{found['from']} -> {found['to']}, {found['levels']} levels"
        wrong.append(f"{block}: {found['fmax']} MHz, the budget is {budget['fmax']} MHz; {path}")
    return wrong
