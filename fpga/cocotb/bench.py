"""The NIC with cocotbext-axi's models around it: link, host memory, register driver; and a watch on every port of the NIC."""

import itertools
import logging
import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge, SimTimeoutError, with_timeout
from cocotbext.axi import (
    AxiBus,
    AxiLiteBus,
    AxiLiteMaster,
    AxiResp,
    AxiStreamBus,
    AxiStreamSink,
    AxiStreamSource,
)

from formats import COUNTERS, address
from memory import HostMemory
from times import WriteTimes

PERIOD_NS = 5
"""200 MHz, the clock that the blocks are built for."""

LIMIT_US = 200
"""A test that takes longer has hung; the longest takes less than a fourth of it."""

ANSWER_CYCLES = 2_000
"""An access to a register that takes longer is never answered."""

CONTEXT_SHIFT = 40
"""Memory of context c is at (1 + c) << 40, so that an address says which context it belongs to."""

# What the NIC drives: valid, ready, and what must hold still while valid waits.
OUTPUTS = {
    "m_axis_net": ("m_axis_net_tvalid", "m_axis_net_tready", ["m_axis_net_tdata", "m_axis_net_tkeep", "m_axis_net_tlast"]),
    "m_axis_ans": ("m_axis_ans_tvalid", "m_axis_ans_tready", ["m_axis_ans_tdata", "m_axis_ans_tkeep", "m_axis_ans_tlast"]),
    "aw": ("m_axi_awvalid", "m_axi_awready", [f"m_axi_aw{n}" for n in ("id", "addr", "len", "size", "burst", "user", "atop")]),
    "w": ("m_axi_wvalid", "m_axi_wready", [f"m_axi_w{n}" for n in ("data", "strb", "last")]),
    "ar": ("m_axi_arvalid", "m_axi_arready", [f"m_axi_ar{n}" for n in ("id", "addr", "len", "size", "burst", "user")]),
    "axil_b": ("s_axil_bvalid", "s_axil_bready", ["s_axil_bresp"]),
    "axil_r": ("s_axil_rvalid", "s_axil_rready", ["s_axil_rdata", "s_axil_rresp"]),
}


def seed():
    """The seed of this run: XTQ_SEED, or cocotb's own, which it prints."""
    return int(os.environ.get("XTQ_SEED", cocotb.RANDOM_SEED))


