//! Scenarios: TOML files that describe a host, a GPU and the messages that arrive.
//!
//! A file has one of three shapes ([`File`]): the target side of one NIC and the messages that arrive, as described
//! here. [several nodes](nodes) with programs, which has the key `nodes`; or single requests to a bank of the [L2](l2),
//! which has the key `steps`.
//!
//! [`Scenario`] is the file as it is written ([`schema`]); [`load`] reads and checks it and gives a [`Plan`], in which
//! every message is bytes. [`Run`] runs a plan on the hardware and gives a [`Report`]. Every fault names file, line,
//! column and key. `docs/scenario.md` is the user's reference.

/// Functions that serde calls for the values of keys that are left out.
macro_rules! defaults {
    ($($name:ident: $type:ty = $value:expr;)*) => {
        $(fn $name() -> $type { $value })*
    };
}

mod check;
mod check_message;
mod fault_order;
pub mod l2;
pub mod make;
mod message;
pub mod nodes;
mod plan;
pub mod reference;
mod regions;
mod repeat;
mod report;
mod run;
pub mod schema;
mod set_up;
mod surroundings;
mod values;

pub use l2::{L2Report, L2Run, L2Scenario, l2_report_schema};
pub use nodes::{NodesPlan, NodesReport, NodesRun, NodesScenario, Part, nodes_report_schema};
pub use plan::{Plan, PlannedMessage};
pub use report::{Lookup, QueueState, Report, Row, SignalState, report_schema};
pub use run::Run;
pub use schema::Scenario;
pub use values::{Cycles, Data};

use crate::input::{Fault, FaultKind, InputError, KeyFault, Source, memory, strict, utf8};
use schemars::JsonSchema;
use std::path::Path;

/// What a file describes.
#[derive(Clone, Debug)]
pub enum File {
    /// The target side of one NIC, and the messages that arrive.
    Target(Box<Plan>),
    /// Several nodes with programs.
    Nodes(NodesPlan),
    /// Requests to a bank of the L2.
    L2(L2Scenario),
}

/// Keys of the top level that both shapes of NICs have.
const COMMON: [&str; 4] = ["title", "max_cycles", "atomics", "network"];

/// Reads the file at `path`, of any shape. Files that it names are relative to its folder.
pub fn load_file(path: &Path) -> Result<File, InputError> {
    let file = path.display().to_string();
    let text = utf8::read(path).map_err(|source| InputError::Io {
        file: file.clone(),
        source,
    })?;
    parse_file(&file, &text, path.parent().unwrap_or(Path::new("")))
}

