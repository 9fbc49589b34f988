//! Commands about what a process has: descriptors, counters, match entries, portal entries.

use xtq_types::command::{me_source, operation};

use super::command::{Command, counter};
use super::ids::{CounterValue, Ct, Md, Me, Pt};
use crate::tables::{List, Search};

/// Arguments of [`ptl_md_bind`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryDescriptor {
    /// Its number, free until now.
    pub md: Md,
    /// Address of its first byte; with IOVEC of a [list of pieces](super::iovec).
    pub start: u64,
    /// Bytes; with IOVEC pieces.
    pub length: u64,
    /// See [`md_option`](super::md_option).
    pub options: u32,
    /// Counter that counts what the options say.
    pub counter: Option<Ct>,
}

/// Arguments of [`ptl_me_append`], and what [`ptl_me_search`] looks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MatchEntry {
    /// Its number, free until now. A search: unused.
    pub me: Me,
    /// Portal entry.
    pub pt_index: Pt,
    /// List. A search: unused.
    pub list: List,
    /// Address of the buffer; with IOVEC of a [list of pieces](super::iovec).
    pub start: u64,
    /// Bytes of the buffer; with IOVEC pieces.
    pub length: u64,
    /// Counter that counts what the options say.
    pub counter: Option<Ct>,
    /// User that may use it; `None`: all.
    pub user_id: Option<u32>,
    /// See [`me_option`](super::me_option).
    pub options: u32,
    /// Node whose messages match; `None`: all.
    pub source_node: Option<u16>,
    /// Context whose messages match; `None`: all.
    pub source_context: Option<u8>,
    /// Bits that a message's match bits are compared with.
    pub match_bits: u64,
    /// Bits that are not compared.
    pub ignore_bits: u64,
    /// With MANAGE_LOCAL: unlinked when fewer bytes are left; 0 never.
    pub min_free: u64,
    /// Returned in the events.
    pub user_ptr: u64,
}

fn match_fields(entry: &MatchEntry) -> Vec<(&'static str, u64)> {
    let any = |absent, bit| if absent { bit } else { 0 };
    let options = entry.options
        | any(entry.source_node.is_none(), me_source::ANY_NODE)
        | any(entry.source_context.is_none(), me_source::ANY_CONTEXT)
        | any(entry.user_id.is_none(), me_source::ANY_USER);
    vec![
        ("user_pointer", entry.user_ptr),
        ("portal_index", entry.pt_index.0.into()),
        ("start", entry.start),
        ("length", entry.length),
        ("counter", counter(entry.counter)),
        ("user_id", entry.user_id.unwrap_or(0).into()),
        ("options", options.into()),
        ("node", entry.source_node.unwrap_or(0).into()),
        ("context", entry.source_context.unwrap_or(0).into()),
        ("match_bits", entry.match_bits),
        ("ignore_bits", entry.ignore_bits),
        ("remote_offset", entry.min_free),
    ]
}

/// `PtlMDBind`: makes a memory descriptor.
///
/// ```
/// use xtq_testbench::host::{Ct, Md, MemoryDescriptor, md_option, ptl_md_bind};
///
/// let bind = ptl_md_bind(&MemoryDescriptor {
///     md: Md(7),
///     start: 0x10_0000,
///     length: 4096,
///     options: md_option::CT_ACK,
///     counter: Some(Ct(3)),
/// });
/// assert_eq!((bind.get("descriptor"), bind.get("start"), bind.get("length"), bind.get("counter")), (7, 0x10_0000, 4096, 3));
/// ```
pub fn ptl_md_bind(md: &MemoryDescriptor) -> Command {
    let fields = [
        ("descriptor", md.md.0.into()),
        ("start", md.start),
        ("length", md.length),
        ("options", md.options.into()),
        ("counter", counter(md.counter)),
    ];
    Command::new(operation::MD_BIND, &fields)
}

/// `PtlMDRelease`: gives a memory descriptor up. Fails with IN_USE while messages use it.
///
/// ```
/// use xtq_testbench::host::{Md, ptl_md_release};
///
/// assert_eq!(ptl_md_release(Md(7)).get("descriptor"), 7);
/// ```
pub fn ptl_md_release(md: Md) -> Command {
    Command::new(operation::MD_RELEASE, &[("descriptor", md.0.into())])
}

