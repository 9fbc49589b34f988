//! What design and issue want.

use super::cases::{IDLE, SATURATED};
use super::report::{Report, Row, Target};

/// The targets, with what the rows say of them.
pub fn targets(rows: &[Row], first_cycle: f64) -> Vec<Target> {
    let of =
        |traffic: &'static str, instances: usize, engine: &'static str, variant: &'static str| {
            move |row: &Row| {
                let same = (row.traffic, row.instances) == (traffic, instances);
                same && row.engine == engine && (engine == "verilator" || row.variant == variant)
            }
        };
    let ratio = |a: [&'static str; 2], instances, traffic| {
        Report::ratio(
            rows,
            of(traffic, instances, a[0], a[1]),
            of(traffic, instances, "verilator", ""),
        )
    };
    let slower = |variant| {
        let (off, on) = (
            of(SATURATED, 1, "jit", ""),
            of(SATURATED, 1, "jit", variant),
        );
        Report::ratio(rows, off, on)
    };
    let target = |what, wanted, at_most, measured| Target {
        what,
        wanted,
        at_most,
        measured,
    };
    vec![
        target(
            "JIT to Verilator, one saturated NIC",
            1.5,
            false,
            ratio(["jit", ""], 1, SATURATED),
        ),
        target(
            "generated Rust to Verilator, one saturated NIC",
            3.0,
            false,
            ratio(["aot", ""], 1, SATURATED),
        ),
        target(
            "generated Rust to Verilator, 64 nearly idle NICs",
            20.0,
            false,
            ratio(["aot", ""], 64, IDLE),
        ),
        target(
            "seconds from start to first cycle",
            1.0,
            true,
            Some(first_cycle),
        ),
        target(
            "slower with VCD of all signals, JIT",
            3.0,
            true,
            slower("VCD"),
        ),
        target(
            "slower with FST of all signals, JIT",
            2.0,
            true,
            slower("FST"),
        ),
        target(
            "slower with VCD of one block, JIT",
            3.0,
            true,
            slower("VCD of pipeline.header"),
        ),
        target(
            "slower with FST of one block, JIT",
            2.0,
            true,
            slower("FST of pipeline.header"),
        ),
    ]
}
