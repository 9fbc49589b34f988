//! Numbers of the formats as enums, for host library and models. Names and numbers are those of [`xtq_types`]; what a
//! model does with them is its own.

use xtq_types::Code;

/// Makes an enum of a list of [`codes!`](xtq_types::codes). Files write its names as Portals does, without `PTL_`.
macro_rules! vocabulary {
    ({ $(#[$meta:meta])* $name:ident $(, default $default:ident)? }
        $($(#[doc = $doc:literal])+ $code:ident = $value:literal => $variant:ident,)*) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[serde(rename_all = "SCREAMING_SNAKE_CASE")]
        #[repr(u8)]
        pub enum $name { $($(#[doc = $doc])+ $variant = $value,)* }

        impl $name {
            /// All of them, in the order of their numbers.
            pub const ALL: [Self; [$($value),*].len()] = [$(Self::$variant),*];

            /// The one of this number.
            pub fn of(code: u8) -> Option<Self> {
                Self::ALL.into_iter().find(|known| *known as u8 == code)
            }
        }

        $(impl Default for $name {
            fn default() -> Self {
                Self::$default
            }
        })?
    };
}

/// Makes an enum of the names that scenarios write in small letters, which becomes the enum `$of` of the same list.
macro_rules! small_letters {
    ({ $(#[$meta:meta])* $name:ident => $of:ty $(, default $default:ident)? }
        $($(#[doc = $doc:literal])+ $code:ident = $value:literal => $variant:ident,)*) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, schemars::JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum $name { $($(#[doc = $doc])+ $variant,)* }

        impl From<$name> for $of {
            fn from(name: $name) -> Self {
                match name {
                    $($name::$variant => Self::$variant,)*
                }
            }
        }

        $(impl Default for $name {
            fn default() -> Self {
                Self::$default
            }
        })?
    };
}

pub(crate) use {small_letters, vocabulary};

xtq_types::event_kinds! { vocabulary {
    /// What an event is about.
    EventKind
} }

xtq_types::atomic_operations! { vocabulary {
    /// Atomic operation (`ptl_op_t`); those from [`Swap`](Self::Swap) on are of [`ptl_swap`](crate::host::ptl_swap).
    AtomicOp, default Sum
} }

xtq_types::atomic_datatypes! { vocabulary {
    /// Datatype of an atomic operation (`ptl_datatype_t`).
    Datatype, default Uint64
} }

xtq_types::ack_requests! { vocabulary {
    /// Acknowledgement that a message asks for (`ptl_ack_req_t`).
    AckRequest, default None
} }

xtq_types::ni_fails! { vocabulary {
    /// What became of a message (`ptl_ni_fail_t`).
    NiFail, default Ok
} }

xtq_types::portal_lists! { vocabulary {
    /// List of a portal entry (`ptl_list_t`).
    List, default Priority
} }

xtq_types::searches! { vocabulary {
    /// What a search does with what it finds (`ptl_search_op_t`).
    Search, default Only
} }

/// The name of a number in small letters, as reports and scenarios write it; `what` stands before a number without one.
pub fn small_name(codes: &[Code], what: &str, value: u8) -> String {
    match xtq_types::name_of(codes, value.into()) {
        Some(name) => name.to_lowercase(),
        None => format!("{what} {value}"),
    }
}
