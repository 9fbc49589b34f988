"""What exceeds a budget, and what is measured for each commit. `python3 -m unittest test_budget`; a test of `xtq` runs it."""

import json
import unittest
from pathlib import Path

from budget import ALWAYS, SECONDS, SLACK, TOLERANCE, asked, chosen, deeper, exceeded, falls_short, short
from short import REASONS

OWN = {"luts": 1000, "ffs": 1000, "brams": 10, "multipliers": 10}
BUDGET = OWN | {"fmax": 200.0, "options": "abc9", "xilinx": dict(OWN)}
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
        for judge in (exceeded, deeper):
            [said] = judge("block", None, None)
            self.assertIn("`fpga/run report --update block` sets it", said)

    def test_a_budget_of_other_options_is_not_compared_but_refused(self):
        old = {kind: value for kind, value in BUDGET.items() if kind != "options"}
        for budget, named in [(old, "one seed"), (BUDGET | {"options": "five seeds"}, "five seeds")]:
            [said] = exceeded("block", measured(luts=9999), budget)
            self.assertIn(named, said)


class Deeper(unittest.TestCase):
    BUDGET = {"ns": 1.0, "um2": 1000}

    def test_what_is_within_ten_per_cent_passes(self):
        for ns, um2 in [(1.1, 1100 + SLACK), (0.1, 1)]:
            self.assertEqual(deeper("block", PATH | {"ns": ns, "um2": um2}, self.BUDGET), [])

    def test_more_is_named_with_the_path(self):
        said = deeper("block", PATH | {"ns": 1.11, "um2": 1101 + SLACK}, self.BUDGET)
        self.assertEqual(said, ["block: 1.11 ns in standard cells, the budget is 1.0 ns; a -> b, 3 levels", f"block: {1101 + SLACK} um2 of standard cells, the budget is 1000"])


class Short(unittest.TestCase):
    def test_each_ruler_counts(self):
        self.assertEqual(falls_short({"fmax": 115.0, "sta": {"ns": 1.3}}), [])
        self.assertEqual(falls_short({}), [])
        self.assertEqual(len(falls_short({"fmax": 114.9, "sta": {"ns": 1.301}})), 2)

    def test_a_block_that_falls_short_needs_a_reason(self):
        budgets = {"slow": {"fmax": 81.0}, "deep": {"sta": {"ns": 6.17}}, "good": {"fmax": 130.0, "sta": {"ns": 1.0}}}
        said = short(budgets, [], {"slow": "wires"})
        self.assertEqual(said, ["deep: 6.17 ns in standard cells, at most 1.3 are wanted: mend it, or say why in fpga/area/short.py"])
        self.assertEqual(short(budgets, ["deep"], {"slow": "wires"}), [])

    def test_a_reason_for_a_block_that_holds_both_is_refused(self):
        for block in ("good", "none"):
            [said] = short({"good": {"fmax": 130.0}}, [], {block: "wires"})
            self.assertIn(f"{block} holds both rulers", said)

    def test_the_budget_of_the_repository_holds_the_floors_or_says_why(self):
        root = Path(__file__).resolve().parents[2]
        budgets = json.loads((root / "fpga/budget.json").read_text())["blocks"]
        l2 = {file.stem for file in (root / "docs/blocks/l2").glob("*.md")}
        self.assertEqual(short(budgets, l2, REASONS), [])
        self.assertTrue(all(len(reason) > 20 for reason in REASONS.values()))


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
        seconds = {(block, "parts"): budgets[block]["seconds"] for block in budgets if "seconds" in budgets[block]} | {(block, "sta"): budgets[block]["sta"]["seconds"] for block in budgets if "sta" in budgets[block]}
        self.assertLess(sum(seconds[each] for each in ALWAYS), SECONDS / 2)


if __name__ == "__main__":
    unittest.main()
