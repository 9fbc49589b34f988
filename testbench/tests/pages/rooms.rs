//! Every block lies in the room where it belongs, and what travels or is counted has one name.

use super::blocks::{read, room};
use super::root;
use super::truth::all_files;
use std::collections::{BTreeMap, BTreeSet};

/// Blocks that lie elsewhere, each with the reason.
const ELSEWHERE: [(&str, &str); 4] = [
    ("AtomicCheck", "says what the AtomicAlu beside it can do"),
    ("IovecSum", "adds what the IovecReader beside it reads"),
    (
        "LaneRam",
        "a memory; the random blocks of the engine have it",
    ),
    ("ResetRam", "a memory, and state is kept in leaves only"),
];

/// A type that a file defines by `struct`: its name, and its fields without comments.
struct Type {
    name: String,
    /// From `rtl/src`.
    path: String,
    fields: String,
    is_block: bool,
}

/// The structs of a source file.
fn types(path: &str, text: &str) -> Vec<Type> {
    let code = text.split("\n#[cfg(test)]").next().unwrap_or_default();
    let lines = code.lines().map(|line| line.split("//").next());
    let code: Vec<&str> = lines.map(Option::unwrap_or_default).collect();
    let code = format!("\n{}", code.join("\n"));
    let (mut found, mut before) = (Vec::new(), "");
    for (at, part) in code.split("struct ").enumerate() {
        if at > 0 {
            let end = part.find(|c: char| !c.is_alphanumeric() && c != '_');
            let fields = part.split("\n}").next().unwrap_or_default();
            // The attributes of this type follow the end of the one before.
            let own = before.rsplit("\n}").next().unwrap_or_default();
            found.push(Type {
                name: part[..end.unwrap_or(part.len())].to_owned(),
                path: path.to_owned(),
                fields: fields.to_owned(),
                is_block: own.contains("\n#[block"),
            });
        }
        before = part;
    }
    found
}

/// The words of a text.
fn words(text: &str) -> BTreeSet<&str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .collect()
}

/// What is wrong with the room of a block, which these blocks have in them: a leaf serves several rooms or other
/// leaves, any other block its own room and the tops.
fn fault(block: &Type, users: &[&Type]) -> Option<String> {
    let rooms: BTreeSet<&str> = users.iter().map(|user| room(&user.path)).collect();
    let wrong = match room(&block.path) {
        "" => false,
        "leaf" => !rooms.contains("leaf") && rooms.len() < 2,
        own => rooms.iter().any(|other| !other.is_empty() && *other != own),
    };
    wrong.then(|| {
        format!(
            "{} is in {}, its users in {rooms:?}",
            block.name, block.path
        )
    })
}

fn all_types() -> Vec<Type> {
    let sources = all_files().into_iter();
    let sources = sources.filter(|file| file.starts_with("rtl/src/") && file.ends_with(".rs"));
    let types = sources.flat_map(|file| {
        let path = file.trim_start_matches("rtl/src/");
        types(path, &read(&root().join(&file)))
    });
    types.collect()
}

#[test]
fn every_block_is_in_the_room_of_its_users_or_a_leaf() {
    let types = all_types();
    let blocks: Vec<&Type> = types.iter().filter(|one| one.is_block).collect();
    assert!(blocks.len() > 150, "{} blocks", blocks.len());
    let mut users: BTreeMap<&str, Vec<&Type>> = BTreeMap::new();
    for user in &blocks {
        for word in words(&user.fields)
            .into_iter()
            .filter(|word| *word != user.name)
        {
            users.entry(word).or_default().push(user);
        }
    }
    let faults = blocks.iter().filter_map(|block| {
        let users = users.get(block.name.as_str());
        let fault = fault(block, users.map_or(&[], Vec::as_slice))?;
        Some((block.name.as_str(), fault))
    });
    let faults: BTreeMap<&str, String> = faults.collect();
    let excused: BTreeSet<&str> = ELSEWHERE.iter().map(|(name, _)| *name).collect();
    let found: BTreeSet<&str> = faults.keys().copied().collect();
    assert_eq!(found, excused, "ELSEWHERE, and what is found: {faults:#?}");
}

