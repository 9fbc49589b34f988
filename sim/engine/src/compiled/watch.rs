//! The waveform of an instance: which signals it shows, and their values.

use std::collections::HashMap;
use std::sync::Arc;

use super::body::Body;
use super::instance::Compiled;
use crate::Result;
use crate::base::WaveVar;
use crate::wave::{GROUP, Wave, WaveOptions};

impl Compiled {
    /// Starts a waveform: the instance goes over to a body that keeps what is shown.
    pub(super) fn watch(&mut self, options: WaveOptions) -> Result<()> {
        let (mut vars, signals) = self.shown(&options);
        let body = self.body.observing(&signals)?;
        // The body has its own order of the signals.
        let mut starts = HashMap::new();
        let mut words = 0;
        for number in &body.observed {
            starts.insert(*number, words);
            words += self.body.netlist.signals[*number].words.len();
        }
        for (number, var) in &mut vars {
            var.words.0 = starts.get(number).copied().unwrap_or(0);
        }
        let vars = vars.into_iter().map(|(_, var)| var).collect();
        let wave = Wave::create(options, vars)?;
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

    /// The variables that a waveform with these options shows, each with the position of its signal, and the signals
    /// that must be kept for them. What a signal hands to another is the same nodes of the netlist, so the second one
    /// is an alias.
    fn shown(&self, options: &WaveOptions) -> (Vec<(usize, WaveVar)>, Vec<usize>) {
        let (mut vars, mut signals) = (Vec::new(), Vec::new());
        let mut known = HashMap::new();
        for (number, signal) in self.body.netlist.signals.iter().enumerate() {
            let mut own = Vec::new();
            signal.vars(0, &mut own);
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
                vars.push((number, var));
            }
            if needed {
                signals.push(number);
            }
        }
        (vars, signals)
    }

    /// Goes over to another body of the same design.
    pub(super) fn change_body(&mut self, body: Arc<Body>) {
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
            let (plan, state) = (&self.body.plan, &mut self.state);
            let (values, words) = (&mut state.observed, &plan.observed_words);
            values.resize(words.len(), 0);
            state.touched.clear();
            state.touched.extend(&state.buffer[plan.group_range()]);
            state.buffer[plan.group_range()].fill(0);
            for (number, mut bits) in state.touched.iter().copied().enumerate() {
                while bits != 0 {
                    let first = GROUP * (64 * number + bits.trailing_zeros() as usize);
                    bits &= bits - 1;
                    let group = first..words.len().min(first + GROUP);
                    for (value, word) in values[group.clone()].iter_mut().zip(&words[group]) {
                        *value = state.buffer[*word];
                    }
                }
            }
            wave.sample(values, Some(&mut state.touched), state.cycle);
        }
        self.wave = Some(wave);
    }
}
