//! The paper's statements about figures 8b and 8c, and whether the runs show them.

use super::parameters::Parameters;
use super::point::Variant;
use super::row::Row;
use crate::compnet::design::Design;
use crate::experiments::Statement;

/// "A third", "half": so many times more or less still counts as it.
const NEAR: f64 = 1.5;
/// More tries of the mutex for a call than these are a reason to name.
const MANY_TRIES: f64 = 2.0;

/// All statements that these rows can show. The paper's dGPU is the one whose "service threads must poll over PCIe"
/// (section 5.2): its queues are in the GPU's memory. Those about queues in the host's memory stand beside, as do those
/// about fewer threads and about a library without a mutex.
pub fn statements(rows: &[Row], parameters: &Parameters) -> Vec<Statement> {
    let cores = parameters.sweep.cp_cores;
    let of = |variant, design, most| {
        let rows = rows.iter();
        let rows = rows.filter(move |row| row.variant == variant && row.design == design);
        rows.filter(move |row| row.threads <= most)
    };
    let more = rows.iter().any(|row| row.added_cores);
    let table_1 = if more { cores } else { 0 };
    let paper = Design::DgpuGpuQueue;
    let mut statements = Vec::new();
    for (what, variant, dgpu, most) in [
        ("", Variant::Base, paper, u8::MAX),
        (", the cores of table 1", Variant::Base, paper, table_1),
        ("", Variant::Base, Design::Dgpu, u8::MAX),
        (", no mutex", Variant::NoMutex, paper, u8::MAX),
    ] {
        for design in [Design::CompNet, Design::Apu] {
            let pairs = of(variant, design, most).zip(of(variant, dgpu, most));
            let pairs: Vec<_> = pairs.collect();
            if !pairs.is_empty() {
                let mut one = faster(design, dgpu, &pairs);
                one.of += what;
                one.beside = dgpu != paper || !what.is_empty();
                statements.push(one);
            }
        }
    }
    // With as many threads as table 1 has cores.
    let with = |design| of(Variant::Base, design, cores).find(|row| row.threads == cores);
    let own = with(Design::CompNet);
    let third = "ComP-Net consumes a third of the energy of dGPU";
    for (design, paper, share) in [
        (Design::DgpuGpuQueue, third, 1.0 / 3.0),
        (Design::Dgpu, third, 1.0 / 3.0),
        (Design::Apu, "ComP-Net consumes half the energy of APU", 0.5),
    ] {
        if let (Some(own), Some(other)) = (own, with(design)) {
            let factor = parameters.energy.factor;
            statements.push(cheaper(own, other, paper, share, factor));
        }
    }
    statements
}

fn faster(design: Design, dgpu: Design, pairs: &[(&Row, &Row)]) -> Statement {
    let (name, against) = (design.parts().name, dgpu.parts().name);
    let better = |(own, other): &&(&Row, &Row)| {
        let [own, other] = [own.calls_per_us, other.calls_per_us];
        own.mean - own.half > other.mean + other.half
    };
    let measured = pairs.iter().map(|(own, other)| {
        let factor = own.calls_per_us.mean / other.calls_per_us.mean;
        format!("{factor:.2} times with {}", own.threads)
    });
    let mut because = match dgpu {
        Design::Dgpu => "no service thread crosses PCIe, only work-groups do, and they are many enough to hide that: what counts is a thread's own time for a call, and a core of the host computes it faster".to_owned(),
        _ => "each poll of a service thread of dGPU crosses PCIe there and back, and it does nothing else meanwhile".to_owned(),
    };
    let tries = pairs.iter().map(|(own, _)| *own);
    let tries = tries.filter(|own| own.tries() > MANY_TRIES);
    let tries: Vec<_> = tries
        .map(|own| format!("{:.1} with {}", own.tries(), own.threads))
        .collect();
    if !tries.is_empty() {
        because += &format!(
            "; {name} tries the mutex several times for a call, {}: each try of a thread that waits takes the line in turn, also from the thread that would give the mutex back",
            tries.join(", ")
        );
    }
    Statement {
        of: format!("{name} against {against}"),
        paper: format!("{name} performs better than dGPU"),
        asked: "more calls a us with every number of threads, by more than the intervals".into(),
        measured: measured.collect::<Vec<_>>().join(", "),
        holds: pairs.iter().filter(better).count() == pairs.len(),
        because,
        ..Statement::default()
    }
}

fn cheaper(own: &Row, other: &Row, paper: &str, share: f64, factor: f64) -> Statement {
    let ratio = own.nanojoules.mean / other.nanojoules.mean;
    // Each of the two may be off by the factor, in opposite directions.
    let [least, most] = [ratio / factor / factor, ratio * factor * factor];
    Statement {
        of: format!(
            "energy of {} service threads, {}",
            own.threads,
            other.design.parts().name
        ),
        beside: other.design == Design::Dgpu,
        paper: paper.into(),
        asked: format!("{share:.2} within a factor {NEAR}, with the constants as they are"),
        measured: format!(
            "{} nJ a call against {} nJ: {ratio:.2}; {least:.2} to {most:.2} if each core's constants are off by a factor {factor}",
            own.nanojoules, other.nanojoules
        ),
        holds: (share / NEAR..=share * NEAR).contains(&ratio),
        because: format!(
            "threads never sleep, so a call costs the power of their cores for as long as it takes: {:.2} and {:.2} us of threads for a call",
            own.activity.thread_ns / 1000.0 / own.activity.calls.max(1) as f64,
            other.activity.thread_ns / 1000.0 / other.activity.calls.max(1) as f64
        ),
        number: format!("{share:.2}"),
        difference: format!("{:.2} times", ratio / share),
        chart: 1,
        ..Statement::default()
    }
}
