//! `WordSource`, `WordSink`, `WordChecker`: valid/ready streams of any width.
//!
//! A stream `x` is the ports `x` (payload), `x_valid`, `x_ready`. A source feeds a stream that the design reads, a sink
//! takes a stream that the design writes and checks it. A pulse is a stream without ready: each valid cycle is a word.
//! Values are little-endian 64-bit words.

use std::collections::VecDeque;

use xtq_engine::{Engine, Result};
use xtq_types::Wire;

use super::gaps::Ready;
use super::{Gaps, Model, Pin, Violation};
use crate::saved::saved;

/// Feeds words into a stream of the design. While nothing is valid the payload is noise.
#[derive(Clone, Debug)]
pub struct WordSource {
    payload: Vec<Pin>,
    valid: Pin,
    ready: Option<Pin>,
    gaps: Gaps,
    queue: VecDeque<Vec<u64>>,
    presenting: bool,
    accepted: Vec<u64>,
    /// Whether every handshake is kept in `accepted`.
    keeps: bool,
    count: u64,
    /// Whether the word was taken in the cycle sampled last.
    taken: bool,
    /// The pins do not hold yet what they shall.
    changed: bool,
    /// What the payload pins hold until the next word: steady, so that an idle design can sleep.
    noise: Vec<u64>,
}

saved!(WordSource {
    gaps, queue, presenting, accepted, keeps, count, taken, changed, noise;
    keeps payload, valid, ready
});

impl WordSource {
    /// A source for the ports `name`, `name_valid`, `name_ready`. Errors: a port is missing or of the wrong direction.
    pub fn new(engine: &dyn Engine, name: &str, gaps: Gaps) -> Result<Self> {
        let (valid, ready) = (format!("{name}_valid"), format!("{name}_ready"));
        Self::with_ports(engine, &[name], &valid, &ready, gaps)
    }

    /// A source whose word is the values of the ports `payload`, each from a new 64-bit word on. Errors: as `new`.
    pub fn with_ports(
        engine: &dyn Engine,
        payload: &[&str],
        valid: &str,
        ready: &str,
        gaps: Gaps,
    ) -> Result<Self> {
        let ready = Pin::output(engine, ready)?.of_width(ready, 1)?;
        let source = Self::pulse(engine, payload, valid, gaps)?;
        Ok(Self {
            ready: Some(ready),
            ..source
        })
    }

    /// A source of one-cycle pulses `valid` with the ports `payload` (may be none), which the design always takes.
    /// Errors: as `new`.
    pub fn pulse(engine: &dyn Engine, payload: &[&str], valid: &str, gaps: Gaps) -> Result<Self> {
        let payload = payload.iter().map(|name| Pin::input(engine, name));
        let mut source = Self {
            payload: payload.collect::<Result<_>>()?,
            valid: Pin::input(engine, valid)?.of_width(valid, 1)?,
            ready: None,
            gaps,
            queue: VecDeque::new(),
            presenting: false,
            accepted: Vec::new(),
            keeps: true,
            count: 0,
            taken: false,
            changed: true,
            noise: Vec::new(),
        };
        source.draw_noise();
        Ok(source)
    }

    fn draw_noise(&mut self) {
        let words = self.payload.iter().map(|pin| pin.words()).sum();
        self.noise.resize(words, 0);
        self.noise.fill_with(|| self.gaps.noise());
    }

    /// Queues a word; missing 64-bit words are zero.
    pub fn push(&mut self, words: &[u64]) {
        self.queue.push_back(words.to_vec());
    }

    /// Queues a hardware value.
    pub fn push_value<T: Wire>(&mut self, value: T) {
        let mut words = vec![0; self.payload.iter().map(|pin| pin.words()).sum()];
        value.to_words(&mut words);
        self.queue.push_back(words);
    }

    /// Words that the design has not taken.
    pub fn waiting(&self) -> usize {
        self.queue.len()
    }

    /// Cycle of each handshake so far; nothing if they are not [kept](Self::keep).
    pub fn accepted(&self) -> &[u64] {
        &self.accepted
    }

    /// Whether the cycle of each handshake is kept from now on, as it is at first.
    pub fn keep(&mut self, keeps: bool) {
        self.keeps = keeps;
    }

