//! Blocks of the hardware by name, on any engine: for testbench, lockstep, lint and export.
//!
//! The engine knows no hardware. A crate with blocks adds them to [`LINKED`] (`rtl/catalogue` does for those of
//! `rtl/`), one with generated Rust to [`AHEAD`] (`sim/aot`); whoever asks for a block by name links these crates. So
//! the models never wait for the hardware to compile, and the hardware is compiled once.

mod pins;

use std::sync::{Arc, Mutex, PoisonError};

use linkme::distributed_slice;
use rust_hdl::prelude::Block;

use crate::elaborate::elaborate;
use crate::{Ahead, Backend, Body, Compiled, Cosim, Engine, EngineKind, Error, Result, Simulator};

pub use pins::{Pinned, Pins};

/// Bytes of stack on which a block is built before it is boxed: large ones do not fit a thread's usual stack.
const STACK_BYTES: usize = 64 << 20;

/// A block with the arguments of one instance.
pub struct Entry {
    /// Its name: that of the struct in small letters, with a number for the second instance and those after it.
    pub name: &'static str,
    /// Whether it is one of [`names`]; further sizes of a block are not.
    pub listed: bool,
    /// Shorter names.
    pub others: &'static [&'static str],
    /// The type, as it is written in Rust.
    pub path: &'static str,
    /// What its constructor takes: the argument's name and its largest value. All other blocks are built by `default`.
    pub argument: Option<(&'static str, u64)>,
    /// Builds it.
    pub design: fn(u64) -> Result<Box<dyn Block>>,
    /// Builds it with its pins.
    pub oracle: fn(u64) -> Result<Box<dyn Pinned>>,
    /// Whether it has a clock.
    pub clocked: bool,
    /// Its inputs without the clock; [`Pinned::drive`] counts them from 0.
    pub inputs: &'static [&'static str],
    /// Its outputs; [`Pinned::sample`] counts them from 0.
    pub outputs: &'static [&'static str],
}

/// Generated Rust of a block.
pub struct Generated {
    /// Name of the block.
    pub block: &'static str,
    /// The argument it was built with.
    pub argument: u64,
    /// The code.
    pub code: &'static Ahead,
}

/// The lists of blocks that the program links.
#[allow(unsafe_code)] // The linker collects it.
#[distributed_slice]
pub static LINKED: [&'static [Entry]];

/// The generated Rust that the program links.
#[allow(unsafe_code)] // The linker collects it.
#[distributed_slice]
pub static AHEAD: [Generated];

fn entries() -> impl Iterator<Item = &'static Entry> {
    LINKED.iter().flat_map(|list| list.iter())
}

fn entry(name: &str) -> Option<&'static Entry> {
    entries().find(|entry| entry.name == name)
}

/// The entry of this name, if its constructor takes this argument.
fn checked(name: &str, argument: u64) -> Result<&'static Entry> {
    let entry = entry(name).ok_or_else(|| Error::NoSuchBlock(name.into()))?;
    match (argument, entry.argument) {
        (0, _) => Ok(entry),
        (_, Some((_, most))) if argument <= most => Ok(entry),
        (_, Some((what, _))) => Err(Error::NoSuchBlock(format!(
            "{name} with {what} = {argument}"
        ))),
        (_, None) => Err(Error::NoSuchBlock(format!("{name} with an argument"))),
    }
}

/// Builds a block in a box. Errors: there is no thread to build it on.
pub fn boxed<D: Send + 'static>(build: impl FnOnce() -> D + Send + 'static) -> Result<Box<D>> {
    let thread = std::thread::Builder::new()
        .stack_size(STACK_BYTES)
        .spawn(move || Box::new(build()))
        .map_err(|error| Error::BadDesign(format!("no thread to build it on: {error}")))?;
    Ok(thread
        .join()
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
}

/// Names of all blocks, in order.
pub fn names() -> Vec<&'static str> {
    let listed = entries().filter(|entry| entry.listed);
    listed.map(|entry| entry.name).collect()
}

/// What the constructor of the block of this name takes: `atomics` of the tops. 0 is what it is without.
pub fn argument(name: &str) -> Option<&'static str> {
    entry(name)?.argument.map(|(what, _)| what)
}

/// Whether the block of this name is a top: there are two builds of it, with atomics (argument 1) and without.
pub fn is_top(name: &str) -> bool {
    argument(name) == Some("atomics")
}

/// The struct of the block of this name.
pub fn type_of(name: &str) -> Option<&'static str> {
    let path = entry(name)?.path.split('<').next()?;
    path.rsplit(':').next().map(str::trim)
}

