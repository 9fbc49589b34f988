//! From the steps of a program to commands of the [host library](crate::host) and waits.

mod atomics;
mod counters;
mod matching;
mod objects;
mod tasks;
mod transfer;
mod waits;

pub(super) use tasks::host_queue;

use std::collections::{BTreeMap, BTreeSet};

use super::calls::{Call, Step, Trigger};
use super::names::{AllNames, ProcessNames};
use super::program::{Op, PlannedStep, SentMessage};
use super::schema::ProcessTable;
use crate::host::{self, Ct, Md, ProcessId, Pt};
use crate::input::KeyFault;
use crate::scenario::check::duration;
use xtq_types::command::REARM_THRESHOLDS;

/// User pointers from here on are of commands that the runner posts for itself.
const OWN: u64 = 1 << 63;

/// The steps of the process at `place`, whose key is `key`; their lines are not known yet. Errors: a name that nobody
/// defines, a call that cannot be.
pub(super) fn compile(
    names: &AllNames,
    place: usize,
    key: &str,
    process: &ProcessTable,
) -> Result<Vec<PlannedStep>, KeyFault> {
    let mut compiler = Compiler {
        all: names,
        own: &names.of[place],
        process,
        key: String::new(),
        commands: BTreeMap::new(),
        barriers: BTreeSet::new(),
    };
    let mut steps = Vec::new();
    for (number, step) in process.program.iter().enumerate() {
        compiler.key = format!("{key}.program[{number}]");
        steps.push(compiler.step(number, step)?);
    }
    Ok(steps)
}

struct Compiler<'a> {
    all: &'a AllNames,
    own: &'a ProcessNames,
    process: &'a ProcessTable,
    /// Of the step, then of its call.
    key: String,
    /// User pointers of the commands so far, by step.
    commands: BTreeMap<usize, u64>,
    /// Barriers so far.
    barriers: BTreeSet<&'a str>,
}

/// What a call is.
enum Made {
    /// A command for the NIC.
    Command(host::Command),
    /// One that sends a message.
    Message(host::Command, SentMessage),
    /// Something that the process does itself.
    Ops(Vec<Op>),
}

impl<'a> Compiler<'a> {
    /// The key of an argument.
    fn at(&self, argument: &str) -> String {
        format!("{}.{argument}", self.key)
    }

    fn fault<T>(&self, argument: &str, message: impl Into<String>) -> Result<T, KeyFault> {
        let key = match argument {
            "" => self.key.clone(),
            _ => self.at(argument),
        };
        Err(KeyFault::value(key, message))
    }

    fn step(&mut self, number: usize, step: &'a Step) -> Result<PlannedStep, KeyFault> {
        let calls = step.calls();
        let (call, arguments) = match calls[..] {
            [one] => one,
            [] => {
                let help = format!("the calls: {}", Step::NAMES.join(", "));
                let fault = KeyFault::value(&self.key, "the step has no call");
                return Err(fault.help(help));
            }
            [(first, _), (second, _), ..] => {
                let message = format!("a step has one call, not '{first}' and '{second}'");
                return self.fault(second, message);
            }
        };
        let place = number;
        let number = place as u64 + 1;
        let trigger = step.trigger.as_ref();
        let trigger = trigger.map(|trigger| self.trigger(trigger)).transpose()?;
        let user_ptr = step.user_ptr.unwrap_or(number);
        if user_ptr >= OWN {
            let message = format!("{user_ptr:#x} is not below {OWN:#x}");
            return self.fault("user_ptr", message);
        }
        let step_key = std::mem::take(&mut self.key);
        self.key = format!("{step_key}.{call}");
        let made = self.call(number, user_ptr, &arguments)?;
        self.key = step_key;
        if !matches!(made, Made::Ops(_)) {
            self.commands.insert(place, user_ptr);
        }
        let (ops, message) = match made {
            Made::Ops(ops) => {
                for (name, given) in [
                    ("trigger", step.trigger.is_some()),
                    ("completion", step.completion),
                    ("user_ptr", step.user_ptr.is_some()),
                ] {
                    if given {
                        let message =
                            format!("'{call}' is no call of the NIC: only those have '{name}'");
                        return self.fault(name, message);
                    }
                }
                (ops, None)
            }
            Made::Command(command) => (vec![finished(command, user_ptr, trigger, step)], None),
            Made::Message(command, message) => {
                let post = finished(command, user_ptr, trigger, step);
                let threshold = trigger.map(|trigger| trigger.threshold);
                (
                    vec![post],
                    Some(SentMessage {
                        threshold,
                        ..message
                    }),
                )
            }
        };
        Ok(PlannedStep {
            name: step.name.clone().unwrap_or_default(),
            call,
            line: 0,
            user_ptr,
            ops,
            message,
        })
    }

    fn trigger(&self, trigger: &Trigger) -> Result<host::Trigger, KeyFault> {
        self.every(trigger)?;
        Ok(host::Trigger {
            counter: Ct(self.own.cts.get(&self.at("trigger.ct"), &trigger.ct)?),
            threshold: trigger.threshold,
        })
    }

    /// What `every` may not be.
    fn every(&self, trigger: &Trigger) -> Result<(), KeyFault> {
        match trigger.every {
            Some(0) => self.fault("trigger.every", "0 is below 1"),
            Some(_) if trigger.threshold >= REARM_THRESHOLDS => {
                let message = format!(
                    "{:#x} is not below 2^48, as it must be with 'every'",
                    trigger.threshold
                );
                self.fault("trigger.threshold", message)
            }
            _ => Ok(()),
        }
    }

