//! From the steps of a program to commands of the [host library](crate::host) and waits.

use xtq_rtl::types::wire_header::opcode;

use super::calls::{
    self, Call, KindName, ListName, MdOption, MeOption, OpName, SearchName, Step, Trigger, TypeName,
};
use super::names::{AllNames, ProcessNames};
use super::outcome::is_outcome;
use super::plan::{Op, PlannedStep, SentMessage, Wanted};
use super::schema::ProcessTable;
use crate::host::{self, CounterValue, Ct, EventKind, Md, Me, ProcessId, Pt};
use crate::scenario::check::duration;
use crate::scenario::error::KeyFault;
use crate::scenario::message::AckRequest;

/// User pointers of commands that the runner posts for itself: those of `ptl_ct_wait` and `ptl_ct_get`, by step.
const OWN: u64 = 1 << 63;

/// The steps of the process at `place`, whose key is `key`; their lines are not known yet. Errors: a name that nobody defines, a call that cannot
/// be.
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
        barriers: Vec::new(),
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
    barriers: Vec<&'a str>,
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

/// What all messages have.
struct Transfer<'a> {
    md: &'a str,
    local_offset: u64,
    length: u64,
    ack: AckRequest,
    target: &'a str,
    pt: &'a str,
    match_bits: u64,
    remote_offset: u64,
    hdr_data: u64,
}

