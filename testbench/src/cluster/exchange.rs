//! `Exchange`: how the workers of a run talk to each other at the end of an epoch.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use thiserror::Error;

use crate::network::{Flight, Post};

/// What a worker knows at the end of an epoch, and what all know together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// First cycle in which something may happen by itself; `u64::MAX`: never.
    pub next: u64,
    /// Whether nothing will happen any more.
    pub over: bool,
    /// Whether the run must stop: a station stopped, or who looks on has ended it.
    pub stopped: bool,
}

impl Summary {
    /// What two workers know together.
    pub fn and(&self, other: &Self) -> Self {
        Self {
            next: self.next.min(other.next),
            over: self.over && other.over,
            stopped: self.stopped || other.stopped,
        }
    }
}

/// The other workers were not heard of, and are not waited for any more. The text says why.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct Lost(pub String);

/// One worker's way to the others. Each worker calls the same functions in the same order.
pub trait Exchange {
    /// Number of this worker and how many there are.
    fn place(&self) -> (usize, usize);
    /// Hands `boxes[w]` to worker `w`, and fills them with what each worker had for this one; `posts` become those of
    /// all workers. Errors: another worker is gone.
    fn exchange(&mut self, boxes: &mut [Vec<Flight>], posts: &mut Vec<Post>) -> Result<(), Lost>;
    /// What all workers know together. Errors: another worker is gone.
    fn reduce(&mut self, summary: Summary) -> Result<Summary, Lost>;
}

impl<X: Exchange + ?Sized> Exchange for &mut X {
    fn place(&self) -> (usize, usize) {
        (**self).place()
    }

    fn exchange(&mut self, boxes: &mut [Vec<Flight>], posts: &mut Vec<Post>) -> Result<(), Lost> {
        (**self).exchange(boxes, posts)
    }

    fn reduce(&mut self, summary: Summary) -> Result<Summary, Lost> {
        (**self).reduce(summary)
    }
}

/// A single worker.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alone;

impl Exchange for Alone {
    fn place(&self) -> (usize, usize) {
        (0, 1)
    }

    fn exchange(&mut self, _boxes: &mut [Vec<Flight>], _posts: &mut Vec<Post>) -> Result<(), Lost> {
        Ok(())
    }

    fn reduce(&mut self, summary: Summary) -> Result<Summary, Lost> {
        Ok(summary)
    }
}

/// Where threads wait for each other, as long as none of them panics.
#[derive(Debug)]
struct Meeting {
    threads: usize,
    state: Mutex<Met>,
    changed: Condvar,
}

/// Who is there.
#[derive(Debug, Default)]
struct Met {
    /// Threads that wait.
    waiting: usize,
    /// How often all have met.
    times: u64,
    /// A thread will not come any more.
    is_broken: bool,
}

impl Meeting {
    fn new(threads: usize) -> Self {
        Self {
            threads,
            state: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    /// Waits until all are there. Errors: one will not come.
    fn wait(&self) -> Result<(), Lost> {
        let mut met = lock(&self.state);
        let before = met.times;
        met.waiting += 1;
        if met.waiting == self.threads {
            met.waiting = 0;
            met.times += 1;
            self.changed.notify_all();
            return Ok(());
        }
        let waits = |met: &mut Met| met.times == before && !met.is_broken;
        let met = self.changed.wait_while(met, waits);
        let met = met.unwrap_or_else(PoisonError::into_inner);
        match met.times == before {
            true => Err(Lost("another thread has panicked".to_owned())),
            false => Ok(()),
        }
    }

    /// A thread will not come any more.
    fn leave(&self) {
        lock(&self.state).is_broken = true;
        self.changed.notify_all();
    }
}

/// Where threads meet. Nobody holds a lock while stations run.
#[derive(Debug)]
pub struct Hall {
    meeting: Meeting,
    /// By receiver, then by sender.
    boxes: Vec<Vec<Mutex<Vec<Flight>>>>,
    posts: Vec<Mutex<Vec<Post>>>,
    summaries: Vec<Mutex<Option<Summary>>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Hall {
    /// A hall for so many threads.
    pub fn new(threads: usize) -> Self {
        let row = || (0..threads).map(|_| Mutex::new(Vec::new())).collect();
        Self {
            meeting: Meeting::new(threads),
            boxes: (0..threads).map(|_| row()).collect(),
            posts: (0..threads).map(|_| Mutex::new(Vec::new())).collect(),
            summaries: (0..threads).map(|_| Mutex::new(None)).collect(),
        }
    }

    /// The way of thread `worker` to the others.
    pub fn door(&self, worker: usize) -> Door<'_> {
        Door { hall: self, worker }
    }
}

/// A thread's way to the others.
#[derive(Debug)]
pub struct Door<'a> {
    hall: &'a Hall,
    worker: usize,
}

impl Drop for Door<'_> {
    /// A thread that panics does not let the others wait for ever.
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.hall.meeting.leave();
        }
    }
}

impl Exchange for Door<'_> {
    fn place(&self) -> (usize, usize) {
        (self.worker, self.hall.summaries.len())
    }

    fn exchange(&mut self, boxes: &mut [Vec<Flight>], posts: &mut Vec<Post>) -> Result<(), Lost> {
        let (hall, me) = (self.hall, self.worker);
        for (to, flights) in boxes.iter_mut().enumerate() {
            std::mem::swap(&mut *lock(&hall.boxes[to][me]), flights);
        }
        *lock(&hall.posts[me]) = std::mem::take(posts);
        hall.meeting.wait()?;
        for (from, flights) in boxes.iter_mut().enumerate() {
            // What lies there are the flights of this epoch; what is given back is an empty box of an earlier one.
            flights.clear();
            std::mem::swap(&mut *lock(&hall.boxes[me][from]), flights);
        }
        for others in &hall.posts {
            posts.extend_from_slice(&lock(others));
        }
        Ok(())
    }

    fn reduce(&mut self, summary: Summary) -> Result<Summary, Lost> {
        let hall = self.hall;
        *lock(&hall.summaries[self.worker]) = Some(summary.clone());
        hall.meeting.wait()?;
        let others = hall
            .summaries
            .iter()
            .filter_map(|other| lock(other).clone());
        Ok(others.fold(summary, |all, other| all.and(&other)))
    }
}
