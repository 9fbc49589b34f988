//! Tests of the library without hardware. The places of the fields are written here once more, as bytes of the 128, so
//! that a slip in the definition or in a name shows.

mod events;
mod messages;
mod objects;
mod process;

use super::Command;

/// The 16, 32 or 64-bit little-endian value at a byte of a command.
fn at<const N: usize>(command: &Command, byte: usize) -> u64 {
    let mut word = [0; 8];
    word[..N].copy_from_slice(&command.bytes()[byte..byte + N]);
    u64::from_le_bytes(word)
}

/// Compares a whole command with bytes given as (first byte, bytes).
fn is_exactly(command: &Command, parts: &[(usize, &[u8])]) {
    let mut wanted = [0; 128];
    for (place, bytes) in parts {
        wanted[*place..place + bytes.len()].copy_from_slice(bytes);
    }
    assert_eq!(command.bytes(), &wanted);
}
