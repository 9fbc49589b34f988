//! Accesses that fail.

use xtq_testbench::bus::{Access, ErrorResponse, Fault, MemoryTiming};
use xtq_testbench::bytes::Bytes;

use super::{bytes, fault};
use crate::bus::axi_master::Master;

#[test]
fn a_failed_write_is_not_performed_and_names_its_code() {
    let mut master = Master::new(MemoryTiming::ideal());
    master.memory.inject(fault(0x1050..=0x1050, Access::Write));
    master.write(0, 3, 0x1000, &[[1; 64]; 2]);
    master.write(0, 4, 0x1080, &[[2; 64]]);
    master.read(0, 0, 0x1040, 1);
    master.run(100);
    let seen: Vec<(u8, u8, u8)> = master
        .b
        .iter()
        .map(|reply| (reply.id, reply.resp, reply.code))
        .collect();
    assert_eq!(seen, [(3, 2, 9), (4, 0, 0)]);
    assert_eq!(bytes(master.memory.memory(0), 0x1000, 128), [0; 128]);
    assert_eq!(master.memory.memory(0).read_u16(0x1080), 0x0202);
    assert_eq!((master.r[0].resp, master.r[0].code), (0, 0));
    assert!(master.memory.log()[0].visible_cycle.is_none());
    assert_eq!(master.memory.log()[0].resp, 2);
}

#[test]
fn a_failed_read_gives_errors_in_the_beats_it_touches_and_noise() {
    let mut master = Master::new(MemoryTiming::ideal());
    master.memory.memory_mut(0).write(0, &[7; 256]);
    master.memory.inject(Fault {
        response: ErrorResponse::DecodeError,
        ..fault(0x40..=0x7f, Access::Read)
    });
    master.read(0, 0, 0, 4);
    master.write(0, 0, 0x40, &[[8; 64]]);
    master.run(100);
    let responses: Vec<(u8, u8)> = master.r.iter().map(|beat| (beat.resp, beat.code)).collect();
    assert_eq!(responses, [(0, 0), (3, 9), (0, 0), (0, 0)]);
    assert_eq!(master.r[2].data, [7; 64]);
    assert_ne!(master.r[1].data, [7; 64]);
    assert_eq!(master.b[0].resp, 0);
}

#[test]
fn a_fault_hits_its_context_its_count_and_both_kinds_of_access() {
    let mut master = Master::new(MemoryTiming::ideal());
    master.memory.inject(Fault {
        context: Some(2),
        count: Some(2),
        ..fault(0..=u64::MAX, Access::Both)
    });
    master.write(1, 0, 0, &[[1; 64]]);
    master.write(2, 0, 0, &[[1; 64]]);
    master.run(100);
    master.read(2, 0, 0, 1);
    master.run(100);
    master.read(2, 0, 0, 1);
    master.write(2, 0, 0, &[[1; 64]]);
    master.run(100);
    assert_eq!(
        master.b.iter().map(|reply| reply.resp).collect::<Vec<u8>>(),
        [0, 2, 0]
    );
    assert_eq!(
        master.r.iter().map(|beat| beat.resp).collect::<Vec<u8>>(),
        [2, 0]
    );
}

#[test]
fn what_is_not_mapped_is_a_decode_error() {
    let mut master = Master::new(MemoryTiming::ideal());
    master.memory.map(Some(0), 0x1000..=0x1fff);
    master.memory.map(None, 0x8000..=0x8fff);
    master.write(0, 0, 0x1fc0, &[[1; 64]]);
    master.write(1, 0, 0x1fc0, &[[1; 64]]);
    master.write(1, 0, 0x8000, &[[1; 64]]);
    master.read(0, 0, 0x2000, 1);
    master.run(100);
    let seen: Vec<(u8, u8)> = master
        .b
        .iter()
        .map(|reply| (reply.resp, reply.code))
        .collect();
    assert_eq!(seen, [(0, 0), (3, 1), (0, 0)]);
    assert_eq!((master.r[0].resp, master.r[0].code), (3, 1));
    assert_eq!(master.memory.memory(1).read_u64(0x1fc0), 0);
}
