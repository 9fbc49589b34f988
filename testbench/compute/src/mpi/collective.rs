//! Reduce and allreduce of the first part of the window.
//!
//! Reduce is a binomial tree. Allreduce is a reduce-scatter and an allgather (Thakur, Rabenseifner, Gropp 2005, as the
//! paper cites it): of a power of two of ranks recursive halving and doubling, of other numbers pairwise exchange and a
//! ring. Parts of an allgather are plain puts into the window: whoever sends one has received what was there before,
//! so the place is free.

use super::Mpi;
use super::exchange::Part;
use super::layout;
use super::point_to_point::process;
use crate::ProgramError;
use xtq_testbench::host::{AckRequest, Put, ptl_put};

/// Tags of the parts of an allgather begin here.
const GATHER: u32 = 0x8000;

impl Mpi {
    /// MPI_Reduce in place, of the first `bytes` of the windows: that of `root` has the combination of all; the others'
    /// are used up. Errors: a message or a kernel failed.
    pub async fn reduce(&mut self, root: usize, bytes: u64) -> Result<(), ProgramError> {
        self.collectives += 1;
        let ranks = self.ranks();
        // The root is number 0 of the tree.
        let number = (self.rank() + ranks - root) % ranks;
        let real = |number: usize| (number + root) % ranks;
        let whole = Part { offset: 0, bytes };
        let mut distance = 1;
        while distance < ranks {
            let tag = self.own_tag(distance as u32);
            if number & distance != 0 {
                let to = real(number - distance);
                return self.exchange(tag, Some((to, whole)), None).await;
            }
            if number + distance < ranks {
                let from = real(number + distance);
                self.exchange(tag, None, Some((from, whole))).await?;
            }
            distance *= 2;
        }
        Ok(())
    }

    /// MPI_Allreduce in place, of the first `bytes` of the windows: all have the combination of all. Errors: a message
    /// or a kernel failed.
    pub async fn allreduce(&mut self, bytes: u64) -> Result<(), ProgramError> {
        self.collectives += 1;
        match self.ranks() {
            1 => Ok(()),
            ranks if ranks.is_power_of_two() => self.halve_and_double(bytes).await,
            _ => self.pairwise_and_ring(bytes).await,
        }
    }

    async fn halve_and_double(&mut self, bytes: u64) -> Result<(), ProgramError> {
        let (rank, ranks) = (self.rank(), self.ranks());
        // The blocks that this rank still combines: their number halves.
        let (mut first, mut count) = (0, ranks);
        let mut halves = Vec::new();
        while count > 1 {
            count /= 2;
            let partner = rank ^ count;
            let (lower, upper) = (first, first + count);
            let (kept, given) = match rank & count {
                0 => (lower, upper),
                _ => (upper, lower),
            };
            let tag = self.own_tag(count as u32);
            let kept_part = self.blocks(bytes, kept, count)?;
            let given_part = self.blocks(bytes, given, count)?;
            let out = Some((partner, given_part));
            self.exchange(tag, out, Some((partner, kept_part))).await?;
            halves.push((partner, kept, given, count));
            first = kept;
        }
        for (partner, kept, given, count) in halves.into_iter().rev() {
            let part = self.blocks(bytes, kept, count)?;
            self.put_blocks(partner, kept, part).await?;
            self.blocks_came(partner, given).await?;
        }
        Ok(())
    }

    async fn pairwise_and_ring(&mut self, bytes: u64) -> Result<(), ProgramError> {
        let (rank, ranks) = (self.rank(), self.ranks());
        let own = self.blocks(bytes, rank, 1)?;
        for step in 1..ranks {
            let (to, from) = ((rank + step) % ranks, (rank + ranks - step) % ranks);
            let tag = self.own_tag(step as u32);
            let out = Some((to, self.blocks(bytes, to, 1)?));
            self.exchange(tag, out, Some((from, own))).await?;
        }
        let (right, left) = ((rank + 1) % ranks, (rank + ranks - 1) % ranks);
        for step in 0..ranks - 1 {
            let block = (rank + ranks - step) % ranks;
            let part = self.blocks(bytes, block, 1)?;
            self.put_blocks(right, block, part).await?;
            self.blocks_came(left, (left + ranks - step) % ranks)
                .await?;
        }
        Ok(())
    }

    /// Consecutive blocks of the first `bytes`, of which there is one for each rank. Errors: there are no vectors of
    /// the datatype.
    fn blocks(&self, bytes: u64, first: usize, count: usize) -> Result<Part, ProgramError> {
        let (element, ranks) = (self.element()?, self.ranks() as u64);
        let elements = bytes / element;
        let edge = |block: usize| elements * block as u64 / ranks * element;
        Ok(Part {
            offset: edge(first),
            bytes: edge(first + count) - edge(first),
        })
    }

    /// Puts the blocks from `first` on into the same place of another rank's window.
    async fn put_blocks(
        &mut self,
        to: usize,
        first: usize,
        Part { offset, bytes }: Part,
    ) -> Result<(), ProgramError> {
        let put = ptl_put(&Put {
            md: layout::SILENT,
            local_offset: self.job.options.window.address + offset,
            length: bytes,
            ack: AckRequest::None,
            target: process(to),
            pt_index: layout::WINDOW,
            match_bits: self.own_tag(GATHER | first as u32).into(),
            remote_offset: offset,
            ..Put::default()
        });
        self.host.post(&[put]).await
    }

    /// Waits until the blocks that begin with this one have come from a rank.
    async fn blocks_came(&mut self, from: usize, first: usize) -> Result<(), ProgramError> {
        let wanted = (from, u64::from(self.own_tag(GATHER | first as u32)));
        while !self.inbox.puts.remove(&wanted) {
            self.progress(None).await?;
        }
        Ok(())
    }
}
