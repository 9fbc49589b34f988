//! Tables and records of experiments as Markdown and CSV.

use crate::names::line;
use std::fmt::Write;
use xtq_testbench::experiments::{Part, Shown, Table, statement};

/// Markdown tables, and the verdict.
pub fn markdown(shown: &dyn Shown) -> String {
    let mut text = String::new();
    for part in shown.table() {
        match part {
            Part::Line(part) => _ = writeln!(text, "{}", line(&part)),
            Part::Table(table) => put_table(&mut text, &table),
        }
        text.push('\n');
    }
    let _ = writeln!(text, "{}", line(&statement::line(shown.statements())));
    text
}

fn put_table(text: &mut String, table: &Table) {
    put_row(text, &table.head);
    let others = if table.numbers { "---:|" } else { "---|" };
    let others = others.repeat(table.head.len().saturating_sub(1));
    let _ = writeln!(text, "|---|{others}");
    table.rows.iter().for_each(|row| put_row(text, row));
}

fn put_row(text: &mut String, cells: &[String]) {
    text.push('|');
    for cell in cells {
        if !cell.is_empty() {
            text.push(' ');
        }
        *text += &line(cell);
        *text += " |";
    }
    text.push('\n');
}

/// Records as CSV. Errors: of the writer.
pub fn csv(shown: &dyn Shown) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for record in shown.csv() {
        writer.write_record(record)?;
    }
    let written = writer.into_inner();
    written.map_err(|error| error.into_error().into())
}
