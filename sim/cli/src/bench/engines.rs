//! The tape on an engine of ours.

use super::{BenchError, Seconds, Watch};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use xtq_engine::blocks;
use xtq_engine::{Backend, Body, Compiled, Engine, EngineKind, Tape, WaveOptions};
use xtq_testbench::node::{Top, engine};

/// Cycles whose operations are looked at.
const PROFILED: usize = 500;
/// Seconds after which the JIT is measured as it is.
const MOST_WARM: f64 = 30.0;

/// What one run showed.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Clock cycles of all instances a second of the simulating thread's processor time.
    pub rate: f64,
    /// The same a second on the wall; nothing if that was not measured.
    pub wall: Option<f64>,
    /// Digest over all outputs of all cycles, the same of every instance; 0 if they differ.
    pub digest: u64,
    /// Share of the cycles that were slept through.
    pub slept: f64,
}

/// How a tape is played.
#[derive(Clone, Copy, Debug)]
pub struct Play<'a> {
    /// Cycles of the tape.
    pub cycles: usize,
    /// Instances of one body, cycle by cycle in turn.
    pub instances: usize,
    /// Whether instances may sleep.
    pub sleep: bool,
    /// A waveform of the first instance: the file, and the block that it shows, else all.
    pub wave: Option<(&'a Path, Option<&'a str>)>,
}

/// Whether an engine of this kind can run the block.
pub fn runs(top: Top, kind: EngineKind) -> bool {
    blocks::kinds(top.block()).contains(&kind)
}

/// Seconds on the wall from block to code, and the code. Errors: of the compiler.
pub fn build(top: Top, kind: EngineKind) -> Result<Option<(f64, Arc<Body>)>, BenchError> {
    let start = Instant::now();
    let design = blocks::design(top.block())?;
    let Some(backend) = kind.backend(blocks::ahead(top.block(), 0))? else {
        return Ok(None);
    };
    let body = Arc::new(Body::new(design.as_ref(), backend)?);
    Ok(Some((start.elapsed().as_secs_f64(), body)))
}

/// Plays the tape to instances of a compiled body. Errors: of the engine.
pub fn compiled(body: &Arc<Body>, tape: &Tape, play: Play) -> Result<Sample, BenchError> {
    let mut instances: Vec<Compiled> = (0..play.instances)
        .map(|_| Compiled::new(body.clone()))
        .collect();
    for instance in &mut instances {
        instance.set_sleep(play.sleep);
        instance.reset(2)?;
    }
    if let (Some((path, scope)), Some(first)) = (play.wave, instances.first_mut()) {
        first.attach_wave(WaveOptions {
            scope: scope.map(str::to_owned),
            ..WaveOptions::new(path)
        })?;
    }
    let (seconds, digest) = timed_together(&mut instances, tape, play.cycles)?;
    let slept: u64 = instances.iter().map(Engine::slept).sum();
    let cycles = (play.cycles * play.instances) as f64;
    Ok(Sample {
        rate: cycles / seconds.processor,
        wall: Some(cycles / seconds.wall),
        digest,
        slept: slept as f64 / cycles,
    })
}

/// Plays the tape to rust-hdl's own loop. Errors: of the engine.
pub fn reference(top: Top, tape: &Tape, cycles: usize) -> Result<Sample, BenchError> {
    let mut engine = blocks::oracle(top.block())?;
    engine.reset(2)?;
    let (seconds, digest) = timed(engine.as_mut(), tape, cycles)?;
    Ok(Sample {
        rate: cycles as f64 / seconds.processor,
        wall: Some(cycles as f64 / seconds.wall),
        digest,
        slept: 0.0,
    })
}

/// What a cycle has to do.
#[derive(Clone, Copy, Debug, serde::Serialize)]
pub struct Profile {
    /// Operations on words of 64 bits that are computed, or chosen among, in a cycle.
    pub operations: usize,
    /// Share of them that gave another value than in the cycle before.
    pub changed: f64,
    /// Share of them that generated Rust and the tuned JIT compute, in parts for this tape.
    pub computed: f64,
}

