//! The paper's statements about figure 7 (section V-B), and whether the runs show them.

use super::row::{Row, Way};
use crate::experiments::variants::name_where_they_hold;
use xtq_testbench::experiments::Statement;

/// "Approximately" and "about": at most so much of the number away.
const ABOUT: f64 = 0.15;
/// "Similar savings": at most so much of the other's away.
const SIMILAR: f64 = 0.25;
/// "Dwarfed": so many times as much.
const DWARFED: f64 = 3.0;
/// Figures, in ns.
const XTQ_NS: f64 = 1200.0;
const HSA_NS: f64 = 1500.0;
const SAVED_NS: f64 = 300.0;
/// Payloads of the figure, bytes.
const SMALL: u64 = 64;
const LARGE: u64 = 4096;

/// XTQ and HSA at one point.
struct Pair<'a> {
    xtq: &'a Row,
    hsa: &'a Row,
}

impl Pair<'_> {
    fn saved_in_launch(&self) -> f64 {
        self.hsa.launch() - self.xtq.launch()
    }

    fn speedup(&self) -> f64 {
        self.hsa.total.mean / self.xtq.total.mean - 1.0
    }
}

fn pair<'a>(rows: &'a [Row], variant: &str, warm: bool, payload: u64) -> Option<Pair<'a>> {
    let find = |way| {
        let is = |row: &&Row| {
            let of = (row.variant.as_str(), row.warm);
            of == (variant, warm) && row.way == way && row.payload == payload
        };
        rows.iter().find(is)
    };
    Some(Pair {
        xtq: find(Way::Xtq)?,
        hsa: find(Way::Hsa)?,
    })
}

/// All statements that these runs can show: of warm tasks of the paper's system; beside them those of its cold tasks,
/// and of warm tasks of the other systems.
pub fn statements(rows: &[Row]) -> Vec<Statement> {
    let mut variants: Vec<(&str, bool)> = rows
        .iter()
        .filter(|row| row.warm)
        .map(|row| (&*row.variant, true))
        .collect();
    variants.dedup();
    if let Some(first) = variants.iter().position(|of| *of == ("", true)) {
        variants.insert(first + 1, ("", false));
    }
    let mut all = Vec::new();
    for (variant, warm) in variants {
        let Some(small) = pair(rows, variant, warm, SMALL) else {
            continue;
        };
        let mut made = vec![
            total("XTQ", small.xtq, XTQ_NS),
            total("HSA", small.hsa, HSA_NS),
            transfer(&small),
            launch(&small),
            dwarfed(&small),
        ];
        if let Some(large) = pair(rows, variant, warm, LARGE) {
            made.extend([similar(&small, &large), smaller_share(&small, &large)]);
        }
        all.extend(made.into_iter().map(|one| Statement {
            of: match (variant, warm) {
                ("", true) => "table I".to_owned(),
                ("", false) => "table I, cold caches".to_owned(),
                (variant, _) => variant.to_owned(),
            },
            beside: !variant.is_empty() || !warm,
            ..one
        }));
    }
    name_where_they_hold(&mut all);
    all
}

fn about(found: f64, number: f64) -> bool {
    (found - number).abs() <= ABOUT * number
}

fn difference(found: f64, number: f64) -> String {
    let percent = 100.0 * (found / number - 1.0);
    format!("{:+.0} ns ({percent:+.0} %)", found - number)
}

/// The longest phases of a row.
fn longest(row: &Row) -> String {
    let mut phases: Vec<_> = super::PHASES.iter().zip(&row.phases).collect();
    phases.sort_by(|a, b| b.1.mean.total_cmp(&a.1.mean));
    let parts = phases.iter().take(3);
    let parts: Vec<String> = parts
        .map(|(name, ns)| format!("{name} {:.0} ns", ns.mean))
        .collect();
    parts.join(", ")
}

fn total(name: &str, row: &Row, number: f64) -> Statement {
    let found = row.total.mean;
    Statement {
        paper: format!(
            "a task with 64 bytes takes about {:.1} us over {name}",
            number / 1000.0
        ),
        number: format!("{number:.0} ns"),
        asked: format!("within {:.0} %", 100.0 * ABOUT),
        measured: format!("{} ns", row.total),
        difference: difference(found, number),
        holds: about(found, number),
        because: format!("most of it: {}", longest(row)),
        ..Statement::default()
    }
}

fn transfer(small: &Pair) -> Statement {
    let (xtq, hsa) = (small.xtq.transfer(), small.hsa.transfer());
    Statement {
        paper: "the transfer from initiator to target takes slightly longer over XTQ".to_owned(),
        asked: "longer, by less than a fifth".to_owned(),
        measured: format!("{xtq:.0} ns over XTQ, {hsa:.0} ns over HSA"),
        holds: xtq > hsa && xtq < 1.2 * hsa,
        because: "the message has a packet of 64 bytes and arguments more, and the NIC writes packet and doorbell \
                  where it otherwise writes an event"
            .to_owned(),
        ..Statement::default()
    }
}

fn launch(small: &Pair) -> Statement {
    let found = small.saved_in_launch();
    Statement {
        paper: "XTQ saves about 300 ns in the launch phase".to_owned(),
        number: format!("{SAVED_NS:.0} ns"),
        asked: format!("within {:.0} %", 100.0 * ABOUT),
        measured: format!("{found:.0} ns"),
        difference: difference(found, SAVED_NS),
        holds: about(found, SAVED_NS),
        because: "what is saved is the host's: the event's line from memory, counted instructions, stores of \
                  arguments and packet, the doorbell"
            .to_owned(),
        ..Statement::default()
    }
}

fn dwarfed(small: &Pair) -> Statement {
    let (more, saved) = (
        small.xtq.transfer() - small.hsa.transfer(),
        small.saved_in_launch(),
    );
    Statement {
        paper: "the performance penalty incurred from transferring the command structure is dwarfed by the benefits in task launch latency".to_owned(),
        asked: format!("what is saved in the launch is at least {DWARFED} times what the transfer takes longer"),
        measured: format!("{saved:.0} ns saved, {more:.0} ns longer"),
        holds: saved >= DWARFED * more,
        because: "the transfer is longer by packet and arguments, at 12.5 bytes a nanosecond and once more to memory; \
                  what is saved is a few accesses to memory and some hundred instructions"
            .to_owned(),
        ..Statement::default()
    }
}

fn similar(small: &Pair, large: &Pair) -> Statement {
    let (few, many) = (small.saved_in_launch(), large.saved_in_launch());
    Statement {
        paper: "with 4 KiB the savings in the launch are similar".to_owned(),
        asked: format!("within {:.0} % of those with 64 bytes", 100.0 * SIMILAR),
        measured: format!("{many:.0} ns with 4 KiB, {few:.0} ns with 64 bytes"),
        holds: (many - few).abs() <= SIMILAR * few.abs(),
        because: "the host's work does not depend on the payload".to_owned(),
        chart: 1,
        ..Statement::default()
    }
}

fn smaller_share(small: &Pair, large: &Pair) -> Statement {
    let (few, many) = (100.0 * small.speedup(), 100.0 * large.speedup());
    Statement {
        paper: "with 4 KiB the speedup is proportionally less".to_owned(),
        asked: "less than with 64 bytes".to_owned(),
        measured: format!("{many:.0} % with 4 KiB, {few:.0} % with 64 bytes"),
        holds: many < few,
        because: "transfer and kernel take longer, the launch does not".to_owned(),
        chart: 1,
        ..Statement::default()
    }
}
