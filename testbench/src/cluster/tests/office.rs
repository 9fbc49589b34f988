//! A post office for ranks that are threads.

use std::sync::{Arc, Barrier, Mutex};

use crate::cluster::ranks::GiveUp;
use crate::cluster::{Lost, Mail};

/// Where the boxes of all ranks lie.
pub(super) struct Office {
    barrier: Barrier,
    /// By receiver, then by sender.
    boxes: Vec<Vec<Mutex<Vec<u8>>>>,
}

impl Office {
    pub(super) fn new(ranks: usize) -> Arc<Self> {
        let row = || (0..ranks).map(|_| Mutex::default()).collect();
        Arc::new(Self {
            barrier: Barrier::new(ranks),
            boxes: (0..ranks).map(|_| row()).collect(),
        })
    }
}

/// A rank's counter in the office.
pub(super) struct Counter(pub(super) Arc<Office>, pub(super) usize);

impl Mail for Counter {
    fn place(&self) -> (usize, usize) {
        (self.1, self.0.boxes.len())
    }

    fn swap(&mut self, boxes: Vec<Vec<u8>>, _give_up: &GiveUp) -> Result<Vec<Vec<u8>>, Lost> {
        let Self(office, me) = self;
        for (to, bytes) in boxes.into_iter().enumerate() {
            *office.boxes[to][*me].lock().unwrap() = bytes;
        }
        office.barrier.wait();
        let came = office.boxes[*me].iter();
        let came = came.map(|bytes| bytes.lock().unwrap().clone()).collect();
        office.barrier.wait();
        Ok(came)
    }
}
