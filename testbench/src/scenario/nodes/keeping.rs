//! A run that keeps checkpoints, and one that goes on from them.

use super::checkpoint::{Checkpoint, CheckpointError, Head, Keep, Keeper, RunState};
use super::run::NodesRun;
use super::site::Site;
use crate::network::Station;

impl NodesRun {
    /// Keeps a checkpoint in each cycle that is a multiple of `every` (0 counts as 1), and where the run is given up or
    /// ended from outside. Errors: the engine's state cannot leave the process.
    pub fn keep_checkpoints(&mut self, every: u64, keep: Keep) -> Result<(), CheckpointError> {
        let mut nodes = self.cluster.nodes().iter();
        if !nodes.all(|site| site.node.can_be_saved()) {
            return Err(CheckpointError::Engine);
        }
        let every = every.max(1);
        self.keeper = Some(Keeper { every, keep });
        Ok(())
    }

    /// Goes on from a checkpoint instead of the beginning. Errors: it is of another scenario, or damaged; then the run
    /// is good for nothing.
    pub fn resume(&mut self, checkpoint: &Checkpoint) -> Result<(), CheckpointError> {
        let head = checkpoint.head();
        head.check(&self.plan.scenario)?;
        let (state, cluster) = checkpoint.parts()?;
        self.cluster.load(cluster)?;
        let fits = |site: &Site| site.clock() == head.cycle && site.has_its_players();
        if !self.cluster.nodes().iter().all(fits) {
            return Err(CheckpointError::Damaged);
        }
        let players = self.cluster.nodes().iter().flat_map(|site| &site.players);
        let done = players.map(|player| player.steps_done() as u64);
        self.steps.add(done.sum());
        self.began = state.began;
        self.resumed = head.cycle;
        Ok(())
    }

    /// Hands a checkpoint to who keeps them, if there is one. Errors: it cannot be kept.
    pub(super) fn keep_checkpoint(&mut self) -> Result<(), String> {
        let Some(keeper) = &mut self.keeper else {
            return Ok(());
        };
        let cycle = self.cluster.cycle_count();
        let head = Head::of(&self.plan.scenario, cycle);
        let state = RunState { began: self.began };
        let cluster = self.cluster.save();
        let checkpoint = cluster.and_then(|cluster| Checkpoint::new(head, state, cluster));
        let kept = checkpoint.map_err(|error| error.to_string());
        let kept = kept.and_then(|checkpoint| (keeper.keep)(&checkpoint));
        kept.map_err(|why| format!("cycle {cycle}: the checkpoint cannot be kept: {why}"))
    }
}
