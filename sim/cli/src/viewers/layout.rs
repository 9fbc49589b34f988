//! Which signals of the table a waveform has, where, and how each is written: the same for every viewer.

use super::codes;
use super::stages::{Form, Stage};
use std::collections::HashMap;
use std::path::Path;

/// The outermost scope of a waveform.
const TOP: &str = "top";
/// After the name of a state in FST: the variable with its name in ASCII.
const TEXT: &str = "$text";

/// A part of the design with a scope of its own: a node, the links, or a block that runs alone.
pub struct Part {
    /// Its scope, without `top`; empty: the block itself.
    pub scope: String,
    /// What people call it; nothing: it is the only one.
    pub title: Option<String>,
    /// Its stages, and whether something is to be seen in each.
    pub stages: Vec<(&'static Stage, bool)>,
}

/// A signal as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// As a number in this form, or as the text that the waveform has.
    As(Form),
    /// A number that is the ASCII of a text.
    Ascii,
}

/// A signal of the waveform.
#[derive(Debug)]
pub struct Trace {
    /// Path in the waveform.
    pub path: String,
    /// Path in its part, shortened.
    pub label: String,
    /// Bits; of a text none.
    pub bits: Option<u32>,
    /// How it is written.
    pub format: Format,
}

/// A stage with what the waveform has of it, at least one signal.
pub struct Group {
    /// Name.
    pub name: &'static str,
    /// Something is to be seen.
    pub open: bool,
    /// Signals.
    pub traces: Vec<Trace>,
}

/// A part with what the waveform has of it.
pub struct Section {
    /// What people call it.
    pub title: Option<String>,
    /// Stages, at least one.
    pub groups: Vec<Group>,
}

/// A code with its names.
pub struct Code {
    /// Module of its constants.
    pub module: &'static str,
    /// Bits of the signals that carry it.
    pub bits: u32,
    /// Values and names.
    pub names: Vec<(u64, String)>,
}

/// What viewers show.
pub struct Layout {
    /// Parts, in order.
    pub sections: Vec<Section>,
    /// The codes among the signals, each once.
    pub codes: Vec<Code>,
    /// Signals of the table that the waveform should have and has not.
    pub missing: Vec<String>,
}

/// The variables of a waveform: bits by path, nothing for a text.
pub struct Variables(HashMap<String, Option<u32>>);

impl Variables {
    /// Those that a file declares. Errors: it is no waveform.
    pub fn of(file: &Path) -> wellen::Result<Self> {
        let header = wellen::viewers::read_header_from_file(file, &wellen::LoadOptions::default())?;
        let hierarchy = header.hierarchy;
        let variables = hierarchy.iter_vars().map(|var| {
            let bits = match var.is_string() {
                true => None,
                false => Some(var.length().unwrap_or(1)),
            };
            (var.full_name(&hierarchy), bits)
        });
        Ok(Self(variables.collect()))
    }

    /// The signal at this path in this form, if there is one.
    fn trace(&self, scope: &str, path: &str, form: Form) -> Option<Trace> {
        let full = join(&[TOP, scope, path]);
        let found = |path: String, format| {
            let bits = *self.0.get(&path)?;
            let label = label(scope, &full);
            Some(Trace {
                path,
                label,
                bits,
                format,
            })
        };
        let text = match form {
            Form::State => found(format!("{full}{TEXT}"), Format::Ascii),
            _ => None,
        };
        text.or_else(|| found(full.clone(), Format::As(form)))
    }
}

impl Layout {
    /// What a waveform has of the parts, if only `scope` was asked for.
    pub fn of(parts: &[Part], variables: &Variables, scope: Option<&str>) -> Self {
        let mut layout = Self {
            sections: Vec::new(),
            codes: Vec::new(),
            missing: Vec::new(),
        };
        for part in parts {
            let groups = part.stages.iter();
            let groups: Vec<_> = groups
                .filter_map(|(stage, open)| {
                    layout.group(&part.scope, stage, *open, variables, scope)
                })
                .collect();
            if !groups.is_empty() {
                layout.sections.push(Section {
                    title: part.title.clone(),
                    groups,
                });
            }
        }
        layout
    }

