//! A tape as a small file: ports, then of each cycle the words that differ from those of the cycle before; all of it
//! compressed (zlib).
//!
//! Numbers are LEB128. A port is name, width in bits and direction; a cycle is the number of changed words, and of each
//! how many unchanged ones stand before it and the bits that differ.

use miniz_oxide::deflate::compress_to_vec_zlib;
use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;

use super::Tape;
use crate::{Direction, Error, Port, Result};

/// First bytes of the file.
const MAGIC: &[u8] = b"xtq tape 1\n";
/// Compression level of zlib.
const LEVEL: u8 = 9;
/// Bytes that a file may have before it was compressed, and words that its tape may have.
const MOST_BYTES: usize = 1 << 28;
const MOST_WORDS: usize = 1 << 28;

fn number(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// What is left to read.
struct Rest<'a>(&'a [u8]);

impl Rest<'_> {
    fn byte(&mut self) -> Result<u8> {
        let (first, rest) = self
            .0
            .split_first()
            .ok_or_else(|| bad("it ends too soon"))?;
        self.0 = rest;
        Ok(*first)
    }

    fn number(&mut self) -> Result<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let part = u64::from(byte & 0x7f);
            if part << shift >> shift != part {
                break;
            }
            value |= part << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(bad("a number is too large"))
    }

    /// A number that is at most `most`.
    fn count(&mut self, most: usize) -> Result<usize> {
        let value = self.number()?;
        let count = usize::try_from(value).ok().filter(|count| *count <= most);
        count.ok_or_else(|| bad("a number is too large"))
    }

    fn text(&mut self) -> Result<String> {
        let length = self.count(self.0.len())?;
        let (text, rest) = self.0.split_at(length);
        self.0 = rest;
        String::from_utf8(text.to_vec()).map_err(|_| bad("a name is no text"))
    }
}

fn bad(why: &str) -> Error {
    Error::Tape(why.into())
}

impl Tape {
    /// The tape as the bytes of a file, for [`unpacked`](Self::unpacked).
    pub fn packed(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        number(&mut bytes, self.ports.len() as u64);
        for port in &self.ports {
            number(&mut bytes, port.name.len() as u64);
            bytes.extend(port.name.as_bytes());
            number(&mut bytes, port.width as u64);
            bytes.push(u8::from(port.direction == Direction::Out));
        }
        number(&mut bytes, self.cycles() as u64);
        let mut last = vec![0; self.stride];
        for cycle in 0..self.cycles() {
            let pairs = self.inputs(cycle).iter().zip(&mut last);
            let differ = pairs.map(|(new, last)| new ^ std::mem::replace(last, *new));
            let moved: Vec<(usize, u64)> =
                differ.enumerate().filter(|(_, bits)| *bits != 0).collect();
            number(&mut bytes, moved.len() as u64);
            let mut next = 0;
            for (word, bits) in moved {
                number(&mut bytes, (word - next) as u64);
                number(&mut bytes, bits);
                next = word + 1;
            }
        }
        [MAGIC, &compress_to_vec_zlib(&bytes, LEVEL)].concat()
    }

    /// The tape in the bytes of a file that [`packed`](Self::packed) made. Errors: [`Error::Tape`].
    pub fn unpacked(bytes: &[u8]) -> Result<Self> {
        let bytes = bytes.strip_prefix(MAGIC).ok_or_else(|| bad("it is none"))?;
        let bytes = decompress_to_vec_zlib_with_limit(bytes, MOST_BYTES)
            .map_err(|_| bad("it is not compressed as it should be"))?;
        let mut rest = Rest(&bytes);
        let mut ports = Vec::new();
        for _ in 0..rest.number()? {
            ports.push(Port {
                name: rest.text()?,
                width: rest.count(MOST_BYTES)?,
                direction: match rest.byte()? {
                    0 => Direction::In,
                    1 => Direction::Out,
                    _ => return Err(bad("a port has no direction")),
                },
            });
        }
        let mut tape = Self::of_ports(ports);
        let cycles = rest.count(MOST_WORDS / tape.stride.max(1))?;
        let mut last = vec![0; tape.stride];
        for _ in 0..cycles {
            let mut next = 0;
            for _ in 0..rest.count(tape.stride)? {
                let word = rest.count(tape.stride)? + next;
                let place = last
                    .get_mut(word)
                    .ok_or_else(|| bad("there is no such word"))?;
                *place ^= rest.number()?;
                next = word + 1;
            }
            tape.words.extend(&last);
        }
        match rest.0.is_empty() {
            true => Ok(tape),
            false => Err(bad("something comes after its end")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn port(name: &str, width: usize, direction: Direction) -> Port {
        Port {
            name: name.into(),
            width,
            direction,
        }
    }

    proptest! {
        #[test]
        fn what_is_unpacked_is_what_was_packed(
            cycles in prop::collection::vec(prop::array::uniform3(prop_oneof![Just(0), any::<u64>()]), 0..9),
        ) {
            let ports = vec![
                port("a", 100, Direction::In),
                port("b", 512, Direction::Out),
                port("c", 1, Direction::In),
            ];
            let mut tape = Tape::of_ports(ports);
            tape.words = cycles.concat();
            let packed = tape.packed();
            prop_assert_eq!(&Tape::unpacked(&packed).unwrap(), &tape);
            // Cut off, or with something in it that was not there: an error, and no panic.
            for end in 0..packed.len() {
                prop_assert!(Tape::unpacked(&packed[..end]).is_err());
            }
            let mut spoilt = packed;
            let middle = spoilt.len() / 2;
            spoilt[middle] ^= 1;
            prop_assert!(Tape::unpacked(&spoilt).is_err());
        }
    }
}
