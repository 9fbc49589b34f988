//! The parts of a function as Cranelift's instructions.

use std::collections::{HashMap, HashSet};

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{BlockArg, InstBuilder, MemFlags, Value, types};
use cranelift_frontend::FunctionBuilder;

use crate::Result;
use crate::compiled::layout::{Function, items};
use crate::compiled::plan::{Group, Mark, Part, Plan};
use crate::compiled::schedule::{Branch, Item};
use crate::netlist::{Id, Netlist, Op};

pub(super) struct Emitter<'a> {
    builder: FunctionBuilder<'a>,
    netlist: &'a Netlist,
    plan: &'a Plan,
    base: Value,
    /// Values that every later instruction of the block can use.
    values: HashMap<Id, Value>,
    /// The nodes in `values`, in the order in which they came.
    known: Vec<Id>,
}

impl<'a> Emitter<'a> {
    pub(super) fn new(
        mut builder: FunctionBuilder<'a>,
        netlist: &'a Netlist,
        plan: &'a Plan,
    ) -> Self {
        let block = builder.create_block();
        builder.append_block_params_for_function_params(block);
        builder.switch_to_block(block);
        builder.seal_block(block);
        let base = builder.block_params(block)[0];
        Self {
            builder,
            netlist,
            plan,
            base,
            values: HashMap::new(),
            known: Vec::new(),
        }
    }

    /// The parts of a function whose flags are set. Errors: those of [`items`].
    pub(super) fn function(mut self, function: &Function) -> Result<()> {
        let first = function.parts().start;
        let code: Vec<Vec<Item>> = function
            .parts()
            .map(|part| items(self.netlist, self.plan, part))
            .collect::<Result<_>>()?;
        for test in &function.tests {
            let flags = test.clone().map(|part| self.plan.flag(part).bits).sum();
            let word = self.plan.flag(test.start).word;
            self.if_set(Mark { word, bits: flags }, |emitter| {
                test.clone()
                    .for_each(|part| emitter.part(part, &code[part - first]));
            });
        }
        self.builder.ins().return_(&[]);
        self.builder.finalize();
        Ok(())
    }

    fn part(&mut self, number: usize, items: &[Item]) {
        let flag = self.plan.flag(number);
        let plan = self.plan;
        self.if_set(flag, |emitter| {
            let flags = emitter.load(flag.word);
            let others = emitter.builder.ins().band_imm(flags, !flag.bits as i64);
            emitter.store(others, flag.word);
            let before = emitter.known.len();
            emitter.items_and_groups(&plan.parts[number], items);
            emitter.forget(before);
        });
    }

    /// The items of a part, and each value that others need as soon as it is there, so that it does not wait in a
    /// register of the machine. Registers of the design that are written in place come last: until then something may
    /// read them.
    fn items_and_groups(&mut self, part: &Part, items: &[Item]) {
        let own: HashSet<Id> = part.nodes.iter().copied().collect();
        let stores: HashMap<Id, usize> = part.stores.iter().copied().collect();
        let plan = self.plan;
        let early = |group: &&Group| {
            let mut values = group.values.iter();
            group.shadow.is_some() || values.all(|(id, word)| plan.kept(*id) == Some(*word))
        };
        let (early, late): (Vec<&Group>, Vec<&Group>) = part.groups.iter().partition(early);
        let mut of: HashMap<Id, Vec<usize>> = HashMap::new();
        let mut missing = vec![0; early.len()];
        for (number, group) in early.iter().enumerate() {
            for (id, _) in group.values.iter().filter(|(id, _)| own.contains(id)) {
                of.entry(*id).or_default().push(number);
                missing[number] += 1;
            }
            if missing[number] == 0 {
                self.group(group);
            }
        }
        for item in items {
            self.item(item);
            for id in item.results() {
                if let Some(word) = stores.get(id) {
                    let value = self.value(*id);
                    self.store(value, *word);
                }
                for &number in of.get(id).into_iter().flatten() {
                    missing[number] -= 1;
                    if missing[number] == 0 {
                        self.group(early[number]);
                    }
                }
            }
        }
        late.into_iter().for_each(|group| self.group(group));
    }

