//! `MdTable` against a plain table, each rule by name, and exact cycles.

mod harness;
mod plain_table;
mod rules;
