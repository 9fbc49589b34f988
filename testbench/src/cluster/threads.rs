//! A cluster on threads: the one that calls, and others.

use std::panic::resume_unwind;
use std::sync::OnceLock;
use std::sync::mpsc::channel;
use std::thread;

use super::deal::Deal;
use super::exchange::{Alone, Door, Hall};
use super::lane::Lane;
use super::options::{Run, RunOptions};
use super::run::{Cluster, ClusterError, lanes};
use super::worker::{Worked, Worker};
use crate::network::{Station, Trunk};

impl<S: Station + Send> Cluster<S>
where
    S::Error: Send,
{
    /// Runs until nothing will happen any more, on threads if wanted, or on fewer if the system does not have so many.
    /// Nothing that a station does depends on the options but when the run is given up; if a station stops, others may
    /// have run up to a [lookahead](crate::network::NetworkConfig::lookahead) further. Errors: of the node that stopped
    /// first; [`Ended`](ClusterError::Ended).
    pub fn run(&mut self, options: &RunOptions) -> Result<Run, ClusterError<S::Error>> {
        let most = self.network.config().most_workers(self.all);
        let wanted = options.threads.min(most).max(1);
        if wanted == 1 {
            return self.run_by(&mut Alone, options);
        }
        let now = self.cycle_count();
        self.begin(now)?;
        let config = self.network.config().clone();
        let lookahead = config.lookahead().max(1);
        let (board, mut watch) = (self.board.clone(), std::mem::take(&mut self.watch));
        let mut first = Some(&mut watch);
        let (deal, hall) = (OnceLock::new(), OnceLock::new());
        let all = self.all;
        let (ports, trunks) = self.network.parts_mut();
        let lanes = lanes(&mut self.nodes, ports);
        let worked: Vec<Worked<S::Error>> = thread::scope(|scope| {
            // All are there before one begins: from then on each waits for all others.
            let mut hands = Vec::new();
            while hands.len() + 1 < wanted {
                let (hand, works) = channel::<Worker<'_, S, Door<'_>>>();
                let work = move || Some(works.recv().ok()?.run(now));
                match thread::Builder::new().spawn_scoped(scope, work) {
                    Ok(thread) => hands.push((hand, thread)),
                    Err(_) => {
                        // What the system has is used up: half of it is for what they do.
                        hands.truncate(hands.len() / 2);
                        break;
                    }
                }
            }
            let workers = hands.len() + 1;
            let deal: &Deal = deal.get_or_init(|| Deal::new(&config, all, workers));
            let hall: &Hall = hall.get_or_init(|| Hall::new(workers));
            let mut shares: Vec<(Vec<Lane<'_, S>>, Vec<&mut Trunk>)> = Vec::new();
            shares.resize_with(workers, Default::default);
            for (hop, lane) in (0..).zip(lanes) {
                shares[deal.worker(hop)].0.push(lane);
            }
            for (hop, trunk) in (all as u32..).zip(trunks) {
                shares[deal.worker(hop)].1.push(trunk);
            }
            let shares = shares.into_iter().enumerate();
            let mut shares = shares.map(|(number, (lanes, trunks))| Worker {
                lanes,
                trunks,
                deal,
                exchange: hall.door(number),
                board: board.clone(),
                options: *options,
                lookahead,
                watch: first.take(),
            });
            let own = shares.next();
            let threads: Vec<_> = hands
                .into_iter()
                .zip(shares)
                .map(|((hand, thread), worker)| {
                    // It waits for this, and for nothing else.
                    let _ = hand.send(worker);
                    thread
                })
                .collect();
            let own = own.map(|worker| worker.run(now));
            let joined = threads.into_iter().map(|thread| thread.join());
            let others =
                joined.filter_map(|done| done.unwrap_or_else(|panic| resume_unwind(panic)));
            own.into_iter().chain(others).collect()
        });
        self.watch = watch;
        self.conclude(worked)
    }
}
