//! Two-sided messages. Up to `eager_bytes` of [`Library`](crate::Library) go at once and wait in a room if nobody has
//! posted a receive; longer ones say that they are there, and the receiver reads them.

use super::Mpi;
use super::codes::{LONG, LONG_ENTRY, Role, SOURCE, kind};
use super::layout;
use super::requests::{Pending, Request, Status};
use crate::ProgramError;
use xtq_testbench::host::{
    AckRequest, MatchEntry, Me, ProcessId, Put, me_option, ptl_me_append, ptl_put,
};

/// Options of an entry that one message uses up.
const ONCE: u32 = me_option::USE_ONCE | me_option::LINK_DISABLE | me_option::UNLINK_DISABLE;
/// Tags from here on are the library's own.
const OWN_TAGS: u32 = 1 << 31;

/// The process that is a rank.
pub(super) fn process(rank: usize) -> ProcessId {
    ProcessId {
        node: rank as u16,
        context: 0,
    }
}

impl Mpi {
    /// MPI_Send: returns when the bytes may change. Tags are below 2^31. Errors: the NIC refused it.
    pub async fn send(
        &mut self,
        to: usize,
        tag: u32,
        address: u64,
        bytes: u64,
    ) -> Result<(), ProgramError> {
        let request = self.isend(to, tag, address, bytes).await?;
        self.wait(request).await?;
        Ok(())
    }

    /// MPI_Recv: `None` takes a message of any rank. Errors: the message is longer than the buffer; it failed.
    pub async fn recv(
        &mut self,
        from: Option<usize>,
        tag: u32,
        address: u64,
        bytes: u64,
    ) -> Result<Status, ProgramError> {
        let request = self.irecv(from, tag, address, bytes).await?;
        self.wait(request).await
    }

    /// MPI_Isend. Errors: as [`send`](Self::send).
    pub async fn isend(
        &mut self,
        to: usize,
        tag: u32,
        address: u64,
        bytes: u64,
    ) -> Result<Request, ProgramError> {
        self.send_kind(kind::MESSAGE, to, tag, address, bytes).await
    }

    /// MPI_Irecv. Errors: as [`recv`](Self::recv).
    pub async fn irecv(
        &mut self,
        from: Option<usize>,
        tag: u32,
        address: u64,
        bytes: u64,
    ) -> Result<Request, ProgramError> {
        let (source, ignored) = match from {
            Some(rank) => ((rank as u64) << SOURCE, 0),
            None => (0, 0xffff << SOURCE),
        };
        let bits = kind::MESSAGE | source | u64::from(tag);
        let entry = loop {
            match self.requests.receive_entry() {
                Some(entry) => break entry,
                None => _ = self.progress(None).await?,
            }
        };
        let request = Pending::Receiving {
            address,
            bytes,
            entry,
            landing: None,
        };
        let number = self
            .post_receive(entry, (bits, ignored), (address, bytes), request)
            .await?;
        Ok(Request(number))
    }

    /// Sends a message of a kind. One without data has left at once.
    pub(super) async fn send_kind(
        &mut self,
        kind: u64,
        to: usize,
        tag: u32,
        address: u64,
        bytes: u64,
    ) -> Result<Request, ProgramError> {
        let cost = self.host.costs().send;
        self.host.work(cost).await;
        let put = Put {
            md: layout::ALL,
            local_offset: address,
            length: bytes,
            ack: AckRequest::None,
            target: process(to),
            pt_index: layout::MESSAGES,
            match_bits: kind | (self.rank() as u64) << SOURCE | u64::from(tag),
            ..Put::default()
        };
        if bytes == 0 {
            let request = self.requests.add(Pending::Done(Status::default()));
            let md = layout::SILENT;
            self.host.post(&[ptl_put(&Put { md, ..put })]).await?;
            return Ok(Request(request));
        }
        let request = self.requests.add(Pending::Sending);
        if bytes <= self.job.options.library.eager_bytes {
            let user_ptr = Role::Send.pointer(request as u64);
            self.host.post(&[ptl_put(&Put { user_ptr, ..put })]).await?;
            return Ok(Request(request));
        }
        let entry = loop {
            match self.requests.exposed_entry() {
                Some(entry) => break entry,
                None => _ = self.progress(None).await?,
            }
        };
        let exposed = MatchEntry {
            me: entry,
            pt_index: layout::DATA,
            start: address,
            length: bytes,
            options: me_option::OP_GET | ONCE,
            match_bits: entry.0.into(),
            user_ptr: Role::Exposed.pointer(request as u64),
            ..MatchEntry::default()
        };
        let announcement = Put {
            md: layout::SILENT,
            length: 0,
            hdr_data: LONG | u64::from(entry.0) << LONG_ENTRY | bytes,
            ..put
        };
        let commands = [ptl_me_append(&exposed), ptl_put(&announcement)];
        self.host.post(&commands).await?;
        Ok(Request(request))
    }

    /// Posts a receive for match bits, of which some are ignored; the number of the request.
    pub(super) async fn post_receive(
        &mut self,
        me: Me,
        (match_bits, ignore_bits): (u64, u64),
        (address, bytes): (u64, u64),
        request: Pending,
    ) -> Result<usize, ProgramError> {
        let cost = self.host.costs().receive;
        self.host.work(cost).await;
        let request = self.requests.add(request);
        let entry = MatchEntry {
            me,
            pt_index: layout::MESSAGES,
            start: address,
            length: bytes,
            options: me_option::OP_PUT | ONCE,
            match_bits,
            ignore_bits,
            user_ptr: Role::Receive.pointer(request as u64),
            ..MatchEntry::default()
        };
        self.host.post(&[ptl_me_append(&entry)]).await?;
        Ok(request)
    }

    /// A tag of the library: of the collective that runs, and a part of it.
    pub(super) fn own_tag(&self, part: u32) -> u32 {
        OWN_TAGS | (self.collectives & 0x7fff) << 16 | part & 0xffff
    }

    /// MPI_Barrier: in round k a rank hears of the one 2^k before it (dissemination). Errors: a message failed.
    pub async fn barrier(&mut self) -> Result<(), ProgramError> {
        self.collectives += 1;
        let (rank, ranks) = (self.rank(), self.ranks());
        for round in 0..ranks.next_power_of_two().ilog2() {
            let distance = 1 << round;
            let tag = self.own_tag(round);
            let before = (rank + ranks - distance) % ranks;
            let heard = self.irecv(Some(before), tag, 0, 0).await?;
            self.send((rank + distance) % ranks, tag, 0, 0).await?;
            self.wait(heard).await?;
        }
        Ok(())
    }
}
