//! Append, search, unlink and portal entries, one rule a test: here what the files beside share.

mod append;
mod capacity;
mod portals;
mod unlink;

use super::words::{Command, Response};

/// Field of a HIT.
pub fn field(response: &Response, name: &str) -> u64 {
    let Response::Hit(values) = response else {
        panic!("{response:?} is no hit");
    };
    let place = super::words::HIT_FIELDS
        .iter()
        .position(|field| *field == name);
    values[place.expect("a field")]
}

impl Command {
    fn with_ignore(self, ignore: u64) -> Self {
        Self { ignore, ..self }
    }
}
