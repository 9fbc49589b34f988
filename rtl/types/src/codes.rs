//! `codes!`: numbers with names, each typed once for hardware, models, files and documents.

/// A number with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code {
    /// Name, as the constant has it.
    pub name: &'static str,
    /// Number.
    pub value: u64,
    /// The number as it is written in the source: `1 << 3`.
    pub written: &'static str,
    /// What it means.
    pub doc: &'static str,
}

/// The name of a number, if it has one.
pub fn name_of(codes: &[Code], value: u64) -> Option<&'static str> {
    let found = codes.iter().find(|code| code.value == value);
    found.map(|code| code.name)
}

/// Defines numbers with names: `codes! { /// doc  pub mod kind: u8 { /// doc  PUT = 2, ... } }`.
///
/// Gives the module `kind` with a constant for each, and `kind::CODES` with all of them and their documentation.
///
/// With names of variants, `codes! { ($) /// doc  pub mod kind: u8 as event_kinds { /// doc  PUT = 2 => Put, ... } }`,
/// there is also a macro `event_kinds!`. `event_kinds! { make { ... } }` calls
/// `make! { { ... } /// doc  PUT = 2 => Put, ... }`, so that a crate that knows serde makes an enum of it.
#[macro_export]
macro_rules! codes {
    (($d:tt) $(#[$meta:meta])* pub mod $name:ident : $type:ident as $list:ident
        { $($(#[doc = $doc:literal])+ $code:ident = $value:literal => $variant:ident,)* }) => {
        $crate::codes! { $(#[$meta])* pub mod $name : $type { $($(#[doc = $doc])+ $code = $value,)* } }

        #[doc = concat!("Calls a macro with all of `", stringify!($name), "`, see [`codes!`](crate::codes).")]
        #[macro_export]
        macro_rules! $list {
            ($d make:ident $d arguments:tt) => {
                $d make! { $d arguments $($(#[doc = $doc])+ $code = $value => $variant,)* }
            };
        }
    };
    ($(#[$meta:meta])* pub mod $name:ident : $type:ident
        { $($(#[doc = $doc:literal])+ $code:ident = $value:expr,)* }) => {
        $(#[$meta])*
        pub mod $name {
            $($(#[doc = $doc])+ pub const $code: $type = $value;)*
            /// All of them.
            pub const CODES: &[$crate::Code] = &[$($crate::Code {
                name: stringify!($code),
                value: $value,
                written: stringify!($value),
                doc: concat!($($doc),+),
            }),*];
        }
    };
}
