//! The parts alone, against naive models.

use std::collections::HashMap;
use std::sync::Arc;

use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;
use xtq_engine::{Backend, Body, Compiled, Engine};
use xtq_rtl::l2::{LockUnit, VictimSelect};

struct Part(Compiled);

impl Part {
    fn new(design: &dyn Block) -> Self {
        let body = Body::new(design, Backend::Jit).expect("keeps the rules");
        Self(Compiled::new(Arc::new(body)))
    }

    fn set(&mut self, name: &str, value: u64) {
        let port = self.0.port(name).expect("is a pin");
        self.0.set(port, &[value]).expect("is an input");
    }

    fn get(&self, name: &str) -> u64 {
        let mut word = [0];
        self.0.get(self.0.port(name).expect("is a pin"), &mut word);
        word[0]
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Lock {
    rmw: bool,
    owner: u64,
    since: u64,
}

/// Random commands for a unit with two sets of so many ways and a clock of so many bits; what every output must be
/// follows from a table of locks.
fn lock_unit(
    mut unit: Part,
    [ways, clock_bits]: [u64; 2],
    seed: u64,
    limit: u64,
    ways_limit: u64,
) -> Result<(), TestCaseError> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    unit.0.reset(1).expect("has rst");
    unit.set("watchdog_limit", limit);
    unit.set("locked_ways_limit", ways_limit);
    let mut locks: HashMap<(u64, u64), Lock> = HashMap::new();
    let mut overdue = 0;
    for now in 0..600u64 {
        if rng.random_ratio(1, 200) {
            unit.0.reset(1).expect("has rst");
            locks.clear();
        }
        let (mut set, way, asked, cp, requester) = (
            rng.random_range(0..2),
            rng.random_range(0..ways),
            rng.random_range(0..=ways),
            rng.random_bool(0.6),
            rng.random_range(0..3),
        );
        unit.0.eval().expect("settles");
        let expired = unit.get("expired") == 1;
        let due = |lock: &Lock| now - lock.since >= limit;
        let told = |lock: &Lock| limit > 0 && due(lock);
        if expired {
            let at = unit.get("expired_set");
            prop_assert!(
                locks
                    .iter()
                    .any(|((set, _), lock)| *set == at && told(lock)),
                "nothing has expired"
            );
        }
        // A lock that has expired is reported within a sweep.
        overdue = if locks.values().any(told) && !expired {
            overdue + 1
        } else {
            0
        };
        prop_assert!(overdue <= 2, "an expired lock is not told");
        let command = if expired { 0 } else { rng.random_range(1..7) };
        if command == 0 {
            set = unit.get("expired_set");
        }
        for (number, name) in ["expire", "unlock", "touch", "take_rmw", "take_store"]
            .into_iter()
            .enumerate()
        {
            unit.set(name, u64::from(command == number));
        }
        // Only `touch` goes together with a `take_`.
        let touch = command == 2 || command > 2 && rng.random_bool(0.5);
        unit.set("touch", touch.into());
        let evict = rng.random_bool(0.5);
        unit.set("evict", evict.into());
        unit.set("set", set);
        unit.set("way", if command == 0 { 0 } else { 1 << way });
        // Of the ways there are, or of none.
        unit.set("hit_way", if asked < ways { 1 << asked } else { 0 });
        unit.set("cp", cp.into());
        unit.set("requester", requester);
        unit.0.eval().expect("settles");

        let here: Vec<(u64, Lock)> = locks
            .iter()
            .filter(|((at, _), _)| *at == set)
            .map(|((_, way), lock)| (*way, *lock))
            .collect();
        let mask = |rmw: bool| {
            here.iter()
                .filter(|(_, lock)| lock.rmw == rmw)
                .fold(0, |mask, (way, _)| mask | 1 << way)
        };
        prop_assert_eq!(
            (unit.get("rmw_ways"), unit.get("store_ways")),
            (mask(true), mask(false))
        );
        let oldest = here
            .iter()
            .filter(|(_, lock)| !lock.rmw)
            .min_by_key(|(_, lock)| lock.since)
            .map_or(0, |(way, _)| 1 << way);
        prop_assert_eq!(unit.get("oldest_store"), oldest);
        let (rmw_room, store_room) = (
            u64::from(mask(true).count_ones()) < ways - 1,
            (here.len() as u64) < ways_limit,
        );
        prop_assert_eq!(
            (unit.get("rmw_room"), unit.get("store_room")),
            (rmw_room.into(), store_room.into())
        );
        let lock = if command == 0 {
            None
        } else {
            locks.get(&(set, way)).copied()
        };
        let owns = |lock: Option<&Lock>| {
            lock.is_some_and(|lock| lock.rmw && cp && lock.owner == requester)
        };
        let mine = owns(lock.as_ref());
        let of_asked = locks.get(&(set, asked));
        let others = of_asked.is_some_and(|lock| lock.rmw) && !owns(of_asked);
        prop_assert_eq!(
            (unit.get("mine"), unit.get("others")),
            (owns(of_asked).into(), others.into())
        );
        let to_expire = here
            .iter()
            .filter(|(_, lock)| due(lock))
            .map(|(way, _)| *way)
            .min();
        prop_assert_eq!(unit.get("expire_way"), to_expire.map_or(0, |way| 1 << way));
        prop_assert_eq!(unit.get("locked_lines"), locks.len() as u64);

        let takes_rmw = command == 3 && rmw_room && !lock.is_some_and(|lock| lock.rmw);
        let takes_store = command == 4 && store_room && lock.is_none();
        let stored = lock.is_some_and(|lock| !lock.rmw);
        let ended = match command {
            0 => to_expire.map(|way| (way, 1)),
            1 if mine => Some((way, 0)),
            _ if stored && (touch && cp || takes_rmw) => {
                Some((way, if takes_rmw && evict { 2 } else { 0 }))
            }
            _ => None,
        };
        prop_assert_eq!(
            unit.get("ended"),
            u64::from(ended.is_some()),
            "command {} at {}",
            command,
            now
        );
        if let Some((way, cause)) = ended {
            let lock = locks.remove(&(set, way)).expect("was locked");
            prop_assert_eq!(
                (unit.get("ended_way"), unit.get("ended_cause")),
                (1 << way, cause)
            );
            prop_assert_eq!(
                (unit.get("ended_rmw"), unit.get("ended_owner")),
                (lock.rmw.into(), lock.owner)
            );
            // Only without a watchdog do locks grow so old that it matters.
            let age = (now - lock.since) % (1 << clock_bits);
            prop_assert_eq!(unit.get("ended_age"), age);
        }
        if takes_rmw || takes_store {
            locks.insert(
                (set, way),
                Lock {
                    rmw: takes_rmw,
                    owner: requester,
                    since: now,
                },
            );
        }
        unit.0.step().expect("settles");
    }
    Ok(())
}

/// Random uses; the victim must be what plain words say.
fn victim_select(seed: u64) -> Result<(), TestCaseError> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut unit = Part::new(&VictimSelect::<4, 1>::default());
    let mut recent = [0u64; 2];
    for _ in 0..300 {
        let set = rng.random_range(0..2);
        let [mut valid, locked, mut closed] = [(); 3].map(|_| rng.random_range(0..16u64));
        if rng.random_bool(0.5) {
            closed = 0;
        }
        let shut = locked | closed;
        if rng.random_bool(0.7) {
            valid = 15;
        }
        let used = if rng.random_bool(0.7) {
            1 << rng.random_range(0..4)
        } else {
            0
        };
        for (name, value) in [
            ("set", set as u64),
            ("valid", valid),
            ("locked", locked),
            ("closed", closed),
            ("used", used),
        ] {
            unit.set(name, value);
        }
        unit.0.eval().expect("settles");
        let first = |accepts: &dyn Fn(u64) -> bool| {
            (0..4).find(|way| accepts(1 << way)).map(|way| 1 << way)
        };
        let free = first(&|way| shut & way == 0 && valid & way == 0);
        let old = first(&|way| shut & way == 0 && recent[set] & way == 0);
        let expected = free
            .or(old)
            .or_else(|| first(&|way| shut & way == 0))
            .unwrap_or(0);
        prop_assert_eq!(unit.get("victim"), expected);
        unit.0.step().expect("settles");
        if used != 0 {
            let before = recent[set];
            recent[set] |= used;
            if recent[set] | shut == 15 {
                recent[set] = used | before & closed;
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn a_lock_unit_does_what_a_table_of_locks_does(seed: u64, limit in 0u64..32, ways_limit in 0u64..6) {
        let unit = Part::new(&LockUnit::<4, 1, 2, 6, 5>::default());
        lock_unit(unit, [4, 6], seed, limit, ways_limit)?;
    }

    #[test]
    fn a_lock_unit_of_16_ways_does_too(seed: u64, limit in 0u64..512, ways_limit in 0u64..18) {
        let unit = Part::new(&LockUnit::<16, 1, 2, 10, 9>::default());
        lock_unit(unit, [16, 10], seed, limit, ways_limit)?;
    }

    #[test]
    fn a_victim_is_free_or_old_and_never_locked_or_closed(seed: u64) {
        victim_select(seed)?;
    }
}

#[test]
#[should_panic(
    expected = "L2Bank: 4 ways with numbers of 1 bits, 2 bits of place, must be 2 and 2"
)]
fn wrong_parameters_are_refused() {
    let _ = xtq_rtl::l2::L2Bank::<4, 1, 1, 2, 2, 4, 2, 64, 8, 6, 5, 4, 2, 3>::default();
}

#[test]
#[should_panic(expected = "2^L more than 22")]
fn a_clock_in_which_the_age_of_a_lock_wraps_is_refused() {
    let _ = xtq_rtl::l2::L2Bank::<2, 1, 1, 2, 2, 4, 2, 64, 8, 5, 4, 4, 2, 3>::default();
}
