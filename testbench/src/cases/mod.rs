//! Golden cases: files of schema `xtq-cases-1` and what happens when they are run.
//!
//! A file is a list of cases, each with `id`, `kind`, what is given and what is expected. A case is run by the function
//! of its kind, which returns a result in the shape of `expect`; the two are compared value by value. Case ids mean
//! nothing to this code.
//!
//! * `aql_header`, `aql_encode`, `aql_slot` exercise [`crate::aql`], `packet_processor` exercises
//!   [`crate::packet_processor`].
//! * `xtq` goes through the hardware: [`xtq`].
//! * `portals` and `mpi` go through the hardware too, or through the functional model ([`On`]). [`portals`] and [`mpi`]
//!   read such cases and play them to anything that has the nodes, [`rtl`] has nodes of real NICs, [`beside`] plays to
//!   two of them at once and compares them after each step. `mpi` goes to a matcher alone, too.

pub mod beside;
mod compare;
mod document;
mod encodings;
pub mod hex_bytes;
pub mod mpi;
mod packet_processor;
pub mod portals;
pub mod rtl;
pub mod script;
pub mod xtq;
mod xtq_run;

pub use compare::differences;

use crate::input::{Fault, cut_message, strict, utf8};
use crate::matchers::Kind;
use crate::portals::Network;
use document::Document;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::Path;
use thiserror::Error;

/// The schema a file must name.
pub const SCHEMA: &str = "xtq-cases-1";

/// Every kind of the schema.
pub const KINDS: [&str; 7] = [
    "aql_header",
    "aql_encode",
    "aql_slot",
    "xtq",
    "packet_processor",
    "portals",
    "mpi",
];

/// A file that is no case file. Faults of one case are its [`CaseOutcome`].
#[derive(Debug, Error)]
pub enum CaseError {
    /// The file cannot be read.
    #[error("{file}: {source}")]
    Io {
        /// Name of the file.
        file: String,
        /// Cause.
        source: std::io::Error,
    },
    /// It can be read, but is no case file.
    #[error(transparent)]
    Invalid(#[from] Box<Fault>),
}

/// How a case ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It ran and the result equals `expect`.
    Passed,
    /// It ran and the result differs from `expect`, or the hardware stopped.
    Failed,
    /// It uses something that is not built yet.
    Unsupported,
    /// The case itself is wrong, so it could not run.
    Malformed,
}

/// What became of one case.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseOutcome {
    /// The case's id, or `cases[n]` when it has none.
    pub id: String,
    /// The case's kind; empty when it has none.
    pub kind: String,
    /// How it ended.
    pub status: Status,
    /// What was computed, in the shape of `expect`; null if the case did not run to its end.
    pub result: Value,
    /// One line each: path of the value, expected, got. For cases that did not run to their end the reason.
    pub differences: Vec<String>,
    /// Unsupported: the name of what is not built yet.
    pub missing: Option<String>,
    /// Malformed: the reason with its place in the file.
    pub fault: Option<Box<Fault>>,
}

/// Why a case has no result.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotRun {
    /// The case is wrong; the text begins with the key, as `given.rows[0]: `, if one key is to blame.
    #[error("{0}")]
    Malformed(String),
    /// Something is not built yet.
    #[error("{what}: {why}")]
    Unsupported {
        /// Its name, as `xtq check --allow-unsupported` takes it: IOVEC, DATATYPE, ...
        what: String,
        /// What needs it, or why there is none.
        why: String,
    },
    /// The hardware stopped, or did what no result can express; the text says what.
    #[error("{0}")]
    Failed(String),
}

impl NotRun {
    fn unsupported(what: &str, why: impl Into<String>) -> Self {
        Self::Unsupported {
            what: what.to_owned(),
            why: why.into(),
        }
    }
}

/// What runs the cases of the kinds `portals` and `mpi`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum On {
    /// The hardware: nodes with the whole NIC.
    #[default]
    Rtl,
    /// The functional model.
    Model,
    /// A matcher alone: cases of the kind `mpi` only.
    Matcher(Kind),
}

/// Called after each case: cases that have run, and all.
pub type CaseProgress<'a> = dyn FnMut(usize, usize) + 'a;

/// Runs every case of a file.
pub fn run_file(
    path: impl AsRef<Path>,
    on: On,
    progress: &mut CaseProgress,
) -> Result<Vec<CaseOutcome>, CaseError> {
    let file = path.as_ref().display().to_string();
    match utf8::read(path) {
        Ok(text) => run_cases(&file, &text, on, progress),
        Err(source) => Err(CaseError::Io { file, source }),
    }
}

