"""The initiator: commands in a ring in memory become messages on the link; registration; a message to oneself."""

import cocotb

from bench import LIMIT_US, Bench, seed
from formats import ACCESS, ACK, COMMAND, COMMAND_STATUS, EVENT, FLAG, HEADER, KERNEL_PACKET, KIND, MD_OPTION, NI_FAIL, OPERATION, STATUS
from host import COMMANDS, EVENTS, NODE, TABLES, standard
from model import MTU, VERSION, Message, table_entry

NO_COUNTER = 0xFFFF
SOURCE = 0x40_0000
"""Where the data that is sent lies in a context's memory."""


class Commands:
    """The command ring of context 0, and its events."""

    def __init__(self, host):
        self.host, self.bench, self.posted, self.taken = host, host.bench, 0, 0

    async def post(self, *commands):
        """Writes commands of 128 bytes into the ring and rings its doorbell."""
        for command in commands:
            self.host.memory.write(self.host.base(0) + COMMANDS + 128 * (self.posted % 16), command)
            self.posted += 1
        await self.bench.write("CQ_TAIL", self.posted, 0)

    async def events(self, count):
        """Waits for so many more events; takes and decodes them."""
        await self.host.events(self.taken + count, 0)
        at = lambda n: self.host.base(0) + EVENTS + 64 * (n % 64)  # noqa: E731
        found = [EVENT.unpack(self.host.memory.read(at(n), 64)) for n in range(self.taken, self.taken + count)]
        self.taken += count
        await self.bench.write("EQ_CONSUMER", self.taken, 0)
        return found


def bind(number, start, length):
    """MD_BIND of a descriptor that posts events."""
    fields = {"operation": OPERATION["MD_BIND"], "descriptor": number, "start": start, "length": length}
    return COMMAND.pack(**fields, counter=NO_COUNTER, options=MD_OPTION["EVENTS"])


def registration(table, index, fields, **more):
    """XTQ_REGISTER_*: the entry is the second half of the command."""
    command = COMMAND.pack(operation=OPERATION[f"XTQ_REGISTER_{table}"], flags=FLAG["COMPLETION"], entry=index, **more)
    return command[:64] + table_entry(table, fields)


@cocotb.test(timeout_time=LIMIT_US, timeout_unit="us")
async def commands_register_entries(dut):
    """XTQ_REGISTER_* write the entries into the tables, report their completion, and hold for the next message; an index beyond the table is refused."""
    bench = await Bench.start(dut)
    host = await standard(bench, seed())
    commands, base = Commands(host), host.base(0)
    entries = {
        ("KERNEL", 20): {"kernel": 0xAAAA, "kernarg_size": 16, "rewrite_offset": 0, "buffer_valid": 1, "buffer_pointer": 0xBBBB},
        ("FUNCTION", 21): {"function": 0xCCCC},
        ("QUEUE", 22): host.queue_fields(0, 22, 8),
        # The one that the cache knows by then.
        ("KERNEL", 3): {"kernel": 0xDDDD, "kernarg_size": 40, "rewrite_offset": 16},
    }
    assert await host.send(host.kernel_put(0, 0, 3, 9, bytes(40), b"")) == ["OK"]
    await host.settle()
    commands.taken = 1
    await commands.post(*(registration(table, index, fields, user_pointer=index) for (table, index), fields in entries.items()))
    for (table, index), event in zip(entries, await commands.events(4)):
        told = {"kind": KIND["COMMAND"], "status": COMMAND_STATUS["OK"], "access": OPERATION[f"XTQ_REGISTER_{table}"], "packet_id": index}
        assert {name: event[name] for name in told} == told, event
    for (table, index), fields in entries.items():
        entry = table_entry(table, fields)
        assert bench.memory.read(base + TABLES[table] + 64 * index, 64) == entry, f"{table} {index}"
        written = bench.memory.bursts(base + TABLES[table] + 64 * index, 64)
        told = host.readers[0].burst(1 + list(entries).index((table, index)))
        assert bench.times.answered(written) < bench.times.offered(told), f"{table} {index}: completion before the entry is answered"
        host.know(table, 0, index, fields)
    await commands.post(registration("KERNEL", 100, {}))
    [event] = await commands.events(1)
    assert event["status"] == COMMAND_STATUS["BAD_INDEX"], event
    assert await bench.read("CQ_HEAD", 0) == commands.posted
    # What the commands wrote is done with.
    await bench.quiet()
    host.forget()
    host.model.contexts[0].events.posted = commands.taken
    messages = [
        host.kernel_put(0, 0, 20, 22, host.rng.randbytes(16), b"new"),
        host.agent_put(0, 0, 21, 22, b"function"),
        host.kernel_put(0, 0, 3, 22, host.rng.randbytes(40), b"changed"),
    ]
    while not bench.sink.empty():
        await bench.sink.recv()
    assert await host.send(*messages) == ["OK"] * 3
    await host.settle()
    await host.check()


def expected_packets(message, body):
    """What must be on the link: each packet's header beat, without message id and handle, which are the NIC's, and its body."""
    return [(HEADER.unpack(packet), packet[64:]) for packet in Message(body, message).packets()]


