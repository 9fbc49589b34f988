//! Figures of the contract that pages state by hand are those of the contract's table, which a test of the models
//! compares with what is measured (`testbench/tests/models/contract.rs`).

use super::blocks::read;
use super::{check_between, root};
use std::fmt::Write;

const PERFORMANCE: &str = "docs/performance.md";
/// Clock of the pages, and bytes of a beat.
const MHZ: f64 = 250.0;
const BEAT: f64 = 64.0;

/// The table of the contract: what is measured, the bound, the value.
struct Contract(Vec<(String, String, String)>);

impl Contract {
    fn new() -> Self {
        let page = read(&root().join(PERFORMANCE));
        let table = page.split("<!-- contract -->").nth(1);
        let table = table.and_then(|rest| rest.split("<!-- end of contract -->").next());
        let rows = table.expect("a table").lines().filter_map(|line| {
            let mut cells = line.split('|').skip(1).map(|cell| cell.trim().to_owned());
            Some((cells.next()?, cells.next()?, cells.next()?))
        });
        Self(rows.collect())
    }

    fn row(&self, what: &str) -> &(String, String, String) {
        let row = self.0.iter().find(|row| row.0 == what);
        row.unwrap_or_else(|| panic!("the contract has no line '{what}'"))
    }

    /// What was measured.
    fn measured(&self, what: &str) -> f64 {
        self.row(what).2.parse().expect("a number")
    }

    /// The bound.
    fn bound(&self, what: &str) -> f64 {
        let bound = self.row(what).1.split(' ').nth(1);
        bound.and_then(|word| word.parse().ok()).expect("a number")
    }

    /// What two lines measured alike, as `reads of 16` and `of 100 cycles`.
    fn both(&self, [one, other]: [&str; 2]) -> f64 {
        let value = self.measured(one);
        assert_eq!(value, self.measured(other), "'{one}' and '{other}' differ");
        value
    }
}

/// Nanoseconds of so many cycles.
fn ns(cycles: f64) -> f64 {
    cycles * 1000.0 / MHZ
}

/// Millions a second, one every so many cycles, without what is after the point.
fn rate(cycles: f64) -> f64 {
    (MHZ / cycles).floor()
}

