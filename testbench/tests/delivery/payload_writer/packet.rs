//! Packets as stimulus: bytes with an address, cut into beats.

use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;
use xtq_types::Wire;
use xtq_types::pipe::WriteBeat;

/// A packet to write.
#[derive(Clone, Debug)]
pub struct Packet {
    /// Message slot.
    pub slot: u8,
    /// Target context.
    pub context: u8,
    /// Address of the first byte.
    pub address: u64,
    /// What to write.
    pub bytes: Vec<u8>,
    /// Last packet of its message.
    pub message_last: bool,
    /// Of the wrong length.
    pub bad: bool,
    /// Bytes of it have no place.
    pub lost: bool,
}

impl Packet {
    /// The only packet of a message; bytes that are never 0, different in each packet.
    pub fn whole(slot: u8, address: u64, length: usize) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(address ^ ((length as u64) << 48));
        let mut bytes = vec![0; length];
        rng.fill_bytes(&mut bytes);
        bytes.iter_mut().for_each(|byte| *byte |= 1);
        Self {
            slot,
            context: 0,
            address,
            bytes,
            message_last: true,
            bad: false,
            lost: false,
        }
    }

    /// Lines written, by the contract: a last beat without bytes makes one, too.
    pub fn lines(&self) -> usize {
        (self.address as usize % 64 + self.bytes.len())
            .div_ceil(64)
            .max(1)
    }

    /// The packet as the rewrite engine gives it; bytes after its end are noise.
    pub fn beats(&self) -> Vec<WriteBeat> {
        let count = self.bytes.len().div_ceil(64).max(1);
        let beat = |number: usize| {
            let bytes = &self.bytes[64 * number..self.bytes.len().min(64 * number + 64)];
            let mut words = [0xaaaa_aaaa_aaaa_aaaa_u64; 8]
                .map(u64::to_le_bytes)
                .concat();
            words[..bytes.len()].copy_from_slice(bytes);
            let words: Vec<u64> = words
                .chunks_exact(8)
                .map(|word| u64::from_le_bytes(word.try_into().unwrap()))
                .collect();
            let is_last = number + 1 == count;
            WriteBeat {
                slot: u64::from(self.slot).to_bits(),
                context: u64::from(self.context).to_bits(),
                // Cut before.
                limit: 0.into(),
                first: u64::from(number == 0).to_bits(),
                last: u64::from(is_last).to_bits(),
                message_last: u64::from(self.message_last).to_bits(),
                bad: u64::from(self.bad && is_last).to_bits(),
                lost: u64::from(self.lost && is_last).to_bits(),
                bytes: (bytes.len() as u64).to_bits(),
                // Counts only with `first`.
                address: if number == 0 { self.address } else { u64::MAX }.to_bits(),
                data: Bits::from_words(&words),
            }
        };
        (0..count).map(beat).collect()
    }
}
