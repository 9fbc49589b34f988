//! Lookups, counters and matching, at the pins of their blocks: the rest of the NIC would hide how fast they are.

use rust_hdl::prelude::ToBits;
use xtq_engine::EngineKind;
use xtq_types::Wire;
use xtq_types::counter::{counter_operation, counter_status};
use xtq_types::matching::{
    MatchCommand, MatchRequest, MatchResponse, MatchResult, match_code, match_op, me_option,
    outcome, portal_option,
};
use xtq_types::memory::{ReadRequest, ReadResult};
use xtq_types::pipe::{LookupRequest, LookupResult};

use super::{ContractError, unexpected};
use crate::bus::{Bench, Gaps, WordSink, WordSource};
use xtq_engine::blocks;

/// Cycles in which anything must be done.
const CYCLES: u64 = 20_000;

/// How often something happens, from cycles in order.
pub(super) fn rate(cycles: &[u64]) -> f64 {
    match (cycles.first(), cycles.last()) {
        (Some(first), Some(last)) if last > first => {
            (cycles.len() - 1) as f64 / (last - first) as f64
        }
        _ => 0.0,
    }
}

/// What lookups show.
pub(super) struct Lookups {
    /// Hits a cycle.
    pub rate: f64,
    /// Cycles from request to hit, the longest.
    pub latency: f64,
}

/// Hits in eight lines, back to back. Errors: of the block.
pub(super) fn lookups() -> Result<Lookups, ContractError> {
    const LINES: u64 = 8;
    const HITS: usize = 200;
    let request = |line: u64| LookupRequest {
        tag: line.to_bits(),
        context: (line % 4).to_bits(),
        kind: (line % 3).to_bits(),
        index: line.to_bits(),
        address: (line << 6).to_bits(),
    };
    let mut engine = blocks::engine("lookup_cache", EngineKind::Jit)?;
    let mut bench = Bench::new(engine.as_mut())?;
    let requests = bench.source("request", Gaps::none())?;
    bench.source("invalidate", Gaps::none())?;
    let fills = bench.sources.len();
    let pulses = WordSource::pulse(bench.engine, &["fill"], "fill_valid", Gaps::none())?;
    bench.sources.push(pulses);
    let misses = bench.sink("miss", Gaps::none())?;
    let results = bench.sinks.len();
    let pulses = WordSink::pulse(bench.engine, &["result"], "result_valid")?;
    bench.sinks.push(pulses);
    for line in 0..LINES {
        bench.sources[requests].push_value(request(line));
        let asked = |bench: &Bench| bench.sinks[misses].received().len() as u64 > line;
        bench.run_until(asked, CYCLES)?;
        let (_, words) = &bench.sinks[misses].received()[line as usize];
        bench.sources[fills].push_value(ReadResult {
            tag: ReadRequest::from_words(words).tag,
            ..ReadResult::default()
        });
        let told = |bench: &Bench| bench.sinks[results].received().len() as u64 > line;
        bench.run_until(told, CYCLES)?;
    }
    (0..HITS as u64).for_each(|hit| bench.sources[requests].push_value(request(hit % LINES)));
    let all = LINES as usize + HITS;
    bench.run_until(|bench| bench.sinks[results].received().len() == all, CYCLES)?;
    let told = &bench.sinks[results].received()[LINES as usize..];
    let taken = &bench.sources[requests].accepted()[LINES as usize..];
    if told
        .iter()
        .any(|(_, words)| !LookupResult::from_words(words).hit.any())
    {
        return unexpected("lookups", "a miss of a line that is there");
    }
    let told: Vec<u64> = told.iter().map(|(cycle, _)| *cycle).collect();
    let latency = told.iter().zip(taken).map(|(told, taken)| told - taken);
    Ok(Lookups {
        rate: rate(&told),
        latency: latency.max().unwrap_or(0) as f64,
    })
}

/// Increments a cycle of one counter, each reported to the trigger engine. Errors: of the block.
pub(super) fn counter_updates() -> Result<f64, ContractError> {
    const UPDATES: usize = 500;
    let mut engine = blocks::engine("counter_bank", EngineKind::Jit)?;
    let mut bench = Bench::new(engine.as_mut())?;
    let operation = [
        "operation_code",
        "operation_context",
        "operation_counter",
        "operation_success",
        "operation_failure",
    ];
    let source = WordSource::with_ports(
        bench.engine,
        &operation,
        "operation_valid",
        "operation_ready",
        Gaps::none(),
    )?;
    bench.sources.push(source);
    let answers = WordSink::pulse(bench.engine, &["result"], "result_valid")?;
    bench.sinks.push(answers);
    let updates = WordSink::with_ports(
        bench.engine,
        "update",
        &["update_sum"],
        "update_valid",
        "update_ready",
        Gaps::none(),
    )?;
    bench.sinks.push(updates);
    bench.sources[0].push(&[counter_operation::ALLOC.into(), 2, 7, 0, 0]);
    for _ in 0..UPDATES {
        bench.sources[0].push(&[counter_operation::COUNT.into(), 2, 7, 3, 1]);
    }
    bench.run_until(
        |bench| bench.sinks[1].received().len() == UPDATES + 1,
        CYCLES,
    )?;
    let refused = |(_, words): &(u64, Vec<u64>)| words[0] != u64::from(counter_status::OK);
    if bench.sinks[0].received().iter().any(refused) {
        return unexpected("counter updates", "one that is refused");
    }
    let updates = bench.sinks[1].received()[1..].iter();
    Ok(rate(&updates.map(|(cycle, _)| *cycle).collect::<Vec<_>>()))
}

