//! Events as bytes.

use crate::host::*;

#[test]
fn an_event_is_decoded_field_by_field() {
    let bytes: [u8; 64] = std::array::from_fn(|i| 0x80 + i as u8);
    let mut put = bytes;
    put[0] = 2;
    let event = Event::decode(&put);
    let u16_at = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
    let u32_at = |at: usize| u32::from(u16_at(at)) | u32::from(u16_at(at + 2)) << 16;
    let u64_at = |at: usize| u64::from(u32_at(at)) | u64::from(u32_at(at + 4)) << 32;
    assert_eq!(event.kind, EventKind::Put);
    assert_eq!(
        (event.status, event.access, event.ni_fail),
        (0x81, 0x82, 0x83)
    );
    let (node, context) = (u16_at(4), 0x8e);
    assert_eq!(event.initiator, ProcessId { node, context });
    assert_eq!((event.pt_index, event.user_id), (Pt(u16_at(6)), u32_at(8)));
    assert_eq!((event.queue_index, event.dropped), (u16_at(12), 0x8f));
    assert_eq!((event.match_bits, event.hdr_data), (u64_at(16), u64_at(24)));
    assert_eq!((event.start, event.remote_offset), (u64_at(32), u64_at(48)));
    assert_eq!((event.rlength, event.mlength), (u32_at(40), u32_at(44)));
    assert_eq!(
        (event.user_ptr(), event.packet_id()),
        (Some(u64_at(56)), None)
    );
    assert_eq!(event.result(), None);
    assert_eq!(event.list(), Some(List::Priority));
    (put[12], put[13]) = (1, 0);
    assert_eq!(Event::decode(&put).list(), Some(List::Overflow));
    put[0] = 32;
    let event = Event::decode(&put);
    assert_eq!(
        (event.user_ptr(), event.packet_id()),
        (Some(u64_at(48)), Some(u64_at(56)))
    );
    assert_eq!(event.list(), None);
    for refused in [13, 14, 16, 17, 18] {
        put[1] = refused;
        assert_eq!(Event::decode(&put).user_ptr(), None, "status {refused}");
    }
    put[1] = 0x81;
    put[0] = 40;
    let event = Event::decode(&put);
    let (success, failure) = (u64_at(32), u64_at(48));
    assert_eq!(event.counter(), CounterValue { success, failure });
    assert_eq!(event.result(), Some(Err(CommandError::Unknown(0x81))));
}

#[test]
fn every_kind_and_every_status_has_its_name() {
    let kinds = [
        EventKind::Get,
        EventKind::GetOverflow,
        EventKind::Put,
        EventKind::PutOverflow,
        EventKind::Atomic,
        EventKind::AtomicOverflow,
        EventKind::FetchAtomic,
        EventKind::FetchAtomicOverflow,
        EventKind::Reply,
        EventKind::Send,
        EventKind::Ack,
        EventKind::PtDisabled,
        EventKind::Link,
        EventKind::AutoUnlink,
        EventKind::AutoFree,
        EventKind::Search,
    ];
    for (code, kind) in (0..).zip(kinds) {
        assert_eq!(EventKind::of(code), kind);
    }
    assert_eq!(EventKind::of(32), EventKind::XtqPut);
    assert_eq!(EventKind::of(40), EventKind::Command);
    assert_eq!(EventKind::of(16), EventKind::Unknown(16));
    let errors = [
        CommandError::BadOperation,
        CommandError::BadArgument,
        CommandError::BadDescriptor,
        CommandError::DescriptorOverflow,
        CommandError::BadCounter,
        CommandError::BadPortal,
        CommandError::BadEntry,
        CommandError::NoSpace,
        CommandError::InUse,
        CommandError::NotFound,
        CommandError::MemoryError,
        CommandError::TooLong,
        CommandError::BadIndex,
        CommandError::Unsupported,
        CommandError::TooManyPieces,
        CommandError::PiecesOverflow,
        CommandError::Unknown(17),
    ];
    assert_eq!(CommandError::check(0), Ok(()));
    for (status, error) in (1..).zip(errors) {
        assert_eq!(CommandError::check(status), Err(error));
    }
}
