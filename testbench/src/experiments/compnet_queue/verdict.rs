//! The paper's statements about figure 4, and whether the runs show them.

use super::report::Row;
use crate::compnet::design::Design;
use crate::experiments::Statement;

/// "On the order of 5-80 us".
const SERVICE_US: [f64; 2] = [5.0, 80.0];
/// "On the order of": so many times shorter or longer.
const ORDER: f64 = 2.0;
/// "A large number of host threads": more than this must still shorten the time.
const FEW_THREADS: u8 = 4;
/// By so much.
const SHORTER: f64 = 1.1;

/// All statements that these rows can show.
pub fn statements(rows: &[Row]) -> Vec<Statement> {
    let of = |design| {
        rows.iter()
            .filter(move |row| row.figure == 'a' && row.design == design)
    };
    let (host, gpu): (Vec<_>, Vec<_>) = (
        of(Design::Dgpu).collect(),
        of(Design::DgpuGpuQueue).collect(),
    );
    let mut statements = Vec::new();
    if let [first, .., last] = host[..] {
        statements.push(range(first, last));
    }
    if !host.is_empty() && host.len() == gpu.len() {
        statements.push(placement(&gpu, &host));
    }
    statements.extend(threads(rows));
    statements
}

fn time(row: &Row) -> String {
    format!(
        "{:.1} us with {} work-groups",
        row.service_us.mean, row.work_groups
    )
}

fn range(first: &Row, last: &Row) -> Statement {
    let [least, most] = SERVICE_US;
    let near = |us: f64, paper: f64| (paper / ORDER..=paper * ORDER).contains(&us);
    Statement {
        of: "queues in the host's memory".into(),
        paper: "the access latency is on the order of 5 to 80 us".into(),
        asked: format!(
            "the fewest work-groups within a factor {ORDER} of {least} us, the most within it of {most} us"
        ),
        measured: format!("{}, {}", time(first), time(last)),
        holds: near(first.service_us.mean, least) && near(last.service_us.mean, most),
        because: "a call crosses PCIe with its status, with each poll of the work-group and with the answer; with more work-groups it waits for one thread, which performs one call after the other".into(),
        number: format!("{least} to {most} us"),
        difference: format!("{:.1} and {:.1} times", first.service_us.mean / least, last.service_us.mean / most),
        ..Statement::default()
    }
}

fn placement(gpu: &[&Row], host: &[&Row]) -> Statement {
    let worse = |(gpu, host): &(&&Row, &&Row)| {
        let [gpu, host] = [gpu.service_us, host.service_us];
        gpu.mean - gpu.half > host.mean + host.half
    };
    let pairs = || gpu.iter().zip(host);
    let worse = pairs().filter(worse).count();
    let measured =
        pairs().map(|(gpu, host)| format!("{:.1} against {} ", gpu.service_us.mean, time(host)));
    Statement {
        of: "queues in the GPU's memory".into(),
        paper: "the performance is poor, above all where the CPU monitors several queues: long reads block it".into(),
        asked: "longer than with queues in the host's memory at every number of work-groups, by more than the intervals".into(),
        measured: measured.collect::<Vec<_>>().join(", ").trim_end().to_owned(),
        holds: worse == gpu.len(),
        because: "each poll of the host crosses PCIe twice, one after the other".into(),
        ..Statement::default()
    }
}

/// With the most work-groups.
fn threads(rows: &[Row]) -> Option<Statement> {
    let most = rows.iter().filter(|row| row.figure == 'b');
    let most = most.map(|row| row.work_groups).max()?;
    let many = rows
        .iter()
        .filter(|row| row.figure == 'b' && row.work_groups == most);
    let many: Vec<&Row> = many.collect();
    let last = many.last()?;
    let few = many
        .iter()
        .filter(|row| row.threads <= FEW_THREADS)
        .next_back()?;
    let factor = few.service_us.mean / last.service_us.mean;
    let measured = many
        .iter()
        .map(|row| format!("{:.1} us with {}", row.service_us.mean, row.threads));
    Some(Statement {
        of: format!("{most} work-groups"),
        paper: "a large number of host threads is required for a reasonable quality of service"
            .into(),
        asked: format!("more than {FEW_THREADS} threads still make it {SHORTER} times shorter"),
        measured: measured.collect::<Vec<_>>().join(", "),
        holds: last.threads > FEW_THREADS && factor >= SHORTER,
        because: format!(
            "the time with {} threads is {:.1} times that with {}: all threads take one mutex for every call, and who waits for it tries again and again, so it goes round ever more slowly",
            last.threads,
            1.0 / factor,
            few.threads
        ),
        chart: 1,
        ..Statement::default()
    })
}
