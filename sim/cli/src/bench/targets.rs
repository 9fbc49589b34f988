//! What design and issue want.

use super::report::{Report, Row, Target};
use super::traffic::{IDLE, NIC_IDLE, NIC_SATURATED, SATURATED};

/// Whether generated Rust was compiled for this machine's own instructions.
const NATIVE: bool = cfg!(target_feature = "bmi2");

/// The targets, with what the rows say of them; `first_cycle` is that of the target side and of the whole NIC.
pub fn targets(rows: &[Row], first_cycle: [f64; 2]) -> Vec<Target> {
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
    let slower_on_the_wall = |variant| {
        let wall = |variant| {
            let mut rows = rows.iter();
            rows.find(|row| of(SATURATED, 1, "jit", variant)(row))?
                .wall()
        };
        Some(wall("")? / wall(variant)?)
    };
    let target = |what, wanted, at_most, measured| Target {
        what,
        wanted,
        at_most,
        measured,
    };
    vec![
        target(
            "JIT after its last swap to Verilator, one saturated target side",
            2.0,
            false,
            ratio(["jit", ""], 1, SATURATED),
        ),
        target(
            "JIT after its last swap to Verilator, one saturated whole NIC",
            2.0,
            false,
            ratio(["jit", ""], 1, NIC_SATURATED),
        ),
        target(
            "generated Rust to Verilator, one saturated target side",
            if NATIVE { 3.0 } else { 2.7 },
            false,
            ratio(["aot", ""], 1, SATURATED),
        ),
        target(
            "generated Rust to Verilator, one saturated whole NIC",
            if NATIVE { 3.3 } else { 3.0 },
            false,
            ratio(["aot", ""], 1, NIC_SATURATED),
        ),
        target(
            "generated Rust to Verilator, 16 saturated target sides",
            4.0,
            false,
            ratio(["aot", ""], 16, SATURATED),
        ),
        target(
            "generated Rust to Verilator, 64 saturated target sides",
            3.5,
            false,
            ratio(["aot", ""], 64, SATURATED),
        ),
        target(
            "generated Rust to Verilator, 64 nearly idle target sides",
            40.0,
            false,
            ratio(["aot", ""], 64, IDLE),
        ),
        target(
            "generated Rust to Verilator, 16 nearly idle whole NICs",
            50.0,
            false,
            ratio(["aot", ""], 16, NIC_IDLE),
        ),
        target(
            "seconds from start to first cycle, target side",
            0.5,
            true,
            Some(first_cycle[0]),
        ),
        target(
            "seconds from start to first cycle, whole NIC",
            0.5,
            true,
            Some(first_cycle[1]),
        ),
        target(
            "slower with VCD of all signals, JIT, on the wall with two cores",
            4.5,
            true,
            slower_on_the_wall("VCD"),
        ),
        target(
            "slower with FST of all signals, JIT, on the wall with two cores",
            2.2,
            true,
            slower_on_the_wall("FST"),
        ),
        target(
            "slower with VCD of all signals, JIT, processor time of the simulating thread",
            2.0,
            true,
            slower("VCD"),
        ),
        target(
            "slower with FST of all signals, JIT, processor time of the simulating thread",
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
