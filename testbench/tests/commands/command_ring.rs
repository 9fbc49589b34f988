//! `CommandRing` against plain rings, each rule by name, and exact cycles.

mod doorbell;
mod fetch;
mod harness;
mod plain_rings;
mod restart;
