//! The paper's statements about figure 8a, and whether the runs show them.

use super::parameters::Pcie;
use super::row::Row;
use xtq_testbench::compnet::design::Design;
use xtq_testbench::experiments::Statement;

/// "Over twice the latency".
const TWICE: f64 = 2.0;
/// "Perform similarly", "very similar performance": apart by at most this part of the shorter time.
const SIMILAR: f64 = 0.1;

/// All statements that these rows can show; `pcie` has the ways of the file.
pub fn statements(rows: &[Row], pcie: Pcie) -> Vec<Statement> {
    let (own, others): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.pcie == pcie);
    let smallest = own.iter().map(|row| row.bytes).min();
    let largest = own.iter().map(|row| row.bytes).max();
    let (Some(smallest), Some(largest)) = (smallest, largest) else {
        return Vec::new();
    };
    let mut all = of_size(&own, smallest, true);
    if largest > smallest {
        all.extend(of_size(&own, largest, false));
    }
    let mut ways: Vec<Pcie> = others.iter().map(|row| row.pcie).collect();
    ways.dedup();
    for way in ways {
        let rows: Vec<&Row> = others
            .iter()
            .copied()
            .filter(|row| row.pcie == way)
            .collect();
        let beside = of_size(&rows, smallest, true).into_iter();
        all.extend(beside.map(|one| Statement {
            of: format!("{}, PCIe of {}", one.of, way.name()),
            beside: true,
            chart: 1,
            ..one
        }));
    }
    all
}

fn of_size(rows: &[&Row], bytes: u64, small: bool) -> Vec<Statement> {
    let of = |design| {
        let mut rows = rows.iter().copied();
        rows.find(|row| row.design == design && row.bytes == bytes)
    };
    let (Some(dgpu), Some(apu), Some(own)) =
        (of(Design::Dgpu), of(Design::Apu), of(Design::CompNet))
    else {
        return Vec::new();
    };
    match small {
        true => vec![twice(dgpu, own), twice(dgpu, apu), similar(&[own, apu])],
        false => vec![similar(&[dgpu, apu, own])],
    }
}

fn text(row: &Row) -> String {
    format!("{} {} us", row.design.parts().name, row.get_us)
}

fn twice(dgpu: &Row, other: &Row) -> Statement {
    let ratio = dgpu.get_us.mean / other.get_us.mean;
    let name = other.design.parts().name;
    let more = dgpu.get_us.mean - other.get_us.mean;
    Statement {
        of: format!("{} bytes", dgpu.bytes),
        paper: format!("dGPU based designs incur over twice the latency of {name}"),
        number: format!("over {TWICE:.0} times"),
        asked: format!("at least {TWICE:.0} times"),
        measured: format!("{}, {}: {ratio:.2} times", text(dgpu), text(other)),
        difference: format!("{:+.2} times", ratio - TWICE),
        holds: ratio >= TWICE,
        because: format!(
            "the queue is on the other side of PCIe, which is {more:.1} us more; the NIC's own ways over PCIe are the same in all designs, as the paper has it"
        ),
        ..Statement::default()
    }
}

fn similar(rows: &[&Row]) -> Statement {
    let times = || rows.iter().map(|row| row.get_us.mean);
    let (least, most) = (
        times().fold(f64::INFINITY, f64::min),
        times().fold(0.0, f64::max),
    );
    let apart = (most - least) / least;
    let texts: Vec<String> = rows.iter().map(|row| text(row)).collect();
    let all = rows.len() > 2;
    Statement {
        of: format!("{} bytes", rows[0].bytes),
        paper: match all {
            true => "network bandwidth becomes the determining factor, and all three designs perform similarly".into(),
            false => "APU and ComP-Net have very similar performance (section 5.1.1)".into(),
        },
        asked: format!("at most {:.0} % apart", 100.0 * SIMILAR),
        measured: format!("{}: {:.1} % apart", texts.join(", "), 100.0 * apart),
        holds: apart <= SIMILAR,
        because: match all {
            true => "the time of the bytes on the wire is the same".into(),
            false => "the CP's library computes longer and it writes back what the NIC reads; the APU crosses the die for each access to the queue".into(),
        },
        ..Statement::default()
    }
}