    fn group(
        &mut self,
        part: &str,
        stage: &Stage,
        open: bool,
        variables: &Variables,
        scope: Option<&str>,
    ) -> Option<Group> {
        let mut traces = Vec::new();
        for (path, form) in stage.signals {
            match variables.trace(part, path, *form) {
                Some(trace) => {
                    self.note_code(&trace);
                    traces.push(trace);
                }
                None if covers(scope, &join(&[part, path])) => {
                    self.missing.push(join(&[TOP, part, path]));
                }
                None => {}
            }
        }
        (!traces.is_empty()).then_some(Group {
            name: stage.name,
            open,
            traces,
        })
    }

    fn note_code(&mut self, trace: &Trace) {
        let Format::As(Form::Name(module)) = trace.format else {
            return;
        };
        if self.codes.iter().all(|code| code.module != module) {
            self.codes.push(Code {
                module,
                bits: trace.bits.unwrap_or_default(),
                names: codes::names(module),
            });
        }
    }
}

fn join(names: &[&str]) -> String {
    let names: Vec<_> = names.iter().copied().filter(|n| !n.is_empty()).collect();
    names.join(".")
}

/// A path for people: without its part, the half of the NIC that it is in, and the register around a value; with `/`,
/// as GTKWave hides what is before a dot.
fn label(part: &str, full: &str) -> String {
    let path = full.strip_prefix(&join(&[TOP, part])).unwrap_or(full);
    let path = path.trim_start_matches('.');
    let halves = ["pipeline.", "initiator."];
    let path = halves
        .iter()
        .find_map(|half| path.strip_prefix(half))
        .unwrap_or(path);
    path.strip_suffix("_q.q").unwrap_or(path).replace('.', "/")
}

/// Whether a waveform of this scope has this path; the scope may be written as viewers do, with `top.`, and with
/// brackets.
fn covers(scope: Option<&str>, path: &str) -> bool {
    let names = |path: &str| -> Vec<String> {
        let separator = |c: char| !c.is_alphanumeric() && c != '_';
        let names = path.split(separator).filter(|name| !name.is_empty());
        names.map(str::to_owned).collect()
    };
    let scope = names(scope.unwrap_or_default());
    let scope = match scope.split_first() {
        Some((first, rest)) if first == TOP => rest,
        _ => &scope,
    };
    names(path).starts_with(scope)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAGE: Stage = Stage {
        name: "stage",
        side: crate::viewers::stages::Side::Both,
        signals: &[
            ("block.state_q.q", Form::State),
            ("block.code", Form::Name("event::status")),
            ("block.gone", Form::Hex),
        ],
    };

    fn layout(variables: &[(&str, Option<u32>)], scope: Option<&str>) -> Layout {
        let variables = variables
            .iter()
            .map(|(path, bits)| ((*path).to_owned(), *bits));
        let part = Part {
            scope: "node0".to_owned(),
            title: None,
            stages: vec![(&STAGE, true)],
        };
        Layout::of(&[part], &Variables(variables.collect()), scope)
    }

    #[test]
    fn a_signal_that_the_waveform_has_not_is_left_out_and_named() {
        let variables = [
            ("top.node0.block.state_q.q", None),
            ("top.node0.block.code", Some(8)),
        ];
        let shown = layout(&variables, None);
        assert_eq!(shown.missing, ["top.node0.block.gone"]);
        let traces = &shown.sections[0].groups[0].traces;
        assert_eq!(traces[0].label, "block/state");
        assert_eq!(traces.len(), 2);
        assert_eq!(shown.codes.len(), 1);
        assert_eq!(shown.codes[0].bits, 8);
        assert!(layout(&[], None).sections.is_empty());
    }

    #[test]
    fn what_the_scope_leaves_out_is_not_missing() {
        for scope in ["node1", "top.node1.block", "node0.block.code", "node0.bloc"] {
            assert_eq!(
                layout(&[], Some(scope)).missing.len(),
                usize::from(scope.ends_with("code")),
                "{scope}"
            );
        }
        for scope in ["node0", "top.node0.block", "top", ""] {
            assert_eq!(layout(&[], Some(scope)).missing.len(), 3, "{scope}");
        }
    }

    #[test]
    fn the_name_of_a_state_is_beside_it_in_fst() {
        let variables = [
            ("top.node0.block.state_q.q", Some(3)),
            ("top.node0.block.state_q.q$text", Some(64)),
        ];
        let shown = layout(&variables, None);
        let trace = &shown.sections[0].groups[0].traces[0];
        assert_eq!((trace.format, trace.bits), (Format::Ascii, Some(64)));
        assert_eq!(trace.label, "block/state");
    }
}
