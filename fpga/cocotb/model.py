"""What the target side must do with a message, in Python: memory, events, acknowledgements.

Written from docs/nic.md and docs/reference/formats.md for portal entries with a single buffer, exclusive queues and a memory without faults. It takes one
message after the other and knows no cycles. Nothing is shared with the models in Rust.
"""

from dataclasses import dataclass, field

from formats import ACCESS, ACK, AGENT_PACKET, EVENT, FUNCTION_ENTRY, HEADER, KERNEL_ENTRY, KERNEL_PACKET, KIND, NI_FAIL, OPCODE, QUEUE_ENTRY, STATUS

MTU = 4096
VERSION = 1


@dataclass
class Message:
    """A message as its sender means it; `fields` go into every header beat."""

    body: bytes
    fields: dict

    def packets(self):
        """Header beat and up to 4,096 bytes each."""
        return [
            HEADER.pack(**{"version": VERSION, **self.fields, "message_length": len(self.body), "packet_offset": at})
            + self.body[at : at + MTU]
            for at in range(0, max(1, len(self.body)), MTU)
        ]


@dataclass
class Portal:
    """A receive buffer."""

    start: int
    length: int
    flow_control: bool = False
    offset: int = 0
    enabled: bool = True


@dataclass
class Queue:
    """A user-mode queue; `entry` is its table entry."""

    entry: dict
    write: int = 0
    read: int = 0


@dataclass
class Ring:
    """An event ring: address, places, events posted."""

    base: int
    size: int
    posted: int = 0


@dataclass
class Context:
    """What a process has set up."""

    events: Ring
    portals: dict = field(default_factory=dict)
    kernels: dict = field(default_factory=dict)
    functions: dict = field(default_factory=dict)
    queues: dict = field(default_factory=dict)


class Refused(Exception):
    """A message that is not delivered: its status, and whether it exhausts the portal entry."""

    def __init__(self, status, exhausts=False):
        super().__init__(status)
        self.status, self.exhausts = status, exhausts