#[test]
fn a_block_in_a_room_that_does_not_use_it_is_found() {
    let parse = |path: &str, text: &str| types(path, text).remove(0);
    let text = |name: &str, part: &str| {
        format!("/// It.\n#[block]\npub struct {name} {{\n    a: [{part}; 2],\n}}\n")
    };
    let part = |path: &str| parse(path, &text("Part", "Reg"));
    let (one, other) = (
        parse("queue/one.rs", &text("One", "Part")),
        parse("host/other.rs", &text("Other", "Part")),
    );
    assert!(one.is_block && words(&one.fields).contains("Part"));
    for (path, users, wrong) in [
        ("queue/part.rs", vec![&one], false),
        ("host/part.rs", vec![&one], true),
        ("queue/part.rs", vec![&one, &other], true),
        ("leaf/part.rs", vec![&one, &other], false),
        ("leaf/part.rs", vec![&one], true),
        ("leaf/part.rs", vec![], true),
    ] {
        assert_eq!(fault(&part(path), &users).is_some(), wrong, "{path}");
    }
}

#[test]
fn no_two_types_of_the_hardware_have_the_name_of_a_block() {
    let types = all_types();
    let mut places: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for one in &types {
        places.entry(&one.name).or_default().push(&one.path);
    }
    let blocks = types.iter().filter(|one| one.is_block);
    let twice: Vec<(&str, &Vec<&str>)> = blocks
        .map(|block| (block.name.as_str(), &places[block.name.as_str()]))
        .filter(|(_, places)| places.len() > 1)
        .collect();
    assert!(twice.is_empty(), "{twice:#?}");
}

/// Enums with the names of a list of codes that are typed by hand all the same, each with the reason.
const BY_HAND: [(&str, &str); 4] = [
    (
        "MdOption",
        "of model and scenarios: bits that are set, not one number",
    ),
    ("MeOption", "the same"),
    ("RequestKind", "of the Portals model: each has its own data"),
    ("SentKind", "of case files, which are given"),
];

/// The names of the variants of each `enum` of a text.
fn enums(text: &str) -> Vec<(String, BTreeSet<String>)> {
    let names = |body: &str| {
        let lines = body.lines().map(str::trim_start);
        let lines = lines.filter(|line| line.starts_with(|c: char| c.is_ascii_uppercase()));
        let names = lines.filter_map(|line| line.split(|c: char| !c.is_alphanumeric()).next());
        names.map(str::to_owned).collect()
    };
    let enums = text.split("enum ").skip(1).filter_map(|rest| {
        let (name, body) = rest.split_once('{')?;
        Some((name.trim().to_owned(), names(body.split("\n}").next()?)))
    });
    enums.collect()
}

#[test]
fn no_enum_repeats_a_list_of_codes() {
    let read = |file: &String| read(&root().join(file));
    let files = all_files();
    let types = files
        .iter()
        .filter(|file| file.starts_with("rtl/types/src/"));
    let types: String = types.map(read).collect();
    let lists = types.split("    pub mod ").skip(1).filter_map(|rest| {
        let body = rest.split_once('{')?.1.split("\n    }").next()?;
        let codes = body
            .lines()
            .filter_map(|line| line.trim().split_once(" = "));
        let variants = codes.map(|(code, _)| {
            let parts = code.split('_').map(|part| {
                let (first, rest) = part.split_at(1.min(part.len()));
                first.to_owned() + &rest.to_lowercase()
            });
            parts.collect::<String>()
        });
        Some(variants.collect::<BTreeSet<String>>())
    });
    let lists: Vec<BTreeSet<String>> = lists.filter(|list| list.len() > 3).collect();
    assert!(lists.len() > 10, "{lists:?}");
    let models = files.iter().filter(|file| {
        let model = ["testbench/src/", "testbench/compute/src/", "sim/cli/src/"];
        model.iter().any(|folder| file.starts_with(folder)) && file.ends_with(".rs")
    });
    let mut repeated = Vec::new();
    for file in models {
        for (name, variants) in enums(&read(file)) {
            let excused = BY_HAND.iter().any(|(excused, _)| *excused == name);
            if !excused && lists.iter().any(|list| list.is_subset(&variants)) {
                repeated.push(format!("{file}: {name}"));
            }
        }
    }
    assert!(repeated.is_empty(), "use tables/codes.rs: {repeated:#?}");
}