/// A match unit and how many entries a context of it has.
pub(super) struct List {
    block: &'static str,
    entries: u64,
}

/// The default configuration.
pub(super) const DEFAULT_LIST: List = List {
    block: "match_unit",
    entries: 64,
};
/// The large one.
pub(super) const LARGE_LIST: List = List {
    block: "match_unit_2",
    entries: 1024,
};

/// A match unit with a portal entry of context 0.
struct Lists<'a> {
    bench: Bench<'a>,
    request: usize,
    command: usize,
    results: usize,
    responses: usize,
}

impl<'a> Lists<'a> {
    /// With entries for the match bits 0, 1, 2, ...
    fn new(engine: &'a mut dyn xtq_engine::Engine, entries: u64) -> Result<Self, ContractError> {
        let mut bench = Bench::new(engine)?;
        let mut lists = Self {
            request: bench.source("request", Gaps::none())?,
            command: bench.source("command", Gaps::none())?,
            results: bench.sink("result", Gaps::none())?,
            responses: bench.sink("response", Gaps::none())?,
            bench,
        };
        let alloc = MatchCommand {
            op: match_op::PT_ALLOC.to_bits(),
            options: portal_option::MATCHING.to_bits(),
            ..MatchCommand::default()
        };
        lists.bench.sources[lists.command].push_value(alloc);
        for id in 0..entries {
            lists.bench.sources[lists.command].push_value(MatchCommand {
                op: match_op::ME_APPEND.to_bits(),
                id: id.to_bits(),
                options: me_option::OP_PUT.to_bits(),
                any_node: true.into(),
                any_context: true.into(),
                any_user: true.into(),
                match_bits: id.to_bits(),
                length: 1000u64.to_bits(),
                ..MatchCommand::default()
            });
        }
        let responses = lists.responses;
        let all = entries as usize + 1;
        let done = |bench: &Bench| bench.sinks[responses].received().len() == all;
        lists.bench.run_until(done, CYCLES)?;
        let codes = lists.bench.sinks[responses].values::<MatchResponse>();
        let linked = |response: &MatchResponse| response.code == match_code::LINKED.to_bits::<4>();
        match codes[1..].iter().all(linked) {
            true => Ok(lists),
            false => unexpected("match", "an entry that is not linked"),
        }
    }

    /// Puts with these bits, back to back; cycles of the requests and of the results. Errors: of the block; one is not
    /// matched.
    fn puts(&mut self, bits: &[u64]) -> Result<(Vec<u64>, Vec<u64>), ContractError> {
        let (request, results) = (self.request, self.results);
        let before = self.bench.sinks[results].received().len();
        for bits in bits {
            self.bench.sources[request].push_value(MatchRequest {
                event_room: 3u64.to_bits(),
                match_bits: bits.to_bits(),
                length: 8u64.to_bits(),
                limit: u32::MAX.to_bits(),
                ..MatchRequest::default()
            });
        }
        let all = before + bits.len();
        let done = |bench: &Bench| bench.sinks[results].received().len() == all;
        self.bench.run_until(done, CYCLES)?;
        let told = &self.bench.sinks[results].received()[before..];
        let missed = |(_, words): &(u64, Vec<u64>)| {
            MatchResult::from_words(words).outcome != outcome::MATCHED.to_bits::<3>()
        };
        if told.iter().any(missed) {
            return unexpected("match", "a put that is not matched");
        }
        let taken = self.bench.sources[request].accepted()[before..].to_vec();
        Ok((taken, told.iter().map(|(cycle, _)| *cycle).collect()))
    }
}

/// The longest time between the results of two puts that the first entry takes, sustained. Errors: of the block.
pub(super) fn first_hits() -> Result<f64, ContractError> {
    let mut engine = blocks::engine(DEFAULT_LIST.block, EngineKind::Jit)?;
    let mut lists = Lists::new(engine.as_mut(), DEFAULT_LIST.entries)?;
    let (_, told) = lists.puts(&[0; 200])?;
    // The unit is idle before the first.
    let distances = told.windows(2).skip(1).map(|pair| pair[1] - pair[0]);
    Ok(distances.max().unwrap_or(0) as f64)
}

/// Entries a cycle in front of one deep in a list, from how much longer it takes to find than the first. Errors: of the
/// block.
pub(super) fn long_list(list: List) -> Result<f64, ContractError> {
    let mut engine = blocks::engine(list.block, EngineKind::Jit)?;
    let mut lists = Lists::new(engine.as_mut(), list.entries)?;
    let mut latency = |bits: u64| {
        let (taken, told) = lists.puts(&[bits])?;
        Ok::<_, ContractError>(told[0] - taken[0])
    };
    let first = latency(0)?;
    // The first of the last four.
    let deep = list.entries - 4;
    let more = latency(deep)?.saturating_sub(first);
    Ok(deep as f64 / more.max(1) as f64)
}
