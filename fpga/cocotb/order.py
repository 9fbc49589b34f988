"""The order of what the NIC does for a message: what must be answered before what is offered."""


def check(delivery, memory, times, event, acknowledged):
    """A message that was delivered. `event` is the burst of its event, `acknowledged` the time of its acknowledgement, or None."""
    task, what = delivery["task"], f"message {delivery['message_id']}"
    before = {"its bytes": memory.bursts(*delivery["payload"])}
    if task:
        before |= _task(task, memory, times, what)
    for name, bursts in before.items():
        assert times.answered(bursts) < times.offered(event), f"{what}: event before {name} answered"
        assert acknowledged is None or times.answered(bursts) < acknowledged, f"{what}: acknowledged before {name} answered"


def _task(task, memory, times, what):
    """Slot, write index and message, then the header word, then the doorbell; gives the last two."""
    slot, entry = task["slot"], task["entry"]
    turn = task["id"] // entry["size"]
    header, body = (memory.bursts(*place)[turn : turn + 1] for place in ((slot, 4), (slot + 4, 60)))
    assert header, f"{what}: no header word"
    told = lambda place, value: [  # noqa: E731
        burst
        for burst in memory.bursts(place, 8)
        if any(at == place and int.from_bytes(data, "little") >= value for at, data in burst.writes)
    ][:1]
    index = told(entry["write_index_address"], task["id"] + 1)
    bell = told(entry["doorbell_address"], task["value"])
    needed = {"message": memory.bursts(task["payload"], len(task["body"])), "slot": body, "write index": index}
    for name, bursts in needed.items():
        assert bursts, f"{what}: no {name}"
        assert times.answered(bursts) < times.offered(header), f"{what}: header word before {name} answered"
    assert bell and times.answered(header) < times.offered(bell), f"{what}: doorbell before header word answered"
    return {"the header word": header, "the doorbell": bell}