/// Reads `text`, of any shape; `file` names it in errors, files that it names are relative to `folder`.
pub fn parse_file(file: &str, text: &str, folder: &Path) -> Result<File, InputError> {
    let invalid = |fault| InputError::Invalid(Box::new(fault));
    let free = memory::free_bytes().unwrap_or(u64::MAX);
    if let Some(message) = memory::too_little(memory::bytes_of_text(text), free) {
        return Err(InputError::Io {
            file: file.to_owned(),
            source: std::io::Error::other(format!("to read it takes {message}")),
        });
    }
    let Source { text, table } = Source::read(file, text).map_err(InputError::Invalid)?;
    let of_toml = |error| invalid(Fault::of_toml(file, text, FaultKind::Schema, &error));
    let of_key = |fault: KeyFault| invalid(Fault::of_key(file, text, fault));
    if let Some(message) = memory::too_little(repeat::described(table.get_ref()), free) {
        let message = format!("what the file describes takes {message}");
        return Err(of_key(KeyFault::value("", message)));
    }
    let keys: Vec<&str> = table.get_ref().keys().map(|key| &**key.get_ref()).collect();
    if keys.contains(&"steps") {
        let scenario: L2Scenario = strict::from_toml(text).map_err(of_toml)?;
        l2::check(&scenario).map_err(of_key)?;
        return Ok(File::L2(scenario));
    }
    if !keys.contains(&"nodes") {
        let scenario: Scenario = strict::from_toml(text).map_err(of_toml)?;
        check::check(&scenario).map_err(of_key)?;
        let plan = Plan::new(scenario, folder).map_err(of_key)?;
        return Ok(File::Target(Box::new(plan)));
    }
    let is_mixed = |key: &&&str| is_of_target(key) && !COMMON.contains(*key);
    if let Some(key) = keys.iter().find(is_mixed) {
        let message =
            "belongs to a file without 'nodes', which describes the target side of one NIC";
        let fault = KeyFault::value(*key, message);
        return Err(of_key(
            fault.help("what a node has is in [[nodes]]: docs/scenario.md"),
        ));
    }
    if !repeat::repeats(table.get_ref()) {
        let scenario: NodesScenario = strict::from_toml(text).map_err(of_toml)?;
        let plan = NodesPlan::new(scenario, text, &str::to_owned).map_err(of_key)?;
        return Ok(File::Nodes(plan));
    }
    let plain: toml::Table = toml::from_str(text).map_err(of_toml)?;
    let repeated = repeat::repeat(&plain, free).map_err(of_key)?;
    // What is wrong with a table is wrong with the one that it comes from.
    let of_repeated = |fault: KeyFault| {
        of_key(KeyFault {
            key: repeated.origin(&fault.key),
            ..fault
        })
    };
    let table = toml::Value::Table(repeated.table.clone());
    let scenario = strict::from_value(table).map_err(|(key, error)| {
        of_repeated(KeyFault {
            kind: FaultKind::Schema,
            ..KeyFault::value(key, strict::plain(error.message(), strict::TABLE))
        })
    })?;
    let plan = NodesPlan::new(scenario, text, &|key| repeated.origin(key)).map_err(of_repeated)?;
    Ok(File::Nodes(plan))
}

/// Whether a file of the target side may have this key.
fn is_of_target(key: &str) -> bool {
    let schema = schemars::schema_for!(Scenario);
    let keys = schema.get("properties").and_then(|keys| keys.get(key));
    keys.is_some()
}

/// Reads the scenario of a target side in the file at `path`, as [`load_file`].
pub fn load(path: &Path) -> Result<Plan, InputError> {
    target(&path.display().to_string(), load_file(path)?)
}

/// Reads the scenario of a target side in `text`, as [`parse_file`].
pub fn parse(file: &str, text: &str, folder: &Path) -> Result<Plan, InputError> {
    target(file, parse_file(file, text, folder)?)
}

fn target(name: &str, file: File) -> Result<Plan, InputError> {
    match file {
        File::Target(plan) => Ok(*plan),
        File::Nodes(_) => Err(InputError::Io {
            file: name.to_owned(),
            source: std::io::Error::other("it describes several nodes"),
        }),
        File::L2(_) => Err(InputError::Io {
            file: name.to_owned(),
            source: std::io::Error::other("it describes the L2"),
        }),
    }
}

/// A scenario file of any shape.
#[derive(JsonSchema)]
#[serde(untagged)]
#[allow(dead_code, clippy::large_enum_variant)] // only its schema is used
enum AnyScenario {
    /// Without the key `nodes`: the target side of one NIC.
    Target(Scenario),
    /// With the key `nodes`: several nodes.
    Nodes(NodesScenario),
    /// With the key `steps`: a bank of the L2.
    L2(L2Scenario),
}

/// JSON Schema of a scenario file, of any shape.
pub fn json_schema() -> serde_json::Value {
    schemars::schema_for!(AnyScenario).to_value()
}

/// JSON Schema of a scenario file of a target side.
pub fn target_schema() -> serde_json::Value {
    schemars::schema_for!(Scenario).to_value()
}

/// JSON Schema of a scenario file of several nodes.
pub fn nodes_schema() -> serde_json::Value {
    schemars::schema_for!(NodesScenario).to_value()
}

/// JSON Schema of a scenario file of the L2.
pub fn l2_schema() -> serde_json::Value {
    schemars::schema_for!(L2Scenario).to_value()
}
