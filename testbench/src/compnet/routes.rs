//! `Routes`: the bank that an address lies in, and how long the way there and back is.
//!
//! Without a host all addresses lie in the banks of the L2 and all cores are as far from them. With one, some addresses
//! lie in the host's memory, which is the last bank, and the service threads may be threads of the host. Whoever asks
//! for what is on the other side crosses the link between GPU and host: a latency, and a bandwidth each way.

use super::access::{Op, Request, Requester};
use crate::bus::LINE_BYTES;
use std::collections::HashMap;
use std::ops::Range;

/// The sides of the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Compute units, command processor, L2.
    Gpu,
    /// Cores of the host and their memory.
    Host,
}

/// Bytes of a packet of the link beside its data: framing, sequence number, header and checksum of PCIe.
const PACKET_BYTES: u64 = 24;

/// The link between GPU and host.
#[derive(Clone, Debug)]
pub struct Link {
    /// Cycles of one way.
    pub cycles: u64,
    /// Bytes a cycle, each way.
    pub bytes_per_cycle: f64,
    /// When each way is free: towards the host, towards the GPU.
    free_at: [f64; 2],
    /// Bytes that service threads had carried, both ways.
    service_bytes: u64,
}

impl Link {
    /// A link that nothing is on.
    pub fn new(cycles: u64, bytes_per_cycle: f64) -> Self {
        Self {
            cycles,
            bytes_per_cycle,
            free_at: [0.0; 2],
            service_bytes: 0,
        }
    }

    /// When a packet with so many bytes of data is on the other side.
    fn cross(&mut self, to: Side, now: u64, data: u64, service: bool) -> u64 {
        let bytes = PACKET_BYTES + data;
        if service {
            self.service_bytes += bytes;
        }
        let free_at = &mut self.free_at[usize::from(to == Side::Gpu)];
        *free_at = free_at.max(now as f64) + bytes as f64 / self.bytes_per_cycle;
        free_at.ceil() as u64 + self.cycles
    }
}

/// The host's side.
#[derive(Clone, Debug)]
pub struct HostSide {
    /// Addresses in its memory.
    pub addresses: Vec<Range<u64>>,
    /// The side of the service threads.
    pub service: Side,
    /// The link.
    pub link: Link,
}

/// A requester's request: its name and tag at the banks.
type Label = (Requester, u8);

/// Where requests go.
#[derive(Clone, Debug)]
pub struct Routes {
    /// Cycles from a core to a bank of the L2 and back.
    ways: [u64; 2],
    /// Banks of the L2.
    banks: usize,
    host: Option<HostSide>,
    /// With a host: bytes of data in the answers to requests under way.
    answers: HashMap<Label, u64>,
}

impl Routes {
    /// To the banks of an L2.
    pub fn new(ways: [u64; 2], banks: usize) -> Self {
        Self {
            ways,
            banks,
            host: None,
            answers: HashMap::new(),
        }
    }

    /// With a host: its memory is the last of the banks.
    pub fn set_host(&mut self, host: HostSide) {
        self.banks -= 1;
        self.host = Some(host);
    }

    /// Bytes that service threads had carried over the link, both ways, packets included.
    pub fn service_bytes(&self) -> u64 {
        self.host.as_ref().map_or(0, |host| host.link.service_bytes)
    }

    /// The bank of an address.
    pub fn bank(&self, address: u64) -> usize {
        let holds = |host: &HostSide| host.addresses.iter().any(|part| part.contains(&address));
        match self.host.as_ref().is_some_and(holds) {
            true => self.banks,
            false => (address / LINE_BYTES) as usize % self.banks.max(1),
        }
    }

    /// Where a request goes, and when it is there.
    pub fn there(&mut self, request: &Request, now: u64) -> (usize, u64) {
        let bank = self.bank(request.address);
        let (data, answer) = match request.op {
            Op::Load | Op::RmwRead | Op::Invalidate | Op::WriteBack => (0, LINE_BYTES),
            _ => (request.strobes.count_ones().into(), 0),
        };
        if self.host.is_some() {
            self.answers
                .insert((request.requester, request.tag), answer);
        }
        (bank, self.arrival(request.requester, bank, now, data, 0))
    }

    /// When the answer of a bank is at the core.
    pub fn back(&mut self, (requester, tag): Label, bank: usize, now: u64) -> u64 {
        let data = self.answers.remove(&(requester, tag)).unwrap_or(0);
        self.arrival(requester, bank, now, data, 1)
    }

    fn arrival(
        &mut self,
        requester: Requester,
        bank: usize,
        now: u64,
        data: u64,
        way: usize,
    ) -> u64 {
        let in_l2 = bank < self.banks;
        let to_l2 = if in_l2 { self.ways[way] } else { 0 };
        let Some(host) = &mut self.host else {
            return now + to_l2;
        };
        let is_service = matches!(requester, Requester::CpThread(_));
        let core = match is_service {
            true => host.service,
            false => Side::Gpu,
        };
        let memory = if in_l2 { Side::Gpu } else { Side::Host };
        let to = [memory, core][way];
        match core == memory {
            true => now + to_l2,
            false => host.link.cross(to, now, data, is_service) + to_l2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOST: Range<u64> = 0x1000..0x2000;

    fn routes(service: Side) -> Routes {
        let mut routes = Routes::new([10, 20], 3);
        routes.set_host(HostSide {
            addresses: vec![HOST],
            service,
            link: Link::new(100, 1.0),
        });
        routes
    }

    #[test]
    fn who_asks_for_the_other_side_crosses_the_link() {
        let unit = Requester::ComputeUnit(0);
        let thread = Requester::CpThread(0);
        for (service, requester, address, expected) in [
            (Side::Gpu, unit, 0x40, (1, 10)),
            (Side::Gpu, unit, 0x1000, (2, 124)),
            (Side::Gpu, thread, 0x40, (1, 10)),
            (Side::Host, thread, 0x1000, (2, 0)),
            (Side::Host, thread, 0x40, (1, 134)),
        ] {
            let request = Request::load(requester, 0, address);
            assert_eq!(
                routes(service).there(&request, 0),
                expected,
                "{requester:?} {address:#x}"
            );
        }
    }

    #[test]
    fn packets_wait_for_those_before_them_on_their_way_only() {
        let mut routes = routes(Side::Host);
        let load = Request::load(Requester::ComputeUnit(0), 0, 0x1000);
        assert_eq!(routes.there(&load, 0).1, 124);
        assert_eq!(routes.there(&load, 0).1, 148, "the second");
        let label = (load.requester, load.tag);
        assert_eq!(routes.back(label, 2, 0), 188, "the other way, with a line");
        assert_eq!(routes.service_bytes(), 0);
        let poll = Request::load(Requester::CpThread(0), 0, 0x40);
        routes.there(&poll, 0);
        assert_eq!(routes.service_bytes(), 24);
    }
}