macro_rules! transfer {
    ($call:expr) => {
        Transfer {
            md: &$call.md,
            local_offset: $call.local_offset,
            length: $call.length,
            ack: $call.ack,
            target: &$call.target,
            pt: &$call.pt,
            match_bits: $call.match_bits,
            remote_offset: $call.remote_offset,
            hdr_data: $call.hdr_data,
        }
    };
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
        let number = number as u64 + 1;
        let trigger = step.trigger.as_ref();
        let trigger = trigger.map(|trigger| self.trigger(trigger)).transpose()?;
        let user_ptr = step.user_ptr.unwrap_or(number);
        let step_key = std::mem::take(&mut self.key);
        self.key = format!("{step_key}.{call}");
        let made = self.call(number, user_ptr, &arguments)?;
        self.key = step_key;
        let (ops, message) = match made {
            Made::Ops(ops) => {
                for (name, given) in [
                    ("trigger", step.trigger.is_some()),
                    ("completion", step.completion),
                    ("user_ptr", step.user_ptr.is_some()),
                ] {
                    if given {
                        let message = format!("'{call}' is no call of the NIC, which takes it");
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
        Ok(host::Trigger {
            counter: Ct(self.own.cts.get(&self.at("trigger.ct"), &trigger.ct)?),
            threshold: trigger.threshold,
        })
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
            Call::PtAlloc(a) => {
                let flow = if a.flow_control {
                    host::portal_option::FLOW_CONTROL
                } else {
                    0
                };
                let options = host::portal_option::MATCHING | flow;
                Made::Command(host::ptl_pt_alloc(self.pt(&a.pt)?, options))
            }
            Call::PtFree(a) => Made::Command(host::ptl_pt_free(self.pt(&a.pt)?)),
            Call::PtEnable(a) => Made::Command(host::ptl_pt_enable(self.pt(&a.pt)?)),
            Call::PtDisable(a) => Made::Command(host::ptl_pt_disable(self.pt(&a.pt)?)),
            Call::MdBind(a) => Made::Command(host::ptl_md_bind(&host::MemoryDescriptor {
                md: self.md("md", &a.md)?,
                start: a.start,
                length: a.length,
                options: a.options.iter().fold(0, |all, one| all | md_option(*one)),
                counter: a.ct.as_ref().map(|ct| self.ct(ct)).transpose()?,
            })),
            Call::MdRelease(a) => Made::Command(host::ptl_md_release(self.md("md", &a.md)?)),
            Call::MeAppend(a) => Made::Command(host::ptl_me_append(&self.entry(a, user_ptr)?)),
            Call::MeUnlink(a) => {
                let me = self.own.mes.get(&self.at("me"), &a.me)?;
                Made::Command(host::ptl_me_unlink(Me(me)))
            }
            Call::MeSearch(a) => {
                let source = a.source.as_ref();
                let source = source.map(|s| self.process("source", s)).transpose()?;
                let wanted = host::MatchEntry {
                    pt_index: self.pt(&a.pt)?,
                    user_id: a.user_id,
                    options: me_options(&a.options),
                    source_node: source.map(|(id, _)| id.node),
                    source_context: source.map(|(id, _)| id.context),
                    match_bits: a.match_bits,
                    ignore_bits: a.ignore_bits,
                    ..host::MatchEntry::default()
                };
                let search = match a.search {
                    SearchName::Only => host::Search::Only,
                    SearchName::Delete => host::Search::Delete,
                };
                Made::Command(host::ptl_me_search(&wanted, search))
            }
            Call::CtAlloc(a) => Made::Command(host::ptl_ct_alloc(self.ct(&a.ct)?)),
            Call::CtFree(a) => Made::Command(host::ptl_ct_free(self.ct(&a.ct)?)),
            Call::CtInc(a) => {
                let value = counter_value(a.success, a.failure);
                Made::Command(host::ptl_ct_inc(self.ct(&a.ct)?, value))
            }
            Call::CtSet(a) => {
                let value = counter_value(a.success, a.failure);
                Made::Command(host::ptl_ct_set(self.ct(&a.ct)?, value))
            }
            Call::CtCancel(a) => Made::Command(host::ptl_ct_cancel_triggered(self.ct(&a.ct)?)),
            Call::CtGet(a) => {
                let counter = [a.success, a.failure];
                Made::Ops(get_counter(number, self.ct(&a.ct)?, &a.ct, counter))
            }
            Call::CtWait(a) => {
                let ct = self.ct(&a.ct)?;
                let reached = host::Trigger {
                    counter: ct,
                    threshold: a.threshold,
                };
                let pointer = OWN | number << 1 | 1;
                let waits = host::nop().with_completion().with_user_ptr(pointer);
                let what = format!("counter '{}' to reach {}", a.ct, a.threshold);
                let mut ops = vec![
                    Op::Post(Box::new(waits.triggered(reached))),
                    Op::Await(Box::new(Wanted::new(
                        EventKind::Command,
                        Some(pointer),
                        what,
                    ))),
                ];
                ops.extend(get_counter(number, ct, &a.ct, [None, Some(0)]));
                Made::Ops(ops)
            }
            Call::Put(a) => {
                let (put, to) = self.put(&transfer!(a))?;
                let message = sent(&put, to, Some(opcode::PUT), 0);
                Made::Message(host::ptl_put(&put), message)
            }
            Call::Get(a) => {
                let (target, to) = self.process("target", &a.target)?;
                let get = host::Get {
                    md: self.md("md", &a.md)?,
                    local_offset: a.local_offset,
                    length: a.length,
                    target,
                    pt_index: self.pt_of(to, &a.pt)?,
                    match_bits: a.match_bits,
                    remote_offset: a.remote_offset,
                    user_ptr: 0,
                };
                let message = SentMessage {
                    opcode: Some(opcode::GET),
                    target,
                    to,
                    pt: get.pt_index.0,
                    match_bits: get.match_bits,
                    length: get.length,
                    hdr_data: 0,
                    threshold: None,
                };
                Made::Message(host::ptl_get(&get), message)
            }
            Call::Atomic(a) => {
                let (put, to) = self.put(&transfer!(a))?;
                let message = sent(&put, to, None, 0);
                let atomic = host::Atomic {
                    put,
                    operation: atomic_op(a.operation),
                    datatype: datatype(a.datatype),
                };
                Made::Message(host::ptl_atomic(&atomic), message)
            }
            Call::FetchAtomic(a) => {
                let (put, to) = self.put(&transfer!(a))?;
                let message = sent(&put, to, None, 0);
                let fetch = host::FetchAtomic {
                    get_md: self.md("get_md", &a.get_md)?,
                    local_get_offset: a.local_get_offset,
                    put,
                    operation: atomic_op(a.operation),
                    datatype: datatype(a.datatype),
                };
                Made::Message(host::ptl_fetch_atomic(&fetch), message)
            }
            Call::Swap(a) => {
                let (put, to) = self.put(&transfer!(a))?;
                let message = sent(&put, to, None, 0);
                let swap = host::Swap {
                    fetch: host::FetchAtomic {
                        get_md: self.md("get_md", &a.get_md)?,
                        local_get_offset: a.local_get_offset,
                        put,
                        operation: atomic_op(a.operation),
                        datatype: datatype(a.datatype),
                    },
                    operand: a.operand,
                };
                Made::Message(host::ptl_swap(&swap), message)
            }
            Call::XtqPut(a) => {
                let (payload, to) = self.put(&transfer!(a))?;
                let message = sent(&payload, to, Some(opcode::XTQ_PUT), a.command_length);
                let put = host::XtqPut {
                    command_md: self.md("command_md", &a.command_md)?,
                    command_offset: a.command_offset,
                    command_length: a.command_length,
                    payload,
                };
                Made::Message(host::xtq_put(&put), message)
            }
            Call::RegisterKernel(a) => {
                let signal = match &a.completion_signal {
                    Some(name) => self.signal("completion_signal", name)?,
                    None => 0,
                };
                let kernel = host::Kernel {
                    kernel: a.kernel,
                    kernarg_size: a.kernarg_size,
                    rewrite_offset: a.rewrite_offset,
                    buffer_pointer: a.buffer_pointer,
                    completion_signal: signal,
                };
                Made::Command(host::xtq_register_kernel(a.index, &kernel))
            }
            Call::RegisterFunction(a) => {
                let function = host::Function {
                    function: a.function,
                    buffer_pointer: a.buffer_pointer,
                };
                Made::Command(host::xtq_register_function(a.index, &function))
            }
            Call::RegisterQueue(a) => {
                let place = self.own.queues.get(&self.at("queue"), &a.queue)?;
                let queue = super::set_up::host_queue(&self.process.queues[place]);
                Made::Command(host::xtq_register_queue(a.index, &queue))
            }
            Call::Fence(_) => Made::Command(host::fence()),
            Call::Nop(_) => Made::Command(host::nop()),
            Call::WaitEvent(a) => Made::Ops(vec![Op::Await(Box::new(self.wanted(a)?))]),
            Call::WaitSignal(a) => Made::Ops(vec![Op::WaitSignal {
                name: a.signal.clone(),
                handle: self.signal("signal", &a.signal)?,
                value: a.value,
            }]),
            Call::WaitMemory(a) => Made::Ops(vec![Op::WaitMemory {
                address: a.address,
                bytes: a.bytes.0.clone(),
            }]),
            Call::WriteMemory(a) => Made::Ops(vec![Op::Write {
                address: a.address,
                bytes: a.bytes.0.clone(),
            }]),
            Call::ExpectMemory(a) => Made::Ops(vec![Op::Expect {
                address: a.address,
                bytes: a.bytes.0.clone(),
            }]),
            Call::Barrier(a) => {
                if self.barriers.contains(&a.name.as_str()) {
                    let message = format!("the program has the barrier '{}' already", a.name);
                    return self.fault("name", message);
                }
                self.barriers.push(&a.name);
                Made::Ops(vec![Op::Barrier(a.name.clone())])
            }
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

    /// The put of a transfer, and the place of its target.
    fn put(&self, transfer: &Transfer) -> Result<(host::Put, usize), KeyFault> {
        let (target, to) = self.process("target", transfer.target)?;
        let put = host::Put {
            md: self.md("md", transfer.md)?,
            local_offset: transfer.local_offset,
            length: transfer.length,
            ack: match transfer.ack {
                AckRequest::None => host::AckRequest::None,
                AckRequest::Ack => host::AckRequest::Ack,
                AckRequest::Ct => host::AckRequest::Ct,
                AckRequest::Oc => host::AckRequest::Oc,
            },
            target,
            pt_index: self.pt_of(to, transfer.pt)?,
            match_bits: transfer.match_bits,
            remote_offset: transfer.remote_offset,
            user_ptr: 0,
            hdr_data: transfer.hdr_data,
        };
        Ok((put, to))
    }

    fn entry(&self, a: &calls::MeAppend, user_ptr: u64) -> Result<host::MatchEntry, KeyFault> {
        let source = a.source.as_ref();
        let source = source.map(|s| self.process("source", s)).transpose()?;
        Ok(host::MatchEntry {
            me: Me(self.own.mes.get(&self.at("me"), &a.me)?),
            pt_index: self.pt(&a.pt)?,
            list: match a.list {
                ListName::Priority => host::List::Priority,
                ListName::Overflow => host::List::Overflow,
            },
            start: a.start,
            length: a.length,
            counter: a.ct.as_ref().map(|ct| self.ct(ct)).transpose()?,
            user_id: a.user_id,
            options: me_options(&a.options),
            source_node: source.map(|(id, _)| id.node),
            source_context: source.map(|(id, _)| id.context),
            match_bits: a.match_bits,
            ignore_bits: a.ignore_bits,
            min_free: a.min_free,
            user_ptr,
        })
    }

    fn wanted(&self, a: &calls::WaitEvent) -> Result<Wanted, KeyFault> {
        let kind = event_kind(a.kind);
        let user_ptr = match &a.of {
            None => None,
            Some(name) => {
                let step = self.own.steps.get(&self.at("of"), name)?;
                let written = self.process.program[step].user_ptr;
                Some(written.unwrap_or(step as u64 + 1))
            }
        };
        if let Some(status) = a.status.as_ref().filter(|status| !is_outcome(status)) {
            return self.fault("status", format!("nothing ends with '{status}'"));
        }
        let from = match &a.from {
            None => None,
            Some(name) => Some((self.process("from", name)?.0, name.clone())),
        };
        let of = a.of.as_ref().map(|of| format!(" of '{of}'"));
        let what = super::outcome::kind_name(kind);
        let what = format!("event '{what}'{}", of.unwrap_or_default());
        let ok = Wanted::new(kind, user_ptr, what);
        Ok(Wanted {
            status: a.status.clone().unwrap_or(ok.status),
            length: a.length,
            from,
            match_bits: a.match_bits,
            hdr_data: a.hdr_data,
            start: a.start,
            ..ok
        })
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
    if let Some(trigger) = trigger {
        command = command.triggered(trigger);
    }
    Op::Post(Box::new(command))
}

fn counter_value(success: u64, failure: u64) -> CounterValue {
    CounterValue { success, failure }
}

/// Reads a counter and checks what is given of it.
fn get_counter(number: u64, ct: Ct, name: &str, counter: [Option<u64>; 2]) -> Vec<Op> {
    let pointer = OWN | number << 1;
    let what = format!("the value of counter '{name}'");
    vec![
        Op::Post(Box::new(host::ptl_ct_get(ct).with_user_ptr(pointer))),
        Op::Await(Box::new(Wanted {
            counter,
            ..Wanted::new(EventKind::Command, Some(pointer), what)
        })),
    ]
}

fn sent(put: &host::Put, to: usize, opcode: Option<u8>, command_length: u16) -> SentMessage {
    SentMessage {
        opcode,
        target: put.target,
        to,
        pt: put.pt_index.0,
        match_bits: put.match_bits,
        length: put.length.saturating_add(command_length.into()),
        hdr_data: put.hdr_data,
        threshold: None,
    }
}

fn md_option(option: MdOption) -> u32 {
    match option {
        MdOption::Events => host::md_option::EVENTS,
        MdOption::CtSend => host::md_option::CT_SEND,
        MdOption::CtAck => host::md_option::CT_ACK,
        MdOption::CtReply => host::md_option::CT_REPLY,
        MdOption::CtBytes => host::md_option::CT_BYTES,
        MdOption::SuccessDisable => host::md_option::SUCCESS_DISABLE,
        MdOption::SendDisable => host::md_option::SEND_DISABLE,
    }
}

fn me_options(options: &[MeOption]) -> u32 {
    use host::me_option as bits;
    let bit = |option: &MeOption| match option {
        MeOption::OpPut => bits::OP_PUT,
        MeOption::OpGet => bits::OP_GET,
        MeOption::UseOnce => bits::USE_ONCE,
        MeOption::AckDisable => bits::ACK_DISABLE,
        MeOption::UnexpectedHdrDisable => bits::UNEXPECTED_HDR_DISABLE,
        MeOption::LinkDisable => bits::LINK_DISABLE,
        MeOption::CommDisable => bits::COMM_DISABLE,
        MeOption::FlowctrlDisable => bits::FLOWCTRL_DISABLE,
        MeOption::SuccessDisable => bits::SUCCESS_DISABLE,
        MeOption::OverDisable => bits::OVER_DISABLE,
        MeOption::UnlinkDisable => bits::UNLINK_DISABLE,
        MeOption::CtComm => bits::CT_COMM,
        MeOption::CtOverflow => bits::CT_OVERFLOW,
        MeOption::CtBytes => bits::CT_BYTES,
        MeOption::ManageLocal => bits::MANAGE_LOCAL,
        MeOption::NoTruncate => bits::NO_TRUNCATE,
    };
    options.iter().map(bit).fold(0, |all, bit| all | bit)
}

fn atomic_op(name: OpName) -> host::AtomicOp {
    host::AtomicOp::ALL[name as usize]
}

fn datatype(name: TypeName) -> host::Datatype {
    host::Datatype::ALL[name as usize]
}

fn event_kind(name: KindName) -> EventKind {
    match name {
        KindName::Get => EventKind::Get,
        KindName::GetOverflow => EventKind::GetOverflow,
        KindName::Put => EventKind::Put,
        KindName::PutOverflow => EventKind::PutOverflow,
        KindName::Atomic => EventKind::Atomic,
        KindName::AtomicOverflow => EventKind::AtomicOverflow,
        KindName::FetchAtomic => EventKind::FetchAtomic,
        KindName::FetchAtomicOverflow => EventKind::FetchAtomicOverflow,
        KindName::Reply => EventKind::Reply,
        KindName::Send => EventKind::Send,
        KindName::Ack => EventKind::Ack,
        KindName::PtDisabled => EventKind::PtDisabled,
        KindName::Link => EventKind::Link,
        KindName::AutoUnlink => EventKind::AutoUnlink,
        KindName::AutoFree => EventKind::AutoFree,
        KindName::Search => EventKind::Search,
        KindName::XtqPut => EventKind::XtqPut,
        KindName::Command => EventKind::Command,
    }
}
