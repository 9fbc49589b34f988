//! The naive matcher, on the vectors of MPI's rules that need neither probe nor cancel.

use xtq_mpi_trace::{Arrival, Matcher, Receive};

/// `r1?(1,5)` posts, `m1!(1,5)` arrives, `*` is any, `cN` a communicator. Gives the pairs in order, then what is left.
fn play(steps: &str) -> String {
    let mut matcher = Matcher::new(1);
    let mut names = vec![];
    let mut said = vec![];
    for step in steps.split("; ") {
        let (name, rest) = step.split_once(['?', '!']).unwrap();
        let fields: Vec<&str> = rest.trim_matches(['(', ')']).split(',').collect();
        let number = |text: &str| text.parse::<i32>().ok();
        let comm = fields.get(2).map_or(0, |comm| comm[1..].parse().unwrap());
        names.push(name);
        let found = if step.contains('?') {
            let post = Receive {
                from: number(fields[0]).map(|from| from as u32),
                tag: number(fields[1]),
                comm,
                blocking: false,
            };
            matcher.post(0, post, names.len() - 1)
        } else {
            let message = Arrival {
                from: number(fields[0]).unwrap() as u32,
                tag: number(fields[1]).unwrap(),
                comm,
            };
            matcher.arrive(0, message, names.len() - 1)
        };
        if let Some(partner) = found.partner {
            let (receive, message) = match name.starts_with('r') {
                true => (name, names[partner]),
                false => (names[partner], name),
            };
            said.push(format!("{receive}-{message}"));
        }
    }
    said.push("left".into());
    said.extend(
        matcher
            .posted(0)
            .chain(matcher.unexpected(0))
            .map(|left| names[left].into()),
    );
    said.join(" ")
}

#[test]
fn pairs_are_those_of_the_rules() {
    for (steps, pairs) in [
        ("r1?(1,5); m1!(1,5)", "r1-m1 left"),
        ("m1!(1,5); r1?(1,5)", "r1-m1 left"),
        ("r1?(1,5); m1!(1,6)", "left r1 m1"),
        ("r1?(1,5); m1!(2,5)", "left r1 m1"),
        ("r1?(1,5); m1!(1,5,c1)", "left r1 m1"),
        ("r1?(1,5); r2?(1,5); m1!(1,5)", "r1-m1 left r2"),
        ("m1!(1,5); m2!(1,5); r1?(1,5)", "r1-m1 left m2"),
        ("m1!(2,9); m2!(1,8); m3!(1,7); r1?(1,*)", "r1-m2 left m1 m3"),
        ("m1!(1,8); m2!(2,5); m3!(1,5); r1?(*,5)", "r1-m2 left m1 m3"),
        (
            "m1!(4,4,c1); m2!(3,3); m3!(2,2); r1?(*,*)",
            "r1-m2 left m1 m3",
        ),
        ("r1?(*,5); r2?(1,5); m1!(1,5)", "r1-m1 left r2"),
        ("r1?(1,5); r2?(*,*); m1!(1,5)", "r1-m1 left r2"),
        ("r1?(*,6); r2?(1,5); m1!(1,5)", "r2-m1 left r1"),
        ("r1?(0,*); r2?(0,0); m1!(0,0); m2!(0,0)", "r1-m1 r2-m2 left"),
        ("m1!(0,0); m2!(0,0); r1?(0,*); r2?(0,0)", "r1-m1 r2-m2 left"),
        ("m1!(1,1); m2!(1,2); r1?(1,2); r2?(1,1)", "r1-m2 r2-m1 left"),
        (
            "r1?(1,1); r2?(1,2); r3?(1,1); m1!(1,2); m2!(1,1); m3!(1,1)",
            "r2-m1 r1-m2 r3-m3 left",
        ),
        (
            "m1!(1,1); m2!(2,2); m3!(1,1); r1?(2,2); r2?(1,1); r3?(1,1)",
            "r1-m2 r2-m1 r3-m3 left",
        ),
        ("m1!(1,1); r1?(1,1); m2!(1,1)", "r1-m1 left m2"),
        ("r1?(*,1); m1!(2,1); m2!(1,1); r2?(1,1)", "r1-m1 r2-m2 left"),
        ("r1?(1,0); m1!(1,1); m2!(1,0)", "r1-m2 left m1"),
        ("r1?(0,3); m1!(0,3)", "r1-m1 left"),
        (
            "r1?(1,5,c1); r2?(1,5,c2); m1!(1,5,c2); m2!(1,5,c1)",
            "r2-m1 r1-m2 left",
        ),
    ] {
        assert_eq!(play(steps), pairs, "{steps}");
    }
}

#[test]
fn depth_counts_the_entries_that_were_looked_at() {
    let mut matcher = Matcher::new(2);
    for tag in 0..5 {
        let post = Receive {
            from: Some(0),
            tag: Some(tag),
            comm: 0,
            blocking: false,
        };
        matcher.post(1, post, tag as usize);
    }
    let arrival = |tag| Arrival {
        from: 0,
        tag,
        comm: 0,
    };
    let hit = matcher.arrive(1, arrival(3), 9);
    assert_eq!((hit.partner, hit.length, hit.depth), (Some(3), 5, 4));
    let miss = matcher.arrive(1, arrival(3), 9);
    assert_eq!((miss.partner, miss.length, miss.depth), (None, 4, 4));
    assert_eq!(matcher.posted(0).count(), 0);
}
