//! Documents of which any values are replaced by any others.

use proptest::prelude::*;
use serde_json::Value;

/// A JSON value of any kind, some of them extreme; strings also of these patterns, keys of that one.
pub fn any_json(strings: [&'static str; 2], keys: &'static str) -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        Just(Value::from(u64::MAX)),
        (-5_i64..70).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        strings[0].prop_map(Value::from),
        strings[1].prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(keys, inner, 0..4)
                .prop_map(|map| map.into_iter().collect()),
        ]
    })
}

/// How many values a document has.
pub fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(list) => list.iter().map(count).sum(),
        Value::Object(map) => map.values().map(count).sum(),
        _ => 0,
    }
}

/// The `n`-th value of a document, in order of appearance.
pub fn nth<'a>(value: &'a mut Value, n: &mut usize) -> Option<&'a mut Value> {
    if *n == 0 {
        return Some(value);
    }
    *n -= 1;
    match value {
        Value::Array(list) => list.iter_mut().find_map(|v| nth(v, n)),
        Value::Object(map) => map.values_mut().find_map(|v| nth(v, n)),
        _ => None,
    }
}
