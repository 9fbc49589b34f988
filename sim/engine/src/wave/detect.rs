//! Which words changed since the last cycle, on the simulating thread: all it does for a waveform but to copy them.
//!
//! Words are compared in groups of [`GROUP`]. What changed becomes entries: a head (number of the group, a bit a word
//! that follows), then these words. An entry without words says that every variable of the design has a value now, as
//! in a file's first cycle.
//!
//! An engine may report which groups it touched, a bit a group; then only these are compared. A bit too many costs one
//! comparison, a bit too few loses a change.

/// Words in a group: what a part of a design stores side by side.
pub(crate) const GROUP: usize = 8;

type Group = [u64; GROUP];

/// An entry's head.
fn head(group: usize, words: u8) -> u64 {
    (group as u64) << GROUP | u64::from(words)
}

/// Takes an entry off the front: its group, a bit a word, the words. None: there is no whole entry.
pub(super) fn entry(entries: &[u64]) -> Option<(usize, u8, &[u64], &[u64])> {
    let (&head, rest) = entries.split_first()?;
    let words = head as u8;
    let (new, rest) = rest.split_at_checked(words.count_ones() as usize)?;
    Some(((head >> GROUP) as usize, words, new, rest))
}

/// Entries from the front on with at most so many words.
pub(super) fn fitting(entries: &[u64], most: usize) -> usize {
    let mut rest = entries;
    while let Some((_, _, _, after)) = entry(rest)
        && entries.len() - after.len() <= most
    {
        rest = after;
    }
    entries.len() - rest.len()
}

/// The words as they were last seen.
pub(super) struct Seen {
    last: Vec<Group>,
    /// By group: a bit a word that is shown.
    shown: Vec<u8>,
    /// What the design's first group is called in the file.
    first: usize,
    started: bool,
}

impl Seen {
    /// Nothing yet; `shown` are the words with variables of the file, `first` the name of group 0.
    pub(super) fn new(shown: impl Iterator<Item = usize>, first: usize) -> Self {
        let mut groups = Vec::new();
        for word in shown {
            let group = word / GROUP;
            groups.resize(groups.len().max(group + 1), 0);
            groups[group] |= 1 << (word % GROUP);
        }
        Self {
            last: Vec::new(),
            shown: groups,
            first,
            started: false,
        }
    }

    /// Adds an entry for each group with words that changed and are shown; says whether any word changed. Of `touched`
    /// the bits are cleared.
    pub(super) fn look(
        &mut self,
        values: &[u64],
        touched: Option<&mut [u64]>,
        entries: &mut Vec<u64>,
    ) -> bool {
        let (groups, rest) = values.as_chunks::<GROUP>();
        let mut partial = [0; GROUP];
        partial[..rest.len()].copy_from_slice(rest);
        let partial = (!rest.is_empty()).then_some(partial);
        self.last
            .resize(groups.len() + usize::from(partial.is_some()), [0; GROUP]);
        let mut changed = false;
        match touched {
            Some(touched) if self.started => {
                for (place, bits) in touched.iter_mut().enumerate() {
                    while *bits != 0 {
                        let group = 64 * place + bits.trailing_zeros() as usize;
                        *bits &= *bits - 1;
                        if let Some(new) = groups.get(group).or(partial.as_ref()) {
                            changed |= self.compare(group, new, entries);
                        }
                    }
                }
            }
            touched => {
                touched.into_iter().for_each(|bits| bits.fill(0));
                if !self.started {
                    entries.push(head(self.first, 0));
                }
                for (group, new) in groups.iter().enumerate() {
                    changed |= self.compare(group, new, entries);
                }
                if let Some(new) = &partial {
                    changed |= self.compare(groups.len(), new, entries);
                }
            }
        }
        self.started = true;
        changed
    }

    #[inline]
    fn compare(&mut self, group: usize, new: &Group, entries: &mut Vec<u64>) -> bool {
        let Some(old) = self.last.get_mut(group) else {
            return false;
        };
        // Most groups are the same, so this must be a few vector instructions.
        let differs = [0, 2, 4, 6].map(|i| [new[i] ^ old[i], new[i + 1] ^ old[i + 1]]);
        let any = differs.iter().flatten().fold(0, |any, word| any | word);
        if any == 0 {
            return false;
        }
        let shown = self.shown.get(group).copied().unwrap_or(0);
        // Without a branch a word: which ones changed cannot be predicted.
        let (mut found, mut count, mut words) = ([0; 2 * GROUP], 1, 0);
        for word in 0..GROUP {
            let bit = u8::from(new[word] != old[word]) & shown >> word & 1;
            found[count % (2 * GROUP)] = new[word];
            count += usize::from(bit);
            words |= bit << word;
        }
        *old = *new;
        if words != 0 {
            found[0] = head(self.first + group, words);
            entries.extend_from_slice(&found[..count]);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Every change as number of the word and value.
    fn changes(mut entries: &[u64]) -> Vec<(usize, u64)> {
        let mut changes = Vec::new();
        while let Some((group, words, new, rest)) = entry(entries) {
            let places = (0..GROUP).filter(|word| words >> word & 1 == 1);
            changes.extend(
                places
                    .map(|word| GROUP * group + word)
                    .zip(new.iter().copied()),
            );
            entries = rest;
        }
        assert!(entries.is_empty());
        changes
    }

    proptest! {
        #[test]
        fn exactly_the_shown_words_that_changed_are_told(
            cycles in prop::collection::vec(prop::collection::vec(0..3u64, 21), 1..9),
            shown in prop::collection::btree_set(0..21usize, 0..21),
            told: bool,
        ) {
            let mut seen = Seen::new(shown.iter().copied(), 5);
            let mut last = vec![0; 21];
            for (cycle, values) in cycles.iter().enumerate() {
                let differ = |word: &usize| values[*word] != last[*word];
                let moved: Vec<usize> = (0..21).filter(differ).collect();
                let mut touched = [moved.iter().fold(0, |bits, word| bits | 1 << (word / GROUP))];
                let mut entries = Vec::new();
                let changed = seen.look(values, told.then_some(&mut touched), &mut entries);
                prop_assert_eq!(changed, !moved.is_empty());
                prop_assert!(!told || touched == [0]);
                prop_assert_eq!(cycle == 0, entries.first() == Some(&head(5, 0)));
                let expected = moved.iter().filter(|word| shown.contains(word));
                let expected: Vec<_> = expected.map(|word| (5 * GROUP + word, values[*word])).collect();
                prop_assert_eq!(changes(&entries), expected);
                last.clone_from(values);
            }
        }
    }

    #[test]
    fn a_group_that_was_not_touched_is_not_compared() {
        let mut seen = Seen::new(0..16, 0);
        let mut entries = Vec::new();
        seen.look(&[0; 16], None, &mut entries);
        entries.clear();
        assert!(seen.look(&[1; 16], Some(&mut [0b10]), &mut entries));
        assert_eq!(entries, [head(1, 0xff), 1, 1, 1, 1, 1, 1, 1, 1]);
    }

    #[test]
    fn entries_are_cut_between_two() {
        let entries = [head(0, 0), head(1, 3), 1, 2, head(2, 1), 3];
        let cuts = (0..=7).map(|most| fitting(&entries, most));
        assert!(cuts.eq([0, 1, 1, 1, 4, 4, 6, 6]));
    }
}
