//! The program `xtq-mpi`: `xtq run` for scenarios of several nodes, by processes that MPI starts on one machine or on
//! several.
//!
//! All that is of MPI is here: [`World`] carries bytes between ranks. What the bytes mean is in
//! [`Ranks`](xtq_testbench::cluster::Ranks), what a rank does in `xtq_cli`.

mod world;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use world::World;

/// Exit code of a program that panicked.
const PANICKED: i32 = 101;

fn main() -> ExitCode {
    let Some(mut universe) = mpi::initialize() else {
        eprintln!("xtq-mpi: MPI cannot be started");
        return ExitCode::from(2);
    };
    let (world, is_lost) = World::new(&mut universe);
    let ran = catch_unwind(AssertUnwindSafe(|| xtq_cli::main_of_rank(world)));
    // Without the end of MPI `mpirun` sees that this rank is gone, and ends the others.
    let code = ran.unwrap_or_else(|_| std::process::exit(PANICKED));
    if is_lost.get() {
        // The end of MPI would wait for ranks that are gone.
        std::mem::forget(universe);
    }
    code
}