    /// Handshakes so far.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Whether there was a handshake in the cycle sampled last.
    pub fn was_taken(&self) -> bool {
        self.taken
    }
}

impl Model for WordSource {
    fn drive(&mut self, engine: &mut dyn Engine) -> Result<()> {
        if !self.presenting && !self.queue.is_empty() && !self.gaps.pause() {
            (self.presenting, self.changed) = (true, true);
        }
        // Pins hold what they were driven with.
        if !std::mem::take(&mut self.changed) {
            return Ok(());
        }
        self.valid.set(engine, self.presenting.into())?;
        let front = self.queue.front().filter(|_| self.presenting);
        let mut first = 0;
        for pin in &self.payload {
            let range = first..first + pin.words();
            first = range.end;
            match front {
                Some(words) => {
                    let known = range.start.min(words.len())..range.end.min(words.len());
                    pin.set_words(engine, &words[known])?;
                }
                None => pin.set_words(engine, &self.noise[range])?,
            }
        }
        Ok(())
    }

    fn sample(&mut self, engine: &dyn Engine, cycle: u64) -> std::result::Result<(), Violation> {
        self.taken = self.presenting && self.ready.is_none_or(|ready| ready.is_high(engine));
        if self.taken {
            self.queue.pop_front();
            (self.presenting, self.changed) = (false, true);
            self.count += 1;
            if self.keeps {
                self.accepted.push(cycle);
            }
            self.draw_noise();
        }
        Ok(())
    }
}

/// Checks the handshake rule of one stream: valid stays and the payload is stable until ready. Drives nothing.
#[derive(Clone, Debug)]
pub struct WordChecker {
    channel: String,
    payload: Vec<Pin>,
    /// Words of the payload.
    words: usize,
    valid: Pin,
    ready: Option<Pin>,
    waiting: Option<Vec<u64>>,
}

saved!(WordChecker { waiting; keeps channel, payload, words, valid, ready });

impl WordChecker {
    /// Valid, once high, stays high until ready.
    pub const VALID_STAYS: &'static str = "valid fell before ready";
    /// The payload does not change while valid waits.
    pub const PAYLOAD_STABLE: &'static str = "payload changed while valid waited";

    /// A checker for the ports `name`, `name_valid`, `name_ready`. Errors: a port is missing.
    pub fn new(engine: &dyn Engine, name: &str) -> Result<Self> {
        let (valid, ready) = (format!("{name}_valid"), format!("{name}_ready"));
        Self::with_ports(engine, name, &[name], &valid, &ready)
    }

    /// A checker that calls its stream `channel` and watches the ports `payload`. Errors: a port is missing.
    pub fn with_ports(
        engine: &dyn Engine,
        channel: &str,
        payload: &[&str],
        valid: &str,
        ready: &str,
    ) -> Result<Self> {
        let ready = Pin::any(engine, ready)?.of_width(ready, 1)?;
        let checker = Self::pulse(engine, channel, payload, valid)?;
        Ok(Self {
            ready: Some(ready),
            ..checker
        })
    }

    fn pulse(engine: &dyn Engine, channel: &str, payload: &[&str], valid: &str) -> Result<Self> {
        let payload = payload.iter().map(|name| Pin::any(engine, name));
        let payload = payload.collect::<Result<Vec<_>>>()?;
        Ok(Self {
            channel: channel.into(),
            words: payload.iter().map(|pin| pin.words()).sum(),
            payload,
            valid: Pin::any(engine, valid)?.of_width(valid, 1)?,
            ready: None,
            waiting: None,
        })
    }

    /// Name of the stream.
    pub fn channel(&self) -> &str {
        &self.channel
    }

    /// Whether a word was offered in the cycle observed last and not taken.
    pub fn waits(&self) -> bool {
        self.waiting.is_some()
    }

