//! `World`: bytes between the ranks of MPI.
//!
//! Nothing here blocks in MPI while another rank is waited for. What is sent is copied into a buffer of MPI, and who
//! waits asks again and again whether something has come. So a rank notices that it shall end although another one is
//! dead.

use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use mpi::environment::Universe;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Destination, MatchedReceiveVec, Source};
use xtq_testbench::cluster::{GiveUp, Lost, Mail};

/// How long a rank that shall end waits for others that end, too: `mpirun` sends SIGKILL a second after SIGTERM.
const GRACE: Duration = Duration::from_millis(300);

/// How long a rank waits for others without giving its processor away, and then without sleeping.
const SPIN: Duration = Duration::from_micros(20);
/// See [`SPIN`].
const YIELD: Duration = Duration::from_millis(2);
/// How long it sleeps then.
const NAP: Duration = Duration::from_micros(50);

/// Bytes that a rank sends to all others at once, at most.
const MOST: usize = 1 << 28;
/// Bytes for what is sent and has not arrived: of this swap and of the one before, and what MPI adds to each message.
/// The system gives memory to what is used of it.
const BUFFER: usize = 1 << 30;

/// The ranks that `mpirun` has started, or a single one.
pub struct World {
    world: SimpleCommunicator,
    is_lost: Rc<Cell<bool>>,
}

impl World {
    /// All ranks, and whether one was gone when it was needed.
    pub fn new(universe: &mut Universe) -> (Self, Rc<Cell<bool>>) {
        universe.set_buffer_size(BUFFER);
        let is_lost = Rc::new(Cell::new(false));
        let world = Self {
            world: universe.world(),
            is_lost: is_lost.clone(),
        };
        (world, is_lost)
    }

    fn lost(&self, why: String) -> Lost {
        self.is_lost.set(true);
        Lost(why)
    }
}

impl Mail for World {
    fn place(&self) -> (usize, usize) {
        (self.world.rank() as usize, self.world.size() as usize)
    }

    fn swap(&mut self, boxes: Vec<Vec<u8>>, give_up: &GiveUp) -> Result<Vec<Vec<u8>>, Lost> {
        let (me, ranks) = self.place();
        if boxes.iter().map(Vec::len).sum::<usize>() > MOST {
            return Err(self.lost(format!("more than {MOST} bytes for other ranks")));
        }
        let mut came: Vec<Option<Vec<u8>>> = vec![None; ranks];
        for (rank, bytes) in boxes.into_iter().enumerate() {
            match rank == me {
                true => came[rank] = Some(bytes),
                false => send(&self.world, rank, &bytes),
            }
        }
        let started = Instant::now();
        let mut asked = None;
        loop {
            for (rank, came) in came.iter_mut().enumerate() {
                if came.is_none() {
                    *came = receive(&self.world, rank);
                }
            }
            if came.iter().all(Option::is_some) {
                return Ok(came.into_iter().flatten().collect());
            }
            if asked.is_none() {
                asked = give_up().map(|why| (Instant::now(), why));
            }
            if let Some((since, why)) = &asked
                && since.elapsed() > GRACE
            {
                return Err(self.lost(format!("{why} while other ranks were waited for")));
            }
            match started.elapsed() {
                waited if waited < SPIN => std::hint::spin_loop(),
                waited if waited < YIELD => std::thread::yield_now(),
                _ => std::thread::sleep(NAP),
            }
        }
    }
}

/// Sends bytes to a rank. Bytes, and nothing else: MPI does not compare the types of both ends.
fn send(world: &SimpleCommunicator, rank: usize, bytes: &[u8]) {
    world.process_at_rank(rank as i32).buffered_send(bytes);
}

/// The next bytes of a rank, if they have come. Bytes, as above.
fn receive(world: &SimpleCommunicator, rank: usize) -> Option<Vec<u8>> {
    let process = world.process_at_rank(rank as i32);
    let (bytes, _) = process
        .immediate_matched_probe()?
        .matched_receive_vec::<u8>();
    Some(bytes)
}
