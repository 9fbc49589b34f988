//! The waveform of an instance: which signals it shows, and their values.

use std::collections::HashMap;
use std::sync::Arc;

use super::body::Body;
use super::instance::Compiled;
use crate::Result;
use crate::base::WaveVar;
use crate::wave::{Wave, WaveOptions};

impl Compiled {
    /// Starts a waveform: the instance goes over to a body that keeps what is shown.
    pub(super) fn watch(&mut self, options: WaveOptions) -> Result<()> {
        let (vars, signals) = self.shown(&options);
        let wave = Wave::create(options, vars)?;
        let body = self.body.observing(&signals)?;
        self.plain = Some(self.body.clone());
        self.change_body(Arc::new(body));
        self.wave = Some(wave);
        Ok(())
    }

    /// Without a waveform the values that it showed are not kept any more.
    pub(super) fn go_back(&mut self) {
        if let Some(body) = self.plain.take() {
            self.change_body(body);
        }
    }

    /// The variables that a waveform with these options shows, and the signals that must be kept for them. What a
    /// signal hands to another is the same nodes of the netlist, so the second one is an alias.
    fn shown(&self, options: &WaveOptions) -> (Vec<WaveVar>, Vec<usize>) {
        let (mut vars, mut signals, mut start) = (Vec::new(), Vec::new(), 0);
        let mut known = HashMap::new();
        for (number, signal) in self.body.netlist.signals.iter().enumerate() {
            let mut own = Vec::new();
            signal.vars(start, &mut own);
            own.retain(|var| options.shows(&var.path));
            let mut needed = false;
            for mut var in own {
                if !var.clock {
                    let words = &signal.words[var.offset / 64..var.words.1];
                    let place = (words, var.offset % 64, var.width, var.variants.clone());
                    let first = *known.entry(place).or_insert(vars.len());
                    var.alias = (first < vars.len()).then_some(first);
                    needed |= var.alias.is_none();
                }
                vars.push(var);
            }
            if needed {
                signals.push(number);
                start += signal.words.len();
            }
        }
        (vars, signals)
    }

    /// Goes over to another body of the same design.
    fn change_body(&mut self, body: Arc<Body>) {
        let contents = self.contents();
        self.state.buffer = body.plan.buffer(&body.netlist);
        self.body = body;
        self.set_contents(&contents);
    }

    /// Adds the current cycle to the waveform.
    pub(super) fn sample_wave(&mut self) {
        let Some(mut wave) = self.wave.take() else {
            return;
        };
        if wave.wants(self.state.cycle) {
            self.evaluate();
            let mut values = std::mem::take(&mut self.state.observed);
            let words = self.body.plan.observed_words.iter();
            values.clear();
            values.extend(words.map(|word| self.state.buffer[*word]));
            wave.sample(&values, None, self.state.cycle);
            self.state.observed = values;
        }
        self.wave = Some(wave);
    }
}