@cocotb.test(timeout_time=LIMIT_US, timeout_unit="us")
async def commands_become_messages(dut):
    """PUT and XTQ_PUT from any byte of memory, of one packet and of three; SEND and ACK are reported; a span beyond its descriptor is refused."""
    bench = await Bench.start(dut)
    host = await standard(bench, seed())
    rng, commands, base = host.rng, Commands(host), host.base(0)
    await bench.write("USER_ID_0", 0x1234_5678)
    data = rng.randbytes(20_000)
    bench.memory.write(base + SOURCE, data)
    await commands.post(bind(1, base + SOURCE + 3, 15_000), bind(2, base + SOURCE + 16_001, 200))
    send = {"portal_index": 4, "node": 99, "context": 2, "ack_request": ACK["ACK"]}
    told = {"match_bits": rng.getrandbits(64), "remote_offset": rng.getrandbits(64)}
    header_data = rng.getrandbits(64)
    put = COMMAND.pack(operation=OPERATION["PUT"], descriptor=1, start=10, length=2 * MTU + 77, user_pointer=111, ignore_bits=header_data, **send, **told)
    xtq = COMMAND.pack(
        operation=OPERATION["XTQ_PUT"], descriptor=2, start=5, command_length=104, second_descriptor=1, second_start=7, length=333,
        user_pointer=222, ignore_bits=header_data, **send, **told,
    )  # fmt: skip
    behind = COMMAND.pack(operation=OPERATION["PUT"], descriptor=1, start=14_990, length=11, user_pointer=333, **send)
    await commands.post(put, xtq, behind)
    bodies = {1: data[13 : 13 + 2 * MTU + 77], 8: data[16_006 : 16_006 + 104] + data[10 : 10 + 333]}
    for opcode, body in bodies.items():
        fields = {"opcode": opcode, "ack_request": 1, "source_node": NODE, "target_node": 99, "source_context": 0, "target_context": 2}
        fields |= {"portal_index": 4, "user_id": 0x1234_5678, "header_data": header_data, "command_length": 104 if opcode == 8 else 0, **told}
        for header, chunk in expected_packets(fields, body):
            packet = bytes((await bench.requests.recv()).tdata)
            got = HEADER.unpack(packet)
            number, handle = got.pop("message_id"), got.pop("initiator_handle")
            del header["message_id"], header["initiator_handle"]
            assert got == header
            assert packet[64:] == chunk, "the body differs"
        answer = {"version": VERSION, "opcode": 7, "source_node": 99, "target_node": NODE, "source_context": 2, "target_context": 0}
        await bench.answers.send(
            HEADER.pack(**answer, message_id=number, initiator_handle=handle, message_length=len(body), remote_offset=64)
        )
    events = await commands.events(5)
    kinds = sorted((event["kind"], event["packet_id"], event["status"]) for event in events)
    expected = [(KIND[kind], user, STATUS["OK"]) for kind in ("SEND", "ACK") for user in (111, 222)]
    expected.append((KIND["COMMAND"], 333, COMMAND_STATUS["DESCRIPTOR_OVERFLOW"]))
    assert kinds == sorted(expected), events


@cocotb.test(timeout_time=LIMIT_US, timeout_unit="us")
async def a_task_for_oneself_stays_inside(dut):
    """The NIC's own XTQ put: the task is in the queue and acknowledged, and nothing is on the link."""
    bench = await Bench.start(dut)
    host = await standard(bench, seed())
    rng, commands, base = host.rng, Commands(host), host.base(0)
    packet = KERNEL_PACKET.pack(header=2, setup=1, kernel_object=3, reserved2=9, grid_size_x=1000)
    arguments, payload = rng.randbytes(40), rng.randbytes(500)
    bench.memory.write(base + SOURCE, packet + arguments)
    bench.memory.write(base + SOURCE + 0x1001, payload)
    command = COMMAND.pack(
        operation=OPERATION["XTQ_PUT"], descriptor=1, command_length=104, second_descriptor=2, length=500, user_pointer=5,
        portal_index=0, node=NODE, context=0, ack_request=ACK["ACK"],
    )  # fmt: skip
    # The model knows of it before it is in the queue, so that the GPU finds what it says.
    fields = {"opcode": OPERATION["XTQ_PUT"], "source_node": NODE, "target_context": 0, "portal_index": 0, "command_length": 104}
    host.model.deliver(Message(packet + arguments + payload, fields))
    await commands.post(bind(1, base + SOURCE, 104), bind(2, base + SOURCE + 0x1001, 500), command)
    events = await commands.events(3)
    assert {event["kind"] for event in events} == {KIND["SEND"], KIND["XTQ_PUT"], KIND["ACK"]}, events
    assert all(event["status"] == STATUS["OK"] and event["ni_fail"] == NI_FAIL["OK"] for event in events), events
    assert bench.requests.empty() and bench.sink.empty()
    # Events of both ends share the ring: compare all but the ring.
    ring = range(base + EVENTS, base + EVENTS + 64 * 64)
    outside = lambda memory: {at: byte for at, byte in memory.items() if at not in ring}  # noqa: E731
    assert outside(bench.memory.written()) == outside(host.model.written)


@cocotb.test(timeout_time=LIMIT_US, timeout_unit="us")
async def a_source_that_cannot_be_read_is_told(dut):
    """A put whose data answers with an error: its SEND fails, and what went to the link has a wrong length."""
    bench = await Bench.start(dut)
    host = await standard(bench, seed())
    commands, base = Commands(host), host.base(0)
    bench.memory.fail("read", base + SOURCE + 128, 1)
    put = COMMAND.pack(operation=OPERATION["PUT"], descriptor=1, length=300, portal_index=0, node=99, context=0, user_pointer=9)
    await commands.post(bind(1, base + SOURCE, 300), put)
    [event] = await commands.events(1)
    told = {"kind": KIND["SEND"], "packet_id": 9, "ni_fail": NI_FAIL["SEGV"], "access": ACCESS["GATHER"]}
    assert {name: event[name] for name in told} == told, event
    packet = bytes((await bench.requests.recv()).tdata)
    assert HEADER.unpack(packet)["message_length"] == 300 and len(packet) != 64 + 300
