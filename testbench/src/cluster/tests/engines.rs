//! An engine that fails in a group whose hardware is computed together.

use super::{Broken, cluster};
use crate::cluster::{ClusterError, RunOptions};
use xtq_engine::{Engine, Error, Port, PortId, Result, Snapshot};

/// An engine without ports that fails in one cycle, in one half of it.
pub(super) struct Failing {
    pub(super) cycle: u64,
    /// Cycle, and whether it is [`eval`](Engine::eval) that fails, not [`step`](Engine::step).
    pub(super) fails: Option<(u64, bool)>,
}

impl Failing {
    fn fail(&self, evaluates: bool) -> Result<()> {
        match self.fails == Some((self.cycle, evaluates)) {
            true => Err(Error::DoesNotSettle {
                cycle: self.cycle,
                passes: 7,
            }),
            false => Ok(()),
        }
    }
}

impl Engine for Failing {
    fn name(&self) -> &'static str {
        "failing"
    }
    fn ports(&self) -> &[Port] {
        &[]
    }
    fn set(&mut self, _port: PortId, _words: &[u64]) -> Result<()> {
        Ok(())
    }
    fn get(&self, _port: PortId, _words: &mut [u64]) {}
    fn eval(&mut self) -> Result<()> {
        self.fail(true)
    }
    fn step(&mut self) -> Result<()> {
        self.fail(false)?;
        self.cycle += 1;
        Ok(())
    }
    fn cycle(&self) -> u64 {
        self.cycle
    }
    fn peek(&self, path: &str) -> Result<Vec<u64>> {
        Err(Error::NoSuchPath(path.into()))
    }
    fn poke(&mut self, path: &str, _words: &[u64]) -> Result<()> {
        Err(Error::NoSuchPath(path.into()))
    }
    fn snapshot(&self) -> Snapshot {
        Snapshot::new(Box::new(self.cycle))
    }
    fn restore(&mut self, _snapshot: &Snapshot) -> Result<()> {
        Ok(())
    }
}

/// A node of the first group and one of the second, each in one of both halves of a cycle: the run ends with its
/// number and reason, on any number of threads.
#[test]
fn a_node_whose_engine_fails_in_a_group_is_named_and_the_run_ends() {
    for evaluates in [true, false] {
        for broken in [0, 5, 15, 16, 19] {
            for threads in [1, 2] {
                let mut cluster = cluster(20, 3);
                for node in cluster.nodes_mut() {
                    let fails = (node.number == broken).then_some((9, evaluates));
                    node.engine = Some(Failing { cycle: 0, fails });
                }
                let options = RunOptions {
                    threads,
                    skips: false,
                    until: 40,
                    ..RunOptions::default()
                };
                let error = cluster.run(&options).unwrap_err();
                let ClusterError::Node { node, error } = error else {
                    panic!("another error: {error}");
                };
                assert_eq!((node, error), (usize::from(broken), Broken));
            }
        }
    }
}
