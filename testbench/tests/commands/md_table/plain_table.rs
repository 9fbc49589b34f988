//! Random legal inputs against a plain table.

use std::collections::VecDeque;

use proptest::prelude::*;

use crate::md_table::harness::{
    BAD_DESCRIPTOR, Bytes, Hardware, IN_USE, Inputs, Name, OK, OVERFLOW, Outputs, REFUSED, Says,
};

/// The table of the specification.
struct Table {
    says: [[Says; 64]; 4],
    bound: [[bool; 64]; 4],
    uses: [[u32; 64]; 4],
}

impl Table {
    fn new() -> Self {
        Self {
            says: [[Says::default(); 64]; 4],
            bound: [[false; 64]; 4],
            uses: [[0; 64]; 4],
        }
    }

    fn is_bound(&self, (context, number): Name) -> bool {
        number < 64 && self.bound[context as usize][number as usize]
    }

    fn uses(&mut self, (context, number): Name) -> &mut u32 {
        &mut self.uses[context as usize][number as usize]
    }

    fn lookup(&self, name: Name, bytes: Bytes) -> [u64; 6] {
        if !self.is_bound(name) {
            return REFUSED;
        }
        let says = self.says[name.0 as usize][name.1 as usize];
        if u128::from(bytes.offset) + u128::from(bytes.length) > u128::from(says.length) {
            return OVERFLOW;
        }
        // The offset in a list is counted by who walks through it.
        let address = match says.pieces {
            0 => says.start.wrapping_add(bytes.offset),
            _ => says.start,
        };
        [
            OK,
            address,
            says.pieces,
            says.options,
            says.counter,
            says.counted,
        ]
    }

    fn bind(&mut self, name: Name, says: Says) -> u64 {
        let (context, number) = (name.0 as usize, name.1 as usize);
        if number > 63 {
            return BAD_DESCRIPTOR;
        }
        if self.is_bound(name) {
            return IN_USE;
        }
        self.bound[context][number] = true;
        self.says[context][number] = says;
        OK
    }

    fn release(&mut self, name: Name) -> u64 {
        if !self.is_bound(name) {
            return BAD_DESCRIPTOR;
        }
        if *self.uses(name) > 0 {
            return IN_USE;
        }
        self.bound[name.0 as usize][name.1 as usize] = false;
        OK
    }
}

fn name() -> impl Strategy<Value = Name> {
    let number = prop_oneof![8 => prop::sample::select(vec![0u64, 1, 63]), 1 => prop::sample::select(vec![64, 65, 1 << 15, 0xFFFF])];
    (prop_oneof![3 => 0u64..2, 1 => 2u64..4], number)
}

fn edge() -> impl Strategy<Value = u64> {
    let edges = vec![
        0,
        1,
        63,
        64,
        4096,
        1 << 63,
        u64::MAX - 64,
        u64::MAX - 1,
        u64::MAX,
    ];
    prop_oneof![4 => prop::sample::select(edges), 1 => any::<u64>(), 2 => 0u64..200]
}

fn inputs() -> impl Strategy<Value = Inputs> {
    let pieces = prop_oneof![Just(0u64), 1u64..=1024];
    let says = (edge(), edge(), pieces, 0u64..1 << 16, 0u64..256, 0u64..2).prop_map(
        |(start, length, pieces, options, counter, counted)| Says {
            start,
            length,
            pieces,
            options,
            counter,
            counted,
        },
    );
    let bytes = (edge(), edge()).prop_map(|(offset, length)| Bytes { offset, length });
    (
        prop::option::weighted(0.4, (name(), says)),
        prop::option::weighted(0.4, name()),
        prop::option::weighted(0.7, (name(), bytes)),
        prop::option::weighted(0.5, name()),
        prop::option::weighted(0.5, name()),
        name(),
    )
        .prop_map(|(bind, release, lookup, hold, drop, read)| Inputs {
            bind,
            release,
            lookup,
            hold,
            drop,
            read: (read.0, read.1 & 63),
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn behaves_like_a_plain_table_in_every_cycle(script in prop::collection::vec(inputs(), 1..400)) {
        let mut hardware = Hardware::new();
        let mut table = Table::new();
        let (mut bound, mut released, mut info) = (None, None, [0; 3]);
        let mut found: VecDeque<Option<[u64; 6]>> = VecDeque::from([None, None, None]);
        for (cycle, wish) in script.into_iter().enumerate() {
            // A message begins with a bound descriptor that is not released in this cycle, and ends once.
            let hold = wish.hold.filter(|name| table.is_bound(*name) && *table.uses(*name) < 64 && wish.release != Some(*name));
            let drop = wish.drop.filter(|name| table.is_bound(*name) && *table.uses(*name) > 0);
            let inputs = Inputs { hold, drop, ..wish };
            let outputs = hardware.cycle(inputs);
            let bind_ready = hold.is_none();
            let release_ready = inputs.bind.is_none();
            let expected = Outputs { bind_ready, release_ready, bound, released, found: found.pop_front().flatten(), read_info: info };
            prop_assert_eq!(outputs, expected, "cycle {}: {:?}", cycle, inputs);

            found.push_back(inputs.lookup.map(|(name, bytes)| table.lookup(name, bytes)));
            let says = table.says[inputs.read.0 as usize][inputs.read.1 as usize];
            info = [says.options, says.counter, says.counted];
            released = inputs.release.filter(|_| release_ready).map(|name| table.release(name));
            bound = inputs.bind.filter(|_| bind_ready).map(|(name, says)| table.bind(name, says));
            if let Some(name) = hold {
                *table.uses(name) += 1;
            }
            if let Some(name) = drop {
                *table.uses(name) -= 1;
            }
        }
    }
}
