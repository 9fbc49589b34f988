//! Several engines side by side on the same inputs, until one differs.
//!
//! Each cycle every output is compared; every `signals_every` cycles every signal that the first one and another can
//! name. The digest chains a hash over all outputs of all cycles: two runs with the same digest, on any machine and
//! engine, did the same.

use std::collections::{HashMap, HashSet};

use crate::base::{CHAIN_START, chain};
use crate::stimulus::Stimulus;
use crate::{Direction, Engine, Error, Port, Result};

/// How long, and how closely.
#[derive(Clone, Debug)]
pub struct LockstepOptions {
    /// Cycles.
    pub cycles: u64,
    /// Seed of the inputs.
    pub seed: u64,
    /// Compare all signals in every so many cycles; 0: never.
    pub signals_every: u64,
    /// Flip a register's lowest bit in the last engine before this cycle, to see that it is found.
    pub inject: Option<(u64, String)>,
}

/// What was compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockstepReport {
    /// Names of the engines.
    pub engines: Vec<&'static str>,
    /// Cycles run.
    pub cycles: u64,
    /// Outputs of the top.
    pub outputs: usize,
    /// Signals compared.
    pub signals: usize,
    /// Values compared in all.
    pub values: u64,
    /// Digest over all outputs of all cycles.
    pub digest: u64,
}

/// The first place at which an engine does something else than the first one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cycle {cycle}: {signal} is {found} in '{engine}', {expected} in '{reference}'")]
pub struct Difference {
    /// Clock cycle.
    pub cycle: u64,
    /// Port or path.
    pub signal: String,
    /// Name of the engine that differs.
    pub engine: String,
    /// Its value, in hexadecimal.
    pub found: String,
    /// Name of the first engine.
    pub reference: String,
    /// Its value, in hexadecimal.
    pub expected: String,
}

/// How a run ended early.
#[derive(Debug, thiserror::Error)]
pub enum LockstepError {
    /// Two engines differ.
    #[error(transparent)]
    Differs(Box<Difference>),
    /// An engine stopped.
    #[error(transparent)]
    Engine(#[from] Error),
}

/// Words as a hexadecimal number.
pub fn hex(words: &[u64]) -> String {
    let digits: String = words
        .iter()
        .rev()
        .map(|word| format!("{word:016x}"))
        .collect();
    let digits = digits.trim_start_matches('0');
    format!("0x{}", if digits.is_empty() { "0" } else { digits })
}

/// Runs the engines, the first one being the reference. `progress` gets every cycle.
pub fn lockstep(
    engines: &mut [Box<dyn Engine>],
    options: &LockstepOptions,
    mut progress: impl FnMut(u64),
) -> std::result::Result<LockstepReport, LockstepError> {
    let Some(first) = engines.first() else {
        return Err(Error::BadDesign("no engine to run".into()).into());
    };
    let ports = first.ports().to_vec();
    let paths = common_paths(engines);
    let mut stimulus = Stimulus::new(&ports, options.seed);
    let mut report = LockstepReport {
        engines: engines.iter().map(|engine| engine.name()).collect(),
        cycles: options.cycles,
        outputs: ports
            .iter()
            .filter(|port| port.direction == Direction::Out)
            .count(),
        signals: paths.iter().map(Vec::len).max().unwrap_or(0),
        values: 0,
        digest: CHAIN_START,
    };
    for cycle in 0..options.cycles {
        if let (Some((at, path)), Some(engine)) = (&options.inject, engines.last_mut())
            && *at == cycle
        {
            let mut words = engine.peek(path)?;
            words.iter_mut().take(1).for_each(|word| *word ^= 1);
            engine.poke(path, &words)?;
        }
        stimulus.advance();
        for engine in engines.iter_mut() {
            for (name, _, words) in stimulus.values() {
                engine.set(engine.port(name)?, words)?;
            }
            engine.eval()?;
        }
        compare_outputs(engines, &ports, cycle, &mut report)?;
        // A flipped bit may be gone in the next cycle.
        let flipped = options.inject.as_ref().is_some_and(|(at, _)| *at == cycle);
        if flipped || options.signals_every > 0 && cycle % options.signals_every == 0 {
            compare_signals(engines, &paths, cycle, &mut report)?;
        }
        for engine in engines.iter_mut() {
            engine.step()?;
        }
        progress(cycle);
    }
    Ok(report)
}

/// For each engine but the first the paths that both know.
fn common_paths(engines: &[Box<dyn Engine>]) -> Vec<Vec<String>> {
    let first = engines[0].signals();
    let others = engines[1..].iter().map(|engine| {
        let known: HashSet<&str> = engine.signals().iter().map(|s| s.path.as_str()).collect();
        let paths = first.iter().map(|signal| &signal.path);
        let common = paths.filter(|path| known.contains(path.as_str()));
        common.cloned().collect()
    });
    others.collect()
}

fn compare_outputs(
    engines: &[Box<dyn Engine>],
    ports: &[Port],
    cycle: u64,
    report: &mut LockstepReport,
) -> std::result::Result<(), LockstepError> {
    for port in ports.iter().filter(|port| port.direction == Direction::Out) {
        let value = |engine: &dyn Engine| -> Result<Vec<u64>> {
            let mut words = vec![0; port.width.div_ceil(64)];
            engine.get(engine.port(&port.name)?, &mut words);
            Ok(words)
        };
        let expected = value(engines[0].as_ref())?;
        for engine in &engines[1..] {
            let found = value(engine.as_ref())?;
            check(engines, engine.name(), cycle, &port.name, &expected, &found)?;
            report.values += 1;
        }
        report.digest = chain(report.digest, &expected);
    }
    Ok(())
}

fn compare_signals(
    engines: &[Box<dyn Engine>],
    paths: &[Vec<String>],
    cycle: u64,
    report: &mut LockstepReport,
) -> std::result::Result<(), LockstepError> {
    let all: HashSet<&str> = paths.iter().flatten().map(String::as_str).collect();
    let all: Vec<&str> = all.into_iter().collect();
    let values = engines[0].peek_many(&all)?;
    let expected: HashMap<&str, Vec<u64>> = all.into_iter().zip(values).collect();
    for (engine, paths) in engines[1..].iter().zip(paths) {
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        let found = engine.peek_many(&paths)?;
        for (path, found) in paths.iter().zip(&found) {
            check(engines, engine.name(), cycle, path, &expected[path], found)?;
        }
        report.values += paths.len() as u64;
    }
    Ok(())
}

fn check(
    engines: &[Box<dyn Engine>],
    engine: &str,
    cycle: u64,
    signal: &str,
    expected: &[u64],
    found: &[u64],
) -> std::result::Result<(), LockstepError> {
    if expected == found {
        return Ok(());
    }
    Err(LockstepError::Differs(Box::new(Difference {
        cycle,
        signal: signal.into(),
        engine: engine.into(),
        found: hex(found),
        reference: engines[0].name().into(),
        expected: hex(expected),
    })))
}