    /// Checks this cycle and gives the payload if there is a handshake. Errors: a rule is broken.
    pub fn observe(
        &mut self,
        engine: &dyn Engine,
        cycle: u64,
    ) -> std::result::Result<Option<Vec<u64>>, Violation> {
        if !self.valid.is_high(engine) {
            return match self.waiting.take() {
                Some(words) => {
                    Err(self.violation(cycle, Self::VALID_STAYS, format!("payload {words:x?}")))
                }
                None => Ok(None),
            };
        }
        let mut words = Vec::with_capacity(self.words);
        for pin in &self.payload {
            pin.add_words(engine, &mut words);
        }
        if let Some(before) = self.waiting.take()
            && before != words
        {
            let detail = format!("{before:x?} became {words:x?}");
            return Err(self.violation(cycle, Self::PAYLOAD_STABLE, detail));
        }
        if self.ready.is_none_or(|ready| ready.is_high(engine)) {
            return Ok(Some(words));
        }
        self.waiting = Some(words);
        Ok(None)
    }

    /// A violation on this stream.
    pub fn violation(&self, cycle: u64, rule: &'static str, detail: String) -> Violation {
        Violation {
            cycle,
            channel: self.channel.clone(),
            rule,
            detail,
        }
    }
}

impl Model for WordChecker {
    fn drive(&mut self, _engine: &mut dyn Engine) -> Result<()> {
        Ok(())
    }

    fn sample(&mut self, engine: &dyn Engine, cycle: u64) -> std::result::Result<(), Violation> {
        self.observe(engine, cycle).map(|_| ())
    }
}

/// Takes words from a stream of the design, with back-pressure, and checks the handshake rule.
#[derive(Clone, Debug)]
pub struct WordSink {
    checker: WordChecker,
    ready: Option<Ready>,
    received: Vec<(u64, Vec<u64>)>,
}

saved!(WordSink { checker, received; each ready });

impl WordSink {
    /// A sink for the ports `name`, `name_valid`, `name_ready`; a gap is a cycle without ready. Errors: a port is
    /// missing or of the wrong direction.
    pub fn new(engine: &dyn Engine, name: &str, gaps: Gaps) -> Result<Self> {
        let (valid, ready) = (format!("{name}_valid"), format!("{name}_ready"));
        Self::with_ports(engine, name, &[name], &valid, &ready, gaps)
    }

    /// A sink that calls its stream `channel` and takes the ports `payload`. Errors: as `new`.
    pub fn with_ports(
        engine: &dyn Engine,
        channel: &str,
        payload: &[&str],
        valid: &str,
        ready: &str,
        gaps: Gaps,
    ) -> Result<Self> {
        Ok(Self {
            checker: WordChecker::with_ports(engine, channel, payload, valid, ready)?,
            ready: Some(Ready::new(engine, ready, gaps)?),
            received: Vec::new(),
        })
    }

    /// A sink of one-cycle pulses `valid` with the ports `payload` (may be none). Errors: as `new`.
    pub fn pulse(engine: &dyn Engine, payload: &[&str], valid: &str) -> Result<Self> {
        Ok(Self {
            checker: WordChecker::pulse(engine, valid, payload, valid)?,
            ready: None,
            received: Vec::new(),
        })
    }

    /// Drives ready, low in this cycle unless it is `wanted`.
    pub(super) fn drive_if(&mut self, engine: &mut dyn Engine, wanted: bool) -> Result<()> {
        match &mut self.ready {
            Some(ready) => ready.drive(engine, wanted),
            None => Ok(()),
        }
    }

    /// The checker of the stream.
    pub fn checker(&self) -> &WordChecker {
        &self.checker
    }

    /// Takes the word of this cycle instead of keeping it for `received`. Errors: a rule is broken.
    pub fn take(
        &mut self,
        engine: &dyn Engine,
        cycle: u64,
    ) -> std::result::Result<Option<Vec<u64>>, Violation> {
        self.checker.observe(engine, cycle)
    }

    /// Cycle and value of each word so far.
    pub fn received(&self) -> &[(u64, Vec<u64>)] {
        &self.received
    }

    /// The words so far as hardware values.
    pub fn values<T: Wire>(&self) -> Vec<T> {
        let values = self.received.iter().map(|(_, words)| T::from_words(words));
        values.collect()
    }
}

impl Model for WordSink {
    fn drive(&mut self, engine: &mut dyn Engine) -> Result<()> {
        self.drive_if(engine, true)
    }

    fn sample(&mut self, engine: &dyn Engine, cycle: u64) -> std::result::Result<(), Violation> {
        if let Some(words) = self.take(engine, cycle)? {
            self.received.push((cycle, words));
        }
        Ok(())
    }
}
