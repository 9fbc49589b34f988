"""Back-pressure on every port, and random traffic with random pauses on all of them."""

import itertools
import os
import random

import cocotb

from bench import LIMIT_US, Bench, bursts, seed
from host import standard
from model import MTU

MESSAGES = int(os.environ.get("XTQ_MESSAGES", 40))
"""Messages of the random test."""

TURN = 20
"""So many of them are sent before memory is compared and the tasks are taken; event rings and queues have room for them."""

# What the NIC drives of each port; a port that only the models drive makes the NIC wait for them.
WAITS = {"tx": "m_axis_ans", "aw": "aw", "w": "w", "ar": "ar", "axil_b": "axil_b", "axil_r": "axil_r"}


@cocotb.test(timeout_time=LIMIT_US, timeout_unit="us")
@cocotb.parametrize(port=["rx", "tx", "aw", "w", "b", "ar", "r", "axil_aw", "axil_w", "axil_b", "axil_ar", "axil_r"])
async def one_port_that_waits_changes_nothing(dut, port):
    """Puts, tasks and accesses to registers while one port waits for 150 cycles on end and then for three of four."""
    bench = await Bench.start(dut)
    host = await standard(bench, seed())
    rng = host.rng
    stop = itertools.chain(itertools.repeat(True, 150), bursts(rng, 0.75))
    bench.pause({port: stop})
    messages = [
        host.kernel_put(0, 0, 3, 9, rng.randbytes(40), rng.randbytes(90)),
        host.put(0, 1, rng.randbytes(300)),
        host.agent_put(0, 0, 5, 10, b""),
        host.kernel_put(0, 0, 3, 9, rng.randbytes(40), rng.randbytes(700)),
    ]
    assert await host.send(*messages) == ["OK"] * 4
    for mask in (1, 2, 3, 0):
        await bench.write("IRQ_MASK", mask, 0)
        assert await bench.read("IRQ_MASK", 0) == mask
    await host.settle()
    await host.check()
    if port in WAITS:
        assert bench.waited[WAITS[port]] > 0, "the NIC was never made to wait"


def random_message(host, context, status):
    """A message that is delivered, or one that fails as `status` says."""
    rng = host.rng
    payload = rng.randbytes(rng.choice([0, 1, 30, 64, rng.randint(0, 300), rng.randint(0, 2 * MTU)]))
    ack = {"ack_request": rng.choice([0, 1, 2, 3])}
    match status:
        case "PUT":
            return host.put(context, rng.choice([0, 1]), payload, **ack)
        case "AGENT":
            return host.agent_put(context, 0, 5, rng.choice([9, 10]), payload, **ack)
        case "BAD_TYPE":
            return host.kernel_put(context, 0, 3, 9, rng.randbytes(40), payload, packet={"header": rng.choice([0, 1, 3, 5, 255])}, **ack)
        case "BAD_INDEX":
            return host.kernel_put(context, 0, rng.choice([7, 100, 1 << 32]), 9, rng.randbytes(40), payload, **ack)
        case "BAD_LENGTH":
            return host.kernel_put(context, 0, 3, 9, rng.randbytes(rng.choice([0, 39, 41, 48])), payload, **ack)
        case "SMALL":
            return host.kernel_put(context, 0, 4, rng.choice([9, 10]), b"", payload, **ack)
        case _:
            return host.kernel_put(context, 0, 3, rng.choice([9, 10]), rng.randbytes(40), payload, **ack)


@cocotb.test(timeout_time=LIMIT_US + MESSAGES, timeout_unit="us")
async def random_messages_with_pauses_everywhere(dut):
    """Messages of all kinds to all contexts, twenty at a time, while every port waits at random, and then without pauses, and so on."""
    number = seed()
    dut._log.info("XTQ_SEED=%d XTQ_MESSAGES=%d", number, MESSAGES)
    bench = await Bench.start(dut)
    contexts = range(4)
    host = await standard(bench, number, contexts)
    kinds = ["PUT", "KERNEL", "KERNEL", "KERNEL", "AGENT", "SMALL", "BAD_TYPE", "BAD_INDEX", "BAD_LENGTH"]
    delivered = 0
    for turn in range(-(-MESSAGES // TURN)):
        if turn % 2:
            bench.run_free()
        else:
            bench.pause_all(random.Random(number + turn), 0.5)
        told = await host.send(*(random_message(host, host.rng.choice(contexts), host.rng.choice(kinds)) for _ in range(TURN)))
        await host.settle(contexts)
        await host.check()
        for context in contexts:
            for queue in (9, 10):
                host.consume(context, queue, host.model.contexts[context].queues[queue].write)
        delivered += told.count("OK")
    dut._log.info("%d messages delivered", delivered)
    counts = await bench.counters()
    assert counts["EVENTS_LOST"] == counts["MEMORY_ERRORS"] == 0, counts
