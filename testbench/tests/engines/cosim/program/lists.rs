//! The lists of pieces of which entries and descriptors may be.

use proptest::prelude::*;

/// Where the lists of pieces begin, after all other buffers: for match entries, then for descriptors, a number of each.
pub const LISTS: u64 = 0x4000;

/// Lists of each kind.
const LISTS_OF_A_KIND: u64 = 4;

/// Bytes of all lists.
pub const LISTS_BYTES: u64 = 2 * LISTS_OF_A_KIND * LIST_BYTES;

/// Bytes of a list, and pieces.
const LIST_BYTES: u64 = 0x100;
const MOST_PIECES: u64 = LIST_BYTES / 16;

/// A list of pieces of this kind: its address, and how many of its pieces.
pub fn pieces(kind: u64) -> impl Strategy<Value = (u64, u64)> {
    let number = prop_oneof![6 => 1..=MOST_PIECES, 1 => Just(0u64), 1 => 1025..1100u64];
    // Now and then it begins where no list may.
    let astray = prop_oneof![20 => Just(0u64), 1 => Just(4u64)];
    (0..LISTS_OF_A_KIND, number, astray).prop_map(move |(which, number, astray)| {
        let list = kind * LISTS_OF_A_KIND + which;
        (LISTS + list * LIST_BYTES + astray, number)
    })
}

/// The lists as they lie at [`LISTS`]: pieces of every length around lines and pages, also without bytes; of every
/// second list one goes to and fro. Those of match entries lie below 0x2000, those of descriptors above.
pub fn lists() -> Vec<u8> {
    let mut bytes = Vec::new();
    for list in 0..2 * LISTS_OF_A_KIND {
        let base = list / LISTS_OF_A_KIND * 0x2000;
        for piece in 0..MOST_PIECES {
            let lengths = [5, 0, 64, 1, 8, 130, 63, 0, 16, 700, 65, 24, 3, 512, 40, 8];
            let length: u64 = lengths[((piece * 5 + list * 3) % MOST_PIECES) as usize];
            // Places of 0x200 bytes; a page ends inside some.
            let place = if list % 2 == 0 {
                piece
            } else {
                piece * 7 % MOST_PIECES
            };
            let start = base + place * 0x1c0 + list * 8 + length % 13;
            bytes.extend(start.to_le_bytes());
            bytes.extend(length.to_le_bytes());
        }
    }
    bytes
}
