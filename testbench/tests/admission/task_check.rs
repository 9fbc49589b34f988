//! Every test of `TaskCheck`, and which one wins.

use proptest::prelude::*;
use xtq_engine::Engine;
use xtq_engine::EngineKind;
use xtq_engine::blocks;
use xtq_testbench::bus::Pin;
use xtq_types::Wire;
use xtq_types::event::{access, status};
use xtq_types::tables::{FunctionEntry, KernelEntry, QueueEntry};

/// What the block sees; `Default` is a kernel dispatch that may be enqueued.
#[derive(Clone, Debug)]
pub struct Task {
    pub type_ok: bool,
    pub agent: bool,
    pub misaligned: bool,
    pub command_length: u64,
    pub task_found: bool,
    pub task_error: bool,
    pub registered: bool,
    pub no_rewrite: bool,
    pub kernarg_size: u64,
    pub rewrite_offset: u64,
    pub queue_found: bool,
    pub queue_error: bool,
    pub queue_index: u64,
    pub queue_registered: bool,
}

impl Default for Task {
    fn default() -> Self {
        Self {
            type_ok: true,
            agent: false,
            misaligned: false,
            command_length: 64 + 32,
            task_found: true,
            task_error: false,
            registered: true,
            no_rewrite: false,
            kernarg_size: 32,
            rewrite_offset: 16,
            queue_found: true,
            queue_error: false,
            queue_index: 5,
            queue_registered: true,
        }
    }
}

/// The rules of the target rewrite, in the order of their tests.
pub fn judge(task: &Task) -> (u8, u8) {
    let patched = !task.agent && !task.no_rewrite;
    let pair_fits = task.rewrite_offset.is_multiple_of(8)
        && task.rewrite_offset + 16 <= task.kernarg_size
        && 64 + task.rewrite_offset + 16 <= 4096;
    let arguments = if task.agent { 0 } else { task.kernarg_size };
    if !task.type_ok {
        (status::BAD_TYPE, access::NONE)
    } else if task.misaligned {
        (status::BAD_ALIGNMENT, access::NONE)
    } else if !task.task_found || (!task.task_error && !task.registered) {
        let code = [status::BAD_KERNEL_INDEX, status::BAD_FUNCTION_INDEX][usize::from(task.agent)];
        (code, access::NONE)
    } else if task.task_error {
        (status::MEMORY_ERROR, access::TABLE)
    } else if task.command_length != 64 + arguments || (patched && !pair_fits) {
        (status::BAD_KERNARG_SIZE, access::NONE)
    } else if !task.queue_found
        || task.queue_index > 63
        || (!task.queue_error && !task.queue_registered)
    {
        (status::BAD_QUEUE_INDEX, access::NONE)
    } else if task.queue_error {
        (status::MEMORY_ERROR, access::TABLE)
    } else {
        (status::OK, access::NONE)
    }
}

/// The task entry as it stands in memory.
pub fn entry_words(task: &Task) -> Vec<u64> {
    let mut words = vec![0; 8];
    if task.agent {
        FunctionEntry {
            registered: u64::from(task.registered).into(),
            ..Default::default()
        }
        .to_words(&mut words);
    } else {
        KernelEntry {
            registered: u64::from(task.registered).into(),
            no_rewrite: u64::from(task.no_rewrite).into(),
            kernarg_size: task.kernarg_size.into(),
            rewrite_offset: task.rewrite_offset.into(),
            ..Default::default()
        }
        .to_words(&mut words);
    }
    words
}

/// The queue entry as it stands in memory.
pub fn queue_words(task: &Task) -> Vec<u64> {
    let mut words = vec![0; 8];
    QueueEntry {
        registered: u64::from(task.queue_registered).into(),
        size: 8.into(),
        ..Default::default()
    }
    .to_words(&mut words);
    words
}

fn hardware(task: &Task) -> (u8, u8, bool) {
    let mut engine = blocks::engine("task_check", EngineKind::Jit).unwrap();
    let mut set = |name: &str, words: &[u64]| {
        let pin = Pin::input(&engine, name).unwrap();
        pin.set_words(&mut engine, words).unwrap();
    };
    set("type_ok", &[task.type_ok.into()]);
    set("agent", &[task.agent.into()]);
    set("misaligned", &[task.misaligned.into()]);
    set("command_length", &[task.command_length]);
    set("task_found", &[task.task_found.into()]);
    set("task_error", &[task.task_error.into()]);
    set("kernel", &entry_words(task));
    set("agent_entry", &entry_words(task));
    set("queue_found", &[task.queue_found.into()]);
    set("queue_error", &[task.queue_error.into()]);
    set("queue_index", &[task.queue_index]);
    set("queue", &queue_words(task));
    engine.eval().unwrap();
    let get = |name: &str| Pin::output(&engine, name).unwrap().get(&engine);
    (get("status") as u8, get("access") as u8, get("patch") == 1)
}

