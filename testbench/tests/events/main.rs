//! Outcomes and event rings.

use xtq_catalogue as _;
mod completer;
mod event_merge;
mod event_rings;
mod ring_arbiter;
