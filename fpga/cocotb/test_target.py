"""The target side: messages from the link become tasks in memory."""


import cocotb
from cocotb.triggers import ClockCycles, RisingEdge, with_timeout

from bench import LIMIT_US, Bench, seed
from formats import ACCESS, EVENT, HEADER, KIND, NI_FAIL, OPCODE, STATUS
from host import EVENTS, TABLES, standard
from model import MTU


@cocotb.test(timeout_time=LIMIT_US, timeout_unit="us")
async def tasks_cold_and_warm(dut):
    """Kernel and agent dispatches with payloads of many lengths; the first of each kind reads its table entries, later ones do not."""
    bench = await Bench.start(dut)
    host = await standard(bench, seed())
    rng = host.rng
    arguments = lambda: rng.randbytes(40)  # noqa: E731
    await bench.write("COUNTERS_CLEAR", 0)
    assert await host.send(host.kernel_put(0, 0, 3, 9, arguments(), rng.randbytes(100))) == ["OK"]
    await host.settle()
    await host.check()
    counts = await bench.counters()
    assert (counts["CACHE_HIT"], counts["CACHE_MISS"]) == (0, 2), counts
    assert await host.send(host.kernel_put(0, 0, 3, 9, arguments(), rng.randbytes(7))) == ["OK"]
    await host.settle()
    await host.check()
    counts = await bench.counters()
    assert (counts["CACHE_HIT"], counts["CACHE_MISS"]) == (2, 2), counts
    lengths = [0, 1, 23, 24, 25, 63, 64, 65, 1000, MTU - 104, MTU - 103, 2 * MTU + 5]
    messages = [host.kernel_put(0, 0, 3, 9, arguments(), rng.randbytes(length)) for length in lengths]
    messages += [host.kernel_put(0, 0, 4, 10, b"", rng.randbytes(length)) for length in (0, 1, 64)]
    messages += [host.agent_put(0, 0, 5, 9, rng.randbytes(length)) for length in (0, 8, 200)]
    assert set(await host.send(*messages)) == {"OK"}
    await host.settle()
    await host.check()
    counts = await bench.counters()
    assert counts["MESSAGES_OK"] == 2 + len(messages) and counts["MESSAGES_FAILED"] == 0, counts
    # Each table entry was read once, though several messages missed it at a time.
    entries = [at for at in bench.memory.reads if host.base(0) + TABLES["KERNEL"] <= at < host.base(0) + TABLES["QUEUE"] + 64 * 100]
    assert len(entries) == len(set(entries)) == 5, entries


@cocotb.test(timeout_time=LIMIT_US, timeout_unit="us")
async def puts_land_at_any_byte(dut):
    """Puts of many lengths into a buffer that begins at an odd address, one after the other."""
    bench = await Bench.start(dut)
    host = await standard(bench, seed())
    lengths = [0, 1, 50, 51, 52, 64, 127, 4000, MTU, MTU + 1, 3 * MTU - 1]
    messages = [host.put(0, 1, host.rng.randbytes(length)) for length in lengths]
    assert set(await host.send(*messages)) == {"OK"}
    await host.settle()
    await host.check()


@cocotb.test(timeout_time=LIMIT_US, timeout_unit="us")
async def what_is_wrong_is_named_and_changes_nothing(dut):
    """Each test of an XTQ put fails once, by its own name; then a good one is delivered."""
    bench = await Bench.start(dut)
    host = await standard(bench, seed())
    await host.register("KERNEL", 0, 6, kernel=1, kernarg_size=40, rewrite_offset=28)
    await host.portal(0, 2, 100)
    rng = host.rng
    forty, payload = rng.randbytes(40), rng.randbytes(70)
    put = host.kernel_put
    cases = {
        "BAD_TYPE": put(0, 0, 3, 9, forty, payload, packet={"header": 3}),
        "BAD_ALIGNMENT": put(0, 1, 3, 9, forty, payload),
        "BAD_KERNEL_INDEX": put(0, 0, 99, 9, forty, payload),
        "BAD_FUNCTION_INDEX": host.agent_put(0, 0, 1 << 40, 9, payload),
        "BAD_KERNARG_SIZE": put(0, 0, 3, 9, rng.randbytes(48), payload),
        "BAD_QUEUE_INDEX": put(0, 0, 3, 1 << 63, forty, payload),
        "BUFFER_TOO_SMALL": put(0, 2, 3, 9, forty, payload),
    }
    for status, message in cases.items():
        assert await host.send(message) == [status]
    # The pair of pointers is not at a multiple of 8.
    assert await host.send(put(0, 0, 6, 9, forty, payload)) == ["BAD_KERNARG_SIZE"]
    assert await host.send(put(0, 0, 3, 9, forty, payload)) == ["OK"]
    await host.settle()
    await host.check()


