//! Scenarios of many nodes that a program writes: patterns of communication.
//!
//! Each gives the text of a file, so that one can look at it, and change it. Nodes whose programs are alike stand in it
//! once (`for`, docs/scenario.md).

mod collectives;
mod puts;

use std::fmt::Write;

use thiserror::Error;

use super::nodes::schema::{NetworkKind, NetworkTable};
use super::nodes::{MOST_NODES, NicKind, check_network};

/// What the nodes do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// Nothing but a delay.
    Wait,
    /// Each puts to its right neighbour, round after round, and waits for the left one.
    Ring,
    /// A dissemination barrier of triggered puts.
    Barrier,
    /// The sum of a vector on all nodes: a ring of triggered atomics, then one of triggered puts.
    Allreduce,
    /// Each puts to all others.
    Alltoall,
    /// Puts of random lengths to random nodes.
    Random,
}

impl Pattern {
    /// All of them, with their names.
    pub const ALL: [(&'static str, Self); 6] = [
        ("wait", Self::Wait),
        ("ring", Self::Ring),
        ("barrier", Self::Barrier),
        ("allreduce", Self::Allreduce),
        ("alltoall", Self::Alltoall),
        ("random", Self::Random),
    ];
}

/// A scenario to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Making {
    /// What the nodes do.
    pub pattern: Pattern,
    /// Nodes, 2 to 1,024; for waiting 1 is enough.
    pub nodes: usize,
    /// Rounds of a ring, puts of a node in random traffic.
    pub rounds: usize,
    /// Bytes of a put; of a chunk of an allreduce, of which there are as many as nodes.
    pub bytes: u64,
    /// Cycles that a node waits before each round of a ring, and in [`Pattern::Wait`].
    pub pause: u64,
    /// Seed of random traffic.
    pub seed: u64,
    /// Cycles of a link, and through the switch.
    pub latency: (u64, u64),
    /// Most cycles that a packet is held up in the switch beyond that.
    pub jitter: u64,
    /// Nodes of a leaf, and spines; `None`: a star.
    pub leaves: Option<(u32, u32)>,
    /// The NIC of all nodes.
    pub nic: NicKind,
}

impl Making {
    /// A pattern of so many nodes: 10 rounds, 64 bytes, no pause (20,000 cycles for waiting), the default network.
    pub fn new(pattern: Pattern, nodes: usize) -> Self {
        Self {
            pattern,
            nodes,
            rounds: 10,
            bytes: 64,
            pause: if pattern == Pattern::Wait { 20_000 } else { 0 },
            seed: 0,
            latency: (10, 20),
            jitter: 0,
            leaves: None,
            nic: NicKind::Nic,
        }
    }
}

/// What cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MakeError {
    /// Too few, or too many.
    #[error("{0} nodes; a pattern has 2 to {MOST_NODES}")]
    Nodes(usize),
    /// Too few, or too many.
    #[error("{0} rounds; a pattern has 1 to {MOST_ROUNDS}")]
    Rounds(usize),
    /// Too few, too many, or no whole number of words.
    #[error("{bytes} bytes; {why}")]
    Bytes {
        /// Bytes.
        bytes: u64,
        /// What is possible.
        why: &'static str,
    },
    /// There can be no such network.
    #[error("{message}")]
    Network {
        /// Key of the network in a scenario.
        key: String,
        /// What is wrong.
        message: String,
    },
    /// The NIC has no room for the commands that wait for a counter.
    #[error(
        "an allreduce of {nodes} nodes: {commands} commands of a process would wait for a counter, the NIC has room for {room}"
    )]
    Triggered {
        /// Nodes.
        nodes: usize,
        /// Commands that would wait.
        commands: usize,
        /// Commands that can.
        room: usize,
    },
}

/// Most rounds.
const MOST_ROUNDS: usize = 100_000;
/// Most bytes of a put.
const MOST_BYTES: u64 = 1 << 20;
/// Where data lie, and where they land.
const SOURCE: u64 = 0x2000_0000;
const LANDING: u64 = 0x4000_0000;

