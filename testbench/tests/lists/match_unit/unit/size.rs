//! The configurations that the test bench drives.

use std::sync::{Arc, OnceLock};

use xtq_engine::blocks;
use xtq_engine::{Backend, Body};

use super::super::model::Rules;
use crate::hash_match::model::{LARGE, Model as Table, SMALL, Sizes};

/// A configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// 256 entries, 128 headers.
    Default,
    /// 4,096 entries, 4,096 headers.
    Large,
    /// 32 entries, 16 headers: full soon.
    Tiny,
    /// `PartitionedMatch`, four of `Large`.
    Parts,
    /// Four of `Tiny`.
    TinyParts,
    /// `ExactMatch`, with as many entries and headers as `Large`.
    Exact,
    /// With as many as `Tiny`, and a table for 17 keys.
    TightExact,
    /// With as many, and a table in which all have a place.
    TinyExact,
}

impl Size {
    pub fn entries(self) -> usize {
        match self {
            Self::Default => 256,
            Self::Large | Self::Parts | Self::Exact => 4096,
            Self::Tiny | Self::TinyParts | Self::TightExact | Self::TinyExact => 32,
        }
    }

    /// Headers, or those of a part.
    pub fn headers(self) -> usize {
        match self {
            Self::Default => 128,
            Self::Large | Self::Parts | Self::Exact => 4096,
            Self::Tiny | Self::TinyParts | Self::TightExact | Self::TinyExact => 16,
        }
    }

    /// Entries of a context.
    pub fn share(self) -> u64 {
        self.entries() as u64 / 4
    }

    /// Name of the block.
    pub fn block(self) -> &'static str {
        let names = ["match_unit", "match_unit_2", "match_unit_3"];
        let parts = ["partitioned_match", "partitioned_match_2"];
        let exact = ["exact_match", "exact_match_2", "exact_match_3"];
        [&names[..], &parts, &exact].concat()[self as usize]
    }

    /// What its model has to know.
    pub fn rules(self) -> Rules {
        match self {
            Self::Parts | Self::TinyParts => Rules::Parts,
            Self::Exact => Rules::Keys(Table::new(LARGE)),
            Self::TightExact => Rules::Keys(Table::new(Sizes {
                degree: 2,
                polynomials: [0x7, 0x5],
                portal_bits: 8,
                ..SMALL
            })),
            Self::TinyExact => Rules::Keys(Table::new(Sizes {
                degree: 4,
                polynomials: [0x13, 0x19],
                ..LARGE
            })),
            _ => Rules::Lists,
        }
    }

    /// Steps of a random run that may be inside together. Where a table is full at times it is one: a message may have
    /// the place of an entry that a message after it takes.
    pub fn together(self) -> usize {
        if self == Self::TightExact { 1 } else { 40 }
    }

    /// The code, made once.
    pub(super) fn body(self) -> Arc<Body> {
        static BODIES: [OnceLock<Arc<Body>>; 8] = [const { OnceLock::new() }; 8];
        let body = BODIES[self as usize].get_or_init(|| {
            let design = blocks::design(self.block()).expect("a block of this name");
            Arc::new(Body::new(design.as_ref(), Backend::Jit).expect("it keeps the rules"))
        });
        body.clone()
    }
}
