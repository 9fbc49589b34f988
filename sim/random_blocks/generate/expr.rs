//! Random expressions as text, typed so that Rust takes them.

use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// A type of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ty {
    Bit,
    Bits(usize),
    Signed(usize),
}

impl Ty {
    /// Any type, widths often at a boundary of words.
    pub fn any(random: &mut ChaCha8Rng) -> Self {
        match random.random_range(0..8) {
            0 | 1 => Self::Bit,
            2 => Self::Signed(random.random_range(2..=64)),
            _ => Self::Bits(width(random)),
        }
    }

    /// As Rust writes it.
    pub fn text(self) -> String {
        match self {
            Self::Bit => "Bit".into(),
            Self::Bits(width) => format!("Bits<{width}>"),
            Self::Signed(width) => format!("Signed<{width}>"),
        }
    }
}

/// A width of 1 to 140 bits.
pub fn width(random: &mut ChaCha8Rng) -> usize {
    const CORNERS: [usize; 10] = [1, 8, 31, 32, 33, 63, 64, 65, 128, 129];
    match random.random_range(0..3) {
        0 => CORNERS[random.random_range(0..CORNERS.len())],
        1 => random.random_range(1..=16),
        _ => random.random_range(1..=140),
    }
}

/// A number below `2^width` as a literal of Rust.
fn number(random: &mut ChaCha8Rng, width: usize) -> String {
    let all = u64::MAX >> (64 - width.clamp(1, 64));
    let value = match random.random_range(0..5) {
        0 => 0,
        1 => 1,
        2 => all,
        3 => all >> 1,
        _ => random.random(),
    };
    match value & all {
        small if small < 1 << 31 => format!("{small}"),
        large => format!("{large:#x}_u64"),
    }
}

/// What a kernel can read so far: expressions with their types.
pub struct Scope<'a> {
    pub random: &'a mut ChaCha8Rng,
    pub names: Vec<(String, Ty)>,
}

