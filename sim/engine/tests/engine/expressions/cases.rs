//! The 55 expression cases as rust-hdl blocks, for every engine and for the Verilog writer.
//!
//! Each is a kernel of one statement over some of the inputs of [`pins`] and the output `o`. A case is either refused
//! by the rule it names, or every engine and every tool on the export must give what rust-hdl gives. In 24 of them
//! rust-hdl's own Verilog does not.

// The cases stand as they are listed.
#![allow(clippy::nonminimal_bool)]
// Not every test that includes this file uses all of it.
#![allow(dead_code)]

use num_bigint::BigUint;
use rust_hdl::prelude::*;
use xtq_engine::Rule;
use xtq_engine::{Engine, Oracle, Result};

/// A kernel to be compared, or refused.
pub struct Case {
    /// Name in the catalogue.
    pub name: &'static str,
    /// The rule that refuses it.
    pub refused: Option<Rule>,
    /// The inputs it has.
    pub inputs: &'static [&'static str],
    /// Value of `sa` for which rust-hdl's `signed_bit_cast` recurses for ever (the minimum at its operand).
    pub never: Option<u8>,
    /// The block, connected.
    pub block: fn() -> Box<dyn Block>,
    /// rust-hdl's own evaluation of it.
    pub oracle: fn() -> Result<Box<dyn Engine>>,
}

/// A value of a port as little-endian words.
trait Value {
    fn from_words(words: &[u64]) -> Self;
    fn to_words(self, words: &mut [u64]);
}

impl Value for Bit {
    fn from_words(words: &[u64]) -> Self {
        words[0] & 1 == 1
    }
    fn to_words(self, words: &mut [u64]) {
        words[0] = self.into();
    }
}

impl<const N: usize> Value for Bits<N> {
    fn from_words(words: &[u64]) -> Self {
        let halves = words.iter().flat_map(|w| [*w as u32, (*w >> 32) as u32]);
        BigUint::new(halves.collect()).into()
    }
    fn to_words(self, words: &mut [u64]) {
        let digits = BigUint::from(self).to_u64_digits();
        words[..digits.len()].copy_from_slice(&digits);
    }
}

impl<const N: usize> Value for Signed<N> {
    fn from_words(words: &[u64]) -> Self {
        signed_cast(Bits::from_words(words))
    }
    fn to_words(self, words: &mut [u64]) {
        unsigned_cast(self).to_words(words);
    }
}

/// Something a kernel can name.
trait Pin {
    fn fresh() -> Self;
}

impl<D: Direction, T: Synth> Pin for Signal<D, T> {
    fn fresh() -> Self {
        Self::default()
    }
}

impl Pin for Constant<Signed<8>> {
    fn fresh() -> Self {
        Self::new((-3).into())
    }
}

/// The names the cases use: inputs, the constant `sk`, the local signal `t`.
#[allow(non_camel_case_types)]
mod pins {
    use super::*;
    pub type a = Signal<In, Bits<8>>;
    pub type b = Signal<In, Bits<8>>;
    pub type c = Signal<In, Bit>;
    pub type d = Signal<In, Bit>;
    pub type w = Signal<In, Bits<64>>;
    pub type x = Signal<In, Bits<512>>;
    pub type y = Signal<In, Bits<512>>;
    pub type sa = Signal<In, Signed<8>>;
    pub type sb = Signal<In, Signed<8>>;
    pub type sk = Constant<Signed<8>>;
    pub type t = Signal<Local, Bits<8>>;
}

/// A number that exists in Rust only.
const MYK: LiteralType = 5;