    /// What is done if one of these flags is set.
    fn if_set(&mut self, flags: Mark, then: impl FnOnce(&mut Self)) {
        let word = self.load(flags.word);
        let set = self.builder.ins().band_imm(word, flags.bits as i64);
        self.if_not_zero(set, then);
    }

    fn if_not_zero(&mut self, value: Value, then: impl FnOnce(&mut Self)) {
        let [inside, after] = [(); 2].map(|()| self.builder.create_block());
        self.builder.ins().brif(value, inside, &[], after, &[]);
        self.builder.switch_to_block(inside);
        self.builder.seal_block(inside);
        then(self);
        self.builder.ins().jump(after, &[]);
        self.builder.switch_to_block(after);
        self.builder.seal_block(after);
    }

    fn group(&mut self, group: &Group) {
        let values = group.values.iter();
        let values: Vec<(Value, usize)> =
            values.map(|(id, word)| (self.value(*id), *word)).collect();
        if let [(value, word)] = values[..]
            && group.shadow.is_none()
        {
            let old = self.load(word);
            let differ = self.builder.ins().icmp(IntCC::NotEqual, value, old);
            return self.if_not_zero(differ, |emitter| {
                emitter.store(value, word);
                emitter.mark(group);
            });
        }
        let mut differ = None;
        for &(value, word) in &values {
            let old = self.load(word);
            let one = self.builder.ins().bxor(value, old);
            differ = Some(match differ {
                Some(others) => self.builder.ins().bor(others, one),
                None => one,
            });
        }
        if let Some(shadow) = group.shadow {
            for ((value, _), word) in values.iter().zip(shadow..) {
                self.store(*value, word);
            }
        }
        let Some(differ) = differ else { return };
        self.if_not_zero(differ, |emitter| {
            if group.shadow.is_none() {
                values
                    .iter()
                    .for_each(|(value, word)| emitter.store(*value, *word));
            }
            emitter.mark(group);
        });
    }

    /// Sets the flags of those who read these values.
    fn mark(&mut self, group: &Group) {
        for mark in &group.marks {
            let flags = self.load(mark.word);
            let flags = self.builder.ins().bor_imm(flags, mark.bits as i64);
            self.store(flags, mark.word);
        }
    }

