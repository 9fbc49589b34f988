//! What is fetched, when, and for whom.

use xtq_types::register_map::command_word;

use crate::command_ring::harness::{Hardware, Inputs, Rig, content};

#[test]
fn a_doorbell_gives_a_request_three_cycles_later_and_the_second_line_a_command_two_later() {
    let mut rig = Rig::new();
    rig.set_up(2, 0xFFFF_F000_0000_1080, 8);
    let rung = rig.hardware.engine.cycle();
    let cfg = Some((2, command_word::TAIL, 1));
    rig.cycle(Inputs {
        cfg,
        ..Inputs::default()
    });
    let chosen = Inputs {
        choose: 2,
        ..Inputs::default()
    };
    let outputs: Vec<_> = (1..9).map(|_| rig.cycle(chosen)).collect();
    let requests: Vec<_> = outputs.iter().map(|outputs| outputs.request).collect();
    let request = (2, 0xFFFF_F000_0000_1080);
    assert_eq!(
        requests,
        [None, None, Some(request), None, None, None, None, None]
    );
    assert_eq!(rig.requests, [(rung + 3, request)]);
    // Lines in cycles 4 and 5 after the doorbell.
    let waiting: Vec<_> = outputs.iter().map(|outputs| outputs.waiting).collect();
    assert_eq!(waiting, [0, 0, 0, 0, 0, 0, 4, 4]);
    let wish = Inputs {
        choose: 2,
        take: true,
        ..Inputs::default()
    };
    assert_eq!(rig.cycle(wish).command, (content(0, request), false));
    assert_eq!(rig.idle(1).waiting, 0);
}

#[test]
fn at_most_64_commands_of_a_context_are_fetched_ahead() {
    let mut rig = Rig::new();
    rig.set_up(1, 0, 128);
    rig.post(1, 80);
    rig.idle(200);
    for taken in 0..16 {
        assert_eq!(rig.requests.len(), 64 + taken);
        assert_eq!(rig.take(1).0, content(0, (1, 128 * taken as u64)));
        rig.idle(10);
    }
    for taken in 16..80 {
        assert_eq!(rig.requests.len(), 80);
        assert_eq!(rig.take(1).0, content(0, (1, 128 * taken)));
    }
    assert_eq!(rig.idle(10).waiting, 0);
}

#[test]
fn at_most_64_fetches_are_under_way() {
    let mut rig = Rig::new();
    rig.latency = 300;
    for context in 0..4 {
        rig.set_up(context, 0x1000 * context, 32);
    }
    for context in 0..4 {
        rig.post(context, 32);
    }
    rig.idle(200);
    assert_eq!(rig.requests.len(), 64);
    rig.idle(400);
    assert_eq!(rig.requests.len(), 128, "then the others");
}

#[test]
fn contexts_are_fetched_in_turn_one_command_a_cycle() {
    let mut rig = Rig::new();
    rig.latency = 100;
    rig.enabled = 0;
    for context in 0..4 {
        rig.set_up(context, 0x1000 * context, 4);
        rig.post(context, 4);
    }
    rig.enabled = 0b1111;
    rig.idle(20);
    let first = rig.requests[0].0;
    let expected = (0..16).map(|n| (first + n, (n % 4, 0x1000 * (n % 4) + 128 * (n / 4))));
    assert_eq!(rig.requests, expected.collect::<Vec<_>>());
}

#[test]
fn a_context_that_does_not_want_gives_its_turn_away() {
    let mut rig = Rig::new();
    rig.latency = 100;
    rig.enabled = 0;
    for (context, commands) in [(0, 1), (2, 3), (3, 2)] {
        rig.set_up(context, 0, 4);
        rig.post(context, commands);
    }
    rig.enabled = 15;
    rig.idle(20);
    let contexts: Vec<_> = rig.requests.iter().map(|(_, request)| request.0).collect();
    assert_eq!(contexts, [0, 2, 3, 2, 3, 2]);
}

#[test]
fn one_context_alone_gets_a_command_every_two_cycles() {
    let mut rig = Rig::new();
    rig.set_up(0, 0, 64);
    rig.post(0, 64);
    let mut taken = Vec::new();
    for _ in 0..160 {
        let cycle = rig.hardware.engine.cycle();
        let outputs = rig.cycle(Inputs {
            take: true,
            ..Inputs::default()
        });
        if outputs.waiting == 1 {
            assert_eq!(outputs.command.0, content(0, (0, 128 * taken.len() as u64)));
            taken.push(cycle);
        }
    }
    assert_eq!(taken.len(), 64);
    assert_eq!(taken[63] - taken[0], 2 * 63, "as fast as the lines come");
}