impl Scope<'_> {
    pub fn below(&mut self, limit: usize) -> usize {
        self.random.random_range(0..limit)
    }

    /// A name of a type that `wanted` takes.
    fn name(&mut self, wanted: impl Fn(Ty) -> bool) -> Option<(String, Ty)> {
        let fit: Vec<_> = self.names.iter().filter(|(_, ty)| wanted(*ty)).collect();
        let last = fit.len().checked_sub(1)?;
        Some(fit[self.random.random_range(0..=last)].clone())
    }

    pub fn expr(&mut self, ty: Ty, depth: usize) -> String {
        match ty {
            Ty::Bit => self.bit(depth),
            Ty::Bits(width) => self.bits(width, depth),
            Ty::Signed(width) => self.signed(width, depth),
        }
    }

    /// Unsigned bits of any width of at least `least`.
    fn wide(&mut self, least: usize, depth: usize) -> (String, usize) {
        let fits = |ty| matches!(ty, Ty::Bits(width) if width >= least);
        match self.name(fits) {
            Some((name, Ty::Bits(width))) if depth == 0 || self.below(2) == 0 => (name, width),
            _ => {
                let width = least.max(width(self.random));
                (self.bits(width, depth.saturating_sub(1)), width)
            }
        }
    }

    /// Something to index `2^bits` places with.
    pub fn index(&mut self, bits: usize) -> String {
        let (base, width) = self.wide(bits, 0);
        let offset = self.below(width - bits + 1);
        format!("{base}.get_bits::<{bits}>({offset}).index()")
    }

    /// Bits of a name that address all of `places`, or fewer; none if there are fewer than two.
    fn index_below(&mut self, places: usize) -> Option<String> {
        let bits = places.checked_ilog2().filter(|bits| *bits > 0)? as usize;
        Some(self.index(bits.min(7)))
    }

    fn bit(&mut self, depth: usize) -> String {
        let Some(below) = depth.checked_sub(1) else {
            let name = self.name(|ty| ty == Ty::Bit);
            return name.map_or_else(|| format!("{}.any()", self.wide(1, 0).0), |(name, _)| name);
        };
        match self.below(9) {
            0 => self.bit(0),
            1 => format!("(!{})", self.bit(below)),
            2 => {
                let op = ["&", "|", "^", "==", "!=", "&&", "||"][self.below(7)];
                format!("({} {op} {})", self.bit(below), self.bit(below))
            }
            3 | 4 => {
                let op = ["==", "!=", "<", "<=", ">", ">="][self.below(6)];
                let (left, width) = self.wide(1, below);
                let right = match self.below(2) {
                    0 => number(self.random, width),
                    _ => self.bits(width, below),
                };
                format!("({left} {op} {right})")
            }
            5 => {
                let op = ["==", "!=", "<", "<=", ">", ">="][self.below(6)];
                let name = self.name(|ty| matches!(ty, Ty::Signed(_)));
                let Some((left, Ty::Signed(width))) = name else {
                    return self.bit(below);
                };
                format!("({left} {op} {})", self.signed(width, below))
            }
            6 => {
                let method = ["any", "all", "xor"][self.below(3)];
                format!("{}.{method}()", self.wide(1, below).0)
            }
            7 => {
                let (base, width) = self.wide(1, below);
                match self.index_below(width) {
                    Some(index) if self.below(2) == 0 => format!("{base}.get_bit({index})"),
                    _ => format!("{base}.get_bit({})", self.below(width)),
                }
            }
            _ => self.bit(0),
        }
    }

    fn bits(&mut self, width: usize, depth: usize) -> String {
        let Some(below) = depth.checked_sub(1) else {
            if let Some((name, _)) = self.name(|ty| ty == Ty::Bits(width)) {
                return name;
            }
            return match self.name(|ty| matches!(ty, Ty::Bits(_))) {
                Some((name, Ty::Bits(other))) => format!("bit_cast::<{width}, {other}>({name})"),
                _ => format!("bits::<{width}>({})", number(self.random, width)),
            };
        };
        match self.below(12) {
            0 => format!("bits::<{width}>({})", number(self.random, width)),
            1 => format!("(!{})", self.bits(width, below)),
            2 | 3 => {
                let op = ["+", "-", "&", "|", "^"][self.below(5)];
                let left = self.bits(width, below);
                format!("({left} {op} {})", self.bits(width, below))
            }
            4 => {
                let op = ["+", "-", "&", "|", "^"][self.below(5)];
                let left = self.bits(width, below);
                format!("({left} {op} {})", number(self.random, width))
            }
            5 => {
                let op = ["<<", ">>"][self.below(2)];
                let left = self.bits(width, below);
                match self.below(2) {
                    0 => format!("({left} {op} {})", self.below(width)),
                    _ => {
                        let by = 1 + self.below(8);
                        format!("({left} {op} {})", self.bits(by, 0))
                    }
                }
            }
            6 | 7 => {
                let (base, other) = self.wide(width, below);
                // Bits beyond the last are zero; an offset beyond it panics.
                let offset = match self.index_below(other + 1) {
                    Some(index) if self.below(2) == 0 => index,
                    _ => self.below(other - width + 1).to_string(),
                };
                format!("{base}.get_bits::<{width}>({offset})")
            }
            8 => {
                let (inner, other) = self.wide(1, below);
                format!("bit_cast::<{width}, {other}>({inner})")
            }
            9 => {
                let (base, value) = (self.bits(width, below), self.bit(below));
                match self.index_below(width) {
                    Some(index) if self.below(2) == 0 => {
                        format!("{base}.replace_bit({index}, {value})")
                    }
                    _ => format!("{base}.replace_bit({}, {value})", self.below(width)),
                }
            }
            10 if (2..=64).contains(&width) => {
                format!("unsigned_cast({})", self.signed(width, below))
            }
            11 => format!("bit_cast::<{width}, 1>(({}).into())", self.bit(below)),
            _ => self.bits(width, 0),
        }
    }

    fn signed(&mut self, width: usize, depth: usize) -> String {
        let Some(below) = depth.checked_sub(1) else {
            return match self.name(|ty| ty == Ty::Signed(width)) {
                Some((name, _)) => name,
                None => format!("signed_cast({})", self.bits(width, 0)),
            };
        };
        match self.below(5) {
            0 | 1 => {
                let op = ["+", "-"][self.below(2)];
                let left = self.signed(width, below);
                format!("({left} {op} {})", self.signed(width, below))
            }
            2 => format!("(-{})", self.signed(width, below)),
            3 => format!("signed_cast({})", self.bits(width, below)),
            _ => self.signed(width, 0),
        }
    }
}
