//! The naive model: a queue for each key, a set of keys for each bucket.

use super::unit::{Ask, Key, Said};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use xtq_types::hash_match::{hash_mode, hash_op, hash_outcome};

/// Sizes of the block.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Degree of the polynomials, and the polynomials.
    pub degree: u32,
    pub polynomials: [u128; 2],
    pub slots: usize,
    pub stash: usize,
    /// How many bits of {portal entry, context} count.
    pub portal_bits: u32,
}

pub const LARGE: Sizes = Sizes {
    degree: 10,
    polynomials: [0x41b, 0x427],
    slots: 4,
    stash: 16,
    portal_bits: 8,
};

pub const SMALL: Sizes = Sizes {
    degree: 1,
    polynomials: [0x3, 0x2],
    slots: 2,
    stash: 1,
    portal_bits: 1,
};

impl Key {
    /// As the hardware has it, context in the lowest bits.
    fn packed(&self) -> u128 {
        let of = |value: u64, at: u32| u128::from(value) << at;
        of(self.context, 0)
            | of(self.portal, 2)
            | of(self.source_node, 8)
            | of(self.source_context, 24)
            | of(self.match_bits, 32)
    }
}

/// Remainder of a division of polynomials, by hand.
pub fn remainder(mut key: u128, polynomial: u128, degree: u32) -> u128 {
    for bit in (degree..128).rev() {
        if key >> bit & 1 == 1 {
            key ^= polynomial << (bit - degree);
        }
    }
    key
}

impl Sizes {
    /// The portal entry of a key, with the context.
    pub fn portal(&self, key: &Key) -> u64 {
        (key.portal << 2 | key.context) & ((1 << self.portal_bits) - 1)
    }

    /// The key's bucket in each table.
    pub fn buckets(&self, key: &Key) -> [u128; 2] {
        self.polynomials
            .map(|by| remainder(key.packed(), by, self.degree))
    }
}

#[derive(Clone, Debug)]
pub struct Model {
    sizes: Sizes,
    open: BTreeSet<u64>,
    queues: BTreeMap<Key, (u8, VecDeque<u64>)>,
    /// The keys of each bucket, by table and bucket; the stash is table 2.
    buckets: BTreeMap<(usize, u128), BTreeSet<Key>>,
}

impl Model {
    pub fn new(sizes: Sizes) -> Self {
        Self {
            sizes,
            open: BTreeSet::new(),
            queues: BTreeMap::new(),
            buckets: BTreeMap::new(),
        }
    }

    pub fn keys(&self) -> u64 {
        self.queues.len() as u64
    }

    /// Keys in the stash.
    pub fn in_stash(&self) -> usize {
        self.buckets.get(&(2, 0)).map_or(0, BTreeSet::len)
    }

    /// A place for another key.
    fn place(&self, key: &Key) -> Option<(usize, u128)> {
        let [first, second] = self.sizes.buckets(key);
        let places = [(0, first), (1, second), (2, 0)];
        places.into_iter().find(|place| {
            let used = self.buckets.get(place).map_or(0, BTreeSet::len);
            used < if place.0 == 2 {
                self.sizes.stash
            } else {
                self.sizes.slots
            }
        })
    }

    pub fn ask(&mut self, ask: &Ask) -> Said {
        let (outcome, partner) = self.outcome(ask);
        Said {
            op: ask.op,
            number: ask.number,
            outcome,
            partner: partner.unwrap_or(0),
        }
    }

    fn outcome(&mut self, ask: &Ask) -> (u8, Option<u64>) {
        let portal = self.sizes.portal(&ask.key);
        if ask.op == hash_op::OPEN || ask.op == hash_op::CLOSE {
            if self
                .queues
                .keys()
                .any(|key| self.sizes.portal(key) == portal)
            {
                return (hash_outcome::IN_USE, None);
            }
            self.open.remove(&portal);
            if ask.op == hash_op::OPEN {
                self.open.insert(portal);
            }
            return (hash_outcome::DONE, None);
        }
        if !self.open.contains(&portal) {
            return (hash_outcome::NOT_OPEN, None);
        }
        match ask.mode {
            hash_mode::CANCEL => return (self.cancel(ask), None),
            hash_mode::LOOK => return self.look(ask),
            _ => {}
        }
        match self.queues.get_mut(&ask.key) {
            Some((op, queue)) if *op != ask.op => {
                let partner = queue.pop_front();
                self.forget_empty(&ask.key);
                (hash_outcome::MATCHED, partner)
            }
            _ if ask.mode == hash_mode::TAKE => (hash_outcome::NOT_FOUND, None),
            Some((_, queue)) => {
                queue.push_back(ask.number);
                (hash_outcome::WAITS, None)
            }
            None => {
                let Some(place) = self.place(&ask.key) else {
                    return (hash_outcome::NO_SPACE, None);
                };
                self.buckets.entry(place).or_default().insert(ask.key);
                self.queues
                    .insert(ask.key, (ask.op, VecDeque::from([ask.number])));
                (hash_outcome::WAITS, None)
            }
        }
    }

    /// Takes a number out of the queue of its key and kind.
    fn cancel(&mut self, ask: &Ask) -> u8 {
        let queue = self.queues.get_mut(&ask.key);
        let Some((_, queue)) = queue.filter(|(op, _)| *op == ask.op) else {
            return hash_outcome::NOT_FOUND;
        };
        let Some(place) = queue.iter().position(|number| *number == ask.number) else {
            return hash_outcome::NOT_FOUND;
        };
        queue.remove(place);
        self.forget_empty(&ask.key);
        hash_outcome::CANCELLED
    }

    fn look(&self, ask: &Ask) -> (u8, Option<u64>) {
        match self.queues.get(&ask.key) {
            Some((op, queue)) if *op != ask.op => (hash_outcome::MATCHED, queue.front().copied()),
            _ => (hash_outcome::NOT_FOUND, None),
        }
    }

    /// A key of which nothing waits any more has no slot.
    fn forget_empty(&mut self, key: &Key) {
        let queue = self.queues.get(key);
        if queue.is_some_and(|(_, queue)| queue.is_empty()) {
            self.queues.remove(key);
            for bucket in self.buckets.values_mut() {
                bucket.remove(key);
            }
        }
    }

    /// Numbers in use by posts or arrivals.
    pub fn used(&self, op: u8) -> BTreeSet<u64> {
        let of_op = self.queues.values().filter(|(kind, _)| *kind == op);
        of_op.flat_map(|(_, queue)| queue.iter().copied()).collect()
    }

    /// Those of a key.
    pub fn waiting(&self, op: u8, key: &Key) -> Vec<u64> {
        let queue = self.queues.get(key).filter(|(kind, _)| *kind == op);
        queue.map_or(vec![], |(_, queue)| queue.iter().copied().collect())
    }
}
