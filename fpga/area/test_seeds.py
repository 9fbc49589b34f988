"""Three seeds of the placer. `python3 -m unittest test_seeds`; a test of `xtq` runs it."""

import tempfile
import unittest
from pathlib import Path

import seeds

PNR = ["--um5g-85k", "--speed 8", "--seed 1", "--report report.json"]
PLACE = ["--seed 1", "--no-route", "--sdf placed.sdf"]


def core(pnr=PNR):
    """What is read of an exported core."""
    return {"targets": {"pnr": {"flow_options": {"nextpnr_options": pnr}}, "place": {"flow_options": {"nextpnr_options": PLACE}}}}


class Options(unittest.TestCase):
    def test_the_options_are_those_of_the_core(self):
        self.assertEqual(seeds.options(core(), "pnr"), ["--um5g-85k", "--speed", "8", "--seed", "1", "--report", "report.json"])

    def test_a_core_without_what_is_needed_is_refused(self):
        for options, said in [
            (["--report report.json"], "not one --seed"),
            ([*PNR, "--seed 2"], "not one --seed"),
            (["--seed 7", "--report report.json"], "not seed 1"),
            (["--seed 1", "--report"], "not one --report"),
            (["--seed 1"], "not one --report"),
            ([], "not one --seed"),
        ]:
            with self.assertRaisesRegex(ValueError, said):
                seeds.options(core(options), "pnr")

    def test_another_seed_writes_another_file(self):
        words = seeds.options(core(), "place")
        self.assertEqual(seeds.command(words, "place", 3, "wrap_a.json"), ["nextpnr-ecp5", "--seed", "3", "--no-route", "--sdf", "placed-3.sdf", "--json", "wrap_a.json"])
        # And the words are not changed for the next.
        self.assertEqual(seeds.command(words, "place", 2, "n")[2:6], ["2", "--no-route", "--sdf", "placed-2.sdf"])
        self.assertEqual(seeds.file("report.json", 1), "report.json")


class Files(unittest.TestCase):
    def test_a_flow_that_did_not_run_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(FileNotFoundError, "has 0 files xtq_.*run the flow first"):
                seeds.only(Path(folder), "xtq_hardware_*.json")
            for name in ("xtq_hardware_a.json", "report.json"):
                Path(folder, name).touch()
            self.assertEqual(seeds.only(Path(folder), "xtq_hardware_*.json").name, "xtq_hardware_a.json")
            Path(folder, "xtq_hardware_b.json").touch()
            with self.assertRaisesRegex(FileNotFoundError, "has 2 files"):
                seeds.only(Path(folder), "xtq_hardware_*.json")


class Median(unittest.TestCase):
    def test_the_path_is_that_of_the_middle_one(self):
        found = seeds.median([{"fmax": fmax, "to": name} for fmax, name in [(121.0, "a"), (99.5, "b"), (130.2, "c")]])
        self.assertEqual(found, {"fmax": 121.0, "to": "a", "seeds": [121.0, 99.5, 130.2]})

    def test_there_is_a_middle_one(self):
        self.assertEqual(len(seeds.SEEDS) % 2, 1)


if __name__ == "__main__":
    unittest.main()
