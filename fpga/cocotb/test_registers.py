"""The registers as docs/reference/registers.md has them."""

import random

import cocotb
from cocotbext.axi import AxiResp

from bench import LIMIT_US, Bench, seed
from formats import CONTEXT, CONTEXTS, COUNTERS, GLOBAL, PAGE, PORTAL_WORDS, PORTALS, address, build

# Registers that do more with what is written than keep it: they enable something, round it, or begin anew.
SPECIAL = {"ENABLE", "MAX_ATOMIC_SIZE"} | {f"EQ_{word}" for word in ("BASE_LO", "BASE_HI", "SIZE", "CONSUMER")}
SPECIAL |= {f"CQ_{word}" for word in ("BASE_LO", "BASE_HI", "SIZE", "TAIL")}
SPECIAL |= {f"{table}_{word}" for table in ("KERNEL", "FUNCTION", "QUEUE") for word in ("BASE_LO", "SIZE")}
# All others read back what was written, also a register that is new.
PLAIN = {register.name for register in GLOBAL + CONTEXT if register.access == "read, write"} - SPECIAL


def all_registers():
    """Address and access of every register: {address: access}."""
    found = {register.address: register.access for register in GLOBAL}
    found |= dict.fromkeys(COUNTERS.values(), "read")
    for context in range(CONTEXTS):
        found |= {address(register.name, context): register.access for register in CONTEXT}
        for portal in range(PORTALS):
            found |= {address(word, context, portal): "read, write" for word in PORTAL_WORDS}
    return found


@cocotb.test(timeout_time=LIMIT_US, timeout_unit="us")
async def every_register_is_there_and_nothing_else(dut):
    """Every word of page 0, of the first page of a context and of the last, and some of the others: read, and written where that is refused."""
    bench, rng, known = await Bench.start(dut), random.Random(seed()), all_registers()
    places = [*range(0, 0x100, 4), *range(PAGE, PAGE + 0x440, 4), *range(4 * PAGE, 4 * PAGE + 0x440, 4)]
    places += [4 * rng.randrange(0x4000) for _ in range(200)]
    for at in places:
        access = known.get(at)
        _, resp = await bench.try_read(at)
        expected = {None: AxiResp.DECERR, "write": AxiResp.SLVERR}.get(access, AxiResp.OKAY)
        assert resp == expected, f"read of {at:#x} ({access}): {resp.name}"
        if access in (None, "read"):
            resp = await bench.try_write(at, rng.getrandbits(32))
            expected = AxiResp.DECERR if access is None else AxiResp.SLVERR
            assert resp == expected, f"write of {at:#x} ({access}): {resp.name}"


@cocotb.test(timeout_time=LIMIT_US, timeout_unit="us")
async def words_are_kept_and_half_words_are_refused(dut):
    """Plain registers keep what is written, each its own; a write of fewer than four bytes changes nothing."""
    bench, rng = await Bench.start(dut), random.Random(seed())
    widths = {register.name: register.width for register in GLOBAL + CONTEXT}
    written = {}
    for context in [None, *range(CONTEXTS)]:
        names = {register.name for register in (GLOBAL if context is None else CONTEXT)} & PLAIN
        for name in sorted(names):
            written[name, context] = rng.getrandbits(32) & (1 << widths[name]) - 1
            await bench.write(name, written[name, context], context)
    for context in range(CONTEXTS):
        await bench.write("MAX_ATOMIC_SIZE", 513 - context, context)
        assert await bench.read("MAX_ATOMIC_SIZE", context) == min(512, 513 - context), context
    for (name, context), value in written.items():
        assert await bench.read(name, context) == value, (name, context)
        resp = await bench.try_write(address(name, context), ~value & 0xFFFF_FFFF, strobes=rng.randint(1, 3))
        assert resp == AxiResp.SLVERR, f"{name} of context {context}: {resp.name}"
        assert await bench.read(name, context) == value, (name, context)


@cocotb.test(timeout_time=LIMIT_US, timeout_unit="us")
async def the_build_is_told(dut):
    """VERSION is 1; BUILD says 4 contexts, 16 portal entries, 64 queues, no atomics, a cache of 4 ways and 16 sets."""
    bench = await Bench.start(dut)
    assert await bench.read("VERSION") == 1
    assert await bench.read("BUILD") == build(CONTEXTS)
    assert await bench.read("LINK_CHECKED") == 1
