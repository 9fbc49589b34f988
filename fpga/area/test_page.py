"""The tables of docs/reference/area.md. `python3 -m unittest test_page`; a test of `xtq` runs it."""

import unittest

import page

CELLS = {"luts": 1000, "ffs": 20, "brams": 3, "multipliers": 0, "xilinx": {"luts": 900, "ffs": 21, "brams": 1.5, "multipliers": 0}}
SLOW = CELLS | {"fmax": 99.6, "from": "a", "to": "b", "through": ["a", "sum"], "levels": 2, "logic_ns": 1.5, "routing_ns": 8.5}
PATH = "2 levels, 1.5 + 8.5 ns: `a`, `sum`, `b`"


def row(found):
    """The row of one block."""
    return page.table({"block": found}).splitlines()[-1]


class Page(unittest.TestCase):
    def test_a_block_below_the_target_has_its_path(self):
        self.assertEqual(row(SLOW), f"| block | 1,000 | 20 | 3 | 100 | {PATH} | 900 | 21 | 1.5 |")
        self.assertEqual(row(SLOW | {"fmax": 200.0}), "| block | 1,000 | 20 | 3 | 200 | - | 900 | 21 | 1.5 |")

    def test_an_estimate_is_marked_and_has_its_path(self):
        self.assertEqual(row(SLOW | {"routed": False}), f"| block | 1,000 | 20 | 3 | ~100 | {PATH} | 900 | 21 | 1.5 |")

    def test_estimates_are_not_counted_with_what_is_routed(self):
        said = page.summary({"fast": SLOW | {"fmax": 200.0}, "slow": SLOW, "large": SLOW | {"fmax": 300.0, "routed": False}, "nic": CELLS})
        self.assertEqual(said, "1 of 2 routed blocks reach 200 MHz. After `~`, what the placer estimates: `large`.")
        self.assertEqual(page.summary({"slow": SLOW}), "0 of 1 routed blocks reach 200 MHz.")
