"""Who reads what the NIC writes: a GPU that looks into a ring only when its doorbell says so, and software that counts events."""

from collections import defaultdict

from cocotb.utils import get_sim_time


class Gpu:
    """Takes tasks in the moment in which a doorbell becomes visible: slot, arguments, payload and write index must be visible by then."""

    def __init__(self, memory, model):
        self.memory, self.model = memory, model
        # Tasks by doorbell that are not taken, in their order; how many the model has reported.
        self.waiting, self._known = defaultdict(list), 0
        memory.watchers.append(self._look)

    def forget(self):
        """The model's list of tasks begins again."""
        self.waiting.clear()
        self._known = 0

    def _look(self, burst):
        self.learn()
        for address, data in burst.writes:
            if tasks := self.waiting.get(address):
                self._take(tasks, int.from_bytes(data, "little"))

    def learn(self):
        """Asks the model for new tasks."""
        for task in self.model.tasks[self._known :]:
            self.waiting[task["entry"]["doorbell_address"]].append(task)
        self._known = len(self.model.tasks)

    def _take(self, tasks, value):
        memory = self.memory
        assert value >= tasks[0]["value"], f"doorbell {value} once more, or backwards; next is {tasks[0]['value']}"
        while tasks and tasks[0]["value"] <= value:
            task = tasks.pop(0)
            start, body = task["payload"], task["body"]
            at = f"doorbell {value}, task {task['value']}"
            assert memory.read(task["slot"], 64) == body[:64], f"{at}: the slot is not visible"
            assert memory.read(start, len(body)) == body, f"{at}: the message is not visible"
            assert memory.read_qword(task["entry"]["write_index_address"]) > task["id"], f"{at}: the write index is not visible"


class EventReader:
    """Software that reads EQ_PRODUCER of a context: every event in front of it must be in memory, and answered."""

    def __init__(self, memory, times, ring):
        self.memory, self.times, self.ring, self.seen = memory, times, ring, 0

    def burst(self, number):
        """The burst that writes an event, if it was there yet."""
        found = self.memory.bursts(self.ring.base + 64 * (number % self.ring.size), 64)
        turn = number // self.ring.size
        return found[turn : turn + 1]

    def told(self, producer):
        """EQ_PRODUCER has been read, or an interrupt has reported the first events."""
        for number in range(self.seen, producer):
            burst = self.burst(number)
            assert burst and burst[0].shown, f"event {number} is told, but not visible"
            assert self.times.answered(burst) <= get_sim_time(), f"event {number} is told before its write is answered"
        self.seen = max(self.seen, producer)