class Target:
    """The model: contexts, and everything that the NIC has written so far as {address: byte}."""

    def __init__(self, node, contexts):
        self.node, self.contexts, self.written, self.acks = node, contexts, {}, []
        # Each task as it is found in memory, in order of their ids; each message that is delivered: where, its task,
        # number of its event.
        self.tasks, self.deliveries = [], []

    def forget(self):
        """Forgets what happened so far, but not the state of the NIC."""
        for what in (self.written, self.acks, self.tasks, self.deliveries):
            what.clear()

    def store(self, address, data):
        """The NIC writes."""
        self.written.update((address + i, byte) for i, byte in enumerate(data))

    def deliver(self, message):
        """A message comes; its status."""
        fields = message.fields
        context = self.contexts[fields["target_context"]]
        portal = context.portals[fields["portal_index"]]
        xtq = fields["opcode"] == OPCODE["XTQ_PUT"]
        offset = -(-portal.offset // 64) * 64 if xtq else portal.offset
        landing, task, packet_id, disabled, status = portal.start + offset, None, 0, False, "OK"
        acknowledged = fields.get("ack_request", 0) != ACK["NONE"]
        try:
            task = self._decide(context, portal, message, xtq, offset)
            packet_id = task["id"] if task else 0
            self.deliveries.append(
                {
                    "message_id": fields.get("message_id"),
                    "context": context,
                    "payload": (landing, len(message.body)),
                    "task": task,
                    "event": context.events.posted,
                    "ack": len(self.acks) if acknowledged else None,
                }
            )
        except Refused as refused:
            status = refused.status
            disabled = refused.exhausts and portal.flow_control
            portal.enabled &= not disabled
        # That an entry is disabled is reported once, by the message that disabled it.
        if status != "PT_DISABLED":
            self._event(context, message, status, disabled, landing, packet_id)
        if acknowledged:
            self._ack(message, status, disabled, offset)
        return status

    def _decide(self, context, portal, message, xtq, offset):
        if not portal.enabled:
            raise Refused("PT_DISABLED")
        if offset + len(message.body) > portal.length:
            raise Refused("BUFFER_TOO_SMALL", exhausts=True)
        body, landing, task = message.body, portal.start + offset, None
        if xtq:
            body, queue = self._rewrite(context, message, landing)
            if queue.write - queue.read >= queue.entry["size"]:
                raise Refused("QUEUE_FULL", exhausts=True)
            task = self._enqueue(queue, body, landing)
        portal.offset = offset + len(message.body)
        self.store(landing, body)
        return task

    def _rewrite(self, context, message, landing):
        """The body with the task's pointers, and its queue."""
        packet, command_length = bytearray(message.body[:64]), message.fields["command_length"]
        arguments = bytearray(message.body[64:command_length])
        kind = packet[0]
        if kind not in (2, 4):
            raise Refused("BAD_TYPE")
        agent = kind == 4
        layout = AGENT_PACKET if agent else KERNEL_PACKET
        told = layout.unpack(packet)
        table = context.functions if agent else context.kernels
        entry = table.get(told["return_address" if agent else "kernel_object"])
        if landing % 64:
            raise Refused("BAD_ALIGNMENT")
        if entry is None:
            raise Refused("BAD_FUNCTION_INDEX" if agent else "BAD_KERNEL_INDEX")
        pair, payload = entry.get("rewrite_offset", 0), landing + command_length
        rewrites = not agent and not entry.get("no_rewrite")
        fits = len(arguments) == entry.get("kernarg_size", 0)
        if not fits or rewrites and (pair % 8 or pair + 16 > len(arguments) or 64 + pair + 16 > MTU):
            raise Refused("BAD_KERNARG_SIZE")
        queue = context.queues.get(told["reserved2"])
        if queue is None:
            raise Refused("BAD_QUEUE_INDEX")
        told["reserved2"] = 0
        if agent:
            told |= {"return_address": entry["function"], "arg1": payload}
            told |= {"arg0": entry["buffer_pointer"]} if entry.get("buffer_valid") else {}
        else:
            told |= {"kernel_object": entry["kernel"], "kernarg_address": landing + 64}
            told |= {"completion_signal": entry["completion_signal"]} if entry.get("signal_valid") else {}
        if rewrites:
            if entry.get("buffer_valid"):
                arguments[pair : pair + 8] = entry["buffer_pointer"].to_bytes(8, "little")
            arguments[pair + 8 : pair + 16] = payload.to_bytes(8, "little")
        return layout.pack(**told) + bytes(arguments) + message.body[command_length:], queue

    def _enqueue(self, queue, body, landing):
        entry, packet_id = queue.entry, queue.write
        slot = entry["ring_base"] + 64 * (packet_id % entry["size"])
        value = packet_id + entry.get("doorbell_plus_one", 0)
        queue.write += 1
        self.store(slot, body[:64])
        self.store(entry["write_index_address"], queue.write.to_bytes(8, "little"))
        self.store(entry["doorbell_address"], value.to_bytes(8, "little"))
        self.tasks.append({"id": packet_id, "payload": landing, "body": body, "slot": slot, "entry": entry, "value": value})
        return self.tasks[-1]

    @staticmethod
    def _ni_fail(status, disabled):
        if status == "OK":
            return NI_FAIL["OK"]
        return NI_FAIL["PT_DISABLED" if disabled or status == "PT_DISABLED" else "DROPPED"]

    def _event(self, context, message, status, disabled, landing, packet_id):
        fields, ring = message.fields, context.events
        xtq = fields["opcode"] == OPCODE["XTQ_PUT"]
        queue = int.from_bytes(message.body[48:56], "little") & 0xFFFF if xtq else 0
        event = EVENT.pack(
            kind=KIND["PT_DISABLED" if disabled else "XTQ_PUT" if xtq else "PUT"],
            status=STATUS[status],
            access=ACCESS["NONE"],
            ni_fail=self._ni_fail(status, disabled),
            queue_index=queue,
            start=landing,
            requested_length=len(message.body),
            delivered_length=len(message.body) if status == "OK" else 0,
            packet_id=packet_id,
            **{
                name: fields.get(name, 0)
                for name in ("source_node", "portal_index", "user_id", "source_context", "match_bits", "header_data", "remote_offset")
            },
        )
        self.store(ring.base + 64 * (ring.posted % ring.size), event)
        ring.posted += 1

    def _ack(self, message, status, disabled, offset):
        fields, done = message.fields, status == "OK"
        self.acks.append(
            HEADER.pack(
                version=VERSION,
                opcode=OPCODE["ACK"],
                ni_fail=self._ni_fail(status, disabled),
                source_node=self.node,
                target_node=fields["source_node"],
                source_context=fields["target_context"],
                target_context=fields.get("source_context", 0),
                portal_index=fields["portal_index"],
                remote_offset=offset if done else 0,
                message_length=len(message.body) if done else 0,
                message_id=fields.get("message_id", 0),
                initiator_handle=fields.get("initiator_handle", 0),
                operation=STATUS[status],
            )
        )


def table_entry(table, fields):
    """The bytes of a registered entry."""
    layout = {"KERNEL": KERNEL_ENTRY, "FUNCTION": FUNCTION_ENTRY, "QUEUE": QUEUE_ENTRY}[table]
    return layout.pack(registered=1, **fields)