/// The text of the scenario. Errors: the hardware or the file format has no room for it.
///
/// ```
/// use xtq_testbench::scenario::make::{Making, Pattern, make};
///
/// let text = make(&Making::new(Pattern::Ring, 1024))?;
/// assert!(text.contains("for = { rank = 1024 }") && text.len() < 2000);
/// # Ok::<(), xtq_testbench::scenario::make::MakeError>(())
/// ```
pub fn make(making: &Making) -> Result<String, MakeError> {
    let least = if making.pattern == Pattern::Wait {
        1
    } else {
        2
    };
    if making.nodes < least || making.nodes > MOST_NODES {
        return Err(MakeError::Nodes(making.nodes));
    }
    if making.rounds == 0 || making.rounds > MOST_ROUNDS {
        return Err(MakeError::Rounds(making.rounds));
    }
    if making.bytes == 0 || making.bytes > MOST_BYTES {
        let (bytes, why) = (making.bytes, "a put has 1 to 1048576");
        return Err(MakeError::Bytes { bytes, why });
    }
    check_network(&network(making), making.nodes).map_err(|fault| MakeError::Network {
        key: fault.key.trim_start_matches("network.").to_owned(),
        message: fault.message,
    })?;
    let mut text = Text::new(making);
    match making.pattern {
        Pattern::Wait => puts::wait(&mut text, making),
        Pattern::Ring => puts::ring(&mut text, making),
        Pattern::Alltoall => puts::alltoall(&mut text, making),
        Pattern::Random => puts::random(&mut text, making),
        Pattern::Barrier => collectives::barrier(&mut text, making),
        Pattern::Allreduce => collectives::allreduce(&mut text, making)?,
    }
    Ok(text.0)
}

/// The network of the scenario.
fn network(making: &Making) -> NetworkTable {
    let (latency, switch_latency) = making.latency;
    NetworkTable {
        kind: match making.leaves {
            None => NetworkKind::Star,
            Some(_) => NetworkKind::LeafSpine,
        },
        latency,
        switch_latency,
        jitter: making.jitter,
        seed: making.seed,
        leaf_ports: making.leaves.map(|(ports, _)| ports),
        spines: making.leaves.map(|(_, spines)| spines),
        ..NetworkTable::default()
    }
}

/// The text while it is made.
struct Text(String);

impl Text {
    fn new(making: &Making) -> Self {
        let name = Pattern::ALL.iter().find(|(_, one)| *one == making.pattern);
        let name = name.map_or("", |(name, _)| name);
        let (link, switch) = making.latency;
        let mut text = Self(String::new());
        text.line(format!("title = \"{name}, {} nodes\"", making.nodes));
        text.line("max_cycles = 100_000_000");
        let leaves = making.leaves.map(|(ports, spines)| {
            format!("kind = \"leaf_spine\", leaf_ports = {ports}, spines = {spines}, ")
        });
        if making.nic != NicKind::default() {
            text.line(format!("nic = \"{}\"", making.nic.name()));
        }
        text.line(format!(
            "network = {{ {}latency = {link}, switch_latency = {switch}, jitter = {}, seed = {} }}",
            leaves.unwrap_or_default(),
            making.jitter,
            making.seed
        ));
        text
    }

    fn line(&mut self, line: impl AsRef<str>) {
        let _ = writeln!(self.0, "{}", line.as_ref());
    }

    /// A node for each rank, with one process: lines of its tables, and its steps.
    fn ranks(&mut self, nodes: usize, rings: usize, data: &str, steps: &[String]) {
        self.line(format!(
            "\n[[nodes]]\nfor = {{ rank = {nodes} }}\nname = \"n{{rank}}\""
        ));
        self.process("p{rank}", rings, data, steps);
    }

    /// A process of the last node.
    fn process(&mut self, name: &str, rings: usize, data: &str, steps: &[String]) {
        self.line(format!(
            "[[nodes.processes]]\nname = \"{name}\"\ncommands = {rings}\nevents = {rings}"
        ));
        if !data.is_empty() {
            self.line(format!("data = [{data}]"));
        }
        self.line("program = [");
        for step in steps {
            self.line(format!("    {step},"));
        }
        self.line("]");
    }
}

/// Steps that are repeated: `name` from `from` to before `to`.
fn repeated(name: &str, from: usize, to: usize, steps: &[String]) -> String {
    let steps = steps.join(", ");
    format!("{{ for = {{ {name} = [{from}, {to}] }}, do = [{steps}] }}")
}
