"""The host's software: sets up contexts, builds messages, compares memory, events and acknowledgements with the model."""

import random

from cocotb.triggers import ClockCycles

import order
from bench import CONTEXT_SHIFT
from consumers import EventReader, Gpu
from formats import AGENT_PACKET, CONTEXTS, EVENT, HEADER, KERNEL_PACKET, OPCODE, PORTAL_CONTROL, PORTAL_OPTION, TABLE
from model import Context, Message, Portal, Queue, Ring, Target, table_entry

NODE = 7
"""The NIC's own node; messages come from others."""

# Where things are in a context's memory.
TABLES = {"KERNEL": 0x10_0000, "FUNCTION": 0x11_0000, "QUEUE": 0x12_0000}
ENTRIES = 100
EVENTS, COMMANDS, QUEUES, BUFFERS = 0x20_0000, 0x21_0000, 0x30_0000, 0x1000_0000


# Fields of the header that say what kind of message it is and how long, or are 0; a message draws all others.
NOT_DRAWN = {"version", "opcode", "ni_fail", "message_length", "packet_offset", "command_length"}
NOT_DRAWN |= {"operation", "datatype", "sequence", "cumulative_ack", "header_crc"}


class Host:
    """Software of the host on a bench."""

    def __init__(self, bench, rng):
        self.bench, self.rng, self.memory = bench, rng, bench.memory
        contexts = [Context(Ring(self.base(c) + EVENTS, 64)) for c in range(CONTEXTS)]
        self.model, self.message_id = Target(NODE, contexts), 0
        self.gpu = Gpu(self.memory, self.model)
        self.readers = [EventReader(self.memory, bench.times, context.events) for context in contexts]

    @staticmethod
    def base(context):
        """Start of a context's memory."""
        return (1 + context) << CONTEXT_SHIFT

    @classmethod
    async def boot(cls, bench, rng, contexts=(0,)):
        """A host with these contexts set up: rings and tables, no portal entry yet."""
        host = cls(bench, rng)
        await bench.write("NODE", NODE)
        for context in contexts:
            base = cls.base(context)
            for name, start in TABLES.items():
                await host._address(f"{name}_BASE", base + start, context)
                await bench.write(f"{name}_SIZE", ENTRIES, context)
            await host._address("EQ_BASE", base + EVENTS, context)
            await bench.write("EQ_SIZE", host.model.contexts[context].events.size, context)
            await host._address("CQ_BASE", base + COMMANDS, context)
            await bench.write("CQ_SIZE", 16, context)
            await bench.write("ENABLE", 1, context)
        return host

    async def _address(self, name, value, context, portal=None):
        await self.bench.write(f"{name}_LO", value & 0xFFFF_FFFF, context, portal)
        await self.bench.write(f"{name}_HI", value >> 32, context, portal)

    async def portal(self, context, index, length, misalign=0, flow_control=False):
        """Gives a portal entry a buffer of its own and enables it, with events for success and failure."""
        start = self.base(context) + BUFFERS + (index << 24) + misalign
        self.model.contexts[context].portals[index] = Portal(start, length, flow_control)
        await self._address("START", start, context, index)
        await self._address("LENGTH", length, context, index)
        await self._address("OFFSET", 0, context, index)
        options = PORTAL_OPTION["EVENT_SUCCESS"] | PORTAL_OPTION["EVENT_FAILURE"]
        await self.bench.write("OPTIONS", options | flow_control * PORTAL_OPTION["FLOW_CONTROL"], context, index)
        await self.enable(context, index)

    async def enable(self, context, index):
        """Enables a portal entry again."""
        await self.bench.write("CONTROL", PORTAL_CONTROL["ENABLE"], context, index)
        self.model.contexts[context].portals[index].enabled = True

    async def register(self, table, context, index, **fields):
        """The host writes a table entry itself and informs the NIC."""
        place = self.base(context) + TABLES[table] + 64 * index
        self.memory.write(place, table_entry(table, fields))
        self.know(table, context, index, fields)
        await self.bench.write("TABLE_INVALIDATE", TABLE[table] << 16 | index, context)

    def know(self, table, context, index, fields):
        """Informs the model of an entry."""
        context = self.model.contexts[context]
        if table == "QUEUE":
            context.queues[index] = Queue(fields)
        else:
            (context.kernels if table == "KERNEL" else context.functions)[index] = fields

    def queue_fields(self, context, index, size, **more):
        """A queue's table entry, with places of its own for ring, indices and doorbell."""
        place = self.base(context) + QUEUES + 0x1_0000 * index
        return {
            "size": size,
            "ring_base": place,
            "write_index_address": place + 0x8000,
            "read_index_address": place + 0x8040,
            "doorbell_address": place + 0x8080,
            **more,
        }

    def consume(self, context, index, read):
        """The GPU has taken the packets in front of `read`."""
        queue = self.model.contexts[context].queues[index]
        queue.read = read
        self.memory.write_qword(queue.entry["read_index_address"], read)

    def put(self, context, portal, body, **more):
        """A put from a random place in another node."""
        return self._message(context, portal, body, **{"opcode": OPCODE["PUT"], **more})

    def kernel_put(self, context, portal, kernel, queue, arguments, payload, packet=(), **more):
        """An XTQ put of a kernel dispatch; `packet` overrides fields of the AQL packet."""
        fields = {name: self.rng.getrandbits(width) for name, (_, width) in KERNEL_PACKET.fields.items()}
        fields |= {"header": 2 | 0x1500, "kernel_object": kernel, "reserved2": queue, **dict(packet)}
        body = KERNEL_PACKET.pack(**fields) + arguments + payload
        return self._message(context, portal, body, opcode=OPCODE["XTQ_PUT"], command_length=64 + len(arguments), **more)

    def agent_put(self, context, portal, function, queue, payload, **more):
        """An XTQ put of an agent dispatch."""
        fields = {name: self.rng.getrandbits(width) for name, (_, width) in AGENT_PACKET.fields.items()}
        fields |= {"header": 4, "return_address": function, "reserved2": queue}
        body = AGENT_PACKET.pack(**fields) + payload
        return self._message(context, portal, body, opcode=OPCODE["XTQ_PUT"], command_length=64, **more)

    def _message(self, context, portal, body, **more):
        self.message_id += 1
        bits = self.rng.getrandbits
        fields = {
            "ack_request": 1,
            "source_node": bits(15) + NODE + 1,
            "target_node": NODE,
            "source_context": bits(2),
            "target_context": context,
            "portal_index": portal,
            "user_id": bits(32),
            "match_bits": bits(64),
            "remote_offset": bits(64),
            "header_data": bits(64),
            "message_id": self.message_id,
            "initiator_handle": bits(16),
        }
        forgotten = HEADER.fields.keys() - fields.keys() - NOT_DRAWN
        assert not forgotten, f"fields of the header that are neither drawn here nor in NOT_DRAWN: {forgotten}"
        return Message(body, fields | more)

    async def send(self, *messages):
        """Sends messages back to back; gives what the model says of each."""
        for message in messages:
            for packet in message.packets():
                await self.bench.source.send(packet)
        return [self.model.deliver(message) for message in messages]

    async def events(self, count, context, cycles=8_000):
        """Waits until so many events in all are reported; each must be in memory by then."""
        await self.bench.until("EQ_PRODUCER", count, context, cycles, self.readers[context].told)

    async def settle(self, contexts=(0,), cycles=8_000):
        """Waits for all events and acknowledgements, and until nothing moves; takes the events."""
        for context in contexts:
            await self.events(self.model.contexts[context].events.posted, context, cycles)
        for _ in range(0, cycles, 20):
            if self.bench.sink.count() >= len(self.model.acks):
                break
            await ClockCycles(self.bench.clk, 20)
        await self.bench.quiet()
        for context in contexts:
            await self.bench.write("EQ_CONSUMER", self.model.contexts[context].events.posted, context)

    async def check(self):
        """Compares every byte that was written since the last time, every acknowledgement, and the order of what was done for each message."""
        got, expected = self.memory.written(), self.model.written
        wrong = sorted(at for at in got.keys() | expected.keys() if got.get(at) != expected.get(at))
        assert not wrong, f"{len(wrong)} bytes differ, first: {self._explain(wrong[0], got, expected)}"
        self.memory.log.clear()
        expected.clear()
        times = self._check_acks([await self.bench.sink.recv() for _ in range(self.bench.sink.count())])
        for delivery in self.model.deliveries:
            event = self.readers[self.model.contexts.index(delivery["context"])].burst(delivery["event"])
            acknowledged = times[delivery["ack"]] if delivery["ack"] is not None else None
            order.check(delivery, self.memory, self.bench.times, event, acknowledged)
        self.model.deliveries.clear()
        self.gpu.learn()
        left = sum(map(len, self.gpu.waiting.values()))
        assert left == 0, f"{left} tasks are in memory whose doorbell did not ring"

    def forget(self):
        """From here on the model says all that is written."""
        self.memory.forget()
        self.model.forget()
        self.gpu.forget()

    def _check_acks(self, frames):
        """Compares the acknowledgements; gives the time of each."""
        expected, self.model.acks = self.model.acks, []
        for number, (frame, model) in enumerate(zip(frames, expected)):
            ack = bytes(frame.tdata)
            assert ack == model, f"acknowledgement {number}: {HEADER.differences(ack, model)}"
        assert len(frames) == len(expected), f"{len(frames)} acknowledgements, expected {len(expected)}"
        return [frame.sim_time_start for frame in frames]

    def _explain(self, at, got, expected):
        text = lambda bytes_: f"{bytes_[at]:#04x}" if at in bytes_ else "nothing"  # noqa: E731
        for number, context in enumerate(self.model.contexts):
            ring = context.events
            if ring.base <= at < ring.base + 64 * ring.size:
                place = at - at % 64
                event = [bytes(m.get(place + i, 0) for i in range(64)) for m in (got, expected)]
                return f"event {(place - ring.base) // 64} of context {number}: {EVENT.differences(*event)}"
        return f"{at:#x}: got {text(got)}, expected {text(expected)}"


async def standard(bench, seed, contexts=(0,), queue_size=64):
    """A host with kernel 3, function 5 and queue 9 in each context, and portal entries 0 (aligned) and 1 (at an odd address)."""
    host = await Host.boot(bench, random.Random(seed), contexts)
    for context in contexts:
        base = host.base(context)
        await host.register(
            "KERNEL", context, 3, kernel=0xC0DE_0000 + context, kernarg_size=40, rewrite_offset=8,
            buffer_valid=1, buffer_pointer=base + 0xB0FF_0000, signal_valid=1, completion_signal=base + 0x5160_0000,
        )  # fmt: skip
        await host.register("KERNEL", context, 4, kernel=0xC0DE_1000 + context, kernarg_size=0, no_rewrite=1)
        await host.register("FUNCTION", context, 5, function=0xF00_0000 + context, buffer_valid=1, buffer_pointer=base + 0xB0FE_0000)
        await host.register("QUEUE", context, 9, **host.queue_fields(context, 9, queue_size))
        await host.register("QUEUE", context, 10, **host.queue_fields(context, 10, queue_size, doorbell_plus_one=1))
        await host.portal(context, 0, 1 << 20)
        await host.portal(context, 1, 1 << 20, misalign=13)
    return host
