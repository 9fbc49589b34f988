//! MPI on nodes that compute: messages, accumulates, reductions over the three ways.

mod accumulates;
mod messages;
mod nonblocking;
mod reductions;
mod verdicts;

use std::future::Future;
use xtq_compute::mpi::{self, HEAP, Mpi, Options, Way, Window};
use xtq_compute::{Combine, Library, Machine, MachineConfig, ProgramError};
use xtq_testbench::cluster::RunOptions;
use xtq_testbench::host::Datatype;

/// Cycles after which a run is given up.
const LONGEST: u64 = 20_000_000;

/// Options for sums of 32-bit integers in a window of so many bytes.
fn options(way: Way, bytes: u64) -> Options {
    Options {
        way,
        combine: Combine::sum(Datatype::Uint32),
        window: Window {
            address: HEAP,
            bytes,
        },
        slots: 2,
        slot_bytes: bytes,
        library: Library::default(),
    }
}

/// Runs `program` on each of so many nodes; over XTQ each has a progress thread beside it.
fn play<F, P>(nodes: usize, options: &Options, write: impl Fn(&mut Machine), program: P) -> Machine
where
    F: Future<Output = Result<(), ProgramError>> + Send + 'static,
    P: Fn(Mpi) -> F + Clone + Send + 'static,
{
    let config = MachineConfig {
        nodes,
        ..MachineConfig::default()
    };
    let mut machine = Machine::new(&config).unwrap();
    let job = mpi::set_up(&mut machine, options).unwrap();
    write(&mut machine);
    for node in 0..nodes {
        let program = program.clone();
        machine.start(node, "rank", move |host| program(Mpi::new(host, &job)));
        if options.way == Way::Xtq {
            machine.start(node, "progress", mpi::acknowledge);
        }
    }
    let run = RunOptions {
        until: LONGEST,
        ..RunOptions::default()
    };
    machine.run(&run).unwrap_or_else(|error| panic!("{error}"));
    machine
}

/// Fails with the first element that differs.
fn check_words(found: &[u8], wanted: impl IntoIterator<Item = u32>, of: &str) {
    let wanted = bytes(wanted);
    assert_eq!(found.len(), wanted.len(), "{of}");
    let at = found.iter().zip(&wanted).position(|(a, b)| a != b);
    assert_eq!(
        at.map(|at| at / 4),
        None,
        "{of}: the first element that differs"
    );
}

/// Words as bytes.
fn bytes(words: impl IntoIterator<Item = u32>) -> Vec<u8> {
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}
