//! `ChannelNames`: the names of a channel's pins, from the name of its group.

use xtq_engine::{Engine, Result};

use super::{Gaps, WordChecker, WordSink, WordSource};

/// The pins of one valid/ready channel.
pub(super) struct ChannelNames {
    /// Name of the channel in messages.
    pub(super) title: String,
    payload: Vec<String>,
    valid: String,
    ready: String,
}

impl ChannelNames {
    /// Channel `title` with the payload `fields`; `pin` makes the name of a pin from its field.
    pub(super) fn new(title: &str, fields: &[&str], pin: impl Fn(&str) -> String) -> Self {
        Self {
            title: title.into(),
            payload: fields.iter().map(|field| pin(field)).collect(),
            valid: pin("valid"),
            ready: pin("ready"),
        }
    }

    fn payload(&self) -> Vec<&str> {
        self.payload.iter().map(String::as_str).collect()
    }

    pub(super) fn source(&self, engine: &dyn Engine, gaps: Gaps) -> Result<WordSource> {
        WordSource::with_ports(engine, &self.payload(), &self.valid, &self.ready, gaps)
    }

    pub(super) fn sink(&self, engine: &dyn Engine, gaps: Gaps) -> Result<WordSink> {
        WordSink::with_ports(
            engine,
            &self.title,
            &self.payload(),
            &self.valid,
            &self.ready,
            gaps,
        )
    }

    pub(super) fn checker(&self, engine: &dyn Engine) -> Result<WordChecker> {
        WordChecker::with_ports(
            engine,
            &self.title,
            &self.payload(),
            &self.valid,
            &self.ready,
        )
    }
}

/// Names of the pins of an AXI port. At the top a channel is part of the pin's name (`m_axi_awaddr`); inside the design
/// it has a name of its own (`aw_addr`).
pub(super) struct AxiNames {
    prefix: String,
    separator: &'static str,
}

impl AxiNames {
    /// Finds out which kind of names the port with this prefix has.
    pub(super) fn find(engine: &dyn Engine, prefix: &str) -> Self {
        let is_top = |channel| engine.port(&format!("{prefix}{channel}valid")).is_ok();
        let separator = if ["aw", "ar"].into_iter().any(is_top) {
            ""
        } else {
            "_"
        };
        Self {
            prefix: prefix.into(),
            separator,
        }
    }

    pub(super) fn pin(&self, channel: &str, field: &str) -> String {
        format!("{}{channel}{}{field}", self.prefix, self.separator)
    }

    /// The fields of those that have a pin.
    pub(super) fn present<'a>(
        &self,
        engine: &dyn Engine,
        channel: &str,
        fields: &[&'a str],
    ) -> Vec<&'a str> {
        let has_pin = |field: &&str| engine.port(&self.pin(channel, field)).is_ok();
        fields.iter().copied().filter(has_pin).collect()
    }

    pub(super) fn channel(&self, channel: &str, fields: &[&str]) -> ChannelNames {
        ChannelNames::new(&format!("{}{channel}", self.prefix), fields, |field| {
            self.pin(channel, field)
        })
    }
}
