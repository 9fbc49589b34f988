//! Memory that reading a file takes, measured with files of `xtq make` and `xtq collective --emit`, and what is free.

use std::path::Path;

/// Bytes that a table takes until what the file says has been built: an entry of a list, a step.
pub(crate) const TABLE_BYTES: u64 = 6 << 10;

/// Bytes that each byte of a file takes beside its tables.
const TEXT_FACTOR: u64 = 4;

/// Bytes that reading a text takes; a table begins with a brace.
pub(crate) fn bytes_of_text(text: &str) -> u64 {
    let tables = text.bytes().filter(|byte| *byte == b'{').count() as u64;
    tables * TABLE_BYTES + TEXT_FACTOR * text.len() as u64
}

/// Bytes of memory that this process can have, if the system says so: as many as are free on the machine, in its
/// control groups, and in its address space.
pub fn free_bytes() -> Option<u64> {
    let of_machine = read("/proc/meminfo").and_then(|text| of_machine(&text));
    let of_process = || of_process(&read("/proc/self/limits")?, &read("/proc/self/statm")?);
    let groups = read("/proc/self/cgroup").map_or_else(Vec::new, |text| groups(&text));
    let of_groups = groups.iter().filter_map(|folder| {
        let of = |name: &str| read(&format!("{folder}/{name}"));
        of_group(
            &of("memory.max")?,
            &of("memory.current")?,
            &of("memory.stat")?,
        )
    });
    of_groups.chain(of_machine).chain(of_process()).min()
}

fn read(path: &str) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

/// What the machine has, of the text of `/proc/meminfo`.
fn of_machine(text: &str) -> Option<u64> {
    let mut lines = text.lines();
    let line = lines.find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}

/// Folders of the control groups (version 2) that a process is in, from the inmost on, of the text of
/// `/proc/self/cgroup`.
fn groups(text: &str) -> Vec<String> {
    let own = text.lines().find_map(|line| line.strip_prefix("0::"));
    let folders = own.into_iter().flat_map(|own| Path::new(own).ancestors());
    let folder = |path: &Path| format!("/sys/fs/cgroup{}", path.display());
    folders.map(folder).collect()
}

/// What a control group has left, which gives back what it keeps of files; `None`: it has no limit.
fn of_group(most: &str, used: &str, statistics: &str) -> Option<u64> {
    let most: u64 = most.trim().parse().ok()?;
    let used: u64 = used.trim().parse().ok()?;
    let lines = statistics.lines().filter_map(|line| line.split_once(' '));
    let of_files = lines.filter(|(name, _)| ["active_file", "inactive_file"].contains(name));
    let of_files: u64 = of_files
        .filter_map(|(_, bytes)| bytes.parse::<u64>().ok())
        .sum();
    Some(most.saturating_sub(used.saturating_sub(of_files)))
}

/// What a process has left of its address space (`ulimit -v`), of the texts of `/proc/self/limits` and
/// `/proc/self/statm`; `None`: it has no limit.
fn of_process(limits: &str, pages: &str) -> Option<u64> {
    const PAGE: u64 = 4096;
    let mut lines = limits.lines();
    let line = lines.find_map(|line| line.strip_prefix("Max address space"))?;
    let most: u64 = line.split_whitespace().next()?.parse().ok()?;
    let used: u64 = pages.split(' ').next()?.parse().ok()?;
    Some(most.saturating_sub(used.saturating_mul(PAGE)))
}

/// What is wrong if `needed` bytes are more than the `free` ones: both, in MiB.
pub fn too_little(needed: u64, free: u64) -> Option<String> {
    let mebibytes = |bytes: u64| bytes.div_ceil(1 << 20);
    let fits = needed <= free;
    (!fits).then(|| {
        format!(
            "about {} MiB of memory, {} MiB are free",
            mebibytes(needed),
            mebibytes(free)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::{TABLE_BYTES, bytes_of_text, groups, of_group, of_machine, of_process, too_little};

    #[test]
    fn what_does_not_fit_is_said_with_both_numbers() {
        assert_eq!(too_little(5 << 20, 5 << 20), None);
        let text = too_little((5 << 20) + 1, 5 << 20).expect("it does not fit");
        assert_eq!(text, "about 6 MiB of memory, 5 MiB are free");
    }

    #[test]
    fn a_text_takes_memory_for_its_tables_and_its_bytes() {
        let step = "{ nop = {} }, ";
        let of = |steps: usize| bytes_of_text(&step.repeat(steps));
        assert_eq!(of(0), 0);
        assert_eq!(of(1000), 2000 * TABLE_BYTES + 4 * 14_000);
    }

    #[test]
    fn the_least_that_machine_groups_and_process_have_is_free() {
        let machine = "MemTotal:       200 kB\nMemAvailable:   100 kB\n";
        assert_eq!(of_machine(machine), Some(100 << 10));
        let own = "4:memory:/other\n0::/a/b.scope\n";
        let folders = ["/a/b.scope", "/a", "/"].map(|path| format!("/sys/fs/cgroup{path}"));
        assert_eq!(groups(own), folders);
        assert!(groups("4:memory:/other\n").is_empty());
        let statistics = "anon 30\nfile 60\nshmem 10\ninactive_file 20\nactive_file 30\n";
        assert_eq!(of_group("1000\n", "90\n", statistics), Some(960));
        assert_eq!(of_group("50\n", "190\n", statistics), Some(0));
        assert_eq!(of_group("max\n", "90\n", statistics), None);
        let limits = |most: &str| format!("Max address space         {most}   unlimited   bytes\n");
        let of_limit = |most: &str| of_process(&limits(most), "3 2 1 0 0 0 0\n");
        assert_eq!(of_limit("20480"), Some(8192));
        assert_eq!(of_limit("unlimited"), None);
    }
}