/// Text that each page must have, with today's figures.
fn claims(contract: &Contract) -> Vec<(&'static str, String)> {
    let of = |what| contract.measured(what);
    let stream = of("receive stream, full puts, aligned");
    assert_eq!(stream, 1.0, "the pages say: a beat in each cycle");
    let raw = stream * BEAT * 8.0 * MHZ / 1000.0;
    let payload = (raw * 64.0 / 65.0).floor();
    let tagged = contract.both([
        "tagged puts in, 8 bytes, first entry, event",
        "tagged puts in, 64 bytes, first entry, event",
    ]);
    let task = of("smallest XTQ messages, B after 1 cycle: tasks");
    let empty = contract.both([
        "PUT out, no bytes, reads of 16 cycles",
        "PUT out, no bytes, reads of 100 cycles",
    ]);
    let put = contract.both([
        "PUT out, 64 aligned bytes, reads of 16 cycles",
        "PUT out, 64 aligned bytes, reads of 100 cycles",
    ]);
    let xtq = contract.both([
        "XTQ_PUT out, 64 + 64 + 64 bytes, reads of 16 cycles",
        "XTQ_PUT out, 64 + 64 + 64 bytes, reads of 100 cycles",
    ]);
    let (one, lists) = (
        "last beat in to doorbell write out, one buffer",
        "last beat in to doorbell write out, lists",
    );
    let (most, most_lists) = (contract.bound(one), contract.bound(lists));
    let (one, lists) = (of(one), of(lists));
    let trigger = "counter update to first beat of the triggered put";
    let (most_trigger, trigger) = (contract.bound(trigger), of(trigger));
    let get = of("GET in to first beat of its reply");
    let first = of("match, first-entry hits");
    let entries = of("match, long list (64 entries)");
    let atomics = "bulk atomics in, sums of 64-bit integers";
    let (most_atomics, atomics) = (contract.bound(atomics), of(atomics));
    let (readme, life, nic) = (
        "README.md",
        "docs/how-it-works/life-of-a-message.md",
        "docs/nic.md",
    );
    vec![
        (
            readme,
            format!("| line, 512 bits | a beat each | {payload} Gb/s of payload |"),
        ),
        (
            readme,
            format!(
                "| tagged put in, 64 bytes, event | {tagged} | {} M/s |",
                rate(tagged)
            ),
        ),
        (
            readme,
            format!(
                "| PUT out, 64 bytes; XTQ_PUT | {put}; {xtq} | {}; {} M/s |",
                rate(put),
                rate(xtq)
            ),
        ),
        (
            readme,
            format!("| GPU task in | {task} | {} M/s |", rate(task)),
        ),
        (
            readme,
            format!(
                "| last beat to doorbell | {one}; lists {lists} | {}; {} ns |",
                ns(one),
                ns(lists)
            ),
        ),
        (
            readme,
            format!(
                "| triggered put; GET to reply | {trigger}; {get} | {}; {} ns |",
                ns(trigger),
                ns(get)
            ),
        ),
        (
            PERFORMANCE,
            format!("| {raw} Gb/s raw, {payload} of payload |"),
        ),
        (
            PERFORMANCE,
            format!(
                "first entry, event | 83 to 125 M/s | {tagged} | {} M/s |",
                rate(tagged)
            ),
        ),
        (
            PERFORMANCE,
            format!("event, doorbell) | 31 M/s | {task} | {} M/s |", MHZ / task),
        ),
        (
            PERFORMANCE,
            format!("| {empty}; {put} | {}; {} M/s |", rate(empty), rate(put)),
        ),
        (
            PERFORMANCE,
            format!("| 50 M/s | {xtq} | {} M/s |", rate(xtq)),
        ),
        (
            PERFORMANCE,
            format!(
                "| a header every {first}; {entries} entries a cycle | {} M/s;",
                rate(first)
            ),
        ),
        (
            PERFORMANCE,
            format!("| {one}; {lists} | {}; {} ns |", ns(one), ns(lists)),
        ),
        (PERFORMANCE, format!("| {trigger} | {} ns |", ns(trigger))),
        (PERFORMANCE, format!("| {get} | {} ns |", ns(get))),
        (
            PERFORMANCE,
            format!("come to {atomics:.1} bytes a cycle where {most_atomics} are wanted"),
        ),
        (
            PERFORMANCE,
            format!("one of 512 bytes takes {:.0} cycles", 512.0 / atomics),
        ),
        (
            life,
            format!("is {one} cycles with a single buffer and {lists} with lists"),
        ),
        (
            life,
            format!("{most} and {most_lists} are the contract. The rows do not sum to {one}."),
        ),
        (
            life,
            format!("The next message follows after {empty} cycles, or {put}:"),
        ),
        (
            life,
            format!("{one} cycles with a single buffer, {lists} with lists."),
        ),
        (
            life,
            format!("{trigger} cycles from the operation on the counter to the header beat"),
        ),
        (
            nic,
            format!("Single buffers answer in {one} cycles, lists in up to {most_lists}."),
        ),
        (
            nic,
            format!("{get} cycles from the GET's beat on `s_axis_net`"),
        ),
        (
            nic,
            format!("{trigger} cycles after the operation on the counter (at most {most_trigger})"),
        ),
    ]
}

#[test]
fn every_figure_of_the_contract_on_a_page_is_measured() {
    let claims = claims(&Contract::new());
    let wrong = claims.into_iter().filter(|(page, claim)| {
        let text = read(&root().join(page));
        let words: Vec<&str> = text.split_whitespace().collect();
        !words.join(" ").contains(claim)
    });
    let wrong: Vec<String> = wrong
        .map(|(page, claim)| format!("{page} does not say: {claim}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A number with commas between thousands.
fn grouped(number: u64) -> String {
    match number {
        0..1000 => number.to_string(),
        _ => format!("{},{:03}", grouped(number / 1000), number % 1000),
    }
}

/// What `sim/aot/training/operations.json` says; a test of the command line compares it with the hardware.
#[test]
fn the_operations_of_a_cycle_are_those_of_the_recorded_traffic() {
    let text = read(&root().join("sim/aot/training/operations.json"));
    let counts: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let mut table =
        String::from("\n| block | operations | computed | of all |\n|---|---:|---:|---:|\n");
    for count in counts.as_array().expect("a list") {
        let number = |key: &str| count[key].as_u64().expect("a number");
        let (design, computed) = (number("design"), number("operations") / number("cycles"));
        let share = 100.0 * computed as f64 / design as f64;
        let (design, computed) = (grouped(design), grouped(computed));
        let block = count["block"].as_str().expect("a name");
        // A string takes everything.
        let _ = writeln!(
            table,
            "| `{block}` | {design} | {computed} | {share:.1} % |"
        );
    }
    check_between(
        PERFORMANCE,
        "<!-- operations: written by docs/update.sh -->\n",
        "<!-- end of operations -->",
        &(table + "\n"),
    );
}
