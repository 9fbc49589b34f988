//! Who carries the broadcast out, and what of it is in the loop.

use serde::Serialize;
use xtq_cdag::compile::Options;
use xtq_cdag::emit::{Backend, Posting};

/// A way to do it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// The NICs; everything is made and posted inside the loop, as in the paper.
    #[default]
    Posted,
    /// The NICs, by a schedule that was posted once and is used again.
    Reused,
    /// The hosts, by the same graph: what may start at once in the call that begins, the rest in the one that waits.
    Host,
    /// The hosts, in libNBC's rounds.
    Rounds,
}

impl Mode {
    /// All.
    pub const ALL: [Self; 4] = [Self::Posted, Self::Reused, Self::Host, Self::Rounds];

    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Posted => "offloaded, posted in the loop",
            Self::Reused => "offloaded, reused",
            Self::Host => "by hosts",
            Self::Rounds => "by hosts, in rounds",
        }
    }

    /// Whether the NICs do it.
    pub fn is_offloaded(self) -> bool {
        matches!(self, Self::Posted | Self::Reused)
    }

    /// How it is compiled: NICs need a start barrier, since nobody else waits for all to have posted.
    pub(super) fn options(self) -> Options {
        Options {
            barrier: self.is_offloaded(),
            ..Options::default()
        }
    }

    pub(super) fn backend(self) -> Backend {
        match self.is_offloaded() {
            true => Backend::Offloaded,
            false => Backend::Host,
        }
    }

    /// Hosts use what the library has had since it began.
    pub(super) fn posting(self) -> Posting {
        match self {
            Self::Posted => Posting::InLoop,
            _ => Posting::Ahead,
        }
    }

    /// How often a schedule is used in a run; the first use is not measured if there are more.
    pub(super) fn uses(self) -> u64 {
        match self {
            Self::Reused => 3,
            _ => 1,
        }
    }
}
