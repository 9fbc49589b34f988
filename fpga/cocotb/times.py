"""When each write burst was offered and when it was answered, as the pins of the NIC say it."""

from collections import defaultdict, deque

from cocotb.utils import get_sim_time


class WriteTimes:
    """Times of the write bursts by their number on the bus, of AW and of W alike; data may come before its address.

    `offered` is the first clock edge at which awvalid or wvalid of the burst is up, ready or not; `answered` the one of the handshake of its response.
    """

    def __init__(self, dut):
        pin = lambda name: getattr(dut, "m_axi_" + name)  # noqa: E731
        self._pins = {channel: (pin(channel + "valid"), pin(channel + "ready")) for channel in ("aw", "w", "b")}
        self._awid, self._wlast, self._bid = pin("awid"), pin("wlast"), pin("bid")
        self._now, self._since = 0, {"aw": None, "w": None}
        self._addresses, self._data, self._asked = 0, 0, defaultdict(deque)
        self._offered, self._answered = {}, {}

    def sample(self):
        """Looks at the pins, once in each cycle."""
        self._now = get_sim_time()
        if self._fires("b"):
            id_ = int(self._bid.value)
            assert self._asked[id_], f"a response for id {id_}, which waits for none"
            self._answered[self._asked[id_].popleft()] = self._now
        if self._fires("aw"):
            self._note(self._addresses, "aw")
            self._asked[int(self._awid.value)].append(self._addresses)
            self._addresses += 1
        if self._fires("w"):
            self._note(self._data, "w")
            self._data += int(self._wlast.value)

    def _fires(self, channel):
        valid, ready = self._pins[channel]
        if str(valid.value) != "1":
            return False
        if channel != "b" and self._since[channel] is None:
            self._since[channel] = self._now
        return str(ready.value) == "1"

    def _note(self, number, channel):
        since, self._since[channel] = self._since[channel], None
        self._offered[number] = min(self._offered.get(number, since), since)

    def offered(self, bursts):
        """When the first of these bursts was offered."""
        return min((self._offered[burst.number] for burst in bursts), default=float("inf"))

    def answered(self, bursts):
        """When the last of these bursts was answered; never, if one was not."""
        return max((self._answered.get(burst.number, float("inf")) for burst in bursts), default=0)
