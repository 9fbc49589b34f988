//! A cycle of an instance.
//!
//! `eval` computes the parts that give what is shown and whose flags are set. `step` computes the others, writes
//! memories, takes over the registers that have shadows, and then the flags that were set for the next cycle
//! (`partition` says why that is exact).
//!
//! **Sleep.** If no flag is set after a step, and as long as no input changes, everything holds what it would be
//! computed to again: `eval` and `step` then do nothing but count. Decided by comparison, so the run is the same with
//! and without.

use std::ops::Range;

use super::instance::Compiled;

impl Compiled {
    /// Everything may be different from what was computed.
    pub(super) fn wake(&mut self) {
        self.body.plan.mark_all(&mut self.state.buffer);
        self.state.awake = true;
    }

    /// Computes those parts whose flags are set: of those that give what is shown, or of the others.
    fn run(&mut self, shown: bool) {
        for function in self.body.functions(shown) {
            if self.body.is_due(function, &self.state.buffer) {
                self.run_function(function);
            }
        }
    }

    /// The parts of a function among them.
    #[inline]
    pub(super) fn run_function(&mut self, function: usize) {
        let state = &mut self.state;
        state.operations += self.body.run(function, &mut state.buffer) as u64;
    }

    /// One clock cycle.
    pub(super) fn cycle_once(&mut self) {
        self.evaluate();
        self.begin();
        if self.state.awake {
            self.run(false);
            self.end();
        }
    }

    /// Whether a cycle with the inputs as they are driven would change nothing.
    pub(super) fn is_still(&mut self) -> bool {
        self.take_inputs();
        !self.state.awake
    }

    /// Counts cycles of a [still](Self::is_still) instance.
    pub(super) fn sleep(&mut self, cycles: u64) {
        self.state.cycle += cycles;
        self.state.slept += cycles;
    }

    /// Counts the cycle; everything shown is computed.
    pub(super) fn begin(&mut self) {
        self.state.cycle += 1;
        match self.state.awake {
            true => self.look(),
            false => self.state.slept += 1,
        }
    }

    /// Ends an awake cycle, of which everything is computed.
    pub(super) fn end(&mut self) {
        self.commit();
        self.tune();
    }

    /// Computes what is shown with the inputs as they are driven, as far as something has changed.
    pub(super) fn evaluate(&mut self) {
        self.take_inputs();
        if self.state.awake {
            if self.is_stale() {
                self.run(true);
            }
            self.told();
        }
    }

    /// These words of the inputs may be driven with other values.
    pub(super) fn moved(&mut self, words: Range<usize>) {
        words.for_each(|word| self.state.moved[word / 64] |= 1 << (word % 64));
    }

    /// Takes the inputs over as they are driven, and marks those who read what has changed.
    pub(super) fn take_inputs(&mut self) {
        let (plan, state) = (&self.body.plan, &mut self.state);
        let buffer = &mut state.buffer;
        for (number, bits) in state.moved.iter_mut().enumerate() {
            while *bits != 0 {
                let word = 64 * number + bits.trailing_zeros() as usize;
                *bits &= *bits - 1;
                if buffer[word] != state.driven[word] {
                    buffer[word] = state.driven[word];
                    let marks = plan.input_marks[word].iter();
                    marks.for_each(|mark| buffer[mark.word] |= mark.bits);
                    state.awake = true;
                }
            }
        }
    }

    /// Whether something that is shown is to be computed.
    pub(super) fn is_stale(&self) -> bool {
        self.body.plan.is_stale(&self.state.buffer)
    }

    /// Counts if an output may have changed.
    pub(super) fn told(&mut self) {
        let (mark, state) = (self.body.plan.output_mark, &mut self.state);
        state.outputs += u64::from(state.buffer[mark.word] & mark.bits != 0);
        state.buffer[mark.word] &= !mark.bits;
    }

    /// Writes memories and takes the computed next state over.
    fn commit(&mut self) {
        let plan = &self.body.plan;
        let buffer = &mut self.state.buffer;
        plan.write(buffer);
        let first = plan.flags + 2 * plan.flag_words;
        for (number, shadows) in plan.shadows.chunks(64).enumerate() {
            let mut bits = std::mem::take(&mut buffer[first + number]);
            while bits != 0 {
                let shadow = &shadows[bits.trailing_zeros() as usize];
                bits &= bits - 1;
                let from = shadow.shadow..shadow.shadow + shadow.words;
                buffer.copy_within(from, shadow.first);
            }
        }
        let (flags, next) = buffer[plan.flags..].split_at_mut(plan.flag_words);
        flags[plan.wake_mark.word - plan.flags] &= !plan.wake_mark.bits;
        for (flags, next) in flags.iter_mut().zip(next) {
            *flags |= std::mem::take(next);
        }
        self.state.awake = flags[..plan.work_words].iter().any(|flags| *flags != 0);
        if !self.state.sleeps {
            self.wake();
        }
    }

    /// Inputs, registers and memories: all that a body's code does not compute.
    pub(super) fn contents(&self) -> Vec<u64> {
        let (buffer, plan) = (&self.state.buffer, &self.body.plan);
        let state = plan.place.iter().map(|word| buffer[*word]);
        let memories = buffer[plan.memory_words()].iter().copied();
        state.chain(memories).collect()
    }

    /// How many words [`contents`](Self::contents) gives.
    pub(super) fn contents_words(&self) -> usize {
        let plan = &self.body.plan;
        plan.place.len() + plan.memory_words().len()
    }

    pub(super) fn set_contents(&mut self, contents: &[u64]) {
        let (buffer, plan) = (&mut self.state.buffer, &self.body.plan);
        let (state, memories) = contents.split_at(plan.place.len());
        for (place, value) in plan.place.iter().zip(state) {
            buffer[*place] = *value;
        }
        buffer[plan.memory_words()].copy_from_slice(memories);
        self.wake();
    }
}
