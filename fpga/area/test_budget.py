"""What exceeds a budget, and what is measured for each commit. `python3 -m unittest test_budget`; a test of `xtq` runs it."""

import json
import unittest
from pathlib import Path

from budget import ALWAYS, SECONDS, SLACK, TOLERANCE, asked, chosen, exceeded

OWN = {"luts": 1000, "ffs": 1000, "brams": 10, "multipliers": 10}
BUDGET = OWN | {"fmax": 200.0, "xilinx": dict(OWN)}
PATH = {"from": "a", "to": "b", "levels": 3}


def measured(part=None, **more):
    """The budget's own numbers, but for some: of ECP5, or with `part` of UltraScale+."""
    found = BUDGET | PATH | {"xilinx": dict(OWN)}
    (found["xilinx"] if part else found).update(more)
    return found


class Exceeded(unittest.TestCase):
    def test_what_is_within_ten_per_cent_passes(self):
        for found in [measured(), measured(luts=1100 + SLACK, ffs=1100 + SLACK, brams=11, multipliers=11, fmax=180.0), measured(luts=1, fmax=500.0)]:
            self.assertEqual(exceeded("block", found, BUDGET), [])

    def test_each_number_above_is_named(self):
        self.assertEqual(TOLERANCE, 0.10)
        for kind, many in [("luts", 1101 + SLACK), ("ffs", 1101 + SLACK), ("brams", 12), ("multipliers", 12)]:
            for part, name in [(None, "ECP5"), ("xilinx", "UltraScale+")]:
                said = exceeded("block", measured(part, **{kind: many}), BUDGET)
                self.assertEqual(said, [f"block: {many} {kind} on {name}, the budget is {OWN[kind]}"])

    def test_a_lower_frequency_is_named_with_its_path(self):
        said = exceeded("block", measured(fmax=179.9), BUDGET)
        self.assertEqual(said, ["block: 179.9 MHz, the budget is 200.0 MHz; a -> b, 3 levels"])

    def test_a_frequency_of_another_kind_than_that_of_the_budget_is_refused(self):
        cells = {kind: value for kind, value in BUDGET.items() if kind != "fmax"}
        for found, budget, kinds in [
            (measured(), cells, ("routed", "not placed")),
            (cells, BUDGET, ("not placed", "routed")),
            (measured(fmax=500.0), BUDGET | {"routed": False}, ("routed", "placed only")),
            (measured(routed=False), BUDGET, ("placed only", "routed")),
        ]:
            [said] = exceeded("block", found, budget)
            self.assertIn(f"block: {kinds[0]}, but the budget is of a block that is {kinds[1]}", said)
        self.assertEqual(exceeded("block", measured(routed=False), BUDGET | {"routed": False}), [])

    def test_a_block_of_which_only_cells_are_counted_has_no_frequency(self):
        budget = {"xilinx": dict(OWN)}
        self.assertEqual(exceeded("nic", {"xilinx": dict(OWN)}, budget), [])
        self.assertEqual(len(exceeded("nic", {"xilinx": OWN | {"luts": 2000}}, budget)), 1)

    def test_a_block_that_is_not_placed_has_cells_of_both_parts(self):
        budget = {name: value for name, value in BUDGET.items() if name != "fmax"}
        self.assertEqual(exceeded("nic_small", budget, budget), [])
        self.assertEqual(len(exceeded("nic_small", budget | {"luts": 2000}, budget)), 1)

    def test_a_block_without_a_budget_is_an_error(self):
        [said] = exceeded("block", None, None)
        self.assertIn("`fpga/run report --update block` sets it", said)


class Asked(unittest.TestCase):
    def test_all_is_every_page(self):
        self.assertEqual(asked(["all"], ["a", "b"]), ["a", "b"])
        self.assertEqual(asked([], ["a", "b"]), [])

    def test_nothing_is_named_beside_all(self):
        for names in [["all", "a"], ["a", "all"], ["all", "all"]]:
            with self.assertRaises(ValueError):
                asked(names, ["a"])

    def test_a_name_may_have_a_dash(self):
        self.assertEqual(asked(["nic-small", "l2_bank"], ["a"]), ["nic_small", "l2_bank"])


class Chosen(unittest.TestCase):
    SECONDS = {"always": 50, "a": 10, "b": 20, "c": 100, "d": 101}

    def choose(self, changed, most, jobs):
        return chosen(["always"], changed, self.SECONDS.get, most, jobs)

    def test_all_that_has_changed_is_measured_if_there_is_time(self):
        self.assertEqual(self.choose(["a", "b", "c"], 100, 2), (["c", "always", "b", "a"], []))

    def test_nothing_but_what_is_always_measured_if_nothing_has_changed(self):
        self.assertEqual(self.choose([], 100, 2), (["always"], []))
        self.assertEqual(self.choose(["always"], 100, 2), (["always"], []))

    def test_a_block_that_is_too_long_is_left(self):
        self.assertEqual(self.choose(["d", "a"], 100, 4), (["always", "a"], ["d"]))

    def test_the_long_ones_are_left_if_all_together_are_too_long(self):
        self.assertEqual(self.choose(["a", "b", "c"], 100, 1), (["always", "b", "a"], ["c"]))

    def test_what_is_always_measured_leaves_most_of_the_time_to_what_has_changed(self):
        budgets = json.loads((Path(__file__).parent.parent / "budget.json").read_text())["blocks"]
        self.assertLess(sum(budgets[block]["seconds"] for block in ALWAYS), SECONDS / 2)


if __name__ == "__main__":
    unittest.main()
