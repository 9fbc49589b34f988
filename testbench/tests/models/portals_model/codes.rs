//! Names and numbers (rules 1 and 8 of `docs/portals-model.md`), as the hardware has them in its headers and events.

use xtq_testbench::portals::{
    AckRequest, AtomicOp, Datatype, EventKind, Limits, List, MdOption, MeOption, MeOptions, NiFail,
    Search,
};

/// Asserts that each name has its place in the list as its number.
macro_rules! numbered {
    ($type:ident: $($name:ident)*) => {
        for (number, code) in [$($type::$name),*].into_iter().enumerate() {
            assert_eq!(code as usize, number, "{code:?}");
        }
    };
}

#[test]
fn codes_have_the_numbers_of_the_header() {
    numbered!(AckRequest: None Ack Ct Oc);
    numbered!(NiFail: Ok Undeliverable Dropped PtDisabled PermViolation OpViolation NoMatch Segv);
    numbered!(List: Priority Overflow);
    numbered!(Search: Only Delete);
    numbered!(EventKind: Get GetOverflow Put PutOverflow Atomic AtomicOverflow FetchAtomic FetchAtomicOverflow Reply Send Ack
        PtDisabled Link AutoUnlink AutoFree Search);
    numbered!(AtomicOp: Min Max Sum Prod Lor Land Bor Band Lxor Bxor Swap Cswap CswapNe CswapLe CswapLt CswapGe CswapGt Mswap);
    numbered!(Datatype: Int8 Uint8 Int16 Uint16 Int32 Uint32 Float Int64 Uint64 Double FloatComplex DoubleComplex LongDouble
        LongDoubleComplex);
}

#[test]
fn options_have_the_bits_of_api_4_2() {
    numbered!(MeOption: Iovec OpPut OpGet UseOnce AckDisable UnexpectedHdrDisable IsAccessible LinkDisable CommDisable
        FlowctrlDisable SuccessDisable OverDisable UnlinkDisable CtComm CtOverflow CtBytes ManageLocal NoTruncate MayAlign
        LocalIncUhRlength);
    numbered!(MdOption: Iovec CtSend CtReply CtAck Unordered SuccessDisable Volatile SendDisable);
    assert_eq!(MdOption::CtBytes as u8, 15);
    let options: MeOptions = [MeOption::OpPut, MeOption::CtBytes].into_iter().collect();
    assert_eq!(options.0, 1 << 1 | 1 << 15);
}

#[test]
fn limits_are_those_of_the_reference() {
    let Limits {
        max_entries,
        max_unexpected_headers,
        max_mds,
        max_cts,
        max_list_size,
        max_triggered_ops,
        max_pt_index,
        max_msg_size,
        max_atomic_size,
        max_fetch_atomic_size,
        max_volatile_size,
        max_iovecs,
        // Not of the reference, but of the XTQ paper.
        max_tasks,
    } = Limits::default();
    let counts = [
        max_entries,
        max_unexpected_headers,
        max_mds,
        max_cts,
        max_list_size,
        max_triggered_ops,
        max_iovecs,
    ];
    assert_eq!(counts, [1024; 7]);
    assert_eq!((max_pt_index, max_tasks), (63, 64));
    assert_eq!(max_msg_size, 1 << 30);
    assert_eq!(
        [max_atomic_size, max_fetch_atomic_size, max_volatile_size],
        [512, 512, 8]
    );
}