class Bench:
    """Everything around the NIC."""

    def __init__(self, dut):
        self.dut, self.clk, self.rng = dut, dut.clk, random.Random(seed())
        # A line for each beat would bury what a test says.
        for name in ("s_axis_net", "m_axis_net", "s_axis_ans", "m_axis_ans", "m_axi", "s_axil"):
            logging.getLogger(f"cocotb.{dut._name}.{name}").setLevel(logging.ERROR)
        cocotb.start_soon(Clock(dut.clk, PERIOD_NS, unit="ns").start())
        # Requests that come, and answers to them; requests that the NIC sends, and answers to those.
        self.source = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis_net"), dut.clk, dut.rst)
        self.sink = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis_ans"), dut.clk, dut.rst)
        self.requests = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis_net"), dut.clk, dut.rst)
        self.answers = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis_ans"), dut.clk, dut.rst)
        self.memory = HostMemory(AxiBus.from_prefix(dut, "m_axi"), dut.clk, dut.rst, random.Random(seed()))
        self.times = WriteTimes(dut)
        self.axil = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.clk, dut.rst)
        self.ports = {
            "rx": self.source,
            "tx": self.sink,
            "requests": self.requests,
            "answers": self.answers,
            "aw": self.memory.write_if.aw_channel,
            "w": self.memory.write_if.w_channel,
            "b": self.memory.write_if.b_channel,
            "ar": self.memory.read_if.ar_channel,
            "r": self.memory.read_if.r_channel,
            "axil_aw": self.axil.write_if.aw_channel,
            "axil_w": self.axil.write_if.w_channel,
            "axil_b": self.axil.write_if.b_channel,
            "axil_ar": self.axil.read_if.ar_channel,
            "axil_r": self.axil.read_if.r_channel,
        }
        self.waited = dict.fromkeys(OUTPUTS, 0)

    @classmethod
    async def start(cls, dut):
        """Makes the models and resets the NIC for four cycles."""
        dut.rst.value = 1
        bench = cls(dut)
        await ClockCycles(bench.clk, 4)
        dut.rst.value = 0
        await ClockCycles(bench.clk, 2)
        cocotb.start_soon(bench._watch())
        return bench

    async def _watch(self):
        """Every output: valid is 0 or 1, does not fall before ready, and what it says holds still; addresses belong to their context."""
        edge, dut, held = RisingEdge(self.clk), self.dut, {}
        pins = {
            name: (getattr(dut, valid), getattr(dut, ready), [getattr(dut, pin) for pin in payload])
            for name, (valid, ready, payload) in OUTPUTS.items()
        }
        while True:
            await edge
            self.times.sample()
            for name, (valid, ready, payload) in pins.items():
                # `str` keeps an X, which no comparison of numbers does.
                up = str(valid.value)
                assert up in "01", f"{name}: valid is {up}"
                before = held.pop(name, None)
                assert before is None or up == "1", f"{name}: valid fell before ready"
                if up == "0":
                    continue
                now = [str(pin.value) for pin in payload]
                assert before in (None, now), f"{name}: changed while valid waited: {before} -> {now}"
                if str(ready.value) != "1":
                    held[name] = now
                    self.waited[name] += 1
                elif name in ("aw", "ar"):
                    channel = f"m_axi_{name}"
                    at = int(getattr(dut, channel + "addr").value)
                    user = int(getattr(dut, channel + "user").value)
                    assert user == (at >> CONTEXT_SHIFT) - 1, f"{name}: {at:#x} with user {user}"
                    assert name == "ar" or int(dut.m_axi_awatop.value) == 0, "an atomic of a NIC that was built without"

    def pause(self, generators):
        """Gives ports a generator of pauses, True for a cycle in which the model waits: {port: generator}."""
        for port, generator in generators.items():
            self.ports[port].set_pause_generator(generator)

    def pause_all(self, rng, share):
        """Every port waits in about this share of the cycles, in bursts of random length."""
        self.pause({port: bursts(random.Random(rng.random()), share) for port in self.ports})

    def run_free(self):
        """No port waits any more."""
        for port in self.ports.values():
            port.clear_pause_generator()
            port.pause = False

    async def write(self, name, value, context=None, portal=None):
        """Writes a register, which must be answered with OKAY."""
        resp = await self.try_write(address(name, context, portal), value)
        assert resp == AxiResp.OKAY, f"write of {name}: {resp.name}"

    async def read(self, name, context=None, portal=None):
        """Reads a register, which must be answered with OKAY."""
        value, resp = await self.try_read(address(name, context, portal))
        assert resp == AxiResp.OKAY, f"read of {name}: {resp.name}"
        return value

    async def try_write(self, at, value, strobes=4):
        """Writes the low bytes of a word; gives the response."""
        answer = await self._answer("write", at, self.axil.write(at, value.to_bytes(4, "little")[:strobes]))
        return answer.resp

    async def try_read(self, at):
        """Reads a word; gives value and response."""
        answer = await self._answer("read", at, self.axil.read(at, 4))
        return int.from_bytes(answer.data, "little"), answer.resp

    @staticmethod
    async def _answer(what, at, access):
        try:
            return await with_timeout(access, ANSWER_CYCLES * PERIOD_NS, "ns")
        except SimTimeoutError:
            raise AssertionError(f"{what} of register {at:#x} is not answered in {ANSWER_CYCLES} cycles") from None

    async def counters(self):
        """All counters of the NIC by name."""
        return {name: await self.read(name) for name in COUNTERS}

    async def until(self, name, value, context, cycles=8_000, seen=lambda value: None):
        """Waits until a register of a context has a value, and reports to `seen` each that it has; fails after so many cycles."""
        for _ in range(0, cycles, 20):
            found = await self.read(name, context)
            seen(found)
            if found == value:
                return
            await ClockCycles(self.clk, self.rng.randint(1, 20))
        raise AssertionError(f"{name} of context {context} is {found} after {cycles} cycles, not {value}")

    async def quiet(self, cycles=60):
        """Waits until nothing was written and nothing sent for so many cycles."""
        while True:
            before = (len(self.memory.log), self.sink.count(), self.requests.count())
            await ClockCycles(self.clk, cycles)
            idle = self.source.idle() and self.answers.idle() and not self.memory.open
            if (len(self.memory.log), self.sink.count(), self.requests.count()) == before and idle:
                return


def bursts(rng, share):
    """Pauses of 1 to 12 cycles between runs whose length makes this share of all cycles pauses."""
    while True:
        wait = rng.randint(1, 12)
        yield from itertools.repeat(True, wait)
        yield from itertools.repeat(False, max(1, round(wait * (1 - share) / share * rng.uniform(0.5, 1.5))))