@cocotb.test(timeout_time=LIMIT_US, timeout_unit="us")
async def a_full_queue_is_left_alone(dut):
    """Without flow control messages are dropped until the GPU has taken packets; with it the portal entry is disabled until the host enables it."""
    bench = await Bench.start(dut)
    host = await standard(bench, seed(), queue_size=4)
    await host.portal(0, 2, 1 << 16, flow_control=True)
    task = lambda portal: host.kernel_put(0, portal, 3, 9, host.rng.randbytes(40), host.rng.randbytes(30))  # noqa: E731
    assert await host.send(*(task(0) for _ in range(6))) == ["OK"] * 4 + ["QUEUE_FULL"] * 2
    await host.settle()
    await host.check()
    host.consume(0, 9, 1)
    assert await host.send(task(0), task(0)) == ["OK", "QUEUE_FULL"]
    await host.settle()
    host.consume(0, 9, 4)
    assert await host.send(*(task(2) for _ in range(5))) == ["OK"] * 3 + ["QUEUE_FULL", "PT_DISABLED"]
    await host.settle()
    await host.check()
    assert await bench.read("CONTROL", 0, 2) == 0
    host.consume(0, 9, 8)
    await host.enable(0, 2)
    assert await host.send(task(2), task(2)) == ["OK", "OK"]
    await host.settle()
    await host.check()


@cocotb.test(timeout_time=LIMIT_US, timeout_unit="us")
async def a_table_entry_is_forgotten_when_it_changes(dut):
    """A new kernel and an entry that is taken away hold from TABLE_INVALIDATE on, though the old ones were in the cache."""
    bench = await Bench.start(dut)
    host = await standard(bench, seed())
    task = lambda: host.kernel_put(0, 0, 3, 9, host.rng.randbytes(40), b"")  # noqa: E731
    assert await host.send(task()) == ["OK"]
    await host.settle()
    await host.register("KERNEL", 0, 3, kernel=0xFEED, kernarg_size=40, rewrite_offset=24)
    assert await host.send(task()) == ["OK"]
    await host.settle()
    host.memory.write(host.base(0) + TABLES["KERNEL"] + 64 * 3, bytes(64))
    await bench.write("TABLE_INVALIDATE", 3, 0)
    del host.model.contexts[0].kernels[3]
    assert await host.send(task()) == ["BAD_KERNEL_INDEX"]
    await host.settle()
    await host.check()


# What fails; where, as a function of the host; as which access; whether the task is visible in the queue all the same.
FAULTS = {
    "kernel table": ("read", lambda host, entry: host.base(0) + TABLES["KERNEL"] + 64 * 3, "TABLE"),
    "queue table": ("read", lambda host, entry: host.base(0) + TABLES["QUEUE"] + 64 * 9, "TABLE"),
    "write index, read": ("read", lambda host, entry: entry["write_index_address"], "INDEX"),
    "payload": ("write", lambda host, entry: host.model.contexts[0].portals[0].start + 128, "PAYLOAD"),
    "slot": ("write", lambda host, entry: entry["ring_base"] + 32, "SLOT"),
    "write index": ("write", lambda host, entry: entry["write_index_address"], "INDEX"),
    "header": ("write", lambda host, entry: entry["ring_base"], "HEADER"),
    "doorbell": ("write", lambda host, entry: entry["doorbell_address"], "DOORBELL"),
}


@cocotb.test(timeout_time=LIMIT_US, timeout_unit="us")
@cocotb.parametrize(what=list(FAULTS))
async def errors_of_memory_are_told(dut, what):
    """Each access of a task fails once: event, acknowledgement, counter and cause say so, and another queue goes on."""
    bench = await Bench.start(dut)
    host = await standard(bench, seed())
    kind, place, access = FAULTS[what]
    entry = host.model.contexts[0].queues[9].entry
    at = place(host, entry)
    # Writes of bytes 0..3 of a slot are the header word; the body's write does not touch them.
    bench.memory.fail(kind, at, 1 if kind == "write" else 8)
    task = lambda queue: host.kernel_put(0, 0, 4, queue, b"", host.rng.randbytes(100))  # noqa: E731
    bad = host.kernel_put(0, 0, 3, 9, host.rng.randbytes(40), host.rng.randbytes(100))
    for packet in bad.packets():
        await bench.source.send(packet)
    await host.events(1, 0)
    assert bench.memory.struck, "the fault was never met"
    event = EVENT.unpack(bench.memory.read(host.base(0) + EVENTS, 64))
    told = {"kind": KIND["XTQ_PUT"], "status": STATUS["MEMORY_ERROR"], "access": ACCESS[access], "ni_fail": NI_FAIL["SEGV"], "delivered_length": 0}
    assert {name: event[name] for name in told} == told, event
    ack = HEADER.unpack(bytes((await bench.sink.recv()).tdata))
    told = {"ni_fail": NI_FAIL["SEGV"], "operation": STATUS["MEMORY_ERROR"], "message_length": 0, "message_id": 1}
    assert {name: ack[name] for name in told} == told, ack
    assert await bench.read("ERROR_CAUSE", 0) & 4
    assert (await bench.counters())["MEMORY_ERRORS"] == 1
    await bench.quiet()
    written = bench.memory.written()
    if access in ("TABLE", "SLOT", "HEADER") or what.startswith("write index"):
        assert entry["doorbell_address"] not in written, "a doorbell of a task that is not there"
    if access in ("SLOT", "INDEX"):
        assert entry["ring_base"] not in written, "a header word of a task that is not complete"
    if access == "PAYLOAD":
        # The place in the queue is filled by a packet that does nothing: a barrier without dependencies.
        assert bench.memory.read(entry["ring_base"], 4) == b"\3\0\0\0" and bench.memory.read(entry["ring_base"] + 4, 60) == bytes(60)
    # Another queue is not affected.
    for packet in task(10).packets():
        await bench.source.send(packet)
    await host.events(2, 0)
    event = EVENT.unpack(bench.memory.read(host.base(0) + EVENTS + 64, 64))
    assert event["status"] == STATUS["OK"], event
    await bench.quiet()
    other = host.model.contexts[0].queues[10].entry
    assert bench.memory.read_qword(other["doorbell_address"]) == 1


