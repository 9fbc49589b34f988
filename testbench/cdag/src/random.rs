//! Random numbers of the models: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014). The same seed gives the same run on
//! every machine.

/// A generator; every draw changes it.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A generator that begins with `seed`.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `limit`; 0 if that is 0. The bias is below `limit` / 2^64.
    pub fn below(&mut self, limit: usize) -> usize {
        match limit {
            0 => 0,
            limit => (self.bits() % limit as u64) as usize,
        }
    }
}
