//! `Process` against a NIC that is no more than registers and memory.

use std::collections::BTreeMap;

use crate::bytes::{Bytes, SparseMemory};
use crate::host::*;

/// Registers that only remember, and memory.
#[derive(Default)]
struct FakeNic {
    memory: SparseMemory,
    registers: BTreeMap<u16, u32>,
    /// Address written last.
    written: u16,
    /// Reads so far, by address.
    reads: Vec<u16>,
    posted: u32,
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("refused")]
struct Refused;

impl NicPort for FakeNic {
    type Error = Refused;

    fn memory(&self, context: u8) -> &SparseMemory {
        assert_eq!(context, 2);
        &self.memory
    }

    fn memory_mut(&mut self, context: u8) -> &mut SparseMemory {
        assert_eq!(context, 2);
        &mut self.memory
    }

    fn post(&mut self, address: u16, value: u32) {
        self.registers.insert(address, value);
        self.written = address;
    }

    fn read(&mut self, address: u16) -> Result<u32, Refused> {
        self.reads.push(address);
        self.registers.get(&address).copied().ok_or(Refused)
    }
}

/// Registers of context 2 by their addresses.
const ENABLE: u16 = 0x3000;
const EQ_CONSUMER: u16 = 0x301c;
const EQ_PRODUCER: u16 = 0x3020;
const CQ_TAIL: u16 = 0x308c;
const CQ_HEAD: u16 = 0x3090;

const COMMANDS: u64 = 0x9_0000_0080;
const EVENTS: u64 = 0x8_0000_0040;

fn config() -> ProcessConfig {
    ProcessConfig {
        commands: Ring {
            base: COMMANDS,
            size: 4,
        },
        events: Ring {
            base: EVENTS,
            size: 4,
        },
        user_id: 77,
        ..ProcessConfig::default()
    }
}

impl FakeNic {
    fn open() -> (Self, Process) {
        let mut nic = Self::default();
        nic.registers.extend([(EQ_PRODUCER, 0), (CQ_HEAD, 0)]);
        let process = Process::open(&mut nic, 2, &config()).unwrap();
        nic.reads.clear();
        (nic, process)
    }

    /// Posts an event of this kind with this user pointer, as the hardware does: memory first, then the producer count.
    fn event(&mut self, kind: u8, user_ptr: u64) {
        let mut bytes = [0; 64];
        bytes[0] = kind;
        bytes[56..].copy_from_slice(&user_ptr.to_le_bytes());
        let place = EVENTS + 64 * u64::from(self.posted % 4);
        self.memory.write(place, &bytes);
        self.posted = self.posted.wrapping_add(1);
        self.registers.insert(EQ_PRODUCER, self.posted);
    }

    fn command(&self, place: u64) -> [u8; 128] {
        let mut bytes = [0; 128];
        self.memory.read(COMMANDS + 128 * place, &mut bytes);
        bytes
    }
}

#[test]
fn opening_a_process_writes_its_rings_and_tables_and_enables_it_last() {
    let (nic, process) = FakeNic::open();
    assert_eq!((process.context(), nic.written), (2, ENABLE));
    let register = |address: u16| nic.registers.get(&address).copied();
    for (address, value) in [
        (ENABLE, 1),
        (0x3010, EVENTS as u32),
        (0x3014, 8),
        (0x3018, 4),
        (0x3040, 0x1000_0000),
        (0x3044, 0),
        (0x3048, 64),
        (0x3050, 0x1000_1000),
        (0x3058, 64),
        (0x3060, 0x1000_2000),
        (0x3068, 64),
        (0x3080, COMMANDS as u32),
        (0x3084, 9),
        (0x3088, 4),
        (0x0028, 77),
    ] {
        assert_eq!(register(address), Some(value), "{address:#x}");
    }
}

#[test]
fn rings_that_the_nic_would_not_take_are_refused() {
    let open = |context, commands, events| {
        let config = ProcessConfig {
            commands,
            events,
            ..config()
        };
        Process::open(&mut FakeNic::default(), context, &config).err()
    };
    let ring = |base, size| Ring { base, size };
    let good = ring(0, 4);
    assert_eq!(open(4, good, good), Some(ProcessError::Context(4)));
    let size = |name, size, most| Some(RingError::Size { name, size, most }.into());
    assert_eq!(open(2, ring(0, 0), good), size("command", 0, 32_768));
    assert_eq!(
        open(2, ring(0, 65_536), good),
        size("command", 65_536, 32_768)
    );
    assert_eq!(open(2, good, ring(0, 6)), size("event", 6, 1 << 31));
    let base = |name, base, bytes| Some(RingError::Base { name, base, bytes }.into());
    assert_eq!(open(2, ring(64, 4), good), base("command", 64, 128));
    assert_eq!(open(2, good, ring(32, 4)), base("event", 32, 64));
}

