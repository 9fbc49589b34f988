//! Scenarios: TOML files that describe a host, a GPU and the messages that arrive.
//!
//! [`Scenario`] is the file as it is written ([`schema`]); [`load`] reads and checks it and gives a [`Plan`], in which
//! every message is bytes. [`Run`] runs a plan on the hardware and gives a [`Report`]. Every fault names file, line, column and key. `docs/scenario.md` is the user's reference.

/// Functions that serde calls for the values of keys that are left out.
macro_rules! defaults {
    ($($name:ident: $type:ty = $value:expr;)*) => {
        $(fn $name() -> $type { $value })*
    };
}

mod check;
mod check_message;
mod error;
mod fault_order;
mod message;
mod place;
mod plan;
pub mod reference;
mod regions;
mod report;
mod run;
pub mod schema;
mod set_up;
mod surroundings;
mod values;

pub use error::{Fault, FaultKind, ScenarioError};
pub use plan::{Plan, PlannedMessage};
pub use report::{Lookup, QueueState, Report, Row, SignalState, report_schema};
pub use run::{Progress, Run};
pub use schema::Scenario;
pub use values::{Cycles, Data};

use error::KeyFault;
use std::path::Path;

/// Reads the scenario in the file at `path`. Files that it names are relative to its folder.
pub fn load(path: &Path) -> Result<Plan, ScenarioError> {
    let file = path.display().to_string();
    let io = |message: String| ScenarioError::Io {
        file: file.clone(),
        message,
    };
    let bytes = std::fs::read(path).map_err(|error| io(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|error| io(format!("not UTF-8: {error}")))?;
    parse(&file, &text, path.parent().unwrap_or(Path::new("")))
}

/// Reads the scenario in `text`; `file` names it in errors, files that it names are relative to `folder`.
pub fn parse(file: &str, text: &str, folder: &Path) -> Result<Plan, ScenarioError> {
    let invalid = |fault| ScenarioError::Invalid(Box::new(fault));
    let of_toml = |kind| move |error| invalid(Fault::of_toml(file, text, kind, &error));
    toml::de::DeTable::parse(text).map_err(of_toml(FaultKind::Syntax))?;
    let scenario: Scenario = toml::from_str(text).map_err(of_toml(FaultKind::Schema))?;
    let of_key = |fault: KeyFault| invalid(Fault::of_key(file, text, fault));
    check::check(&scenario).map_err(of_key)?;
    Plan::new(scenario, folder).map_err(of_key)
}

/// JSON Schema of a scenario file.
pub fn json_schema() -> serde_json::Value {
    schemars::schema_for!(Scenario).to_value()
}
