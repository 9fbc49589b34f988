//! `--dump-memory [[NODE.]CONTEXT:]ADDRESS:LENGTH:FILE`: simulated memory into a file after the run.

use std::path::PathBuf;
use std::str::FromStr;

/// Largest dump in bytes.
const LARGEST: u64 = 1 << 28;

/// What to save, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryDump {
    /// Node.
    pub node: usize,
    /// Context, 0 to 3.
    pub context: u8,
    /// Address of the first byte.
    pub address: u64,
    /// Bytes.
    pub length: usize,
    /// File.
    pub file: PathBuf,
}

impl FromStr for MemoryDump {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts: Vec<&str> = text.splitn(4, ':').collect();
        let (place, address, length, file) = match parts[..] {
            // With a context the third part is a number, too; without, it begins the name of the file.
            [place, address, length, file] if number(length).is_ok() => {
                (place, address, length, file.to_owned())
            }
            [address, length, first, rest] => ("0", address, length, format!("{first}:{rest}")),
            [address, length, file] => ("0", address, length, file.to_owned()),
            _ => return Err("[[NODE.]CONTEXT:]ADDRESS:LENGTH:FILE expected".to_owned()),
        };
        let (address, length) = (number(address)?, number(length)?);
        let (node, context) = place.split_once('.').unwrap_or(("0", place));
        let (node, context) = (number(node)?, number(context)?);
        let node = usize::try_from(node).map_err(|_| format!("there is no node {node}"))?;
        let context = u8::try_from(context).ok().filter(|context| *context < 4);
        let context = context.ok_or("the context is 0 to 3")?;
        if length > LARGEST || file.is_empty() {
            return Err(format!("at most {LARGEST} bytes, and a file name"));
        }
        Ok(Self {
            node,
            context,
            address,
            length: length as usize,
            file: file.into(),
        })
    }
}

/// A decimal or, with `0x`, hexadecimal number.
fn number(text: &str) -> Result<u64, String> {
    let digits = text.replace('_', "");
    let parsed = match digits.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16),
        None => digits.parse(),
    };
    parsed.map_err(|_| format!("'{text}' is no number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_context_may_be_left_out() {
        let dump: MemoryDump = "0x3000_0000:256:ring.bin".parse().unwrap();
        assert_eq!(
            (dump.context, dump.address, dump.length),
            (0, 0x3000_0000, 256)
        );
        let dump: MemoryDump = "2:0x10:4:out:2.bin".parse().unwrap();
        assert_eq!((dump.context, dump.address, dump.length), (2, 0x10, 4));
        assert_eq!(dump.file, PathBuf::from("out:2.bin"));
        let dump: MemoryDump = "3.1:0x10:4:out.bin".parse().unwrap();
        assert_eq!((dump.node, dump.context, dump.address), (3, 1, 0x10));
        let dump: MemoryDump = "16:4:a:b".parse().unwrap();
        assert_eq!((dump.context, dump.file), (0, PathBuf::from("a:b")));
    }

    #[test]
    fn what_is_no_dump_is_refused() {
        for text in [
            "",
            "1",
            "1:2",
            "x:2:f",
            "4:0:1:f",
            "0:99999999999:f",
            "0:1:",
        ] {
            assert!(text.parse::<MemoryDump>().is_err(), "{text}");
        }
    }
}
