//! Names with control characters.

use super::*;

/// Whether a text for people has only what can be seen, and ends of lines.
fn is_plain(text: &str) -> bool {
    let hidden = |c: char| {
        (c.is_control() && c != '\n')
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    !text.contains(hidden)
}

/// Figure 6 with such names.
fn scenario() -> String {
    let text = std::fs::read_to_string(root().join("scenarios/figure6.toml")).unwrap();
    let text = text.replace("title = \"", "title = \"\\u001b[2J\\u202e ");
    let text = text.replace(
        "name = \"initiator\"",
        "name = \"n\u{153}ud\\n\\u001b[31m\"",
    );
    text.replace("name = \"xtq_put\"", "name = \"受信\\u2028📦\"")
        .replace("of = \"xtq_put\"", "of = \"受信\\u2028📦\"")
}

// martinus/oans#202, eminwux/sbsh#390, gtkwave/gtkwave#209
#[test]
fn names_of_a_scenario_can_neither_break_lines_nor_move_the_cursor() {
    let folder = Folder::new("names");
    let file = folder.write("s.toml", &scenario());
    let plain = xtq(&["run", "scenarios/figure6.toml", "-v"]);
    let ran = xtq(&["run", &file, "-v", "--json", &folder.path("r.json")]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(is_plain(&ran.stdout), "{:?}", ran.stdout);
    assert_eq!(ran.stdout.lines().count(), plain.stdout.lines().count());
    for shown in [
        "\\u{1b}[2J\\u{202e} XTQ",
        "(n\u{153}ud\\u{a}\\u{1b}[31m)",
        "受信\\u{2028}📦 ",
    ] {
        assert!(ran.stdout.contains(shown), "{shown}: {}", ran.stdout);
    }
    // Files for viewers have lines, too.
    let ran = xtq(&["run", &file, "--wave", &folder.path("r.vcd"), "--to", "5"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for name in ["r.gtkw", "r.sucl"] {
        let text = std::fs::read_to_string(folder.path(name)).unwrap();
        assert!(is_plain(&text), "{name}");
    }
    let text = std::fs::read_to_string(folder.path("r.gtkw")).unwrap();
    assert!(text.contains("\n-node 0 n\u{153}ud\\u{a}\\u{1b}[31m\n"));
    // JSON has its own way to write them.
    let json = std::fs::read_to_string(folder.path("r.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert!(report["title"].as_str().unwrap().starts_with("\u{1b}[2J"));
}

// martinus/oans#202
#[test]
fn cases_and_files_with_such_names_stay_on_their_line() {
    let folder = Folder::new("names-cases");
    let cases = r#"{ "schema": "xtq-cases-1", "cases": [
      { "id": "good\npassed aql_slot \u001b[2J", "kind": "aql_slot", "given": { "rows": [ { "base": 65536, "size": 4, "packet_id": 5 } ] }, "expect": { "slot_addr": [65600] } },
      { "id": "\u202e", "kind": "no\nkind", "given": {}, "expect": {} } ] }"#;
    let file = folder.write("c\u{1b}[2J\n.json", cases);
    let ran = xtq(&["check", &file]);
    assert!(is_plain(&ran.stdout), "{:?}", ran.stdout);
    assert!(
        ran.stdout
            .contains("good\\u{a}passed aql_slot \\u{1b}[2J\n"),
        "{}",
        ran.stdout
    );
    let odd = folder.path("no\u{1b}[2J\u{202e}\nsuch");
    let in_odd = format!("{odd}/x");
    for arguments in [
        &["run", &odd][..],
        &["check", &odd],
        &["lint", &odd],
        &["experiment", "compnet-hitrate", &odd],
        &["run", TARGET, "--json", &in_odd],
        &["run", TARGET, "--wave", &in_odd],
        &["run", TARGET, "--engine", &odd],
        &["lockstep", &odd],
        &[&odd],
    ] {
        let ran = xtq(arguments);
        assert_eq!(ran.code, 2, "{arguments:?}");
        assert!(is_plain(&ran.stderr), "{arguments:?}: {:?}", ran.stderr);
        assert!(
            ran.stderr.contains("no\\u{1b}[2J\\u{202e}"),
            "{}",
            ran.stderr
        );
    }
}

#[test]
fn an_export_into_a_folder_of_such_a_name_says_so_on_one_line() {
    let folder = Folder::new("names-export");
    let ran = xtq(&["export", &folder.path("a\u{1b}[2J\nb"), "--top", "fifo"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        is_plain(&ran.stdout) && ran.stdout.lines().count() == 1,
        "{:?}",
        ran.stdout
    );
}

// martinus/oans#202, eminwux/sbsh#390
#[test]
fn a_name_in_an_error_cannot_forge_a_line_of_it() {
    let folder = Folder::new("names-forged");
    let forged = "\n  help: forged\nx";
    let source = folder.write(&format!("f{forged}.rs"), "no rust");
    let cases = folder.write(&format!("c{forged}.json"), "no json");
    let scenario = folder.write(&format!("s{forged}.toml"), "no toml");
    let parameters = folder.write(&format!("p{forged}.toml"), "no = 1");
    let key = folder.write(
        "key.toml",
        "\"k\\n  help: forged\\nx\" = 1\ntitle = \"t\"\n",
    );
    let mine = folder.path(&format!("m{forged}"));
    std::fs::create_dir(&mine).unwrap();
    std::fs::write(format!("{mine}/fifo.v"), "mine").unwrap();
    let inject = format!("a{forged}@7");
    let wave = folder.path(&format!("w{forged}.vcd"));
    for arguments in [
        &["lockstep", "fifo", "--inject", &inject][..],
        &["lockstep", "fifo", "--engine", &inject],
        &["lint", &source],
        &["check", &cases],
        &["run", &scenario],
        &["run", &key],
        &["experiment", "compnet-hitrate", &parameters],
        &["export", &mine, "--top", "fifo"],
        &["export", &source, "--top", "fifo"],
        &["run", TARGET, "--wave", &wave, "--scope", forged],
        &["bench", "--contract", "--markdown", &source],
    ] {
        let ran = xtq(arguments);
        assert_eq!(ran.code, 2, "{arguments:?}: {}", ran.stderr);
        let mut lines = ran.stderr.lines();
        assert!(
            !lines.any(|line| line.trim_start().starts_with("help: forged")),
            "{}",
            ran.stderr
        );
        assert!(
            ran.stderr.contains("\\u{a}  help: forged"),
            "{arguments:?}: {}",
            ran.stderr
        );
    }
}
