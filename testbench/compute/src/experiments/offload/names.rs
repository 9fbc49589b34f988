//! Names of things for tables.

/// A size, in bytes or KiB.
pub fn size(bytes: u64) -> String {
    match bytes {
        bytes if bytes >= 1024 && bytes.is_multiple_of(1024) => format!("{} KiB", bytes / 1024),
        bytes => format!("{bytes} B"),
    }
}
