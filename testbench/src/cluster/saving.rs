//! The state of a cluster as bytes: each node with its ends of the network by itself.

use super::run::Cluster;
use crate::network::Station;
use crate::saved::{Damaged, Loaded, Reader, Saved, Writer};

impl<S: Station> Cluster<S> {
    /// The state of the cluster without its nodes, with the trunks, then that of each. All clocks must be equal, as
    /// after [`run`](Self::run). Errors: something cannot be saved.
    pub(crate) fn save(&self) -> Result<Vec<Vec<u8>>, Damaged>
    where
        S: Saved,
    {
        let mut board = Writer::default();
        self.board.save(&mut board);
        let trunks = self.network.trunks().iter();
        trunks.for_each(|trunk| trunk.save(&mut board));
        let nodes = self.nodes.iter().zip(self.network.ports());
        let nodes = nodes.map(|(station, port)| {
            let mut writer = Writer::default();
            station.save(&mut writer);
            port.save(&mut writer);
            writer.finish()
        });
        std::iter::once(board.finish()).chain(nodes).collect()
    }

    /// Takes a state over that [`save`](Self::save) gave of a cluster that was built as this one. Errors: it is not;
    /// then the cluster must not run.
    pub(crate) fn load(&mut self, states: &[Vec<u8>]) -> Loaded
    where
        S: Saved,
    {
        let Some((board, states)) = states.split_first() else {
            return Err(Damaged);
        };
        if states.len() != self.nodes.len() {
            return Err(Damaged);
        }
        let mut board = Reader::new(board);
        self.board.load(&mut board)?;
        let (ports, trunks) = self.network.parts_mut();
        trunks
            .iter_mut()
            .try_for_each(|trunk| trunk.load(&mut board))?;
        board.finish()?;
        for ((station, port), state) in self.nodes.iter_mut().zip(ports).zip(states) {
            let mut reader = Reader::new(state);
            station.load(&mut reader)?;
            port.load(&mut reader)?;
            reader.finish()?;
        }
        self.touched = true;
        Ok(())
    }
}
