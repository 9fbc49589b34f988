//! `Wire`: how a typed signal is turned into words and back; `wire_struct!`: one definition of a packed format.

use rust_hdl::prelude::*;

/// A hardware type that converts to and from little-endian 64-bit words, so that a testbench can drive and sample it.
pub trait Wire: Synth {
    /// The value whose bit `i` is bit `i % 64` of `words[i / 64]`; missing words are zero, bits above the width are
    /// ignored.
    fn from_words(words: &[u64]) -> Self;
    /// Bit `i` of the value goes to bit `i % 64` of `words[i / 64]`; all words are overwritten.
    fn to_words(self, words: &mut [u64]);
}

impl<const N: usize> Wire for Bits<N> {
    fn from_words(words: &[u64]) -> Self {
        let word = |i: usize| words.get(i).copied().unwrap_or(0);
        if N <= 64 {
            return bit_cast::<N, 64>(bits::<64>(word(0)));
        }
        let mut value = [false; N];
        for (i, bit) in value.iter_mut().enumerate() {
            *bit = word(i / 64) >> (i % 64) & 1 == 1;
        }
        Bits::Long(value.into())
    }

    fn to_words(self, words: &mut [u64]) {
        words.fill(0);
        if N <= 64 {
            if let Some(first) = words.first_mut() {
                *first = self.to_u64();
            }
            return;
        }
        for i in 0..N.min(64 * words.len()) {
            words[i / 64] |= u64::from(self.get_bit(i)) << (i % 64);
        }
    }
}

impl Wire for bool {
    fn from_words(words: &[u64]) -> Self {
        words.first().is_some_and(|w| w & 1 == 1)
    }

    fn to_words(self, words: &mut [u64]) {
        words.fill(0);
        if let Some(first) = words.first_mut() {
            *first = u64::from(self);
        }
    }
}

/// Defines a packed format; every name has a line of documentation before it.
///
/// ```text
/// wire_struct! { pub struct Name / NameUnpack : 512 { field: width, ... } }
/// ```
///
/// Gives the rust-hdl struct `Name` (fields `Bits<width>`, the first at bit 0), `Wire` for it, `Name::FIELDS` (name,
/// offset and width in bits, documentation) for documents and models, and the combinational block `NameUnpack` that
/// turns `Bits<W>` into `Name`. A struct becomes bits with `.into()`. A wrong total width does not compile.
#[macro_export]
macro_rules! wire_struct {
    ($(#[doc = $doc:literal])* pub struct $name:ident / $unpack:ident : $total:tt
        { $($(#[doc = $fdoc:literal])+ $field:ident : $width:tt),* $(,)? }) => {
        $(#[doc = $doc])*
        #[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
        pub struct $name { $($(#[doc = $fdoc])+ pub $field: Bits<$width>),* }

        const _: () = assert!(<$name as Synth>::BITS == $total, "the widths of the fields do not add up");

        #[allow(dead_code)]
        impl $name {
            /// Fields in order: name, offset in bits, width in bits, documentation.
            pub const FIELDS: &'static [$crate::Field] = &$crate::place([
                $($crate::Field { name: stringify!($field), offset: 0, width: $width,
                    doc: concat!($($fdoc),*) }),*
            ]);
        }

        impl $crate::Wire for $name {
            fn from_words(words: &[u64]) -> Self {
                let bits = <Bits<$total> as $crate::Wire>::from_words(words);
                let mut _offset = 0;
                $(let $field = bits.get_bits::<$width>(_offset); _offset += $width;)*
                Self { $($field),* }
            }

            fn to_words(self, words: &mut [u64]) {
                let bits: Bits<$total> = self.into();
                $crate::Wire::to_words(bits, words);
            }
        }

        #[doc = concat!("Combinational: gives the bits of a [`", stringify!($name), "`] their names.")]
        #[::xtq_kernel::block]
        pub struct $unpack {
            /// The bits as they travel.
            pub raw: Signal<In, Bits<$total>>,
            /// The same bits as a struct.
            pub fields: Signal<Out, $name>,
        }

        $crate::wire_struct!(@unpack $unpack [0] [] $($field : $width,)*);
    };
    // One assignment a field, the offset a sum of the widths before it.
    (@unpack $unpack:ident [$($offset:tt)*] [$($done:tt)*] $field:ident : $width:tt, $($rest:tt)*) => {
        $crate::wire_struct!(@unpack $unpack [$($offset)* + $width]
            [$($done)* { $field $width [$($offset)*] }] $($rest)*);
    };
    (@unpack $unpack:ident [$($end:tt)*] [$({ $field:ident $width:tt [$($offset:tt)*] })*]) => {
        #[::xtq_kernel::kernel]
        impl Logic for $unpack {
            fn update(&mut self) {
                $(self.fields.next.$field = self.raw.val().get_bits::<$width>($($offset)*);)*
            }
        }
    };
}
