//! Every call of scenario files of several nodes: a right use that is seen to do what it says, and each argument with
//! wrong values, whose error names file, line and key.
//!
//! Which calls and arguments there are is read from the JSON schema of the files, so that none is forgotten.

mod arguments;
mod fixture;
mod messages;
mod objects;
mod uses;
mod waits;
mod wrong_types;
mod wrong_values;
