"""The tables of docs/reference/area.md. `python3 -m unittest test_page`; a test of `xtq` runs it."""

import unittest

import page

CELLS = {"luts": 1000, "ffs": 20, "brams": 3, "multipliers": 0, "xilinx": {"luts": 900, "ffs": 21, "brams": 1.5, "multipliers": 0}}
SLOW = CELLS | {"options": "abc9", "seeds": [99.6, 120.4, 95.0], "fmax": 99.6, "from": "a", "to": "b", "through": ["a", "sum"], "levels": 2, "logic_ns": 1.5, "routing_ns": 8.5}
DEEP = {"ns": 1.49, "um2": 34263, "from": "c", "through": ["look"], "to": "d", "levels": 30}
PATH = "2 levels, 1.5 + 8.5 ns: `a`, `sum`, `b`"


def row(found):
    """The row of one block."""
    return page.table({"block": found}).splitlines()[-1]


class Page(unittest.TestCase):
    def test_a_block_below_a_goal_has_its_path_by_that_ruler(self):
        self.assertEqual(row(SLOW), f"| block | 1,000 | 20 | 3 | 100 (95 to 120) | - | - | {PATH} | 900 | 21 | 1.5 |")
        self.assertEqual(row(SLOW | {"fmax": 125.0, "sta": DEEP}), "| block | 1,000 | 20 | 3 | 125 (95 to 120) | 1.49 | 34,263 | 30 levels, standard cells: `c`, `look`, `d` | 900 | 21 | 1.5 |")
        self.assertEqual(row(SLOW | {"fmax": 125.0, "sta": DEEP | {"ns": 1.3}}), "| block | 1,000 | 20 | 3 | 125 (95 to 120) | 1.30 | 34,263 | - | 900 | 21 | 1.5 |")

    def test_an_estimate_is_marked_and_has_its_path(self):
        self.assertEqual(row(SLOW | {"routed": False}), f"| block | 1,000 | 20 | 3 | ~100 (95 to 120) | - | - | {PATH} | 900 | 21 | 1.5 |")

    def test_numbers_of_older_options_are_marked(self):
        old = {key: value for key, value in SLOW.items() if key not in ("options", "seeds")}
        self.assertEqual(row(old), f"| block | 1,000 | 20 | 3 | 100 * | - | - | {PATH} | 900 * | 21 | 1.5 |")
        self.assertIn("Before `*`", page.summary({"block": old}))

    def test_a_block_that_falls_short_is_named_with_its_reason(self):
        text = page.below({"block": SLOW | {"sta": DEEP}, "good": SLOW | {"fmax": 200.0}}, {"block": "it waits"})
        self.assertEqual(text.splitlines()[-1], "| block | 99.6 MHz on ECP5, the floor is 115; 1.49 ns in standard cells, at most 1.3 are wanted | it waits |")
        self.assertNotIn("good", text)
        self.assertTrue(page.below({"block": SLOW}, {}).endswith("| no reason is known |"))
        self.assertTrue(page.below({}, {}).startswith("Every block"))

    def test_estimates_are_not_counted_with_what_is_routed(self):
        said = page.summary({"fast": SLOW | {"fmax": 200.0}, "slow": SLOW | {"sta": DEEP}, "large": SLOW | {"fmax": 300.0, "routed": False}, "nic": CELLS | {"options": "abc9"}})
        self.assertEqual(said, "1 of 2 routed blocks of the NIC reach 125 MHz, 1 the floor of 115; 0 of 1 take at most 1.3 ns in standard cells. After `~`, what the placer estimates: `large`.")
