//! What is asked of `xtq collective`.

use crate::cmd_run::Playing;
use clap::builder::PossibleValuesParser;
use std::path::PathBuf;
use xtq_cdag::arithmetic::{Datatype, Operation};
use xtq_cdag::collectives::Parameters;
use xtq_cdag::compile::{Options, Protocol};
use xtq_cdag::emit::Backend;
use xtq_cdag::goal_binary::Layout;
use xtq_compute::collective::gpu_tasks;

/// Run a collective, which the NICs carry out alone
///
/// The collective is a graph of sends, receives and operations. It is compiled to triggered operations, which the hosts
/// post; then each host starts its part with one command and sleeps until its NIC says that all is complete. What is in
/// memory at the end is compared with what an interpreter of the graph gives. docs/collectives.md explains algorithms,
/// protocols and the plan.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  xtq collective --list\n  xtq collective allreduce --nodes 5 --bytes 512\n  xtq collective broadcast --algorithm kary --k 3 --segments 4 --nodes 13 --bytes 4096 --plan\n  xtq collective barrier --nodes 8 --emit barrier.toml\n  xtq collective --goal communication.goal --backend host\n  xtq collective allreduce --uses 5\n  xtq collective broadcast --rounds --backend host"
)]
pub struct CollectiveArgs {
    /// Collective, as --list names it
    #[arg(required_unless_present_any = ["list", "goal"])]
    pub(crate) collective: Option<String>,
    /// Algorithm [default: the first that --list names]
    #[arg(long, value_name = "NAME")]
    pub(crate) algorithm: Option<String>,
    /// Nodes, a rank each
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=128))]
    pub(crate) nodes: u32,
    /// Root of a broadcast, scatter, gather or reduce
    #[arg(long, value_name = "RANK", default_value_t = 0)]
    pub(crate) root: u32,
    /// Bytes of the vector, or of the block of each rank
    #[arg(long, value_name = "B", default_value_t = 64)]
    pub(crate) bytes: u64,
    /// Trees: a node of a k-ary one has K children, one of a k-nomial tree K - 1 at each step, so K is 2 or more there
    #[arg(long, value_name = "K", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) k: u32,
    /// Segments in which vectors go through trees and chains
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) segments: u32,
    /// Operation of a reduction
    #[arg(long, value_name = "NAME", default_value = "sum", value_parser = PossibleValuesParser::new(Operation::ALL.map(Operation::name)))]
    pub(crate) operation: String,
    /// What the bytes of a reduction are
    #[arg(long, value_name = "NAME", default_value = "uint32", value_parser = PossibleValuesParser::new(Datatype::ALL.map(Datatype::name)))]
    pub(crate) datatype: String,
    /// What becomes of a message that may come before its receive
    #[arg(long, value_name = "NAME", value_enum, default_value_t = ProtocolName::Auto)]
    pub(crate) protocol: ProtocolName,
    /// Bytes up to which such a message waits in a shadow buffer; larger ones wait at the sender
    #[arg(long, value_name = "B", default_value_t = 4096)]
    pub(crate) eager: u64,
    /// Who carries the schedule out
    #[arg(long, value_name = "WHO", value_enum, default_value_t = BackendName::Offloaded)]
    pub(crate) backend: BackendName,
    /// Do it in libNBC's rounds: a round of a rank starts when all of the one before is complete
    #[arg(long)]
    pub(crate) rounds: bool,
    /// Hosts meet before they start, in place of the barrier of the NICs with which a schedule begins: it needs less,
    /// but a NIC may act before its own host has started. With --backend host it is always so
    #[arg(long)]
    pub(crate) no_start_barrier: bool,
    /// Use the schedule so often, posted once; --plan says whether it can be
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1000))]
    pub(crate) uses: u64,
    /// Operations that the NIC does not do are tasks of the node's GPU, which the NIC launches; with a number also all
    /// others of at least so many bytes. Hosts and GPUs take time then
    #[arg(long, value_name = "BYTES", num_args = 0..=1, require_equals = true, default_missing_value = "18446744073709551615", conflicts_with_all = ["emit", "goal", "uses"])]
    pub(crate) gpu: Option<u64>,
    /// Print what the schedule needs of the NIC, and run nothing
    #[arg(long, conflicts_with_all = ["emit", "write_goal", "json", "wave", "trace", "dump_memory"])]
    pub(crate) plan: bool,
    /// Write the schedule as a scenario for `xtq run`, and run nothing
    #[arg(long, value_name = "FILE.toml", conflicts_with_all = ["write_goal", "json", "wave", "trace", "dump_memory"])]
    pub(crate) emit: Option<PathBuf>,
    /// Run the graph of a GOAL file, text or binary, instead
    #[arg(long, value_name = "FILE", conflicts_with_all = ["collective", "algorithm", "nodes", "root", "bytes", "k", "segments", "operation", "datatype"])]
    pub(crate) goal: Option<PathBuf>,
    /// What a task of a binary GOAL file names, which the file does not say
    #[arg(long, value_name = "NAME", value_enum, default_value_t = LayoutName::WithInterface, requires = "goal")]
    pub(crate) goal_layout: LayoutName,
    /// Write the graph as GOAL text, and run nothing; GOAL has no arithmetic, so operations become `calc`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["json", "wave", "trace", "dump_memory"])]
    pub(crate) write_goal: Option<PathBuf>,
    /// Print all collectives with their algorithms, and run nothing
    #[arg(long, conflicts_with_all = ["goal", "plan", "emit", "write_goal", "json", "wave", "trace", "dump_memory"])]
    pub(crate) list: bool,
    #[command(flatten)]
    pub(crate) playing: Playing,
}

