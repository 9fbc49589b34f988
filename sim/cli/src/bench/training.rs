//! The inputs for which generated Rust chooses its parts, and what is known of them.
//!
//! `sim/aot/training` has a tape of saturated traffic for each top, and `operations.json`: how many operations a replay
//! of it computes. Hardware whose timing has changed still takes the tape, but other operations are then computed; the
//! tests below say when it has to be recorded anew.

use super::traffic::{NIC_SATURATED, SATURATED, Traffic, all};
use super::{BenchError, write_file};
use serde::{Deserialize, Serialize};
use std::path::Path;
use xtq_engine::{Backend, Body, Compiled, Engine, Tape, blocks};

/// Messages of a tape: enough for all caches to be warm.
const MESSAGES: u16 = 400;
/// File of what is known of the tapes.
const COUNTS: &str = "operations.json";

/// The files that are written.
pub const FILES: [&str; 3] = ["xtq_target.tape", "nic.tape", COUNTS];

/// What a replay of a tape computes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Count {
    /// The block.
    block: String,
    /// Operations of the design.
    design: usize,
    /// Clock cycles of the tape.
    cycles: usize,
    /// Operations that were computed in all of them.
    operations: u64,
    /// Digest of the outputs, hexadecimal.
    digest: String,
}

/// Saturated traffic of both tops. Errors: of the nodes.
fn record() -> Result<Vec<Traffic>, BenchError> {
    let mut traffic = all(MESSAGES, 0)?;
    traffic.retain(|traffic| [SATURATED, NIC_SATURATED].contains(&traffic.name));
    Ok(traffic)
}

/// Plays a tape to the block with the parts for another one, or the same. Errors: of the engine.
fn count(block: &str, training: &Tape, tape: &Tape) -> Result<Count, BenchError> {
    let design = blocks::design(block)?;
    let body = Body::trained(design.as_ref(), Backend::Interp, training)?;
    let mut engine = Compiled::new(body.into());
    engine.reset(2)?;
    let (before, mut digest) = (engine.operations(), 0);
    let mut player = tape.player(&engine)?;
    for cycle in 0..tape.cycles() {
        digest = player.cycle(&mut engine, cycle, digest)?;
    }
    Ok(Count {
        block: block.into(),
        design: engine.body().nodes(),
        cycles: tape.cycles(),
        operations: engine.operations() - before,
        digest: format!("{digest:016x}"),
    })
}

/// Records the tapes anew, into this folder, with what they compute. Errors: of the nodes; a file cannot be written.
pub fn write(folder: &Path) -> Result<(), BenchError> {
    std::fs::create_dir_all(folder).map_err(|error| BenchError::file(folder, error))?;
    let mut counts = Vec::new();
    for Traffic { top, tape, .. } in record()? {
        let block = top.block();
        write_file(&folder.join(format!("{block}.tape")), &tape.packed())?;
        counts.push(count(block, &tape, &tape)?);
    }
    let text = serde_json::to_string_pretty(&counts);
    let text = text.map_err(|error| BenchError::new(COUNTS, error))? + "\n";
    write_file(&folder.join(COUNTS), text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many times as many operations may be computed a cycle before the parts are too old.
    const GROWN: f64 = 1.2;
    const ANEW: &str = "`cargo run --release -- bench --training sim/aot/training` records anew";

    fn folder() -> &'static Path {
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../aot/training"))
    }

    fn known() -> Vec<(Tape, Count)> {
        let text = std::fs::read_to_string(folder().join(COUNTS)).unwrap();
        let counts: Vec<Count> = serde_json::from_str(&text).unwrap();
        let tape = |count: Count| {
            let file = folder().join(format!("{}.tape", count.block));
            (
                Tape::unpacked(&std::fs::read(file).unwrap()).unwrap(),
                count,
            )
        };
        counts.into_iter().map(tape).collect()
    }

    #[test]
    fn the_tapes_compute_exactly_what_is_written_down() {
        let known = known();
        assert_eq!(known.len(), 2);
        for (tape, expected) in known {
            let found = count(&expected.block, &tape, &tape).unwrap();
            assert_eq!(
                found, expected,
                "the hardware or the partition has changed: {ANEW}"
            );
        }
    }

    #[test]
    fn the_parts_for_the_tapes_suit_the_traffic_of_today() {
        for ((training, expected), today) in known().iter().zip(record().unwrap()) {
            let found = count(&expected.block, training, &today.tape).unwrap();
            let share = |count: &Count| {
                count.operations as f64 / (count.cycles as f64 * count.design as f64)
            };
            assert!(
                share(&found) <= GROWN * share(expected),
                "{found:?} instead of {expected:?}: {ANEW}"
            );
        }
    }

    #[test]
    fn parts_for_other_traffic_compute_a_fifth_more() {
        // So the test above can fail.
        let idle = all(MESSAGES, 2).unwrap();
        let idle = idle
            .iter()
            .find(|traffic| traffic.name == super::super::traffic::IDLE);
        let (tape, expected) = &known()[0];
        let found = count(&expected.block, &idle.unwrap().tape, tape).unwrap();
        assert!(
            found.operations as f64 > GROWN * expected.operations as f64,
            "{found:?}"
        );
    }
}
