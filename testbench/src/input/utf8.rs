//! Text files, which are UTF-8.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

/// The mark of the byte order, which may stand before a text.
pub(crate) const BYTE_ORDER_MARK: char = '\u{feff}';

/// What is reported of a second one.
pub(crate) const SECOND_MARK: &str = "a second byte order mark";

/// The text of a file. Errors: it cannot be read; it is not UTF-8 ([`ErrorKind::InvalidData`]), with the place of the
/// first byte that is not.
pub fn read(path: impl AsRef<Path>) -> io::Result<String> {
    text(fs::read(path)?)
}

fn text(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|error| {
        let (at, bytes) = (error.utf8_error().valid_up_to(), error.as_bytes());
        let line = 1 + bytes[..at].iter().filter(|byte| **byte == b'\n').count();
        let message = format!(
            "the file is not UTF-8: byte {} (0x{:02x}, in line {line}) is not part of a character",
            at + 1,
            bytes.get(at).copied().unwrap_or_default()
        );
        io::Error::new(ErrorKind::InvalidData, message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_byte_that_is_not_utf_8_is_named() {
        for (bytes, place) in [
            (&b"\xff\xfet\0"[..], "byte 1 (0xff, in line 1)"),
            (b"a = 1\nb = \"\xe9\"\n", "byte 12 (0xe9, in line 2)"),
            // In the middle of a character.
            (b"\n\xc3", "byte 2 (0xc3, in line 2)"),
        ] {
            let error = text(bytes.to_vec()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidData);
            assert!(error.to_string().contains(place), "{error}");
        }
        assert_eq!(text("é".into()).unwrap(), "é");
    }
}