fn count(operation: u8, ct: Ct, value: CounterValue) -> Command {
    let fields = [
        ("counter", ct.0.into()),
        ("ignore_bits", value.success),
        ("remote_offset", value.failure),
    ];
    Command::new(operation, &fields)
}

/// `PtlCTAlloc`: makes a counter; both fields are 0. Fails with IN_USE if there is one.
///
/// ```
/// use xtq_testbench::host::{Ct, ptl_ct_alloc};
///
/// assert_eq!(ptl_ct_alloc(Ct(3)).get("counter"), 3);
/// ```
pub fn ptl_ct_alloc(ct: Ct) -> Command {
    Command::new(operation::CT_ALLOC, &[("counter", ct.0.into())])
}

/// `PtlCTFree`: gives a counter back; what waits for it is removed.
///
/// ```
/// use xtq_testbench::host::{Ct, ptl_ct_free};
///
/// assert_eq!(ptl_ct_free(Ct(3)).get("counter"), 3);
/// ```
pub fn ptl_ct_free(ct: Ct) -> Command {
    Command::new(operation::CT_FREE, &[("counter", ct.0.into())])
}

/// `PtlCTInc`: adds to a counter; only one of the fields may be other than 0.
///
/// ```
/// use xtq_testbench::host::{CounterValue, Ct, ptl_ct_inc};
///
/// let inc = ptl_ct_inc(Ct(5), CounterValue { success: 2, failure: 0 });
/// assert_eq!((inc.get("counter"), inc.get("ignore_bits"), inc.get("remote_offset")), (5, 2, 0));
/// ```
pub fn ptl_ct_inc(ct: Ct, increment: CounterValue) -> Command {
    count(operation::CT_INC, ct, increment)
}

/// `PtlCTSet`: sets both fields of a counter.
///
/// ```
/// use xtq_testbench::host::{CounterValue, Ct, ptl_ct_set};
///
/// assert_eq!(ptl_ct_set(Ct(5), CounterValue { success: 0, failure: 9 }).get("remote_offset"), 9);
/// ```
pub fn ptl_ct_set(ct: Ct, value: CounterValue) -> Command {
    count(operation::CT_SET, ct, value)
}

/// `PtlCTGet`: both fields come in the command's event ([`Event::counter`](super::Event::counter)).
///
/// ```
/// use xtq_testbench::host::{Ct, ptl_ct_get};
///
/// let get = ptl_ct_get(Ct(5)).with_user_ptr(0xabc);
/// assert_eq!((get.get("counter"), get.get("flags"), get.get("user_pointer")), (5, 2, 0xabc));
/// ```
pub fn ptl_ct_get(ct: Ct) -> Command {
    Command::new(operation::CT_GET, &[("counter", ct.0.into())]).with_completion()
}

/// `PtlCTCancelTriggered`: removes everything that waits for a counter.
///
/// ```
/// use xtq_testbench::host::{Ct, ptl_ct_cancel_triggered};
///
/// assert_eq!(ptl_ct_cancel_triggered(Ct(5)).get("counter"), 5);
/// ```
pub fn ptl_ct_cancel_triggered(ct: Ct) -> Command {
    Command::new(operation::CT_CANCEL, &[("counter", ct.0.into())])
}

/// `PtlMEAppend`: appends a match entry to a list of a portal entry.
///
/// ```
/// use xtq_testbench::host::{MatchEntry, Me, Pt, me_option, ptl_me_append};
///
/// let append = ptl_me_append(&MatchEntry {
///     me: Me(9),
///     pt_index: Pt(1),
///     start: 0x20_0000,
///     length: 8192,
///     options: me_option::OP_PUT | me_option::USE_ONCE,
///     match_bits: 0x77,
///     ..MatchEntry::default()
/// });
/// assert_eq!((append.get("entry"), append.get("match_bits"), append.get("counter")), (9, 0x77, 0xffff));
/// ```
pub fn ptl_me_append(entry: &MatchEntry) -> Command {
    let mut fields = match_fields(entry);
    fields.extend([("entry", entry.me.0.into()), ("list", entry.list as u64)]);
    Command::new(operation::ME_APPEND, &fields)
}

