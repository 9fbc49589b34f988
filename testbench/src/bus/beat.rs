//! `Beat`: 64 bytes of a packet, as they cross an AXI4-Stream in one cycle.

/// Bytes of a beat.
pub const BEAT_BYTES: usize = 64;

/// One beat of a packet.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Beat {
    /// The bytes that count (`tkeep`), 1 to 64.
    pub bytes: Vec<u8>,
    /// It ends its packet (`tlast`).
    pub last: bool,
}

impl Beat {
    /// Cuts `packet` into beats. An empty packet gives none: the stream has no such packet.
    ///
    /// ```
    /// use xtq_testbench::bus::Beat;
    ///
    /// let beats: Vec<Beat> = Beat::cut(&[7; 100]).collect();
    /// assert_eq!(beats.iter().map(|beat| beat.bytes.len()).collect::<Vec<_>>(), [64, 36]);
    /// assert!(!beats[0].last && beats[1].last);
    /// ```
    pub fn cut(packet: &[u8]) -> impl Iterator<Item = Self> + '_ {
        let count = packet.len().div_ceil(BEAT_BYTES);
        let chunks = packet.chunks(BEAT_BYTES).enumerate();
        chunks.map(move |(position, bytes)| Self {
            bytes: bytes.to_vec(),
            last: position + 1 == count,
        })
    }
}
