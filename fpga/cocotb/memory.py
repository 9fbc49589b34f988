"""Host memory: cocotbext-axi's AxiRam, which notes every write and answers with SLVERR where it is told to."""

from cocotbext.axi import AxiRam, AxiRamRead, AxiRamWrite
from cocotbext.axi.memory import Memory


class MemoryFault(Exception):
    """An access that is answered with SLVERR."""


class _Write(AxiRamWrite):
    async def _write(self, address, data):
        self.host.strike("write", address, len(data))
        self.host.log.append((address, bytes(data)))
        self.write(address, data)


class _Read(AxiRamRead):
    async def _read(self, address, length):
        self.host.strike("read", address, length)
        self.host.reads.append(address)
        return self.read(address, length)


class HostMemory(AxiRam):
    """All of host memory; contexts use different addresses, as AxiRam has one address space."""

    SIZE = 2**48

    def __init__(self, bus, clock, reset):
        # Not AxiRam's own constructor: it makes the two halves that are replaced here.
        Memory.__init__(self, self.SIZE)
        self.write_if = _Write(bus.write, clock, reset, size=self.SIZE, mem=self.mem)
        self.read_if = _Read(bus.read, clock, reset, size=self.SIZE, mem=self.mem)
        self.write_if.host = self.read_if.host = self
        self.log, self.reads, self.faults, self.struck = [], [], [], []

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
        """Every byte that the NIC has written, with its last value."""
        return {address + i: byte for address, data in self.log for i, byte in enumerate(data)}

    def first_write(self, address, length):
        """Position in the order of writes of the first that touches these bytes."""
        touches = (n for n, (at, data) in enumerate(self.log) if at < address + length and address < at + len(data))
        return next(touches, None)

    def last_write(self, address, length):
        """The same of the last."""
        touches = [n for n, (at, data) in enumerate(self.log) if at < address + length and address < at + len(data)]
        return touches[-1] if touches else None
