//! What a figure counts, and what that is at the reference clock.

use std::fmt;

/// Clock at which figures are also stated, in MHz: that of Corundum and OpenNIC on UltraScale+. It is a class of
/// designs, no result of this one (docs/fpga.md).
pub const REFERENCE_MHZ: f64 = 250.0;

/// What a figure counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Cycles of a way.
    Cycles,
    /// Cycles for each of these.
    CyclesEach(&'static str),
    /// So many of these in a cycle.
    EachCycle(&'static str),
    /// Something that no clock changes.
    Plain(&'static str),
}

impl Unit {
    /// Nanoseconds that so much takes at the reference clock: a way, or the time for one.
    pub fn nanoseconds(self, value: f64) -> Option<f64> {
        let cycle = 1000.0 / REFERENCE_MHZ;
        match self {
            Self::Cycles | Self::CyclesEach(_) => Some(value * cycle),
            Self::EachCycle(_) if value > 0.0 => Some(cycle / value),
            Self::EachCycle(_) | Self::Plain(_) => None,
        }
    }

    /// Millions a second at the reference clock, of what there is one after the other.
    pub fn millions_a_second(self, value: f64) -> Option<f64> {
        match self {
            Self::CyclesEach(_) if value > 0.0 => Some(REFERENCE_MHZ / value),
            Self::EachCycle(_) => Some(REFERENCE_MHZ * value),
            Self::Cycles | Self::CyclesEach(_) | Self::Plain(_) => None,
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Cycles => f.write_str("cycles"),
            Self::CyclesEach(what) => write!(f, "cycles a {what}"),
            Self::EachCycle("") => f.write_str("a cycle"),
            Self::EachCycle(what) => write!(f, "{what} a cycle"),
            Self::Plain(what) => f.write_str(what),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Unit;

    #[test]
    fn a_cycle_is_four_nanoseconds() {
        for (unit, value, ns, millions, text) in [
            (Unit::Cycles, 24.0, Some(96.0), None, "cycles"),
            (
                Unit::CyclesEach("put"),
                2.0,
                Some(8.0),
                Some(125.0),
                "cycles a put",
            ),
            (
                Unit::CyclesEach("put"),
                0.0,
                Some(0.0),
                None,
                "cycles a put",
            ),
            (
                Unit::EachCycle("entries"),
                4.0,
                Some(1.0),
                Some(1000.0),
                "entries a cycle",
            ),
            (Unit::EachCycle(""), 0.0, None, Some(0.0), "a cycle"),
            (Unit::Plain("MHz"), 115.0, None, None, "MHz"),
        ] {
            assert_eq!(unit.nanoseconds(value), ns, "{unit}");
            assert_eq!(unit.millions_a_second(value), millions, "{unit}");
            assert_eq!(unit.to_string(), text);
        }
    }
}