/// Runs every case of a file's text; `file` names it in errors.
pub fn run_text(file: &str, text: &str, on: On) -> Result<Vec<CaseOutcome>, CaseError> {
    run_cases(file, text, on, &mut |_, _| ())
}

fn run_cases(
    file: &str,
    text: &str,
    on: On,
    progress: &mut CaseProgress,
) -> Result<Vec<CaseOutcome>, CaseError> {
    let document = Document::read(file, text)?;
    let cases = checked(&document)?;
    let mut outcomes = Vec::new();
    for (index, case) in cases.iter().enumerate() {
        outcomes.push(run_case(&document, case, index, on));
        progress(outcomes.len(), cases.len());
    }
    Ok(outcomes)
}

/// The cases of a file. Errors: it is of another schema, has none, or two of one id.
fn checked<'a>(document: &'a Document) -> Result<&'a [Value], Box<Fault>> {
    let value = &document.value;
    match value.get("schema") {
        Some(Value::String(name)) if name == SCHEMA => {}
        Some(other) => {
            return Err(document.fault("schema", format!("is {other}, not \"{SCHEMA}\"")));
        }
        None => return Err(document.fault("schema", format!("missing, must be \"{SCHEMA}\""))),
    }
    if let Some(key) = surplus_key(value, &["schema", "cases"]) {
        return Err(document.fault(&key, NOT_KNOWN));
    }
    let Some(Value::Array(cases)) = value.get("cases") else {
        return Err(document.fault("cases", "missing, or not a list"));
    };
    if cases.is_empty() {
        return Err(document.fault("cases", "no cases"));
    }
    let mut ids = BTreeMap::new();
    for (index, case) in cases.iter().enumerate() {
        let id = id_of(case, index);
        if let Some(first) = ids.insert(id.clone(), index) {
            let message = format!("\"{id}\" was used before, by cases[{first}]");
            return Err(document.fault(&format!("cases[{index}].id"), message));
        }
    }
    Ok(cases)
}

/// What is reported of a key that nobody asks for.
const NOT_KNOWN: &str =
    "there is no such key; beside the known ones only text for the reader may stand here";

/// A key that is none of `known`, and no text or list of texts for the reader.
fn surplus_key(object: &Value, known: &[&str]) -> Option<String> {
    let is_text = |value: &Value| match value {
        Value::Array(list) => list.iter().all(Value::is_string),
        value => value.is_string(),
    };
    let mut keys = object.as_object()?.iter();
    let surplus = keys.find(|(key, value)| !known.contains(&key.as_str()) && !is_text(value));
    surplus.map(|(key, _)| strict::shown(key).to_owned())
}

/// The results file: a map from case id to the result in the shape of `expect`. A case that did not run has the text
/// `"unsupported"` or `"malformed"` instead.
pub fn results_map(outcomes: &[CaseOutcome]) -> Value {
    let entries = outcomes.iter().map(|outcome| {
        let value = match outcome.status {
            Status::Passed | Status::Failed => outcome.result.clone(),
            Status::Unsupported => Value::from("unsupported"),
            Status::Malformed => Value::from("malformed"),
        };
        (outcome.id.clone(), value)
    });
    Value::Object(entries.collect::<Map<_, _>>())
}

/// The id of a case, or its place in the file.
fn id_of(case: &Value, index: usize) -> String {
    let id = case.get("id").and_then(Value::as_str);
    id.map_or_else(|| format!("cases[{index}]"), str::to_owned)
}

/// Runs one case, the `index`-th of its file.
fn run_case(document: &Document, case: &Value, index: usize, on: On) -> CaseOutcome {
    let text = |key: &str| case.get(key).and_then(Value::as_str);
    let id = id_of(case, index);
    let kind = text("kind").unwrap_or_default().to_owned();
    let result = match (text("id"), surplus_key(case, keys_of(&kind))) {
        (None, _) if !case.is_object() => Err(NotRun::Malformed("not an object".to_owned())),
        (None, _) => Err(NotRun::Malformed("id: missing, or not a text".to_owned())),
        (_, Some(key)) => Err(NotRun::Malformed(format!("{key}: {NOT_KNOWN}"))),
        (Some(_), None) => run_kind(&kind, case, on),
    };
    let fault = match &result {
        Err(NotRun::Malformed(why)) => {
            let (key, why) = document.named(&format!("cases[{index}]"), why);
            let message = match text("id") {
                Some(id) => format!("case {id}: {why}"),
                None => why.to_owned(),
            };
            Some(document.fault(&key, message))
        }
        _ => None,
    };
    let mut missing = None;
    let (status, result, differences) = match result {
        Ok((result, differences)) if differences.is_empty() => {
            (Status::Passed, result, differences)
        }
        Ok((result, differences)) => (Status::Failed, result, differences),
        Err(why) => {
            let status = match &why {
                NotRun::Unsupported { what, .. } => {
                    missing = Some(what.clone());
                    Status::Unsupported
                }
                NotRun::Failed(_) => Status::Failed,
                NotRun::Malformed(_) => Status::Malformed,
            };
            let why = match status {
                Status::Malformed => cut_message(&why.to_string()),
                _ => why.to_string(),
            };
            (status, Value::Null, vec![why])
        }
    };
    CaseOutcome {
        id,
        kind,
        status,
        result,
        differences,
        missing,
        fault,
    }
}

