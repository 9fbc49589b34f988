//! How flights and posts look as bytes, for ranks that share no memory.
//!
//! All numbers are little-endian. First the count of flights (4 bytes), then each: source, target, hop (4 each), due
//! (8), kind (1: [`PLACE`] or bits of [`BEAT`], and [`ANSWER`]). A beat adds its packet (8), its length (1), and its
//! bytes. Then the count of posts (4), and each: topic (4), cycle (8).

use crate::bus::{BEAT_BYTES, Beat};
use crate::network::{Class, Flight, Load, Post};

/// Kind of a place that is free again.
const PLACE: u8 = 0;
/// Kind of a beat, with the bits below.
const BEAT: u8 = 1;
/// The beat is its packet's first.
const FIRST: u8 = 2;
/// The beat is its packet's last.
const LAST: u8 = 4;
/// It is of the answers.
const ANSWER: u8 = 8;

/// Bytes of these flights and posts.
pub(super) fn encode(flights: &[Flight], posts: &[Post]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut word = |word: &[u8]| bytes.extend_from_slice(word);
    word(&(flights.len() as u32).to_le_bytes());
    for flight in flights {
        word(&flight.source.to_le_bytes());
        word(&flight.target.to_le_bytes());
        word(&flight.hop.to_le_bytes());
        word(&flight.due.to_le_bytes());
        let class = match flight.class {
            Class::Request => 0,
            Class::Answer => ANSWER,
        };
        match &flight.load {
            Load::Place => word(&[PLACE | class]),
            Load::Beat {
                packet,
                first,
                beat,
            } => {
                let first = if *first { FIRST } else { 0 };
                let last = if beat.last { LAST } else { 0 };
                word(&[BEAT | first | last | class]);
                word(&packet.to_le_bytes());
                word(&[beat.bytes.len() as u8]);
                word(&beat.bytes);
            }
        }
    }
    word(&(posts.len() as u32).to_le_bytes());
    for post in posts {
        word(&post.topic.to_le_bytes());
        word(&post.cycle.to_le_bytes());
    }
    bytes
}

/// What the bytes of [`encode`] are; `None`: they are none.
pub(super) fn decode(bytes: &[u8]) -> Option<(Vec<Flight>, Vec<Post>)> {
    let mut rest = Rest(bytes);
    let mut flights = Vec::new();
    for _ in 0..rest.u32()? {
        flights.push(rest.flight()?);
    }
    let mut posts = Vec::new();
    for _ in 0..rest.u32()? {
        posts.push(Post {
            topic: rest.u32()?,
            cycle: rest.u64()?,
        });
    }
    rest.0.is_empty().then_some((flights, posts))
}

/// Bytes that have not been read.
struct Rest<'a>(&'a [u8]);

impl Rest<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*taken)
    }

    fn u8(&mut self) -> Option<u8> {
        self.take::<1>().map(|[byte]| byte)
    }

    fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }

    fn flight(&mut self) -> Option<Flight> {
        let (source, target, hop, due) = (self.u32()?, self.u32()?, self.u32()?, self.u64()?);
        let kind = self.u8()?;
        let class = match kind & ANSWER {
            0 => Class::Request,
            _ => Class::Answer,
        };
        let load = match kind & !ANSWER {
            PLACE => Load::Place,
            kind if kind & !(FIRST | LAST) == BEAT => {
                let packet = self.u64()?;
                let length = usize::from(self.u8()?);
                let (bytes, rest) = self.0.split_at_checked(length)?;
                self.0 = rest;
                if length > BEAT_BYTES {
                    return None;
                }
                Load::Beat {
                    packet,
                    first: kind & FIRST != 0,
                    beat: Beat {
                        bytes: bytes.to_vec(),
                        last: kind & LAST != 0,
                    },
                }
            }
            _ => return None,
        };
        Some(Flight {
            source,
            target,
            hop,
            class,
            due,
            load,
        })
    }
}

#[cfg(test)]
mod tests {
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::{decode, encode};
    use crate::bus::Beat;
    use crate::network::{Class, Flight, Load, Post};

    fn some(rng: &mut ChaCha8Rng) -> (Vec<Flight>, Vec<Post>) {
        let flights = (0..rng.random_range(0..6)).map(|_| Flight {
            source: rng.random(),
            target: rng.random(),
            hop: rng.random(),
            class: Class::ALL[rng.random_range(0..2)],
            due: rng.random(),
            load: match rng.random_bool(0.3) {
                true => Load::Place,
                false => Load::Beat {
                    packet: rng.random(),
                    first: rng.random(),
                    beat: Beat {
                        bytes: (0..rng.random_range(1..=64))
                            .map(|_| rng.random())
                            .collect(),
                        last: rng.random(),
                    },
                },
            },
        });
        let flights: Vec<Flight> = flights.collect();
        let posts = (0..rng.random_range(0..4)).map(|_| Post {
            topic: rng.random(),
            cycle: rng.random(),
        });
        (flights, posts.collect())
    }

    #[test]
    fn what_was_sent_is_read_and_nothing_else_is() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for _ in 0..200 {
            let (flights, posts) = some(&mut rng);
            let bytes = encode(&flights, &posts);
            assert_eq!(decode(&bytes), Some((flights, posts)));
            for end in 0..bytes.len() {
                assert_eq!(decode(&bytes[..end]), None, "cut after {end} bytes");
            }
            assert_eq!(decode(&[&bytes[..], &[0]].concat()), None, "a byte more");
        }
    }

    #[test]
    fn a_place_of_known_numbers_has_known_bytes() {
        for (class, kind) in [(Class::Request, 0), (Class::Answer, 8)] {
            let place = Flight {
                source: 1,
                target: 0x0203,
                hop: 4,
                class,
                due: 5,
                load: Load::Place,
            };
            let mut wanted = vec![1, 0, 0, 0, 1, 0, 0, 0, 3, 2, 0, 0, 4, 0, 0, 0];
            wanted.extend([5, 0, 0, 0, 0, 0, 0, 0, kind, 0, 0, 0, 0]);
            assert_eq!(encode(&[place], &[]), wanted);
        }
    }
}
