//! `Network`: the star, stepped cycle by cycle.

use std::collections::VecDeque;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::config::{NetworkConfig, NetworkError, PACKET_BEATS};
use super::link::Pacer;
use super::record::PacketRecord;
use crate::bus::{BEAT_BYTES, Beat};
use crate::tables::format::WIRE;

/// A beat on its way.
#[derive(Clone, Debug)]
struct Travelling {
    beat: Beat,
    /// Its packet's place in the log.
    packet: usize,
    /// Whether it is the header beat.
    first: bool,
    /// Cycle from which it can go on.
    due: u64,
}

/// The packet that a source is in the middle of.
#[derive(Clone, Copy, Debug)]
struct Sending {
    packet: usize,
    target: Option<usize>,
    jitter: u64,
}

/// A source's side of the switch.
#[derive(Clone, Debug)]
struct Input {
    link: Pacer,
    sending: Option<Sending>,
    /// Beats that were taken from it and not yet by their target.
    held: usize,
    /// A queue for each target.
    queues: Vec<VecDeque<Travelling>>,
}

/// A target's side of the switch, and the link to it.
#[derive(Clone, Debug)]
struct Output {
    link: Pacer,
    /// Source whose packet is under way.
    owner: Option<usize>,
    /// Source that is asked first.
    next: usize,
    /// Beats in the queues to it.
    queued: usize,
    /// Beats on the link, or waiting at its end.
    wire: VecDeque<Travelling>,
}

/// The network. The order of calls in each cycle: [`ready`](Self::ready) and [`take`](Self::take) of all nodes, then
/// [`accept`](Self::accept), then [`tick`](Self::tick). Cycles may be left out, not repeated. A node that does not
/// exist panics.
///
/// ```
/// use xtq_testbench::bus::Beat;
/// use xtq_testbench::network::{Network, NetworkConfig};
/// use xtq_testbench::tables::format::WIRE;
///
/// let mut network = Network::new(&NetworkConfig::default(), 2)?;
/// let header = WIRE.pack(&[("source_node", 0), ("target_node", 1)]);
/// let mut arrived = None;
/// for cycle in 0..100 {
///     if network.take(cycle, 1).is_some() {
///         arrived = Some(cycle);
///     }
///     if cycle == 0 {
///         let beat = Beat { bytes: header.to_vec(), last: true };
///         network.accept(cycle, 0, beat);
///     }
///     network.tick(cycle);
/// }
/// assert_eq!(arrived, Some(10 + 20 + 10));
/// # Ok::<(), xtq_testbench::network::NetworkError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Network {
    config: NetworkConfig,
    rng: ChaCha8Rng,
    inputs: Vec<Input>,
    outputs: Vec<Output>,
    log: Vec<PacketRecord>,
    dropped: u64,
}

impl Network {
    /// A network of nodes 0 to `nodes` - 1. Errors: there can be no such network.
    pub fn new(config: &NetworkConfig, nodes: usize) -> Result<Self, NetworkError> {
        config.check(nodes)?;
        let link = Pacer::new(config.link);
        let input = Input {
            link: link.clone(),
            sending: None,
            held: 0,
            queues: vec![VecDeque::new(); nodes],
        };
        let output = Output {
            link,
            owner: None,
            next: 0,
            queued: 0,
            wire: VecDeque::new(),
        };
        Ok(Self {
            config: config.clone(),
            rng: ChaCha8Rng::seed_from_u64(config.seed),
            inputs: vec![input; nodes],
            outputs: vec![output; nodes],
            log: Vec::new(),
            dropped: 0,
        })
    }

    /// How many nodes it has.
    pub fn nodes(&self) -> usize {
        self.inputs.len()
    }

    /// Whether `node` may hand a beat over in `cycle`.
    pub fn ready(&self, cycle: u64, node: usize) -> bool {
        let input = &self.inputs[node];
        let room = input.sending.is_some() || input.held + PACKET_BEATS <= self.config.buffer_beats;
        room && input.link.is_free(cycle)
    }

