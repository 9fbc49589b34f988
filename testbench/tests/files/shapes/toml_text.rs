//! A JSON value as TOML.

use serde_json::Value;

/// The text of a file: one line for each key of the top level, everything below inline. There must be no null in it.
pub fn of(value: &Value) -> String {
    let keys = value.as_object().expect("a file is a table");
    let lines = keys.iter().map(|(key, value)| line(key, value) + "\n");
    lines.collect()
}

fn line(key: &str, value: &Value) -> String {
    format!("{} = {}", Value::from(key), inline(value))
}

fn inline(value: &Value) -> String {
    match value {
        Value::Array(list) => {
            let members: Vec<_> = list.iter().map(inline).collect();
            format!("[{}]", members.join(", "))
        }
        Value::Object(table) => {
            let keys: Vec<_> = table.iter().map(|(key, value)| line(key, value)).collect();
            format!("{{{}}}", keys.join(", "))
        }
        // Numbers, truth values and strings are written as in JSON.
        value => value.to_string(),
    }
}

/// Takes out what TOML does not have.
pub fn without_null(value: &mut Value) {
    match value {
        Value::Array(list) => {
            list.retain(|member| !member.is_null());
            list.iter_mut().for_each(without_null);
        }
        Value::Object(table) => {
            table.retain(|_, value| !value.is_null());
            table.values_mut().for_each(without_null);
        }
        _ => {}
    }
}
