//! `Place`: a node and its programs as a station of a cluster.

use super::error::{PlaceError, ProgramError};
use super::world::World;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use xtq_engine::Engine;
use xtq_testbench::bus::Beat;
use xtq_testbench::network::{Class, Held, Station};

/// A program, as the compiler makes one of an `async fn`.
pub(crate) type Program = Pin<Box<dyn Future<Output = Result<(), ProgramError>> + Send>>;

/// A node and its programs.
pub(crate) struct Place {
    pub(crate) world: Arc<Mutex<World>>,
    /// By thread; `None`: it has ended.
    programs: Vec<Option<Program>>,
}

/// The world, also if a thread that had it has panicked.
pub(crate) fn lock(world: &Mutex<World>) -> MutexGuard<'_, World> {
    world.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Place {
    pub(crate) fn new(world: World) -> Self {
        Self {
            world: Arc::new(Mutex::new(world)),
            programs: Vec::new(),
        }
    }

    /// Adds the program of the thread that was added last.
    pub(crate) fn add(&mut self, program: Program) {
        self.programs.push(Some(program));
    }

    fn lock(&self) -> MutexGuard<'_, World> {
        lock(&self.world)
    }

    /// Lets every program do what it can. Errors: of the first that fails.
    fn resume(&mut self) -> Result<(), PlaceError> {
        let mut context = Context::from_waker(Waker::noop());
        for (number, place) in self.programs.iter_mut().enumerate() {
            let Some(program) = place else {
                continue;
            };
            let Poll::Ready(result) = program.as_mut().poll(&mut context) else {
                continue;
            };
            *place = None;
            let world = &mut *lock(&self.world);
            let cycle = world.now();
            let thread = &mut world.threads[number];
            thread.due = u64::MAX;
            thread.report.ended = Some(cycle);
            world.cores.end(thread.core);
            if let Err(error) = result {
                let program = thread.report.name.clone();
                return Err(PlaceError::Program {
                    cycle,
                    program,
                    error,
                });
            }
        }
        Ok(())
    }
}

/// The NIC of a node, while the world is locked.
pub(crate) struct Hardware<'a>(MutexGuard<'a, World>);

impl Held for Hardware<'_> {
    fn engine(&mut self) -> &mut dyn Engine {
        self.0.node.engine()
    }
}

impl Station for Place {
    type Error = PlaceError;
    type Hardware<'a> = Hardware<'a>;

    fn clock(&self) -> u64 {
        self.lock().now()
    }

    fn connect(&mut self) {
        self.lock().node.connect();
    }

    fn has_room(&self, class: Class) -> bool {
        self.lock().node.has_room(class)
    }

    fn receive_beat(&mut self, class: Class, beat: &Beat) {
        self.lock().node.receive_beat(class, beat);
    }

    fn drive(&mut self, ready: [bool; 2]) -> Result<(), PlaceError> {
        self.lock().before()?;
        self.resume()?;
        self.lock().drive(ready)
    }

    fn hardware(&mut self) -> Option<Hardware<'_>> {
        Some(Hardware(self.lock()))
    }

    fn sample(&mut self) -> Result<(), PlaceError> {
        Ok(Station::sample(&mut self.lock().node)?)
    }

    fn collect(&mut self) -> Result<[Option<Beat>; 2], PlaceError> {
        self.lock().collect()
    }

    fn busy(&self) -> Option<&'static str> {
        self.lock().busy()
    }

    fn quiet_cycles(&self) -> u64 {
        self.lock().node.quiet_cycles()
    }

    fn settle(&mut self) {
        Station::settle(&mut self.lock().node);
    }

    fn next_event(&self, now: u64) -> u64 {
        self.lock().next_event(now)
    }

    fn pass(&mut self, cycle: u64) -> Result<(), PlaceError> {
        Ok(self.lock().node.pass(cycle)?)
    }

    fn is_over(&self, now: u64) -> bool {
        self.lock().is_over(now)
    }

    fn wake(&mut self) {
        let mut world = self.lock();
        world.node.wake();
        world.changed = true;
    }
}
