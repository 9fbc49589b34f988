//! `MessageTable` against plain lists, each rule by name, and exact cycles.

mod fence;
mod harness;
mod plain_lists;
mod rules;
