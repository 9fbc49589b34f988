//! A cycle of an instance.
//!
//! `eval` computes the parts that give what is shown and whose flags are set. `step` computes the others, writes
//! memories, takes over the registers that have shadows, and then the flags that were set for the next cycle
//! (`partition` says why that is exact).
//!
//! **Sleep.** If no flag is set after a step, and as long as no input changes, everything holds what it would be computed
//! to again: `eval` and `step` then do nothing but count. Decided by comparison, so the run is the same with and without.

use super::instance::Compiled;

impl Compiled {
    /// Everything may be different from what was computed.
    pub(super) fn wake(&mut self) {
        self.body.plan.mark_all(&mut self.state.buffer);
        self.state.awake = true;
    }

    /// Computes what is shown with the inputs as they are driven, as far as something has changed.
    pub(super) fn evaluate(&mut self) {
        let (body, state) = (&*self.body, &mut self.state);
        let (plan, buffer) = (&body.plan, &mut state.buffer);
        if std::mem::take(&mut state.moved) {
            for (word, (new, marks)) in state.driven.iter().zip(&plan.input_marks).enumerate() {
                if buffer[word] != *new {
                    buffer[word] = *new;
                    marks.iter().for_each(|mark| buffer[mark.word] |= mark.bits);
                    state.awake = true;
                }
            }
        }
        if !state.awake {
            return;
        }
        if plan.is_stale(buffer) {
            state.operations += body.run(true, buffer) as u64;
        }
        let mark = plan.output_mark;
        state.outputs += u64::from(buffer[mark.word] & mark.bits != 0);
        buffer[mark.word] &= !mark.bits;
    }

    /// Writes memories and takes the computed next state over.
    pub(super) fn commit(&mut self) {
        let plan = &self.body.plan;
        let buffer = &mut self.state.buffer;
        for write in &plan.writes {
            if buffer[write.enable] == 0 {
                continue;
            }
            let entry =
                write.memory + (buffer[write.addr] as usize & write.last) * write.words.len();
            let mut differs = 0;
            for (word, (data, mask)) in (entry..).zip(&write.words) {
                let (old, mask) = (buffer[word], buffer[*mask]);
                let new = (old & !mask) | (buffer[*data] & mask);
                differs |= new ^ old;
                buffer[word] = new;
            }
            if differs != 0 {
                write
                    .marks
                    .iter()
                    .for_each(|mark| buffer[mark.word] |= mark.bits);
            }
        }
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
        let mut awake = 0;
        for (flags, next) in flags.iter_mut().zip(next) {
            *flags |= std::mem::take(next);
            awake |= *flags;
        }
        self.state.awake = awake != 0;
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
