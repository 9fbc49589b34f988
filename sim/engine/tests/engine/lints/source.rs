//! What only the source shows.

use xtq_engine::Rule;
use xtq_engine::{Error, source_lint};

const BAD: &str = r#"
impl Logic for Bad {
    #[hdl_gen]
    fn update(&mut self) {
        self.o.next = self.a.val() + LIMIT;
        self.o.next = self.a.val() + Self::LIMIT;
        self.o.next = self.a.val().get_bits::<8>(N);
        self.o.next = self.w.val().get_bits::<8>((self.a.val().index()) * 8);
        self.o.next = self.w.val().get_bits::<8>(1 + self.a.val().index());
        match self.state.val() {
            State::Idle if self.go.val() => {
                self.o.next = bit_cast::<8, 4>(limits::HIGH);
            }
            REST => {}
            _ => {}
        }
        match self.go.val() {
            true => {}
            false => {}
        }
        for i in 0..4 {
            self.lane[j].d.next = self.lane[i].q.val();
        }
    }
}
"#;

const GOOD: &str = r#"
impl<const N: usize> Logic for Good<N> {
    #[rust_hdl::prelude::hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, state);
        self.state.d.next = State::Idle;
        self.o.next = self.w.val().get_bits::<N>(self.a.val().index()) + self.limit.val();
        self.o.next = bit_cast::<N, { Self::WIDTH }>(self.a.val() + 3);
        match self.a.val().index() {
            0 => self.o.next = 7_u32.to_bits(),
            _ => {}
        }
        for i in 0..Self::LANES {
            self.lane[i + 1].d.next = self.lane[i].q.val();
        }
        Bus::<N>::link(&mut self.left, &mut self.right);
    }
}
impl Good {
    fn no_kernel(&self, x: usize) -> usize {
        match x { n if n > LIMIT => LIMIT, n => n }
    }
}
"#;

#[test]
fn every_violation_is_found_with_its_file_and_line() {
    let found = source_lint(&[("good.rs", GOOD), ("bad.rs", BAD)]).expect("both are Rust");
    let found: Vec<_> = found
        .iter()
        .map(|f| (f.file.as_str(), f.line, f.rule, f.what.as_str()))
        .collect();
    let expected = [
        (5, Rule::UnknownName, "LIMIT"),
        (6, Rule::UnknownName, "Self::LIMIT"),
        (7, Rule::UnknownName, "N"),
        (8, Rule::IndexArithmetic, "index"),
        (9, Rule::IndexArithmetic, "index"),
        (11, Rule::MatchGuard, "if"),
        (12, Rule::UnknownName, "limits::HIGH"),
        (14, Rule::UnknownName, "REST"),
        (17, Rule::MissingDefault, "match"),
        (18, Rule::MatchOnBool, "true"),
        (19, Rule::MatchOnBool, "false"),
        (22, Rule::UnknownName, "j"),
    ];
    assert_eq!(
        found,
        expected.map(|(line, rule, what)| ("bad.rs", line, rule, what))
    );
}

#[test]
fn kernels_are_found_by_either_attribute() {
    let by_hdl_gen = source_lint(&[("bad.rs", BAD)]).expect("it is Rust");
    let line = "impl Logic for Bad {\n    #[hdl_gen]";
    assert!(BAD.contains(line));
    // As many lines, so that the places are the same.
    for attribute in ["kernel", "xtq_kernel::kernel"] {
        let by_kernel = BAD.replace(line, &format!("#[{attribute}]\nimpl Logic for Bad {{"));
        let both = format!("{by_kernel}impl Other {{ fn no_kernel(&self) {{ LIMIT; }} }}");
        assert_eq!(
            source_lint(&[("bad.rs", &both)]).expect("it is Rust"),
            by_hdl_gen
        );
    }
}

#[test]
fn a_finding_shows_rule_place_and_detail() {
    let found = source_lint(&[("bad.rs", BAD)]).expect("it is Rust");
    let first = "unknown-name: bad.rs:5: LIMIT: is no signal and no variant; hold it in a field of type Constant";
    assert_eq!(found[0].to_string(), first);
}

#[test]
fn a_file_that_is_not_rust_is_an_error_with_its_line() {
    let error = source_lint(&[("broken.rs", "fn a() {}\nfn b( {}\n")]).expect_err("it is not");
    assert!(
        matches!(&error, Error::Source { file, line: 2, .. } if file == "broken.rs"),
        "{error}"
    );
}

/// The catalogue of expressions is made by a macro, so its kernels are not seen: the limit that the documentation
/// states.
#[test]
fn kernels_made_by_a_macro_are_not_seen() {
    let text = include_str!("../expressions/cases.rs");
    assert_eq!(source_lint(&[("cases.rs", text)]).expect("it is Rust"), []);
}