/// Looks at every operation in cycles of the tape after its start. Errors: of the engine.
pub fn profile(top: Top, tape: &Tape) -> Result<Profile, BenchError> {
    let design = blocks::design(top.block())?;
    let body = Body::trained(design.as_ref(), Backend::Interp, tape)?;
    let mut engine = Compiled::new(Arc::new(body));
    engine.reset(2)?;
    let (start, end) = (tape.cycles() / 4, tape.cycles() / 4 + PROFILED);
    let (mut before, mut changed, mut seen) = (Vec::new(), 0, 0);
    for cycle in 0..end.min(tape.cycles()) {
        engine.set_inputs(tape.inputs(cycle))?;
        engine.eval()?;
        if cycle >= start {
            let values = engine.values();
            let pairs = values.iter().zip(&before);
            changed += pairs.filter(|(new, old)| new != old).count();
            seen += before.len();
            before = values;
        }
        engine.step()?;
    }
    let computed = engine.operations() as f64 / engine.cycle().max(1) as f64;
    Ok(Profile {
        operations: before.len(),
        changed: changed as f64 / seen.max(1) as f64,
        computed: computed / before.len().max(1) as f64,
    })
}

/// Plays the tape to rust-hdl's loop: seconds, and the digest.
fn timed(
    engine: &mut dyn Engine,
    tape: &Tape,
    cycles: usize,
) -> Result<(Seconds, u64), BenchError> {
    let (mut player, mut digest) = (tape.player(engine)?, 0);
    let watch = Watch::start();
    for cycle in 0..cycles {
        digest = player.cycle(engine, cycle, digest)?;
    }
    Ok((watch.seconds(), digest))
}

/// Plays the tape to all instances, cycle by cycle; seconds, and the digest if it is that of all of them.
fn timed_together(
    instances: &mut [Compiled],
    tape: &Tape,
    cycles: usize,
) -> Result<(Seconds, u64), BenchError> {
    let mut players = Vec::new();
    for instance in &*instances {
        players.push((tape.player(instance)?, 0));
    }
    let watch = Watch::start();
    match (instances, &mut players[..]) {
        // Nothing to put together.
        ([instance], [(player, digest)]) => {
            for cycle in 0..cycles {
                *digest = player.cycle(instance, cycle, *digest)?;
            }
            instance.finish_wave()?;
        }
        (instances, players) => {
            let mut all: Vec<&mut Compiled> = instances.iter_mut().collect();
            for cycle in 0..cycles {
                for (instance, (player, _)) in all.iter_mut().zip(&*players) {
                    player.drive(*instance, cycle)?;
                }
                Compiled::eval_all(&mut all)?;
                for (instance, (player, digest)) in all.iter().zip(&mut *players) {
                    *digest = player.sample(*instance, cycle, *digest);
                }
                Compiled::step_all(&mut all)?;
            }
        }
    }
    let seconds = watch.seconds();
    let first = players.first().map_or(0, |(_, digest)| *digest);
    let same = players.iter().all(|(_, digest)| *digest == first);
    Ok((seconds, if same { first } else { 0 }))
}

/// Plays the tape until the JIT has gone over to the parts that it keeps and compiled those that run: their code, and
/// the seconds on the wall. Errors: of the engine.
pub fn warm(body: Arc<Body>, tape: &Tape) -> Result<(Arc<Body>, f64), BenchError> {
    let start = Instant::now();
    let (mut body, mut kept) = (body, false);
    loop {
        // From power-up, as the rows: set up a second time, the design would do something else.
        let mut engine = Compiled::new(body.clone());
        let over = kept || start.elapsed().as_secs_f64() > MOST_WARM || tape.cycles() == 0;
        kept = engine.is_tuned();
        if !over {
            engine.reset(2)?;
            let mut player = tape.player(&engine)?;
            for cycle in 0..tape.cycles() {
                player.cycle(&mut engine, cycle, 0)?;
            }
        }
        body = engine.body().clone();
        if over {
            return Ok((body, start.elapsed().as_secs_f64()));
        }
    }
}

/// Seconds on the wall from nothing to the end of the first cycle of the default engine. Errors: of the engine.
pub fn first_cycle(top: Top) -> Result<f64, BenchError> {
    let start = Instant::now();
    let mut engine = engine(top, EngineKind::default(), false)?;
    engine.step()?;
    Ok(start.elapsed().as_secs_f64())
}