@cocotb.test(timeout_time=LIMIT_US, timeout_unit="us")
async def malformed_packets_are_dropped_and_counted(dut):
    """Each cause is counted once, nothing else happens, and the packet after it is delivered."""
    bench = await Bench.start(dut)
    host = await standard(bench, seed())
    put = lambda **more: host.put(0, 1, host.rng.randbytes(80), **more)  # noqa: E731
    await bench.write("COUNTERS_CLEAR", 0)
    bad = {
        "DROP_VERSION": put(version=2),
        "DROP_OPCODE": put(opcode=99),
        "DROP_TARGET": put(target_node=8),
        "DROP_CONTEXT": put(target_context=2, ack_request=0),
        "DROP_LENGTH": put(),
        "DROP_STRAY": put(),
    }
    for cause, message in bad.items():
        [packet] = message.packets()
        header = HEADER.unpack(packet)
        if cause == "DROP_LENGTH":
            header["packet_offset"] = 100
        if cause == "DROP_STRAY":
            header |= {"packet_offset": MTU, "message_length": MTU + 80}
        await bench.source.send(HEADER.pack(**header) + packet[64:])
    assert await host.send(put()) == ["OK"]
    await host.settle()
    await host.check()
    counts = await bench.counters()
    assert {cause: counts[cause] for cause in bad} == dict.fromkeys(bad, 1), counts
    assert counts["PACKETS"] == len(bad) + 1


@cocotb.test(timeout_time=LIMIT_US, timeout_unit="us")
async def a_closed_context_answers_undeliverable(dut):
    """A message with an acknowledgement to a context that is not enabled is answered, and nothing is written."""
    bench = await Bench.start(dut)
    host = await standard(bench, seed())
    message = host.put(3, 0, host.rng.randbytes(10))
    await bench.source.send(message.packets()[0])
    ack = HEADER.unpack(bytes((await bench.sink.recv()).tdata))
    told = {
        "opcode": OPCODE["ACK"],
        "ni_fail": NI_FAIL["UNDELIVERABLE"],
        "operation": STATUS["BAD_CONTEXT"],
        "target_node": message.fields["source_node"],
        "initiator_handle": message.fields["initiator_handle"],
    }
    assert {name: ack[name] for name in told} == told, ack
    await ClockCycles(bench.clk, 100)
    assert bench.memory.log == []


@cocotb.test(timeout_time=LIMIT_US, timeout_unit="us")
async def interrupts_follow_events(dut):
    """irq rises with an event that the mask lets through and that is in memory in that cycle, and falls when it is cleared."""
    bench = await Bench.start(dut)
    host = await standard(bench, seed())
    await host.send(host.put(0, 0, b"masked"))
    await host.settle()
    assert dut.irq.value == 0
    await bench.write("IRQ_STATUS", 3, 0)
    await bench.write("IRQ_MASK", 1, 0)
    await host.send(host.put(0, 0, b"told"))
    await host.settle()
    assert dut.irq.value == 1
    for _ in range(8):
        await bench.write("IRQ_STATUS", 1, 0)
        await ClockCycles(bench.clk, 4)
        assert dut.irq.value == 0
        await host.send(host.kernel_put(0, 0, 3, 9, host.rng.randbytes(40), b"told in time"))
        await with_timeout(RisingEdge(dut.irq), 20, "us")
        host.readers[0].told(host.model.contexts[0].events.posted)
        await host.settle()
    await host.check()
