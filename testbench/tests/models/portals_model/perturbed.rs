//! The comparison can fail: every value that the open cases expect is changed, one at a time, and each change is
//! reported at its place.

use crate::portals_model::cases::{open_cases, play};
use serde_json::{Value, json};
use xtq_testbench::cases::NotRun;

/// Every place in a value that holds no other value, and every list and object.
fn places(value: &Value, path: &str, found: &mut Vec<String>) {
    found.push(path.to_owned());
    match value {
        Value::Object(keys) => {
            for (key, value) in keys {
                places(value, &format!("{path}/{key}"), found);
            }
        }
        Value::Array(list) => {
            for (index, value) in list.iter().enumerate() {
                places(value, &format!("{path}/{index}"), found);
            }
        }
        _ => {}
    }
}

/// Another value of the same kind, and still of the schema where that is possible.
fn changed(value: &Value) -> Value {
    match value {
        Value::Number(number) => json!(number.as_u64().map_or(0, |number| number ^ 1)),
        Value::Bool(flag) => json!(!flag),
        Value::Null => json!("another"),
        Value::String(text) => json!(match text.as_str() {
            "OK" => "DROPPED",
            "DROPPED" | "PERM_VIOLATION" | "PT_DISABLED" => "SEGV",
            "PRIORITY" => "OVERFLOW",
            "OVERFLOW" => "PRIORITY",
            "PUT" => "GET",
            "ACK" => "CT_ACK",
            "CT_ACK" => "REPLY",
            "LINK" => "AUTO_UNLINK",
            "AUTO_UNLINK" | "AUTO_FREE" => "LINK",
            "FETCH_ATOMIC" => "ATOMIC",
            "PUT_OVERFLOW" => "GET_OVERFLOW",
            hex if hex.len() % 2 == 0 && hex.chars().all(|digit| digit.is_ascii_hexdigit()) => "77",
            _ => "another",
        }),
        Value::Array(list) => json!(list.iter().skip(1).collect::<Vec<_>>()),
        Value::Object(keys) => {
            let mut keys = keys.clone();
            keys.insert("another".to_owned(), json!(1));
            Value::Object(keys)
        }
    }
}

/// `/0/events/3/type` as differences write it: `0.events[3].type`.
fn written(path: &str) -> String {
    let mut text = String::new();
    for (depth, part) in path.split('/').skip(1).enumerate() {
        match part.parse::<usize>() {
            Ok(index) if depth > 0 => text += &format!("[{index}]"),
            _ if depth == 0 => text += part,
            _ => text += &format!(".{part}"),
        }
    }
    text
}

/// `0.ct[1]` is a counter and not a place in a list; both ways of writing name it.
fn same(text: &str) -> String {
    text.replace('[', ".").replace(']', "")
}

#[test]
fn every_changed_value_of_expect_is_reported_at_its_place() {
    let mut tried = 0;
    for case in open_cases("portals").into_iter().chain(open_cases("mpi")) {
        let mut found = Vec::new();
        places(&case["expect"], "", &mut found);
        for path in found {
            let mut case = case.clone();
            let Some(value) = case["expect"].pointer_mut(&path) else {
                panic!("{path} was found");
            };
            let new = changed(value);
            // An OK among the codes means nothing, and neither does an empty list without its first element.
            if new == *value || path.ends_with("/returns/0") && *value == "OK" {
                continue;
            }
            if *value == json!(["OK"]) {
                continue;
            }
            *value = new;
            tried += 1;
            match play(&case) {
                Ok((_, differences)) => {
                    let place = same(&written(&path));
                    let reported = differences
                        .iter()
                        .any(|line| same(line).starts_with(&place));
                    assert!(reported, "{} {path}: {differences:?}", case["id"]);
                    assert!(
                        differences
                            .iter()
                            .all(|line| line.contains(": expected ") && line.contains(", got "))
                    );
                }
                Err(NotRun::Malformed(why)) => assert!(why.starts_with("expect"), "{path}: {why}"),
                Err(why) => panic!("{path}: {why}"),
            }
        }
    }
    assert!(tried > 1500, "only {tried}");
}

#[test]
fn a_difference_says_where_it_is_what_was_expected_and_what_came() {
    let cases = open_cases("portals");
    let mut case = cases[0].clone();
    case["expect"]["0"]["events"][2]["mlength"] = json!(5);
    case["expect"]["0"]["ct"] = json!({"1": [3, 0]});
    case["expect"]["0"]["mem_diff"][1] = json!([32, "03"]);
    case["expect"]["0"]["lists"]["0"]["priority"] = json!(["a"]);
    let wanted = [
        "0.ct.1: expected [3,0], got nothing",
        "0.events[2].mlength: expected 5, got 4",
        "0.lists.0.priority[0]: expected \"a\", got nothing",
        "0.mem_diff[1][1]: expected \"03\", got \"02020202\"",
    ];
    assert_eq!(play(&case).unwrap().1, wanted);
}

#[test]
fn what_is_missing_or_too_much_is_reported() {
    let mut case = open_cases("portals")[0].clone();
    let events = case["expect"]["0"]["events"].as_array_mut().unwrap();
    let last = events.pop().unwrap();
    let (_, differences) = play(&case).unwrap();
    assert!(
        differences[0].starts_with("0.events[5]: expected nothing, got {"),
        "{differences:?}"
    );
    let events = case["expect"]["0"]["events"].as_array_mut().unwrap();
    events.extend([last.clone(), last]);
    let (_, differences) = play(&case).unwrap();
    assert!(
        differences[0].starts_with("0.events[6]: expected {"),
        "{differences:?}"
    );
    let mut case = open_cases("portals")[0].clone();
    case["expect"]["7"] = case["expect"]["0"].clone();
    let (_, differences) = play(&case).unwrap();
    assert!(
        differences[0].starts_with("7: expected {"),
        "{differences:?}"
    );
}