/// The generic arguments of the block of this name, in the order of its parameters.
pub fn arguments(name: &str) -> Vec<&'static str> {
    let path = entry(name).and_then(|entry| entry.path.trim().strip_suffix('>'));
    let Some((_, list)) = path.and_then(|path| path.split_once('<')) else {
        return Vec::new();
    };
    let mut depth = 0;
    // A comma inside an argument is none between two.
    let between = |letter: char| {
        depth += i32::from(letter == '<') - i32::from(letter == '>');
        letter == ',' && depth == 0
    };
    list.split(between).map(str::trim).collect()
}

/// The block that a person calls so: its name, one of the [shorter ones](other_names), both also with `-` for `_`.
pub fn find(called: &str) -> Option<&'static str> {
    let called = called.replace('-', "_");
    let is = |entry: &&Entry| entry.name == called || entry.others.contains(&called.as_str());
    entries()
        .filter(|entry| entry.listed)
        .find(is)
        .map(|entry| entry.name)
}

/// Other names of blocks, and what they are.
pub fn other_names() -> impl Iterator<Item = (String, &'static str)> {
    entries().flat_map(|entry| {
        let others = entry.others.iter();
        others.map(|other| (other.replace('_', "-"), entry.name))
    })
}

/// The block of this name, built without an argument. Errors: there is none.
pub fn design(name: &str) -> Result<Box<dyn Block>> {
    design_of(name, 0)
}

/// A build of the block of this name. Errors: there is none.
pub fn design_of(name: &str, argument: u64) -> Result<Box<dyn Block>> {
    (checked(name, argument)?.design)(argument)
}

/// The block of this name on rust-hdl's own loop. Errors: there is none; of the engine.
pub fn oracle(name: &str) -> Result<Box<dyn Engine>> {
    oracle_of(name, 0)
}

/// A build of the block of this name on rust-hdl's own loop. Errors: there is none; of the engine.
pub fn oracle_of(name: &str, argument: u64) -> Result<Box<dyn Engine>> {
    let entry = checked(name, argument)?;
    pins::oracle((entry.oracle)(argument)?, entry)
}

/// Generated code of this build of the block, if the program links it.
pub fn ahead(name: &str, argument: u64) -> Option<&'static Ahead> {
    let of = |code: &&Generated| code.block == name && code.argument == argument;
    AHEAD.iter().find(of).map(|generated| generated.code)
}

/// The kinds of engine that can run the block of this name.
pub fn kinds(name: &str) -> Vec<EngineKind> {
    kinds_of(name, 0)
}

/// The kinds of engine that can run this build of the block of this name.
pub fn kinds_of(name: &str, argument: u64) -> Vec<EngineKind> {
    let all = EngineKind::ALL.into_iter();
    all.filter(|kind| kind.backend(ahead(name, argument)).is_ok())
        .collect()
}

/// Name of a block, its argument, and what runs its body.
type Build = (&'static str, u64, Backend);

/// Bodies compiled so far in this process: all instances of a build share one.
static BODIES: Mutex<Vec<(Build, Arc<Body>)>> = Mutex::new(Vec::new());

/// A compiled build of the block of this name; compiled once in a process. Errors: there is none; of the compiler.
pub fn body(name: &str, argument: u64, backend: Backend) -> Result<Arc<Body>> {
    let entry = checked(name, argument)?;
    let mut bodies = BODIES.lock().unwrap_or_else(PoisonError::into_inner);
    let build = (entry.name, argument, backend);
    if let Some((_, body)) = bodies.iter().find(|(known, _)| *known == build) {
        return Ok(body.clone());
    }
    let body = Arc::new(Body::new((entry.design)(argument)?.as_ref(), backend)?);
    bodies.push((build, body.clone()));
    Ok(body)
}

/// The block of this name on an engine of this kind. Errors: there is none; of the engine.
pub fn engine(name: &str, kind: EngineKind) -> Result<Box<dyn Engine>> {
    engine_of(name, 0, kind)
}

/// A build of the block of this name on an engine of this kind. Errors: there is none; of the engine.
pub fn engine_of(name: &str, argument: u64, kind: EngineKind) -> Result<Box<dyn Engine>> {
    match kind.backend(ahead(name, argument))? {
        Some(backend) => Ok(Box::new(Compiled::new(body(name, argument, backend)?))),
        None => oracle_of(name, argument),
    }
}

/// The Verilog of a build of the block of this name in a foreign simulator. Errors: there is none; of the simulator.
pub fn cosim(name: &str, argument: u64, simulator: Simulator) -> Result<Cosim> {
    let design = elaborate(design_of(name, argument)?.as_ref()).map_err(Error::Findings)?;
    Cosim::new(&design, simulator)
}