    /// Takes a beat of `node` in `cycle`, in which it was [`ready`](Self::ready).
    pub fn accept(&mut self, cycle: u64, node: usize, beat: Beat) {
        let at_switch = self.inputs[node].link.send(cycle, beat.bytes.len());
        let first = self.inputs[node].sending.is_none();
        let sending = match self.inputs[node].sending {
            Some(sending) => sending,
            None => self.begin(cycle, node, &beat),
        };
        let Sending {
            packet,
            target,
            jitter,
        } = sending;
        self.log[packet].bytes += beat.bytes.len();
        let input = &mut self.inputs[node];
        input.sending = (!beat.last).then_some(sending);
        if let Some(target) = target {
            input.held += 1;
            self.outputs[target].queued += 1;
            let queue = &mut input.queues[target];
            queue.push_back(Travelling {
                beat,
                packet,
                first,
                due: at_switch + self.config.switch_latency + jitter,
            });
        }
    }

    /// Reads the header beat of a new packet.
    fn begin(&mut self, cycle: u64, node: usize, beat: &Beat) -> Sending {
        let number = WIRE.get(&beat.bytes, "target_node") as usize;
        let whole = beat.bytes.len() == BEAT_BYTES;
        let target = Some(number).filter(|number| whole && *number < self.nodes());
        self.dropped += u64::from(target.is_none());
        self.log.push(PacketRecord {
            source: node,
            target,
            bytes: 0,
            sent: cycle,
            arrived: None,
            ended: None,
        });
        Sending {
            packet: self.log.len() - 1,
            target,
            jitter: self.rng.random_range(0..=self.config.jitter),
        }
    }

    /// Whether a beat for `node` is at the end of its link in `cycle`.
    pub fn offers(&self, cycle: u64, node: usize) -> bool {
        let front = self.outputs[node].wire.front();
        front.is_some_and(|beat| beat.due <= cycle)
    }

    /// Gives `node` the beat that is at the end of its link in `cycle`.
    pub fn take(&mut self, cycle: u64, node: usize) -> Option<Beat> {
        if !self.offers(cycle, node) {
            return None;
        }
        let Travelling {
            beat,
            packet,
            first,
            ..
        } = self.outputs[node].wire.pop_front()?;
        let record = &mut self.log[packet];
        if first {
            record.arrived = Some(cycle);
        }
        if beat.last {
            record.ended = Some(cycle);
        }
        self.inputs[record.source].held -= 1;
        Some(beat)
    }

    /// The end of `cycle`: each output sends a beat if there is one and its link is free.
    pub fn tick(&mut self, cycle: u64) {
        for target in 0..self.nodes() {
            self.serve(cycle, target);
        }
    }

    fn serve(&mut self, cycle: u64, target: usize) {
        let output = &mut self.outputs[target];
        // What a link carries at full speed, and one beat at its end: a target that takes nothing stops it.
        let capacity = self.config.link.latency.saturating_add(1);
        let stopped = output.wire.len() as u64 >= capacity || !output.link.is_free(cycle);
        if output.queued == 0 || stopped {
            return;
        }
        let nodes = self.inputs.len();
        let waits = |source: &usize| {
            let front = self.inputs[*source].queues[target].front();
            front.is_some_and(|beat| beat.due <= cycle)
        };
        let source = match output.owner {
            Some(owner) => Some(owner).filter(waits),
            None => (0..nodes).map(|i| (output.next + i) % nodes).find(waits),
        };
        let Some(source) = source else {
            return;
        };
        if let Some(mut beat) = self.inputs[source].queues[target].pop_front() {
            beat.due = output.link.send(cycle, beat.beat.bytes.len());
            output.owner = (!beat.beat.last).then_some(source);
            output.next = (source + 1) % nodes;
            output.queued -= 1;
            output.wire.push_back(beat);
        }
    }

    /// Whether nothing is on its way. A packet of which the source owes beats is.
    pub fn is_empty(&self) -> bool {
        let idle = |input: &Input| input.held == 0 && input.sending.is_none();
        self.inputs.iter().all(idle)
    }

    /// Beats of `node` that were taken from it and not yet by their targets.
    pub fn on_the_way(&self, node: usize) -> usize {
        self.inputs[node].held
    }

    /// Packets dropped: for a node that there is not, or with a header beat cut short.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Every packet so far, in the order in which they were sent.
    pub fn log(&self) -> &[PacketRecord] {
        &self.log
    }
}