/// `name (inputs) with other -> type of o { statement }`: a block each, and a function that lists them. Attribute and
/// `self` are given by the caller, because they must belong to the statements.
macro_rules! cases {
    ($hash:tt $gen:tt $this:ident $all:ident: $(
        $name:ident ($($input:ident)*) $(with $other:ident)? -> $out:ty
        $(, refused $rule:ident)? $(, never $never:literal)? { $($body:tt)* }
    )*) => {
        $(mod $name {
            use super::*;

            #[derive(Clone, LogicBlock)]
            pub struct Kernel {
                $(pub $input: pins::$input,)*
                $(pub $other: pins::$other,)?
                pub o: Signal<Out, $out>,
            }

            impl Logic for Kernel {
                $hash $gen
                fn update(&mut $this) { $($body)* }
            }

            fn new() -> Kernel {
                Kernel {
                    $($input: Pin::fresh(),)*
                    $($other: Pin::fresh(),)?
                    o: Pin::fresh(),
                }
            }

            pub fn block() -> Box<dyn Block> {
                let mut block = new();
                block.connect_all();
                Box::new(block)
            }

            pub fn oracle() -> Result<Box<dyn Engine>> {
                let oracle = Oracle::builder(new())
                    $(.input(stringify!($input), |k, words| k.$input.next = Value::from_words(words)))*
                    .output("o", |k, words| k.o.val().to_words(words));
                Ok(Box::new(oracle.build()?))
            }
        })*

        /// The cases of this list, in its order.
        pub fn $all() -> Vec<Case> {
            vec![$(Case {
                name: stringify!($name),
                refused: [$(Rule::$rule)?].into_iter().next(),
                inputs: &[$(stringify!($input)),*],
                never: [$($never)?].into_iter().next(),
                block: $name::block,
                oracle: $name::oracle,
            }),*]
        }
    };
}