/// A task of which each property is wrong with some probability.
pub fn any_task() -> impl Strategy<Value = Task> {
    let mostly = || prop::bool::weighted(0.9);
    let rarely = || prop::bool::weighted(0.1);
    let kernarg_size = prop_oneof![
        Just(0u64),
        Just(8),
        Just(16),
        Just(24),
        16..5000u64,
        any::<u32>().prop_map(u64::from)
    ];
    let offset = prop_oneof![
        Just(0u64),
        Just(4),
        Just(4016),
        Just(4024),
        0..5000u64,
        any::<u32>().prop_map(u64::from)
    ];
    (
        (
            mostly(),
            any::<bool>(),
            rarely(),
            mostly(),
            rarely(),
            mostly(),
        ),
        (
            any::<bool>(),
            kernarg_size,
            offset,
            prop_oneof![4 => Just(0i64), 1 => -64..200i64],
        ),
        (
            mostly(),
            rarely(),
            prop_oneof![4 => 0..64u64, 1 => any::<u16>().prop_map(u64::from)],
            mostly(),
        ),
    )
        .prop_map(|(a, b, c)| {
            let arguments = if a.1 { 0 } else { b.1 };
            Task {
                type_ok: a.0,
                agent: a.1,
                misaligned: a.2,
                task_found: a.3,
                task_error: a.4,
                registered: a.5,
                no_rewrite: b.0,
                kernarg_size: b.1,
                rewrite_offset: b.2,
                command_length: (64 + arguments as i64 + b.3).clamp(64, 0xffff) as u64,
                queue_found: c.0,
                queue_error: c.1,
                queue_index: c.2,
                queue_registered: c.3,
            }
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_first_error_in_the_order_of_the_rules_wins(task in any_task()) {
        let (code, failed, patch) = hardware(&task);
        prop_assert_eq!((code, failed), judge(&task));
        prop_assert_eq!(patch, !task.agent && !task.no_rewrite);
    }
}

/// Changes a good task and expects a status.
fn expect(change: impl FnOnce(&mut Task), code: u8) {
    let mut task = Task::default();
    change(&mut task);
    assert_eq!(hardware(&task).0, code, "{task:?}");
}

#[test]
fn a_rewrite_up_to_the_end_of_the_arguments_fits_and_one_past_it_does_not() {
    expect(|t| t.rewrite_offset = 16, status::OK);
    expect(|t| t.rewrite_offset = 24, status::BAD_KERNARG_SIZE);
    expect(|t| t.rewrite_offset = 12, status::BAD_KERNARG_SIZE);
    expect(|t| t.rewrite_offset = 0xffff_fff8, status::BAD_KERNARG_SIZE);
}

#[test]
fn a_rewritten_pair_lies_in_the_first_packet() {
    let far = |t: &mut Task, offset| {
        (t.kernarg_size, t.command_length, t.rewrite_offset) = (8192, 64 + 8192, offset);
    };
    expect(|t| far(t, 4096 - 80), status::OK);
    expect(|t| far(t, 4096 - 72), status::BAD_KERNARG_SIZE);
}

#[test]
fn a_kernarg_size_that_is_right_modulo_65536_is_wrong() {
    expect(|t| t.kernarg_size = 0x1_0020, status::BAD_KERNARG_SIZE);
    expect(
        |t| (t.kernarg_size, t.command_length) = (0xffff_ffc0, 0),
        status::BAD_KERNARG_SIZE,
    );
}

#[test]
fn fewer_than_16_bytes_of_arguments_need_no_rewrite() {
    let small = |t: &mut Task| (t.kernarg_size, t.command_length, t.rewrite_offset) = (8, 72, 0);
    expect(small, status::BAD_KERNARG_SIZE);
    expect(
        |t| {
            small(t);
            t.no_rewrite = true;
        },
        status::OK,
    );
}
