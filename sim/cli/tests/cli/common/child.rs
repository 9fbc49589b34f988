//! `xtq` while it runs, and signals to it.

use super::{Ran, ran, root};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long anything may take before a test gives up.
const PATIENCE: Duration = Duration::from_secs(120);

/// The end of an FST that is being written; the kind of the next section comes over its first byte, last of all.
const MARK: [u8; 9] = [0xff, 0, 0, 0, 0, 0, 0, 0, 0];

/// A run of `xtq` that has not ended; it is killed if the test fails.
pub struct Running(Option<Child>);

impl Running {
    /// Starts `xtq` at the root of the repository.
    pub fn start(arguments: &[&str]) -> Self {
        Self::of(Command::new(env!("CARGO_BIN_EXE_xtq")).args(arguments))
    }

    /// Starts a command that becomes `xtq`. Signals have their usual effect, also where the tests run with ignored
    /// ones, as in a shell's background.
    pub fn of(command: &mut Command) -> Self {
        let mut usual = Command::new("env");
        usual.arg("--default-signal=HUP,INT,TERM");
        usual.arg(command.get_program()).args(command.get_args());
        let set = command.get_envs();
        usual.envs(set.filter_map(|(name, value)| Some((name, value?))));
        usual.current_dir(root());
        let child = usual.stdout(Stdio::piped()).stderr(Stdio::piped());
        Self(Some(child.spawn().unwrap()))
    }

    fn child(&mut self) -> &mut Child {
        self.0.as_mut().unwrap()
    }

    /// Waits until `holds`; it must not have ended before.
    pub fn wait_until(&mut self, what: &str, holds: impl Fn() -> bool) {
        let start = Instant::now();
        while !holds() {
            assert!(start.elapsed() < PATIENCE, "{what}: it never is");
            let status = self.child().try_wait().unwrap();
            assert_eq!(status, None, "{what}: xtq has ended before");
            std::thread::sleep(Duration::from_micros(200));
        }
    }

    /// Waits until a waveform has declared its variables.
    pub fn wait_for(&mut self, wave: &str) {
        let ends = |text: &[u8]| {
            let mut words = text.split(|byte| byte.is_ascii_whitespace());
            words.any(|word| word == b"$enddefinitions")
        };
        self.wait_until(wave, || match wave.ends_with("fst") {
            true => std::fs::read(wave).is_ok_and(|bytes| bytes.ends_with(&MARK)),
            false => std::fs::read(wave).is_ok_and(|text| ends(&text)),
        });
    }

    /// Waits until a waveform in VCD has more than what was on its way to the file before.
    pub fn wait_for_more(&mut self, wave: &str) {
        // The buffer of the program has 64 KiB.
        let wanted = size(wave) + (1 << 18);
        self.wait_until("more in the waveform", || size(wave) > wanted);
    }

    /// Waits until a signal with this number does not end it any more.
    pub fn wait_to_catch(&mut self, number: u32) {
        let status = format!("/proc/{}/status", self.child().id());
        self.wait_until("signals are caught", || {
            let status = std::fs::read_to_string(&status).unwrap_or_default();
            let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
            let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
            mask.is_some_and(|mask| mask >> (number - 1) & 1 == 1)
        });
    }

    /// Sends a signal, as `INT`.
    pub fn signal(&mut self, name: &str) {
        let command = format!("kill -{name} {}", self.child().id());
        let sent = Command::new("sh").args(["-c", &command]).status();
        assert!(sent.unwrap().success(), "{command}");
    }

    /// Ends it with SIGKILL.
    pub fn kill(mut self) {
        let child = self.child();
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// What it did, once it has ended by itself.
    pub fn end(mut self) -> Ran {
        ran(self.0.take().unwrap().wait_with_output().unwrap())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(mut child) = self.0.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Bytes in a file.
pub fn size(file: impl AsRef<Path>) -> u64 {
    std::fs::metadata(file).map_or(0, |file| file.len())
}

/// Whether an FST that had so many bytes, of which the last were the mark, has a whole section there now.
pub fn has_section(wave: &str, begun: u64) -> bool {
    let place = begun as usize - MARK.len();
    std::fs::read(wave).is_ok_and(|bytes| bytes[place] != MARK[0])
}

/// Last time in a waveform that wellen reads, in picoseconds, with all its values.
pub fn last_time(wave: &str) -> u64 {
    let mut wave = wellen::simple::read(wave).unwrap_or_else(|error| panic!("{wave}: {error}"));
    let signals = wave.hierarchy().iter_vars().map(|var| var.signal_ref());
    let signals: Vec<_> = signals.collect();
    if wave.time_table().is_empty() {
        return 0;
    }
    wave.load_signals(&signals);
    let loaded = signals.iter().filter_map(|id| wave.get_signal(*id));
    assert!(loaded.flat_map(|signal| signal.iter_changes()).count() > 0);
    wave.time_table().last().copied().unwrap_or(0)
}