    /// Forgets the values that came after so many: later code cannot use them.
    fn forget(&mut self, before: usize) {
        for id in self.known.drain(before..) {
            self.values.remove(&id);
        }
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Node(id) => {
                let value = self.compute(*id);
                self.know(*id, value);
            }
            Item::Branch(branch) => self.branch(branch),
        }
    }

    fn know(&mut self, id: Id, value: Value) {
        if self.values.insert(id, value).is_none() {
            self.known.push(id);
        }
    }

    fn branch(&mut self, branch: &Branch) {
        let cond = self.value(branch.cond);
        let [then, otherwise, after] = [(); 3].map(|()| self.builder.create_block());
        self.builder.ins().brif(cond, then, &[], otherwise, &[]);
        for (block, items, first) in [
            (then, &branch.then, true),
            (otherwise, &branch.otherwise, false),
        ] {
            self.builder.switch_to_block(block);
            self.builder.seal_block(block);
            let before = self.known.len();
            items.iter().for_each(|item| self.item(item));
            let mut results: Vec<BlockArg> = Vec::new();
            for &mux in &branch.muxes {
                if let Op::Mux(_, a, b) = self.netlist.graph.op(mux) {
                    results.push(self.value(if first { a } else { b }).into());
                }
            }
            self.builder.ins().jump(after, &results);
            self.forget(before);
        }
        self.builder.switch_to_block(after);
        self.builder.seal_block(after);
        for &mux in &branch.muxes {
            let value = self.builder.append_block_param(after, types::I64);
            self.know(mux, value);
        }
    }

    fn load(&mut self, word: usize) -> Value {
        let offset = (word * 8) as i32;
        let flags = MemFlags::trusted();
        self.builder
            .ins()
            .load(types::I64, flags, self.base, offset)
    }

    fn store(&mut self, value: Value, word: usize) {
        let offset = (word * 8) as i32;
        let flags = MemFlags::trusted();
        self.builder.ins().store(flags, value, self.base, offset);
    }

    /// The value of an operand: computed here, kept by another part, or a constant or state word.
    fn value(&mut self, id: Id) -> Value {
        if let Some(value) = self.values.get(&id) {
            return *value;
        }
        let value = match self.netlist.graph.op(id) {
            Op::Const(value) => self.builder.ins().iconst(types::I64, value as i64),
            Op::Load(word) => self.load(self.plan.place[word as usize]),
            // The plan has seen to it that the value is there.
            _ => self.load(self.plan.kept(id).unwrap_or(0)),
        };
        self.know(id, value);
        value
    }

    fn compute(&mut self, id: Id) -> Value {
        match self.netlist.graph.op(id) {
            Op::Const(_) | Op::Load(_) => self.value(id),
            // A finished graph has none.
            Op::Later(_) => self.builder.ins().iconst(types::I64, 0),
            Op::Read { memory, word, addr } => {
                let memory = memory as usize;
                let addr = self.value(addr);
                let depth = self.netlist.memories[memory].depth;
                let addr = self.builder.ins().band_imm(addr, depth as i64 - 1);
                let bytes = self.netlist.memories[memory].words * 8;
                let offset = self.builder.ins().imul_imm(addr, bytes as i64);
                let place = self.builder.ins().iadd(self.base, offset);
                let start = (self.plan.memories[memory] + word as usize) * 8;
                let flags = MemFlags::trusted();
                self.builder
                    .ins()
                    .load(types::I64, flags, place, start as i32)
            }
            Op::And(a, b) => {
                let (a, b) = (self.value(a), self.value(b));
                self.builder.ins().band(a, b)
            }
            Op::Or(a, b) => {
                let (a, b) = (self.value(a), self.value(b));
                self.builder.ins().bor(a, b)
            }
            Op::Xor(a, b) => {
                let (a, b) = (self.value(a), self.value(b));
                self.builder.ins().bxor(a, b)
            }
            Op::Add(a, b) => {
                let (a, b) = (self.value(a), self.value(b));
                self.builder.ins().iadd(a, b)
            }
            Op::Sub(a, b) => {
                let (a, b) = (self.value(a), self.value(b));
                self.builder.ins().isub(a, b)
            }
            Op::Eq(a, b) => self.compare(IntCC::Equal, a, b),
            Op::Lt(a, b) => self.compare(IntCC::UnsignedLessThan, a, b),
            Op::Shl(a, b) => self.shift(a, b, true),
            Op::Shr(a, b) => self.shift(a, b, false),
            Op::Parity(a) => {
                let a = self.value(a);
                let ones = self.builder.ins().popcnt(a);
                self.builder.ins().band_imm(ones, 1)
            }
            Op::Mux(c, a, b) => {
                let (c, a, b) = (self.value(c), self.value(a), self.value(b));
                self.builder.ins().select(c, a, b)
            }
        }
    }

    fn compare(&mut self, condition: IntCC, a: Id, b: Id) -> Value {
        let (a, b) = (self.value(a), self.value(b));
        let bit = self.builder.ins().icmp(condition, a, b);
        self.builder.ins().uextend(types::I64, bit)
    }

    /// The machine takes the amount modulo 64; the graph's shifts give 0 from 64 on.
    fn shift(&mut self, a: Id, b: Id, left: bool) -> Value {
        let small = self.netlist.graph.width(b) <= 6;
        let (a, by) = (self.value(a), self.value(b));
        let shifted = match left {
            true => self.builder.ins().ishl(a, by),
            false => self.builder.ins().ushr(a, by),
        };
        if small {
            return shifted;
        }
        let zero = self.builder.ins().iconst(types::I64, 0);
        let fits = self.builder.ins().icmp_imm(IntCC::UnsignedLessThan, by, 64);
        self.builder.ins().select(fits, shifted, zero)
    }
}