    fn pt(&self, name: &str) -> Result<Pt, KeyFault> {
        self.own.pts.get(&self.at("pt"), name).map(Pt)
    }

    fn md(&self, key: &str, name: &str) -> Result<Md, KeyFault> {
        self.own.mds.get(&self.at(key), name).map(Md)
    }

    fn ct(&self, name: &str) -> Result<Ct, KeyFault> {
        self.own.cts.get(&self.at("ct"), name).map(Ct)
    }

    fn process(&self, key: &str, name: &str) -> Result<(ProcessId, usize), KeyFault> {
        self.all.processes.get(&self.at(key), name)
    }

    fn call(&mut self, number: u64, user_ptr: u64, call: &Call<'a>) -> Result<Made, KeyFault> {
        Ok(match call {
            Call::PtAlloc(a) => Made::Command(self.pt_alloc(a)?),
            Call::PtFree(a) => Made::Command(host::ptl_pt_free(self.pt(&a.pt)?)),
            Call::PtEnable(a) => Made::Command(host::ptl_pt_enable(self.pt(&a.pt)?)),
            Call::PtDisable(a) => Made::Command(host::ptl_pt_disable(self.pt(&a.pt)?)),
            Call::MdBind(a) => Made::Command(self.md_bind(a)?),
            Call::MdRelease(a) => Made::Command(host::ptl_md_release(self.md("md", &a.md)?)),
            Call::MeAppend(a) => Made::Command(host::ptl_me_append(&self.entry(a, user_ptr)?)),
            Call::MeUnlink(a) => Made::Command(self.me_unlink(a)?),
            Call::MeSearch(a) => Made::Command(self.me_search(a)?),
            Call::CtAlloc(a) => Made::Command(host::ptl_ct_alloc(self.ct(&a.ct)?)),
            Call::CtFree(a) => Made::Command(host::ptl_ct_free(self.ct(&a.ct)?)),
            Call::CtInc(a) => Made::Command(self.ct_inc(a)?),
            Call::CtSet(a) => Made::Command(self.ct_set(a)?),
            Call::CtCancel(a) => Made::Command(host::ptl_ct_cancel_triggered(self.ct(&a.ct)?)),
            Call::CtGet(a) => self.ct_get(number, a)?,
            Call::CtWait(a) => self.ct_wait(number, a)?,
            Call::Put(a) => self.ptl_put(a)?,
            Call::Get(a) => self.ptl_get(a)?,
            Call::Atomic(a) => self.ptl_atomic(a)?,
            Call::FetchAtomic(a) => self.ptl_fetch_atomic(a)?,
            Call::Swap(a) => self.ptl_swap(a)?,
            Call::XtqPut(a) => self.xtq_put(a)?,
            Call::RegisterKernel(a) => Made::Command(self.register_kernel(a)?),
            Call::RegisterFunction(a) => Made::Command(tasks::register_function(a)),
            Call::RegisterQueue(a) => Made::Command(self.register_queue(a)?),
            Call::Plain(command) => Made::Command(command()),
            Call::WaitEvent(a) => Made::Ops(vec![Op::Await(Box::new(self.wanted(a)?))]),
            Call::WaitSignal(a) => Made::Ops(vec![Op::WaitSignal {
                name: a.signal.clone(),
                handle: self.signal("signal", &a.signal)?,
                value: a.value,
            }]),
            Call::WaitMemory(a) => {
                let (address, bytes) = self.bytes(a.address, &a.bytes)?;
                Made::Ops(vec![Op::WaitMemory { address, bytes }])
            }
            Call::WriteMemory(a) => {
                let (address, bytes) = self.bytes(a.address, &a.bytes)?;
                Made::Ops(vec![Op::Write { address, bytes }])
            }
            Call::ExpectMemory(a) => {
                let (address, bytes) = self.bytes(a.address, &a.bytes)?;
                Made::Ops(vec![Op::Expect { address, bytes }])
            }
            Call::Barrier(a) => self.barrier(a)?,
            Call::Delay(a) => {
                duration(&self.at("cycles"), a.cycles)?;
                Made::Ops(vec![Op::Delay(a.cycles)])
            }
        })
    }

    /// The handle of a signal of the process.
    fn signal(&self, key: &str, name: &str) -> Result<u64, KeyFault> {
        let place = self.own.signals.get(&self.at(key), name)?;
        Ok(self.process.signals[place].handle)
    }

    /// A portal entry of the process at this place.
    fn pt_of(&self, place: usize, name: &str) -> Result<Pt, KeyFault> {
        self.all.of[place].pts.get(&self.at("pt"), name).map(Pt)
    }
}

/// The command with what goes with it.
fn finished(
    command: host::Command,
    user_ptr: u64,
    trigger: Option<host::Trigger>,
    step: &Step,
) -> Op {
    let mut command = command.with_user_ptr(user_ptr);
    if step.completion {
        command = command.with_completion();
    }
    let every = step.trigger.as_ref().and_then(|trigger| trigger.every);
    command = match (trigger, every) {
        (Some(trigger), Some(period)) => command.rearming(trigger, period),
        (Some(trigger), None) => command.triggered(trigger),
        (None, _) => command,
    };
    Op::Post(Box::new(command))
}
