//! `Ranks`: workers that share no memory, as processes on one machine or on several.
//!
//! All that they say to each other is bytes ([`Mail`]); what the bytes are is defined here.

use super::exchange::{Exchange, Lost, Summary};
use super::wire::{decode, encode};
use crate::network::{Flight, Post};

/// Why a rank shall not wait for the others any longer; `None`: it shall.
pub type GiveUp = Box<dyn Fn() -> Option<String>>;

/// How ranks send bytes to each other.
pub trait Mail {
    /// Number of this rank and how many there are.
    fn place(&self) -> (usize, usize);
    /// Hands `boxes[r]` to rank `r`, and gives what each rank had for this one. All ranks call it in the same order; it
    /// waits for them until `give_up` says why it shall not. Errors: that, or what the system says.
    fn swap(&mut self, boxes: Vec<Vec<u8>>, give_up: &GiveUp) -> Result<Vec<Vec<u8>>, Lost>;
}

/// A rank's way to the others.
pub struct Ranks<M> {
    mail: M,
    give_up: GiveUp,
    is_lost: bool,
}

impl<M: Mail> Ranks<M> {
    /// Ranks that wait for each other for ever.
    pub fn new(mail: M) -> Self {
        Self {
            mail,
            give_up: Box::new(|| None),
            is_lost: false,
        }
    }

    /// Whether another rank was gone when it was needed. Nothing can be asked of the others then.
    pub fn is_lost(&self) -> bool {
        self.is_lost
    }

    /// From now on `give_up` is asked while this rank waits for others.
    pub fn give_up_when(&mut self, give_up: GiveUp) {
        self.give_up = give_up;
    }

    /// Gives all ranks what each has, by rank. Errors: another rank is gone.
    pub fn share(&mut self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, Lost> {
        let (_, ranks) = self.mail.place();
        self.swap(vec![bytes.to_vec(); ranks])
    }

    /// Gives rank 0 what each has, by rank, and the others nothing. Errors: another rank is gone.
    pub fn gather(&mut self, bytes: Vec<u8>) -> Result<Vec<Vec<u8>>, Lost> {
        let (_, ranks) = self.mail.place();
        let mut boxes = vec![Vec::new(); ranks];
        boxes[0] = bytes;
        self.swap(boxes)
    }

    fn swap(&mut self, boxes: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, Lost> {
        let came = self.mail.swap(boxes, &self.give_up);
        self.is_lost |= came.is_err();
        came
    }
}

/// A rank sent bytes that are not what was to come.
fn garbled(rank: usize) -> Lost {
    Lost(format!("rank {rank} sent something else than expected"))
}

impl<M: Mail> Exchange for Ranks<M> {
    fn place(&self) -> (usize, usize) {
        self.mail.place()
    }

    fn exchange(&mut self, boxes: &mut [Vec<Flight>], posts: &mut Vec<Post>) -> Result<(), Lost> {
        let sent = boxes.iter().map(|flights| encode(flights, posts)).collect();
        let came = self.swap(sent)?;
        posts.clear();
        for (rank, bytes) in came.iter().enumerate() {
            let (flights, more) = decode(bytes).ok_or_else(|| garbled(rank))?;
            boxes[rank] = flights;
            posts.extend(more);
        }
        Ok(())
    }

    fn reduce(&mut self, summary: Summary) -> Result<Summary, Lost> {
        let Summary {
            next,
            over,
            stopped,
        } = summary;
        let mut bytes = next.to_le_bytes().to_vec();
        bytes.extend([u8::from(over), u8::from(stopped)]);
        let mut all = summary;
        for (rank, bytes) in self.share(&bytes)?.iter().enumerate() {
            let next = bytes.first_chunk().map(|next| u64::from_le_bytes(*next));
            let (Some(next), &[over, stopped]) = (next, &bytes[bytes.len().min(8)..]) else {
                return Err(garbled(rank));
            };
            all = all.and(&Summary {
                next,
                over: over != 0,
                stopped: stopped != 0,
            });
        }
        Ok(all)
    }
}
