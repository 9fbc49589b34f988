//! Shapes of values: what the project's own JSON Schema refuses, the program refuses, in scenarios and in parameters of
//! experiments.

mod cases;
mod mutation;
mod places;
mod toml_text;
mod words;

use boon::{Compiler, SchemaIndex, Schemas};
use mutation::Mutation;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use xtq_compute::experiments::EXPERIMENTS;
use xtq_testbench::experiments::Experiment;
use xtq_testbench::input::InputError;
use xtq_testbench::scenario::{self};

/// Mutations in the suite; `./test.sh --nightly` runs ten times as many as `XTQ_MUTATIONS` says.
const MUTATIONS: u32 = 500;

fn mutations() -> u32 {
    match std::env::var("XTQ_MUTATIONS") {
        Ok(text) => text.parse().expect("XTQ_MUTATIONS is a number"),
        Err(_) => MUTATIONS,
    }
}

/// A shipped file.
struct Shipped {
    name: String,
    value: Value,
    /// Whose parameters it has; `None`: it is a scenario.
    experiment: Option<&'static dyn Experiment>,
}

fn scenarios() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios")
}

/// The experiment whose parameters this file has.
fn named(path: &Path) -> &'static dyn Experiment {
    let stem = path.file_stem().unwrap().to_str().unwrap();
    let mut all = EXPERIMENTS.iter().copied();
    let found = all.find(|experiment| experiment.name() == stem);
    found.unwrap_or_else(|| panic!("{stem}.toml belongs to no experiment"))
}

/// Every shipped scenario and every file of parameters, in the order of their names.
static SHIPPED: LazyLock<Vec<Shipped>> = LazyLock::new(|| {
    let mut shipped = Vec::new();
    for (folder, is_experiment) in [("", false), ("experiments", true)] {
        for entry in std::fs::read_dir(scenarios().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|ending| ending == "toml") {
                let text = std::fs::read_to_string(&path).unwrap();
                shipped.push(Shipped {
                    name: path.display().to_string(),
                    value: toml::from_str(&text).unwrap(),
                    experiment: is_experiment.then(|| named(&path)),
                });
            }
        }
    }
    shipped.sort_by(|a, b| a.name.cmp(&b.name));
    shipped
});

/// The schemas: of scenarios, and of the parameters of each experiment.
struct Validator {
    schemas: Schemas,
    scenario: SchemaIndex,
    parameters: BTreeMap<&'static str, SchemaIndex>,
}

static VALIDATOR: LazyLock<Validator> = LazyLock::new(|| {
    let (mut compiler, mut schemas) = (Compiler::new(), Schemas::new());
    let mut compile = |name: &str, schema: Value| {
        compiler.add_resource(name, schema).unwrap();
        compiler.compile(name, &mut schemas).unwrap()
    };
    let scenario = compile("scenario.json", scenario::json_schema());
    let parameters = EXPERIMENTS.iter().map(|experiment| {
        let name = experiment.name();
        (name, compile(&format!("{name}.json"), experiment.schema()))
    });
    let parameters = parameters.collect();
    Validator {
        schemas,
        scenario,
        parameters,
    }
});

impl Shipped {
    /// What the schema says against a value; `None` if it takes it.
    fn schema_refuses(&self, value: &Value) -> Option<String> {
        let Validator {
            schemas,
            scenario,
            parameters,
        } = &*VALIDATOR;
        let schema = match self.experiment {
            Some(experiment) => parameters[experiment.name()],
            None => *scenario,
        };
        let fault = schemas.validate(value, schema).err();
        fault.map(|fault| fault.to_string())
    }

    /// What the program says to a text.
    fn program(&self, text: &str) -> Result<(), InputError> {
        match self.experiment {
            Some(experiment) => experiment.prepare("s.toml", text, false).map(|_| ()),
            None => scenario::parse_file("s.toml", text, &scenarios()).map(|_| ()),
        }
    }
}

#[test]
fn schema_and_program_take_every_shipped_file() {
    assert!(SHIPPED.len() >= 15);
    for shipped in SHIPPED.iter() {
        assert_eq!(shipped.schema_refuses(&shipped.value), None);
        let text = toml_text::of(&shipped.value);
        let taken = shipped.program(&text);
        assert!(taken.is_ok(), "{}: {taken:?}", shipped.name);
    }
}

/// Most mutations must be wrong, or the comparison says little.
#[test]
fn the_schema_refuses_each_kind_of_mutation_of_some_file() {
    for kind in Mutation::KINDS {
        let refused = SHIPPED.iter().any(|shipped| {
            (0..crate::json_change::count(&shipped.value)).any(|n| {
                let mut value = shipped.value.clone();
                let mutation = Mutation {
                    kind,
                    value: Value::from(-1),
                };
                let at = crate::json_change::nth(&mut value, &mut { n });
                at.is_some_and(|at| mutation.change(at)) && shipped.schema_refuses(&value).is_some()
            })
        });
        assert!(refused, "{kind:?}");
    }
}

fn any_change() -> impl Strategy<Value = Vec<(Index, Mutation)>> {
    prop::collection::vec((any::<Index>(), Mutation::any()), 1..3)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(mutations()))]

    #[test]
    fn what_the_schema_refuses_the_program_refuses(file in any::<Index>(), changes in any_change()) {
        let shipped = file.get(&SHIPPED);
        let mut value = shipped.value.clone();
        for (place, mutation) in &changes {
            let mut n = place.index(crate::json_change::count(&value));
            mutation.change(crate::json_change::nth(&mut value, &mut n).expect("n is below the count"));
        }
        toml_text::without_null(&mut value);
        if !value.is_object() {
            return Ok(());
        }
        let Some(reason) = shipped.schema_refuses(&value) else {
            return Ok(());
        };
        let text = toml_text::of(&value);
        match shipped.program(&text) {
            Err(InputError::Invalid(fault)) => {
                prop_assert!(fault.line >= 1 && fault.column >= 1 && !fault.message.is_empty());
            }
            other => prop_assert!(false, "{}: {other:?}, the schema says: {reason}\n{text}", shipped.name),
        }
    }
}