#[test]
fn commands_go_round_the_ring_and_each_group_has_one_doorbell() {
    let (mut nic, mut process) = FakeNic::open();
    let named = |n| nop().with_user_ptr(n);
    process
        .post_all(&mut nic, &[named(1), named(2), named(3)])
        .unwrap();
    assert_eq!(nic.registers[&CQ_TAIL], 3);
    assert!(nic.reads.is_empty(), "the ring cannot be full");
    nic.registers.insert(CQ_HEAD, 2);
    process.post_all(&mut nic, &[named(4), named(5)]).unwrap();
    assert_eq!(nic.reads, [CQ_HEAD]);
    assert_eq!(nic.registers[&CQ_TAIL], 5);
    let places = [5, 2, 3, 4].map(|n| *named(n).bytes());
    assert_eq!([0, 1, 2, 3].map(|place| nic.command(place)), places);
}

#[test]
fn a_full_ring_takes_none_of_a_group_and_says_so() {
    let (mut nic, mut process) = FakeNic::open();
    process.post_all(&mut nic, &vec![nop(); 4]).unwrap();
    let full = |commands, waiting| {
        Err(ProcessError::Full {
            size: 4,
            commands,
            waiting,
        })
    };
    let before = nic.memory.clone();
    assert_eq!(process.post(&mut nic, &fence()), full(1, 4));
    nic.registers.insert(CQ_HEAD, 1);
    assert_eq!(process.post_all(&mut nic, &[fence(), fence()]), full(2, 3));
    assert_eq!(process.post_all(&mut nic, &vec![fence(); 5]), full(5, 3));
    assert_eq!((nic.registers[&CQ_TAIL], &nic.memory), (4, &before));
    assert_eq!(process.post(&mut nic, &fence()), Ok(()));
    assert_eq!(nic.command(0), *fence().bytes());
}

#[test]
fn events_come_in_order_round_the_ring_and_their_places_are_given_back() {
    let (mut nic, mut process) = FakeNic::open();
    assert_eq!(process.next_event(&mut nic), Ok(None));
    assert!(!nic.registers.contains_key(&EQ_CONSUMER));
    let mut got = Vec::new();
    for round in 0..5u64 {
        nic.event(9, 2 * round);
        nic.event(10, 2 * round + 1);
        if round % 2 == 0 {
            got.extend(process.events(&mut nic).unwrap());
        } else {
            got.extend(process.next_event(&mut nic).unwrap());
            got.extend(process.next_event(&mut nic).unwrap());
        }
        assert_eq!(nic.registers[&EQ_CONSUMER], nic.posted);
    }
    let pointers: Vec<u64> = got.iter().filter_map(Event::user_ptr).collect();
    assert_eq!(pointers, (0..10).collect::<Vec<_>>());
    let kinds: Vec<EventKind> = got.iter().map(|event| event.kind).collect();
    assert_eq!(kinds[..2], [EventKind::Send, EventKind::Ack]);
}

#[test]
fn what_is_behind_the_producer_count_is_not_looked_at() {
    let (mut nic, mut process) = FakeNic::open();
    nic.event(9, 1);
    nic.event(9, 2);
    nic.registers.insert(EQ_PRODUCER, 1);
    assert_eq!(process.events(&mut nic).unwrap().len(), 1);
    nic.registers.insert(EQ_PRODUCER, 6);
    let (size, unread) = (4, 5);
    assert_eq!(
        process.events(&mut nic),
        Err(ProcessError::Events { size, unread })
    );
}

#[test]
fn waiting_for_one_event_leaves_the_others_in_order() {
    let (mut nic, mut process) = FakeNic::open();
    for pointer in 1..=3 {
        nic.event(40, pointer);
    }
    let second = |event: &Event| event.user_ptr() == Some(2);
    let event = process.wait_for(&mut nic, second, 1).unwrap();
    assert_eq!(
        (event.kind, event.result()),
        (EventKind::Command, Some(Ok(())))
    );
    let none = process.wait_for(&mut nic, second, 3).unwrap_err();
    assert!(
        matches!(none, ProcessError::NoEvent { looks: 3, last: Some(last) } if last.user_ptr() == Some(3))
    );
    let left = process.events(&mut nic).unwrap();
    assert_eq!(
        left.iter().filter_map(Event::user_ptr).collect::<Vec<_>>(),
        [1, 3]
    );
}

#[test]
fn a_refused_register_is_an_error_of_the_call() {
    let (mut nic, mut process) = FakeNic::open();
    nic.registers.remove(&EQ_PRODUCER);
    assert_eq!(
        process.next_event(&mut nic),
        Err(ProcessError::Port(Refused))
    );
}
