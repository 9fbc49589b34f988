//! What ranks send each other before they begin: whether they are about to do the same.

use crate::cmd_run::RunArgs;
use crate::error::CliError;
use serde::{Deserialize, Serialize};
use xtq_testbench::node::Digest;

/// What a rank is about to do.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Hello {
    /// Name of its machine.
    host: String,
    /// What must be the same on all ranks, by name.
    same: Vec<(String, String)>,
}

impl Hello {
    /// Of a rank with these arguments, whose scenario has this text.
    pub fn of(args: &RunArgs, text: &[u8]) -> Self {
        let mut digest = Digest::default();
        digest.note(0, 0, text.iter().map(|byte| u64::from(*byte)));
        let playing = &args.playing;
        let same = [
            ("version", env!("CARGO_PKG_VERSION").to_owned()),
            ("program", program()),
            ("scenario", format!("{:016x}", digest.value())),
            ("--max-cycles", format!("{:?}", playing.max_cycles)),
            ("--epoch", format!("{:?}", playing.cluster.epoch)),
            ("--no-skip", playing.cluster.no_skip.to_string()),
            ("--log", playing.log.to_string()),
            ("--trace", playing.trace.is_some().to_string()),
            ("--engine", playing.engine.name().to_owned()),
            ("--wave", playing.wave.is_some().to_string()),
        ];
        Self {
            host: std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default(),
            same: same.map(|(name, value)| (name.to_owned(), value)).into(),
        }
    }

    /// Compares what all ranks are about to do, in their order; gives how many of them are on the machine of the first.
    /// Errors: the first difference.
    pub fn compare(&self, all: &[Self]) -> Result<usize, CliError> {
        for (rank, other) in all.iter().enumerate() {
            let differs = all[0].same.iter().zip(&other.same).find(|(a, b)| a != b);
            if let Some(((name, first), (_, value))) = differs {
                return Err(CliError::Ranks(format!(
                    "{name} differs: {first} on rank 0, {value} on rank {rank}"
                )));
            }
        }
        let here = all.iter().filter(|other| other.host == self.host);
        Ok(here.count())
    }
}

/// Digest of the program itself: two builds of one version may simulate other hardware.
fn program() -> String {
    let read = std::env::current_exe().and_then(std::fs::read);
    let digest = read.map(|bytes| format!("{:016x}", Digest::of_bytes(&bytes)));
    digest.unwrap_or_else(|_| "unknown".to_owned())
}

#[cfg(test)]
mod tests {
    use super::Hello;
    use crate::cmd_run::RunArgs;

    #[test]
    fn ranks_that_are_about_to_do_something_else_are_named() {
        let args = RunArgs::default();
        let one = Hello::of(&args, b"a scenario");
        assert_eq!(one.compare(&vec![one.clone(); 3]).unwrap(), 3);
        let other = Hello::of(&args, b"another");
        let error = one.compare(&[one.clone(), one.clone(), other]).unwrap_err();
        let text = error.to_string();
        assert!(
            text.starts_with("scenario differs: ") && text.ends_with(" on rank 2"),
            "{text}"
        );
        let mut newer = one.clone();
        newer.same[0].1 = "7.0.0".to_owned();
        let error = one.compare(&[one.clone(), newer]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "version differs: 0.1.0 on rank 0, 7.0.0 on rank 1"
        );
        let mut rebuilt = one.clone();
        assert_eq!(rebuilt.same[1], ("program".to_owned(), super::program()));
        assert_eq!(rebuilt.same[1].1.len(), 16);
        rebuilt.same[1].1 = "0123456789abcdef".to_owned();
        let error = one.compare(&[one.clone(), rebuilt]).unwrap_err();
        assert!(
            error.to_string().starts_with("program differs: "),
            "{error}"
        );
        let far = Hello {
            host: "elsewhere".to_owned(),
            ..one.clone()
        };
        assert_eq!(one.compare(&[one.clone(), far]).unwrap(), 1);
    }
}
