//! Hits of a bank of the L2, at its pins.

use rust_hdl::prelude::ToBits;
use xtq_engine::EngineKind;
use xtq_types::Wire;
use xtq_types::l2::{L2Request, L2Response, op};

use super::blocks::rate;
use super::{ContractError, unexpected};
use crate::bus::{Bench, Gaps, WordSink, WordSource};
use xtq_engine::blocks::engine;

/// Cycles in which anything must be done.
const CYCLES: u64 = 20_000;

/// What hits show.
pub(super) struct Hits {
    /// A cycle.
    pub rate: f64,
    /// Cycles from request to answer, the longest.
    pub latency: f64,
}

/// Loads, stores and atomics that hit one line, back to back, while `misses` other lines are fetched. Errors: of the
/// block.
pub(super) fn hits(misses: u64) -> Result<Hits, ContractError> {
    const HITS: usize = 200;
    let request = |op: u8, line: u64| L2Request {
        op: op.to_bits(),
        wide: 1u64.to_bits(),
        address: (line << 6).to_bits(),
        ..L2Request::default()
    };
    let mut engine = engine("l2_bank", EngineKind::Jit)?;
    let mut bench = Bench::new(engine.as_mut())?;
    let payload = ["request", "request_strobe", "request_data"];
    let requests = WordSource::with_ports(
        bench.engine,
        &payload,
        "request_valid",
        "request_ready",
        Gaps::none(),
    )?;
    bench.sources.push(requests);
    let fetched = WordSource::pulse(
        bench.engine,
        &["r_id", "r_data", "r_resp"],
        "r_valid",
        Gaps::none(),
    )?;
    bench.sources.push(fetched);
    let answers = bench.sink("response", Gaps::none())?;
    let reads = WordSink::with_ports(
        bench.engine,
        "ar",
        &["ar_id"],
        "ar_valid",
        "ar_ready",
        Gaps::none(),
    )?;
    bench.sinks.push(reads);
    let ask = |bench: &mut Bench, op, line| {
        let mut words = vec![0; 3];
        request(op, line).to_words(&mut words);
        words.push(u64::MAX);
        words.extend([1; 8]);
        bench.sources[0].push(&words);
    };
    ask(&mut bench, op::LOAD, 0);
    let reads = answers + 1;
    bench.run_until(|bench| !bench.sinks[reads].received().is_empty(), CYCLES)?;
    let id = bench.sinks[reads].received()[0].1[0];
    let line = [id, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    bench.sources[1].push(&line);
    bench.run_until(|bench| !bench.sinks[answers].received().is_empty(), CYCLES)?;
    for line in 1..=misses {
        ask(&mut bench, op::LOAD, line);
    }
    for hit in 0..HITS {
        ask(
            &mut bench,
            [op::LOAD, op::STORE, op::ATOMIC_ADD][hit % 3],
            0,
        );
    }
    bench.run_until(
        |bench| bench.sinks[answers].received().len() == 1 + HITS,
        CYCLES,
    )?;
    let told = &bench.sinks[answers].received()[1..];
    let missed = |(_, words): &(u64, Vec<u64>)| !L2Response::from_words(words).hit.any();
    if told.iter().any(missed) || bench.sinks[reads].received().len() as u64 != 1 + misses {
        return unexpected("hits of the L2", "a miss of a line that is there");
    }
    let told: Vec<u64> = told.iter().map(|(cycle, _)| *cycle).collect();
    let taken = &bench.sources[0].accepted()[1 + misses as usize..];
    let latency = told.iter().zip(taken).map(|(told, taken)| told - taken);
    Ok(Hits {
        rate: rate(&told),
        latency: latency.max().unwrap_or(0) as f64,
    })
}
