//! `constants!`: a block whose outputs are constants, so that a kernel can name a value that is typed once elsewhere.
//!
//! A kernel cannot name a Rust constant; it names an output of such a block instead. Synthesis folds them; they cost
//! nothing.

/// Defines the block `Name` with the output `signal` of `width` bits for each value; `constant` is the name of the
/// [`Constant`](rust_hdl::prelude::Constant) after it. Every name has a line of documentation before it.
///
/// ```text
/// constants! { pub struct Name : width { signal / constant = value; ... } }
/// ```
#[macro_export]
macro_rules! constants {
    ($(#[doc = $doc:literal])+ pub struct $block:ident : $width:tt
        { $($(#[doc = $fdoc:literal])+ $name:ident / $value:ident = $code:expr;)* }) => {
        $(#[doc = $doc])+
        #[::xtq_kernel::block]
        pub struct $block {
            $($(#[doc = $fdoc])+ pub $name: Signal<Out, Bits<$width>>, #[value(($code).to_bits())] $value: Constant<Bits<$width>>,)*
        }

        #[::xtq_kernel::kernel]
        impl Logic for $block {
            fn update(&mut self) {
                $(self.$name.next = self.$value.val();)*
            }
        }
    };
}
