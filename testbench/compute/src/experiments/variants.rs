//! Systems with some keys changed: the `[[variants]]` of a file of parameters.

use crate::system::System;
use schemars::transform::transform_subschemas;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use xtq_testbench::experiments::{Statement, wrong_parameter};
use xtq_testbench::input::InputError;

/// A system beside the paper's.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// What is different.
    pub name: String,
    /// The system.
    pub system: System,
}

/// A variant as it is written: the keys of `system` that differ.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Variant")]
pub struct WrittenVariant {
    /// What is different.
    name: String,
    /// Keys of the system with other values.
    #[schemars(schema_with = "part_of_system")]
    set: toml::Table,
}

/// The schema of a system, of which any key may be left out.
fn part_of_system(generator: &mut SchemaGenerator) -> Schema {
    fn make_optional(schema: &mut Schema) {
        schema.remove("required");
        transform_subschemas(&mut make_optional, schema);
    }
    let settings = generator.settings().clone();
    let settings = settings.with(|settings| settings.inline_subschemas = true);
    let mut schema = System::json_schema(&mut settings.into_generator());
    make_optional(&mut schema);
    schema
}

/// Puts the values of `changes` into `table`, table by table.
fn merge(table: &mut toml::Table, changes: toml::Table) {
    for (key, change) in changes {
        match (table.get_mut(&key), change) {
            (Some(toml::Value::Table(inner)), toml::Value::Table(change)) => merge(inner, change),
            (_, change) => {
                table.insert(key, change);
            }
        }
    }
}

/// Checks a system, and makes the variants of it. Errors: the first key of `text`, the file's, that makes no sense.
pub fn variants(
    file: &str,
    text: &str,
    system: &System,
    written: Vec<WrittenVariant>,
) -> Result<Vec<Variant>, InputError> {
    let wrong = |key: &str, why| wrong_parameter(file, text, (key.to_owned(), why));
    let checked = |outer: &str, system: &System| {
        let checked = system.check();
        checked.map_err(|(key, why)| wrong(&format!("{outer}.{key}"), why))
    };
    checked("system", system)?;
    let base = toml::Table::try_from(system);
    let base = base.map_err(|error| wrong("system", error.to_string()))?;
    let mut made = Vec::new();
    for (number, WrittenVariant { name, set }) in written.into_iter().enumerate() {
        let outer = format!("variants[{number}].set");
        let mut table = base.clone();
        merge(&mut table, set);
        let system: System = table.try_into().map_err(|error: toml::de::Error| {
            wrong(&outer, error.message().trim().replace('\n', "; "))
        })?;
        checked(&outer, &system)?;
        made.push(Variant { name, system });
    }
    Ok(made)
}

/// Says of the statements about the paper's system that do not hold with which other values they do.
pub fn name_where_they_hold(all: &mut [Statement]) {
    let (own, others): (Vec<_>, Vec<_>) = all.iter_mut().partition(|one| !one.beside);
    for one in own.into_iter().filter(|one| one.fails()) {
        let same = others
            .iter()
            .filter(|other| other.paper == one.paper && !other.not_measured);
        let holding: Vec<&str> = same
            .clone()
            .filter(|other| other.holds)
            .map(|other| &*other.of)
            .collect();
        one.because += &match (holding.is_empty(), same.count()) {
            (true, 0) => "; not asked of the variants".to_owned(),
            (true, _) => "; it holds with none of the variants".to_owned(),
            (false, _) => format!("; it holds with: {}", holding.join(", ")),
        };
    }
}

/// "Approximately 64KB": from and to, bytes.
const APPROXIMATELY_64_KIB: [u64; 2] = [16 << 10, 256 << 10];

/// Whether the gains of XTQ over HSA (bytes, in a hundred; rising sizes) decrease beyond approximately 64 KiB; nothing
/// if no size is beyond it.
pub fn fading(gains: &[(u64, f64)]) -> Option<Statement> {
    let [from, to] = APPROXIMATELY_64_KIB;
    let (last_bytes, last) = *gains.last().filter(|(bytes, _)| *bytes > to)?;
    let greatest = gains.iter().enumerate();
    let (place, (bytes, most)) = greatest.max_by(|a, b| a.1.1.total_cmp(&b.1.1))?;
    let falls = gains[place..].is_sorted_by(|a, b| a.1 > b.1);
    Some(Statement {
        paper:
            "the benefits of XTQ over HSA decrease as the payload increases over approximately 64KB"
                .to_owned(),
        number: "64 KB".to_owned(),
        asked: format!(
            "the greatest gain is from {} to {} KiB, and from there on each larger size gains less than the one before",
            from >> 10,
            to >> 10
        ),
        measured: format!("greatest at {bytes} bytes, {most:.1} %; {last:.1} % at {last_bytes}"),
        holds: (from..=to).contains(bytes) && falls,
        ..Statement::default()
    })
}