/// The keys of a case that mean something.
fn keys_of(kind: &str) -> &'static [&'static str] {
    match kind {
        "portals" => &["id", "kind", "config", "steps", "expect", "also_accept"],
        "mpi" => &["id", "kind", "steps", "expect"],
        _ => &["id", "kind", "given", "expect"],
    }
}

/// The result of a case and how it differs from `expect`.
fn run_kind(kind: &str, case: &Value, on: On) -> Result<(Value, Vec<String>), NotRun> {
    match kind {
        "aql_header" => compared(case, encodings::run_headers),
        "aql_encode" => compared(case, encodings::run_encode),
        "aql_slot" => compared(case, encodings::run_slots),
        "packet_processor" => compared(case, packet_processor::run),
        "xtq" => {
            // The hardware takes its time: what is expected is looked at before.
            let given = part(case, "given")?;
            xtq::supported(&given)?;
            part::<xtq::Results>(case, "expect")?;
            against_expect(case, &xtq_run::run(&given)?)
        }
        "portals" => match on {
            On::Rtl => on_hardware(
                case,
                [portals::run::<rtl::Rtl>, portals::run::<rtl::LargeRtl>],
            ),
            On::Model => portals::run::<Network>(case),
            On::Matcher(kind) => Err(NotRun::unsupported(
                "NODES",
                format!("{} is a matcher alone", kind.name()),
            )),
        },
        "mpi" => match on {
            On::Rtl => on_hardware(case, [mpi::run::<rtl::Rtl>, mpi::run::<rtl::LargeRtl>]),
            On::Model => mpi::run::<Network>(case),
            On::Matcher(kind) => mpi::matcher::run(case, kind),
        },
        _ => Err(NotRun::Malformed(format!(
            "kind: \"{kind}\" is none of {}",
            KINDS.join(", ")
        ))),
    }
}

/// Runs what is given, and compares.
fn compared<G: DeserializeOwned, R: Serialize + DeserializeOwned>(
    case: &Value,
    run: impl Fn(&G) -> Result<R, NotRun>,
) -> Result<(Value, Vec<String>), NotRun> {
    against_expect(case, &run(&part(case, "given")?)?)
}

/// A result, and how it differs from `expect`, which must have its shape.
fn against_expect<R: Serialize + DeserializeOwned>(
    case: &Value,
    result: &R,
) -> Result<(Value, Vec<String>), NotRun> {
    let expected: R = part(case, "expect")?;
    let result = to_value(result)?;
    let differences = differences(&to_value(&expected)?, &result);
    Ok((result, differences))
}

/// Result and differences of a case.
type Run = fn(&Value) -> Result<(Value, Vec<String>), NotRun>;

/// Runs a case on NICs, and if it needs more than they have, on large ones.
fn on_hardware(case: &Value, [usual, large]: [Run; 2]) -> Result<(Value, Vec<String>), NotRun> {
    match usual(case) {
        Err(NotRun::Unsupported { what, .. }) if ["LIMITS", "ENTRIES"].contains(&what.as_str()) => {
            large(case)
        }
        result => result,
    }
}

/// One key of a case as its type; an error names what is wrong by its path.
fn part<'a, T: Deserialize<'a>>(case: &'a Value, key: &str) -> Result<T, NotRun> {
    let Some(value) = case.get(key) else {
        return Err(NotRun::Malformed(format!("{key}: missing")));
    };
    strict::from_json(value).map_err(|(inner, fault)| {
        NotRun::Malformed(format!("{}: {fault}", strict::key_in(key, &inner)))
    })
}

/// A typed result as JSON.
fn to_value(result: &impl Serialize) -> Result<Value, NotRun> {
    serde_json::to_value(result).map_err(|fault| NotRun::Malformed(format!("result: {fault}")))
}