/// [`Protocol`] on the command line.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum ProtocolName {
    /// It goes straight to its place where nobody can tell; else by its size
    Auto,
    /// All messages wait in shadow buffers
    Eager,
    /// All senders wait for their receivers
    Rendezvous,
    /// All receivers fetch what senders have said to be there
    Get,
    /// Senders and receivers tell each other that they are there, and entries come and go; without the passes
    Unmatched,
    /// By size, and without the passes that save resources
    Literal,
}

/// [`Backend`] on the command line.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum BackendName {
    /// The NICs, while the hosts sleep
    Offloaded,
    /// The hosts, a command for each operation
    Host,
}

/// [`Layout`] on the command line.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum LayoutName {
    /// Its processor and its interface
    WithInterface,
    /// Its processor
    WithoutInterface,
}

impl CollectiveArgs {
    pub(crate) fn layout(&self) -> Layout {
        match self.goal_layout {
            LayoutName::WithInterface => Layout::WithInterface,
            LayoutName::WithoutInterface => Layout::WithoutInterface,
        }
    }

    pub(crate) fn parameters(&self) -> Parameters {
        let operation = Operation::ALL
            .into_iter()
            .find(|operation| operation.name() == self.operation);
        let datatype = Datatype::ALL
            .into_iter()
            .find(|datatype| datatype.name() == self.datatype);
        Parameters {
            nodes: self.nodes as usize,
            root: self.root as usize,
            bytes: self.bytes,
            k: self.k as usize,
            segments: self.segments.into(),
            operation: operation.unwrap_or(Operation::Sum),
            datatype: datatype.unwrap_or(Datatype::Uint32),
        }
    }

    pub(crate) fn options(&self) -> Options {
        Options {
            protocol: match self.protocol {
                ProtocolName::Auto => Protocol::Auto,
                ProtocolName::Eager => Protocol::Eager,
                ProtocolName::Rendezvous => Protocol::Rendezvous,
                ProtocolName::Get => Protocol::Get,
                ProtocolName::Unmatched => Protocol::Unmatched,
                ProtocolName::Literal => Protocol::Literal,
            },
            eager: self.eager,
            barrier: !self.no_start_barrier && self.backend() == Backend::Offloaded,
            gpu: self.gpu.map(gpu_tasks),
            ..Options::default()
        }
    }

    pub(crate) fn backend(&self) -> Backend {
        match self.backend {
            BackendName::Offloaded => Backend::Offloaded,
            BackendName::Host => Backend::Host,
        }
    }
}
