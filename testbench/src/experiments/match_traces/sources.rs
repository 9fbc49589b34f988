//! Where posts and arrivals come from: traces that are built in, files, and rounds that are made up.

use super::parameters::{Parameters, Synthetic};
use crate::experiments::ExperimentError;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::path::PathBuf;
use xtq_mpi_trace::{Arrival, Event, Happening, Place, Receive, Trace, read, read_bytes};

/// Traces that the program has: name, and zstd of its CSV.
const BUILT_IN: [(&str, &[u8]); 3] = [
    (
        "lammps-lj-16",
        include_bytes!("../../../../scenarios/traces/lammps-lj-16.csv.zst"),
    ),
    (
        "lammps-peptide-16",
        include_bytes!("../../../../scenarios/traces/lammps-peptide-16.csv.zst"),
    ),
    (
        "nwchem-h2o-ccsd-4",
        include_bytes!("../../../../scenarios/traces/nwchem-h2o-ccsd-4.csv.zst"),
    ),
];

/// Posts and arrivals, and where they come from.
pub struct Load {
    /// Its name.
    pub name: String,
    /// Ranks.
    pub ranks: u32,
    /// What happens, in order.
    pub events: Vec<Event>,
    /// The trace, if it was recorded.
    pub trace: Option<Trace>,
}

/// All of them. Errors: of a trace.
pub fn loads(parameters: &Parameters) -> Result<Vec<Load>, ExperimentError> {
    let mut loads = vec![];
    for name in &parameters.traces {
        let known = BUILT_IN.iter().find(|(known, _)| known == name);
        let trace = match known {
            Some((_, packed)) => read_bytes(&format!("{name}.csv.zst"), packed),
            None => read(&[PathBuf::from(name)], &|_, _| {}),
        };
        let trace = trace.map_err(|error| ExperimentError::Failed(error.to_string()))?;
        let mut events = trace.events();
        events.truncate(parameters.first.unwrap_or(usize::MAX));
        loads.push(Load {
            name: name.clone(),
            ranks: trace.ranks,
            events,
            trace: Some(trace),
        });
    }
    let synthetic = &parameters.synthetic;
    loads.extend(
        synthetic
            .lengths
            .iter()
            .map(|length| made_up(synthetic, *length)),
    );
    Ok(loads)
}

/// Rounds: some messages come early, then all receives are posted, then the others come, in random order.
fn made_up(synthetic: &Synthetic, length: usize) -> Load {
    let mut random = ChaCha8Rng::seed_from_u64(synthetic.seed);
    let mut events = vec![];
    for round in 0..synthetic.rounds {
        let mut envelopes: Vec<(u32, i32)> = (0..length)
            .map(|at| {
                (
                    at as u32 % synthetic.peers + 1,
                    (round * length + at) as i32,
                )
            })
            .collect();
        let posts: Vec<Happening> = envelopes
            .iter()
            .map(|(from, tag)| {
                Happening::Post(Receive {
                    from: Some(*from),
                    tag: Some(*tag),
                    comm: 0,
                    blocking: false,
                })
            })
            .collect();
        envelopes.shuffle(&mut random);
        let share = f64::from(synthetic.unexpected) / 100.0;
        let (mut early, mut late) = (vec![], vec![]);
        for (from, tag) in envelopes {
            let arrival = Happening::Arrive(Arrival { from, tag, comm: 0 });
            let into = if random.random_bool(share) {
                &mut early
            } else {
                &mut late
            };
            into.push(arrival);
        }
        events.extend(early.into_iter().chain(posts).chain(late));
    }
    let event = |what| Event {
        rank: 0,
        what,
        place: Place::default(),
    };
    Load {
        name: format!("synthetic-{length}"),
        ranks: synthetic.peers + 1,
        events: events.into_iter().map(event).collect(),
        trace: None,
    }
}