#[test]
fn an_error_of_either_line_goes_with_its_command_only() {
    let mut rig = Rig::new();
    rig.set_up(3, 0x4000, 8);
    rig.faulty = vec![
        (3, 0x4080),
        (3, 0x4140),
        (3, 0x4280),
        (3, 0x42C0),
        (2, 0x4000),
    ];
    rig.post(3, 8);
    let errors: Vec<_> = (0..8).map(|_| rig.take(3).1).collect();
    assert_eq!(
        errors,
        [false, true, true, false, false, true, false, false]
    );
}

#[test]
fn contexts_with_equal_addresses_get_their_own_commands() {
    let mut rig = Rig::new();
    for context in 0..4 {
        rig.set_up(context, 0x8000, 4);
        rig.post(context, 4);
    }
    assert_eq!(rig.idle(60).waiting, 15);
    // Every context in any cycle, in any order.
    let order = [2, 0, 3, 1];
    rig.cycle(Inputs {
        choose_next: Some(order[0]),
        ..Inputs::default()
    });
    for number in 0..4 {
        for (place, context) in order.into_iter().enumerate() {
            let wish = Inputs {
                choose: context,
                choose_next: Some(order[(place + 1) % 4]),
                take: true,
                ..Inputs::default()
            };
            let expected = content(0, (context, 0x8000 + 128 * number));
            assert_eq!(rig.cycle(wish).command, (expected, false));
        }
    }
    assert_eq!(rig.idle(1).waiting, 0);
    for context in 0..4 {
        assert_eq!(rig.read(context, command_word::HEAD), 4);
    }
}

#[test]
fn a_context_that_is_not_enabled_fetches_nothing_and_gives_nothing() {
    let mut rig = Rig::new();
    rig.enabled = 0b1101;
    rig.set_up(1, 0x2000, 8);
    rig.post(1, 6);
    assert_eq!(rig.idle(20).waiting, 0);
    assert_eq!(rig.requests, []);
    rig.enabled = 0b1111;
    rig.latency = 20;
    rig.idle(4);
    // Two at least are under way; they arrive and are kept.
    rig.enabled = 0b1101;
    rig.idle(2);
    let asked = rig.requests.len();
    assert!((2..=6).contains(&asked), "{asked}");
    assert_eq!(rig.idle(60).waiting, 0);
    assert_eq!(rig.requests.len(), asked);
    // It was given before: who takes it has looked at it meanwhile.
    let chosen = Inputs {
        choose: 1,
        ..Inputs::default()
    };
    rig.cycle(chosen);
    let wish = Inputs {
        take: true,
        ..chosen
    };
    assert_eq!(rig.cycle(wish).command.0, content(0, (1, 0x2000)));
    assert_eq!(rig.read(1, command_word::HEAD), 1, "a take counts");
    rig.enabled = 0b0010;
    assert_eq!(rig.cycle(Inputs::default()).waiting, 2, "in the same cycle");
    for number in 1..6 {
        assert_eq!(rig.take(1).0, content(0, (1, 0x2000 + 128 * number)));
    }
}

#[test]
fn a_request_that_waits_stays_when_its_context_is_disabled() {
    let mut rig = Rig::new();
    rig.set_up(0, 0x3000, 4);
    let busy = Inputs {
        request_ready: false,
        ..Inputs::default()
    };
    rig.cycle(Inputs {
        cfg: Some((0, command_word::TAIL, 2)),
        ..busy
    });
    rig.cycle(busy);
    rig.cycle(busy);
    rig.enabled = 0;
    for _ in 0..5 {
        assert_eq!(rig.cycle(busy).request, Some((0, 0x3000)));
    }
    rig.idle(10);
    assert_eq!(rig.addresses(0), [0x3000]);
}

#[test]
fn take_without_a_command_does_nothing() {
    let mut rig = Rig::new();
    rig.set_up(0, 0, 4);
    for context in 0..4 {
        rig.cycle(Inputs {
            choose: context,
            take: true,
            ..Inputs::default()
        });
    }
    assert_eq!(rig.read(0, command_word::HEAD), 0);
    rig.post(0, 4);
    for number in 0..4 {
        assert_eq!(rig.take(0).0, content(0, (0, 128 * number)));
    }
}

#[test]
fn no_valid_follows_a_ready_within_the_cycle() {
    let mut hardware = Hardware::new();
    for word in [(command_word::SIZE, 8), (command_word::TAIL, 8)] {
        hardware.cycle(&Inputs {
            cfg: Some((0, word.0, word.1)),
            ..Inputs::default()
        });
        hardware.cycle(&Inputs {
            request_ready: false,
            ..Inputs::default()
        });
    }
    for cycle in 0..12 {
        let ready = |request_ready| Inputs {
            request_ready,
            ..Inputs::default()
        };
        let low = hardware.settle(&ready(false)).request;
        assert_eq!(hardware.settle(&ready(true)).request, low);
        hardware.cycle(&ready(cycle % 3 == 0));
    }
}
