//! Exact comparison of two JSON values, naming every place where they differ.

use serde_json::Value;

/// One line for each value that differs: path, expected, got. Empty when the two are equal. Every key and every list
/// element counts, on both sides.
pub fn differences(expected: &Value, got: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    compare("", Some(expected), Some(got), &mut lines);
    lines
}

fn compare(path: &str, expected: Option<&Value>, got: Option<&Value>, lines: &mut Vec<String>) {
    match (expected, got) {
        (Some(Value::Object(e)), Some(Value::Object(g))) => {
            let only_got = g.keys().filter(|key| !e.contains_key(*key));
            for key in e.keys().chain(only_got) {
                let path = match path {
                    "" => key.clone(),
                    _ => format!("{path}.{key}"),
                };
                compare(&path, e.get(key), g.get(key), lines);
            }
        }
        (Some(Value::Array(e)), Some(Value::Array(g))) => {
            for index in 0..e.len().max(g.len()) {
                compare(
                    &format!("{path}[{index}]"),
                    e.get(index),
                    g.get(index),
                    lines,
                );
            }
        }
        _ if expected == got => {}
        _ => {
            let path = if path.is_empty() { "expect" } else { path };
            let (expected, got) = (show(expected), show(got));
            lines.push(format!("{path}: expected {expected}, got {got}"));
        }
    }
}

fn show(value: Option<&Value>) -> String {
    value.map_or_else(|| "nothing".to_owned(), Value::to_string)
}
