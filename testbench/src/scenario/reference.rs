//! Reference tables of all keys of a file, made from its JSON schema, for the pages of `docs/reference`.

use serde_json::Value;
use std::fmt::Write;

/// Markdown of a JSON schema: a section for the document itself, called `name`, and for each of its tables, with one
/// row a key.
pub fn markdown(name: &str, schema: &Value) -> String {
    let mut text = String::new();
    section(&mut text, name, schema);
    if let Some(definitions) = schema.get("$defs").and_then(Value::as_object) {
        for (name, definition) in definitions {
            if definition.get("properties").is_some() {
                section(&mut text, name, definition);
            }
        }
        for (name, definition) in definitions {
            if definition.get("properties").is_none() {
                values(&mut text, name, definition);
            }
        }
    }
    text
}

/// A value that is no table: its description, and its words if it is one of several.
fn values(text: &mut String, name: &str, definition: &Value) {
    let _ = writeln!(text, "### {name}\n\n{}\n", describe(definition));
    if let Some(words) = definition.get("enum").and_then(Value::as_array) {
        let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
        let _ = writeln!(text, "{}\n", words.join(", "));
    }
    let Some(words) = definition.get("oneOf").and_then(Value::as_array) else {
        return;
    };
    for word in words {
        if let Some(value) = word.get("const") {
            let _ = writeln!(text, "* `{value}`: {}", describe(word));
        }
    }
    text.push('\n');
}

fn section(text: &mut String, name: &str, definition: &Value) {
    let _ = writeln!(text, "### {name}\n\n{}\n", describe(definition));
    let keys = definition.get("properties").and_then(Value::as_object);
    let required = |key: &str| {
        let list = definition.get("required").and_then(Value::as_array);
        list.is_some_and(|list| list.iter().any(|name| name == key))
    };
    // A table in which every key is there needs no column of defaults.
    let all = keys.is_some_and(|keys| keys.keys().all(|key| required(key)));
    let head = match all {
        true => "| key | value | meaning |\n|---|---|---|",
        false => "| key | value | default | meaning |\n|---|---|---|---|",
    };
    let _ = writeln!(text, "{head}");
    for (key, value) in keys.into_iter().flatten() {
        let default = match value.get("default") {
            _ if all => String::new(),
            _ if required(key) => "needed | ".to_owned(),
            Some(default) => format!("{} | ", literal(default)),
            None => " | ".to_owned(),
        };
        let (kind, meaning) = (kind(value), describe(value));
        let _ = writeln!(text, "| `{key}` | {kind} | {default}{meaning} |");
    }
    text.push('\n');
}

/// A default as TOML, large numbers in hex; nothing for what is left out or a table.
fn literal(value: &Value) -> String {
    match value {
        Value::Null | Value::Object(_) => String::new(),
        Value::Array(list) if list.is_empty() => String::new(),
        other => match other.as_u64() {
            Some(number @ 0x100_0000..) => format!("`{number:#x}`"),
            _ => format!("`{other}`"),
        },
    }
}

fn describe(value: &Value) -> String {
    let text = value.get("description").and_then(Value::as_str);
    text.unwrap_or_default()
        .replace('\n', " ")
        .replace('|', "\\|")
}

/// What a key takes.
fn kind(value: &Value) -> String {
    if let Some(name) = value.get("$ref").and_then(Value::as_str) {
        return name.rsplit('/').next().unwrap_or_default().to_owned();
    }
    if let Some(options) = value.get("anyOf").and_then(Value::as_array) {
        let named: Vec<String> = options
            .iter()
            .map(kind)
            .filter(|name| name != "null")
            .collect();
        return named.join(" or ");
    }
    if let Some(items) = value.get("items") {
        return format!("list of {}", kind(items));
    }
    let name = match value.get("type") {
        Some(Value::Array(types)) => types.first().and_then(Value::as_str),
        Some(one) => one.as_str(),
        None => None,
    };
    match (
        name.unwrap_or_default(),
        value.get("format").and_then(Value::as_str),
    ) {
        ("integer", Some(format)) => format.replace("uint", "u").replace("int", "i"),
        ("number", _) => "number".to_owned(),
        (name, _) => name.to_owned(),
    }
}
