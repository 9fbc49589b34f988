//! A beat as words of the engine, for the tests of several rooms.

/// Little-endian words of the bytes of a beat.
pub fn words(bytes: &[u8]) -> Vec<u64> {
    let mut words = vec![0; 8];
    for (i, byte) in bytes.iter().enumerate() {
        words[i / 8] |= u64::from(*byte) << (8 * (i % 8));
    }
    words
}

/// The bytes of the first eight words.
pub fn bytes(words: &[u64]) -> Vec<u8> {
    words[..8]
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect()
}

/// `bits` bits of a value from bit `from` on; they lie in one word.
pub fn field(words: &[u64], from: usize, bits: usize) -> u64 {
    words[from / 64] >> (from % 64) & ((1 << bits) - 1)
}
