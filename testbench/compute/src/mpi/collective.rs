//! Reduce and allreduce of the first part of the window.
//!
//! Both are lists of [`Step`]s, carried out one after the other; `outstanding` carries them out beside the program.

use super::Mpi;
use super::exchange::Part;
use super::layout;
use super::point_to_point::process;
use super::steps::Step;
use crate::ProgramError;
use xtq_testbench::host::{AckRequest, Put, ptl_put};

impl Mpi {
    /// MPI_Reduce in place, of the first `bytes` of the windows: that of `root` has the combination of all; the others'
    /// are used up. Errors: a message or a kernel failed.
    pub async fn reduce(&mut self, root: usize, bytes: u64) -> Result<(), ProgramError> {
        self.complete_all().await?;
        let steps = self.reduce_steps(root, Part { offset: 0, bytes });
        self.carry_out(steps).await
    }

    /// MPI_Allreduce in place, of the first `bytes` of the windows: all have the combination of all. Errors: a message
    /// or a kernel failed.
    pub async fn allreduce(&mut self, bytes: u64) -> Result<(), ProgramError> {
        self.complete_all().await?;
        let steps = self.allreduce_steps(Part { offset: 0, bytes })?;
        self.carry_out(steps).await
    }

    async fn carry_out(&mut self, steps: Vec<Step>) -> Result<(), ProgramError> {
        for step in steps {
            match step {
                Step::Exchange { tag, out, into } => self.exchange(tag, out, into).await?,
                Step::Put { to, tag, part } => self.put_blocks(to, tag, part).await?,
                Step::Come { from, tag } => {
                    while !self.have_come(from, tag) {
                        self.progress(None).await?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Puts blocks into the same place of another rank's window.
    pub(super) async fn put_blocks(
        &mut self,
        to: usize,
        tag: u32,
        Part { offset, bytes }: Part,
    ) -> Result<(), ProgramError> {
        let put = ptl_put(&Put {
            md: layout::SILENT,
            local_offset: self.job.options.window.address + offset,
            length: bytes,
            ack: AckRequest::None,
            target: process(to),
            pt_index: layout::WINDOW,
            match_bits: tag.into(),
            remote_offset: offset,
            ..Put::default()
        });
        self.host.post(&[put]).await
    }

    /// Whether the blocks with this tag have come from a rank; it says so once.
    pub(super) fn have_come(&mut self, from: usize, tag: u32) -> bool {
        self.inbox.puts.remove(&(from, tag.into()))
    }
}