cases! { #[hdl_gen] self all:
    add_lit_eq (a b) -> Bit { self.o.next = (self.a.val() + 1) == self.b.val(); }
    sub_gt (a b) -> Bit { self.o.next = (self.a.val() - self.b.val()) < 200; }
    sub_gt_var (a b) -> Bit { self.o.next = (self.a.val() - self.b.val()) > self.b.val(); }
    add_lit_shr (a) -> Bits<8> { self.o.next = (self.a.val() + 1) >> 1; }
    add_shr (a b) -> Bits<8> { self.o.next = (self.a.val() + self.b.val()) >> 1; }
    cast_of_add (a b) -> Bits<16> { self.o.next = bit_cast::<16, 8>(self.a.val() + self.b.val()); }
    cast_of_shl (a) -> Bits<16> { self.o.next = bit_cast::<16, 8>(self.a.val() << 4); }
    cast_of_not (a) -> Bits<16> { self.o.next = bit_cast::<16, 8>(!self.a.val()); }
    cast_of_bitnot (c d) -> Bits<8> { self.o.next = bit_cast::<8, 1>((!self.c.val() | self.d.val()).into()); }
    not_eq_lit (a) -> Bit { self.o.next = (!self.a.val()) == 0xF0; }
    not_eq_var (a b) -> Bit { self.o.next = (!self.a.val()) == self.b.val(); }
    prec_and_eq (a b) -> Bit { self.o.next = self.a.val() & self.b.val() == self.b.val(); }
    prec_and_eq_lit (a) -> Bit { self.o.next = self.a.val() & 0x0F == 3; }
    prec_xor_cmp (a b) -> Bit { self.o.next = self.a.val() ^ self.b.val() < self.a.val(); }
    bit_ops (c d) -> Bit {
        self.o.next = (self.c.val() && !self.d.val())
            || (self.c.val() ^ self.d.val()) & !(self.c.val() == self.d.val());
    }
    shl_lit_cmp (a b) -> Bit { self.o.next = (bits::<8>(1) << self.b.val()) == self.a.val(); }
    shl_dyn (a b) -> Bits<8> { self.o.next = self.a.val() << self.b.val(); }
    idxrep8 (a c) -> Bits<8> { self.o.next = self.a.val().replace_bit(3, self.c.val()); }
    idxrep64 (w c) -> Bits<64> { self.o.next = self.w.val().replace_bit(40, self.c.val()); }
    idxrep512 (x c) -> Bits<512> { self.o.next = self.x.val().replace_bit(300, self.c.val()); }
    idxrep_not (w c) -> Bits<64> { self.o.next = self.w.val().replace_bit(40, !self.c.val()); }
    idxrep_any (w c) -> Bit { self.o.next = self.w.val().replace_bit(40, self.c.val()).all(); }
    slice_dyn (a w) -> Bits<8> {
        self.o.next = self.w.val().get_bits::<8>(self.a.val().get_bits::<6>(0).index());
    }
    slice_over (a) -> Bits<4>, refused SliceOutOfRange { self.o.next = self.a.val().get_bits::<4>(6); }
    slice_expr (a b) -> Bits<4> { self.o.next = (self.a.val() + self.b.val()).get_bits::<4>(2); }
    slice_cast (a) -> Bits<4> { self.o.next = bit_cast::<16, 8>(self.a.val()).get_bits::<4>(2); }
    bit_expr (a b) -> Bit { self.o.next = (self.a.val() ^ self.b.val()).get_bit(2); }
    idx_shl (a w) -> Bits<8>, refused IndexArithmetic {
        self.o.next = self.w.val().get_bits::<8>(self.a.val().get_bits::<3>(0).index() << 3);
    }
    idx_mul (a w) -> Bits<8>, refused IndexArithmetic {
        self.o.next = self.w.val().get_bits::<8>(self.a.val().get_bits::<3>(0).index() * 8);
    }
    signed_lt (sa sb) -> Bit { self.o.next = self.sa.val() < self.sb.val(); }
    signed_lt_k (sa) with sk -> Bit { self.o.next = self.sa.val() < self.sk.val(); }
    signed_ext (sa) -> Signed<16>, never 0x80 { self.o.next = signed_bit_cast::<16, 8>(self.sa.val()); }
    signed_ext_add (sa) with sk -> Signed<16>, never 0x7d {
        self.o.next = signed_bit_cast::<16, 8>(self.sa.val() - self.sk.val());
    }
    signed_cast_cmp (a sb) -> Bit { self.o.next = signed_cast(self.a.val()) < self.sb.val(); }
    signed_unsigned_ext (sa) -> Bits<16> { self.o.next = bit_cast::<16, 8>(unsigned_cast(self.sa.val())); }
    signed_neg (sa) -> Signed<8> { self.o.next = -self.sa.val(); }
    wide_eq (x y) -> Bit { self.o.next = self.x.val() == self.y.val(); }
    wide_gt (x y) -> Bit { self.o.next = self.x.val() > self.y.val(); }
    wide_add (x y) -> Bits<512> { self.o.next = self.x.val() + self.y.val(); }
    wide_sub_lit (x) -> Bits<512> { self.o.next = self.x.val() - 5; }
    wide_not (x) -> Bits<512> { self.o.next = !self.x.val(); }
    wide_concat_or (a b w) -> Bits<512> {
        self.o.next = bit_cast::<512, 64>(self.w.val())
            | (bit_cast::<512, 8>(self.a.val()) << 64)
            | (bit_cast::<512, 8>(self.b.val()) << 500);
    }
    match_index (a b) -> Bits<8> {
        match self.a.val().get_bits::<2>(0).index() {
            0 => self.o.next = self.b.val(),
            1 => self.o.next = !self.b.val(),
            _ => self.o.next = self.b.val() + 1,
        }
    }
    rust_const (a) -> Bits<8>, refused UnknownName { self.o.next = self.a.val() + MYK; }
    generic_const (a) -> Bits<8> { self.o.next = self.a.val() + 7_u32.to_bits(); }
    bool_reduce (a b) -> Bit { self.o.next = !self.a.val().any() | self.b.val().all() ^ self.a.val().xor(); }
    latch_if (a c) -> Bits<8>, refused Latch {
        if self.c.val() {
            self.o.next = self.a.val();
        }
    }
    local_rbw (a b) with t -> Bits<8>, refused ReadBeforeWrite {
        self.o.next = self.t.val();
        self.t.next = self.a.val() + self.b.val();
    }
    if_bits1 (a b c d) -> Bits<8> {
        self.o.next = self.a.val();
        if !self.c.val() {
            self.o.next = self.b.val();
        } else if self.d.val() {
            self.o.next = self.a.val() + self.b.val();
        }
    }
    lit64 (w) -> Bits<64> { self.o.next = self.w.val() + 0x1_0000_0000_u64; }
    lit_bits (w) -> Bits<64> { self.o.next = self.w.val() & bits::<64>(0xFFFF_0000_FFFF_u64); }
    cmp_chain_ne (a b c) -> Bit { self.o.next = (self.a.val() != self.b.val()) == self.c.val(); }
    shr_expr_lit (a) -> Bits<8> { self.o.next = (self.a.val() - 1) >> 4; }
    cast_narrow_add (a b) -> Bits<4> { self.o.next = bit_cast::<4, 8>(self.a.val() + self.b.val()) + 1; }
    cast_cmp (a b) -> Bit {
        self.o.next = bit_cast::<4, 8>(self.a.val()) + 1 == bit_cast::<4, 8>(self.b.val());
    }
}

// Not in the catalogue.
cases! { #[hdl_gen] self more:
    unsigned_lt (a sa) -> Bit { self.o.next = unsigned_cast(self.sa.val()) < self.a.val(); }
    lit_shl (a) -> Bits<64> { self.o.next = (1 << self.a.val()) + 1; }
}
