//! Values as digits: what a VCD file mostly is.

use crate::base::mask;

/// The digits of every byte.
const DIGITS: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut place = 0;
        while place < 8 {
            table[byte][place] = b'0' + (byte >> (7 - place) & 1) as u8;
            place += 1;
        }
        byte += 1;
    }
    table
};

/// Fills `text` with as many of the lowest bits of a value, the highest first. A table gives eight digits at once, many
/// times faster than one after the other.
pub(super) fn digits(text: &mut [u8], words: &[u64]) {
    let bits = text.len();
    let (head, rest) = text.split_at_mut(bits % 8);
    if !head.is_empty() {
        let word = words.get(bits / 64).copied().unwrap_or(0);
        let byte = word >> (bits % 64 - bits % 8) & 0xff;
        head.copy_from_slice(&DIGITS[byte as usize][8 - bits % 8..]);
    }
    let (bytes, _) = rest.as_chunks_mut::<8>();
    for (bytes, word) in bytes.rchunks_mut(8).zip(words) {
        for (eight, byte) in bytes.iter_mut().rev().zip(word.to_le_bytes()) {
            *eight = DIGITS[usize::from(byte)];
        }
    }
}

/// Bits of a value without leading zeros, at least one.
pub(super) fn length(words: &[u64]) -> usize {
    let top = words.iter().rposition(|word| *word != 0);
    top.map_or(1, |top| {
        64 * (top + 1) - words[top].leading_zeros() as usize
    })
}

/// Cuts a value to `width` bits.
pub(super) fn cut(words: &mut [u64], width: usize) {
    if let Some(last) = words.last_mut() {
        *last &= mask(width - width.saturating_sub(1) / 64 * 64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn digits_are_those_of_one_bit_after_the_other(words in prop::collection::vec(any::<u64>(), 4), bits in 1..200usize) {
            let mut text = vec![b'?'; bits];
            digits(&mut text, &words);
            let bit = |i: usize| b'0' + (words[i / 64] >> (i % 64) & 1) as u8;
            let naive: Vec<u8> = (0..bits).rev().map(bit).collect();
            prop_assert_eq!(text, naive);
        }

        #[test]
        fn a_value_is_as_long_as_its_highest_one(mut words in prop::collection::vec(any::<u64>(), 4), width in 1..200usize) {
            words.truncate(width.div_ceil(64));
            cut(&mut words, width);
            let bit = |i: usize| words[i / 64] >> (i % 64) & 1 == 1;
            prop_assert!((width..64 * words.len()).all(|i| !bit(i)));
            prop_assert_eq!(length(&words), (0..width).rev().find(|i| bit(*i)).map_or(1, |i| i + 1));
        }
    }

    #[test]
    fn nothing_and_zero_have_one_digit() {
        assert_eq!((length(&[]), length(&[0, 0])), (1, 1));
        let mut text = *b"?";
        digits(&mut text, &[]);
        assert_eq!(text, *b"0");
    }
}
