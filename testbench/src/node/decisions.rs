//! In which order a NIC decides: what the functional model has to follow when several things are under way at once.
//!
//! Read out of the design by name in each cycle, as nothing on its pins reports: a message is given to the lists, a
//! command is taken from a ring or out of the trigger engine, lists are changed by it, an acknowledgement or a reply is
//! taken.

use xtq_engine::{Engine, Error, Result};

use crate::bus::{Model, Violation};

/// Something that a NIC has decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The next message is matched: those before it have been, those after it have not. Messages come in the order of
    /// their first packets.
    Message,
    /// The next command of a ring is executed, or posted if it is triggered.
    Taken,
    /// A command that has fired is executed; its bytes.
    Fired(Vec<u8>),
    /// The lists or portal entries are as the last command wants them.
    Listed,
    /// The next acknowledgement is taken.
    Answer,
    /// The reply with this handle is taken: its bytes are in memory. Replies are in the order in which they were there.
    Reply(u64),
}

/// Signals, by the ends of their paths: what is reported, and those that are all 1 when it is.
const SIGNALS: [(&str, &str); 6] = [
    (
        "initiator$stage$list_command_valid",
        "initiator$stage$list_command_ready",
    ),
    ("lists$lists$request_valid", "lists$lists$request_ready"),
    ("initiator$answer_valid", "initiator$answer_ready"),
    (
        "initiator$completer$reply_valid",
        "initiator$completer$reply_ready",
    ),
    ("initiator$stage$fired_valid", "initiator$stage$fired_ready"),
    ("initiator$stage$take", "initiator$stage$take"),
];
/// The command that has fired.
const FIRED: &str = "initiator$stage$fired$command";
/// Handle of the reply.
const REPLY: &str = "initiator$completer$reply$handle";

/// Watches a NIC.
#[derive(Clone, Debug)]
pub struct DecisionMonitor {
    /// Paths of [`SIGNALS`], two for each decision.
    paths: Vec<String>,
    fired: String,
    reply: String,
    records: Vec<(u64, Decision)>,
}

impl DecisionMonitor {
    /// A monitor of a whole NIC. Errors: it has not these signals.
    pub fn new(engine: &dyn Engine) -> Result<Self> {
        let path = |wanted: &str| -> Result<String> {
            let mut all = engine.signals().iter().map(|signal| &signal.path);
            let found = all.find(|path| path.replace('.', "$").ends_with(wanted));
            let path = found.ok_or_else(|| Error::NoSuchPath(format!("...{wanted}")))?;
            Ok(path.clone())
        };
        let pairs = SIGNALS
            .iter()
            .flat_map(|(valid, ready)| [path(valid), path(ready)]);
        Ok(Self {
            paths: pairs.collect::<Result<_>>()?,
            fired: path(FIRED)?,
            reply: path(REPLY)?,
            records: Vec::new(),
        })
    }

    /// What was decided since the last call, with the cycles. What changed lists in a cycle stands before the message
    /// that was matched in it.
    pub fn take(&mut self) -> Vec<(u64, Decision)> {
        std::mem::take(&mut self.records)
    }
}

impl Model for DecisionMonitor {
    fn drive(&mut self, _engine: &mut dyn Engine) -> Result<()> {
        Ok(())
    }

    fn sample(&mut self, engine: &dyn Engine, cycle: u64) -> std::result::Result<(), Violation> {
        let paths: Vec<&str> = self.paths.iter().map(String::as_str).collect();
        let unreadable = |why: Error| Violation {
            cycle,
            channel: "decisions".to_owned(),
            rule: "the signals that were found can be read",
            detail: why.to_string(),
        };
        let values = engine.peek_many(&paths).map_err(unreadable)?;
        let mut pairs = values
            .chunks(2)
            .map(|pair| pair.iter().all(|value| value[0] == 1));
        let mut next = || pairs.next().unwrap_or(false);
        let (listed, message, answer) = (next(), next(), next());
        let (reply, fired, taken) = (next(), next(), next());
        let mut record = |decision| self.records.push((cycle, decision));
        if listed {
            record(Decision::Listed);
        }
        if message {
            record(Decision::Message);
        }
        if answer {
            record(Decision::Answer);
        }
        if reply {
            let handle = engine.peek(&self.reply).map_err(unreadable)?;
            record(Decision::Reply(handle[0]));
        }
        if fired {
            let words = engine.peek(&self.fired).map_err(unreadable)?;
            record(Decision::Fired(
                words.iter().flat_map(|word| word.to_le_bytes()).collect(),
            ));
        }
        if taken {
            record(Decision::Taken);
        }
        Ok(())
    }
}
