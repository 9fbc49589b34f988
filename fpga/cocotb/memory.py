"""Host memory: cocotbext-axi's AxiRam, of which writes become visible and are answered when it likes, and which fails where a test asks for it."""

from collections import defaultdict
from dataclasses import dataclass, field

import cocotb
from cocotb.triggers import ClockCycles
from cocotbext.axi import AxiRam, AxiRamRead, AxiRamWrite
from cocotbext.axi.memory import Memory

LINE = 64
"""Writes are looked up by lines of so many bytes."""


class MemoryFault(Exception):
    """An access that is answered with SLVERR."""


@dataclass(eq=False)
class Burst:
    """A write burst: its number on the bus, and what it writes as [(address, bytes)]; `shown` says whether readers see it."""

    number: int
    writes: list = field(default_factory=list)
    id: int = 0
    shown: bool = False

    def touches(self, address, length):
        """Whether it writes one of these bytes."""
        return any(at < address + length and address < at + len(data) for at, data in self.writes)

    def overlaps(self, other):
        """Whether both write some byte."""
        return any(other.touches(at, len(data)) for at, data in self.writes)


class _Write(AxiRamWrite):
    """Takes bursts as AxiRam does; data and response go to the host memory instead of to bytes and bus."""

    def __init__(self, *arguments, host, **more):
        super().__init__(*arguments, **more)
        self.host, self.burst, self.answer = host, Burst(0), self.b_channel.send
        # What AxiRam wants to answer at once.
        self.b_channel.send = self._end

    async def _write(self, address, data):
        self.host.strike("write", address, len(data))
        self.burst.writes.append((address, bytes(data)))

    async def _end(self, response):
        ended, self.burst = self.burst, Burst(self.burst.number + 1)
        self.host.take(ended, response)


class _Read(AxiRamRead):
    async def _read(self, address, length):
        self.host.strike("read", address, length)
        self.host.reads.append(address)
        return self.read(address, length)


class HostMemory(AxiRam):
    """All of host memory; contexts use different addresses, as AxiRam has one address space.

    Between its last beat and its response a burst becomes visible; both happen after random times. Bursts of one id that write the same bytes become
    visible in their order, and responses of one id come in order; nothing else does.
    """

    SIZE = 2**48

    def __init__(self, bus, clock, reset, rng):
        # Not AxiRam's own constructor: it makes the two halves that are replaced here.
        Memory.__init__(self, self.SIZE)
        self.write_if = _Write(bus.write, clock, reset, size=self.SIZE, mem=self.mem, host=self)
        self.read_if = _Read(bus.read, clock, reset, size=self.SIZE, mem=self.mem)
        self.read_if.host = self
        self.clock, self.rng = clock, rng
        # Writes in the order in which they became visible, addresses of reads, faults that are set, those that were
        # met.
        self.log, self.reads, self.faults, self.struck = [], [], [], []
        # Bursts that are not answered, in the order of the bus; the last one of each id; all, by the lines that they
        # touch.
        self.open, self._last, self._lines = [], {}, defaultdict(list)
        self.watchers = []
        """Called with each burst that becomes visible: the consumers."""

    def take(self, burst, response):
        """A burst has been taken whole."""
        burst.id = int(response.bid)
        self.open.append(burst)
        for line in {at // LINE for at, _ in burst.writes}:
            self._lines[line].append(burst)
        self._last[burst.id] = cocotb.start_soon(self._finish(burst, response, self._last.get(burst.id)))

    async def _finish(self, burst, response, before):
        """Shows a burst and answers it, each after a while."""
        await self._while()
        while any(b.id == burst.id and b.number < burst.number and not b.shown and b.overlaps(burst) for b in self.open):
            await ClockCycles(self.clock, 1)
        burst.shown = True
        for address, data in burst.writes:
            self.log.append((address, data))
            self.write(address, data)
        for watcher in self.watchers:
            watcher(burst)
        await self._while()
        if before:
            await before
        await self.write_if.answer(response)
        self.open.remove(burst)

    async def _while(self):
        rng = self.rng
        await ClockCycles(self.clock, rng.choice([1, 2, rng.randint(1, 8), rng.randint(1, 40)]))

    def fail(self, kind, address, length):
        """From now on every read or write (`kind`) that touches these bytes fails."""
        self.faults.append((kind, address, address + length))

    def strike(self, kind, address, length):
        """Fails an access that a fault is set for."""
        for fault, start, end in self.faults:
            if fault == kind and start < address + length and address < end:
                self.struck.append((kind, address))
                raise MemoryFault(f"{kind} at {address:#x}")

    def written(self):
        """Every byte that the NIC has written and that is visible, with its last value."""
        return {address + i: byte for address, data in self.log for i, byte in enumerate(data)}

    def bursts(self, address, length):
        """The bursts that write any of these bytes, in the order of the bus."""
        lines = range(address // LINE, (address + length - 1) // LINE + 1) if length else ()
        found = {b.number: b for line in lines for b in self._lines.get(line, ()) if b.touches(address, length)}
        return [found[number] for number in sorted(found)]

    def forget(self):
        """Forgets what was written so far, but not the bytes."""
        self.log.clear()
        self._lines.clear()