/// `PtlMEUnlink`: removes a match entry. Fails with IN_USE while unexpected messages lie in its buffer.
///
/// ```
/// use xtq_testbench::host::{Me, ptl_me_unlink};
///
/// assert_eq!(ptl_me_unlink(Me(9)).get("entry"), 9);
/// ```
pub fn ptl_me_unlink(me: Me) -> Command {
    Command::new(operation::ME_UNLINK, &[("entry", me.0.into())])
}

/// `PtlMESearch`: looks for unexpected messages that an entry would match.
///
/// ```
/// use xtq_testbench::host::{MatchEntry, Search, ptl_me_search};
///
/// let search = ptl_me_search(&MatchEntry { match_bits: 5, ..MatchEntry::default() }, Search::Delete);
/// assert_eq!((search.get("match_bits"), search.get("list")), (5, 1));
/// ```
pub fn ptl_me_search(entry: &MatchEntry, search: Search) -> Command {
    let mut fields = match_fields(entry);
    fields.push(("list", search as u64));
    Command::new(operation::ME_SEARCH, &fields)
}

/// `PtlPTAlloc`: makes a portal entry ([`portal_option`](super::portal_option)). Fails with IN_USE if there is one.
///
/// ```
/// use xtq_testbench::host::{Pt, portal_option, ptl_pt_alloc};
///
/// let alloc = ptl_pt_alloc(Pt(1), portal_option::MATCHING | portal_option::FLOW_CONTROL);
/// assert_eq!((alloc.get("portal_index"), alloc.get("options")), (1, 3));
/// ```
pub fn ptl_pt_alloc(pt: Pt, options: u32) -> Command {
    let fields = [("portal_index", pt.0.into()), ("options", options.into())];
    Command::new(operation::PT_ALLOC, &fields)
}

/// `PtlPTFree`: gives a portal entry back. Fails with IN_USE while it has match entries or unexpected messages.
///
/// ```
/// use xtq_testbench::host::{Pt, ptl_pt_free};
///
/// assert_eq!(ptl_pt_free(Pt(1)).get("portal_index"), 1);
/// ```
pub fn ptl_pt_free(pt: Pt) -> Command {
    Command::new(operation::PT_FREE, &[("portal_index", pt.0.into())])
}

/// `PtlPTEnable`: lets a portal entry take messages (again).
///
/// ```
/// use xtq_testbench::host::{Pt, ptl_pt_enable};
///
/// assert_eq!(ptl_pt_enable(Pt(1)).get("portal_index"), 1);
/// ```
pub fn ptl_pt_enable(pt: Pt) -> Command {
    Command::new(operation::PT_ENABLE, &[("portal_index", pt.0.into())])
}

/// `PtlPTDisable`: stops a portal entry.
///
/// ```
/// use xtq_testbench::host::{Pt, ptl_pt_disable};
///
/// assert_eq!(ptl_pt_disable(Pt(1)).get("portal_index"), 1);
/// ```
pub fn ptl_pt_disable(pt: Pt) -> Command {
    Command::new(operation::PT_DISABLE, &[("portal_index", pt.0.into())])
}

/// A list of pieces as memory has it (`ptl_iovec_t`): 16 bytes a piece, its address and its length. It lies at a
/// multiple of 8, has at most 1,024 pieces, and stays as it is while a descriptor or match entry names it.
///
/// ```
/// use xtq_testbench::host::{Md, MemoryDescriptor, iovec, md_option, ptl_md_bind};
///
/// let list = iovec(&[(0x1000, 100), (0x7000, 28)]);
/// assert_eq!((list.len(), list[1], list[8], list[17]), (32, 0x10, 100, 0x70));
/// // With the list in memory at 0x200:
/// let md = MemoryDescriptor { md: Md(2), start: 0x200, length: 2, options: md_option::IOVEC, ..MemoryDescriptor::default() };
/// assert_eq!(ptl_md_bind(&md).get("length"), 2);
/// ```
pub fn iovec(pieces: &[(u64, u64)]) -> Vec<u8> {
    let words = pieces.iter().flat_map(|(start, length)| [start, length]);
    words.flat_map(|word| word.to_le_bytes()).collect()
}
