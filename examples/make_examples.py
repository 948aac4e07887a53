#!/usr/bin/env python3
"""Writes the example traces. They are synthetic and small; run this after a change here, then refresh the golden texts.

Each trace is what a poller with a 100 ms period would have recorded on a 100 Gb/s switch: counters are cumulative.
"""

import json
import pathlib

POLL_US = 100_000
LINE_BYTES_PER_US = 12_500  # 100 Gb/s
HOLD_US = 336  # duration of one XOFF with the longest pause time at 100 Gb/s
HERE = pathlib.Path(__file__).parent


class Queue:
    """A queue whose pause is a list of [from_us, to_us) stretches; it sends at `load` of the line rate while not paused."""

    def __init__(self, port, priority, pauses=(), load=0.3, backlog=0):
        self.port, self.priority, self.pauses, self.load, self.backlog = port, priority, list(pauses), load, backlog
        self.pause_us = self.on2off = self.rx_xoff = self.rx_xon = self.tx_bytes = 0

    def row(self, start_us, end_us):
        """The counters at end_us, the previous row having been at start_us."""
        paused = 0
        for begin, end in self.pauses:
            paused += max(0, min(end, end_us) - max(begin, start_us))
            self.on2off += start_us < end <= end_us
            self.rx_xon += start_us < end <= end_us
        self.pause_us += paused
        self.rx_xoff += -(-paused // HOLD_US)
        self.tx_bytes += int((end_us - start_us - paused) * LINE_BYTES_PER_US * self.load)
        now = any(begin <= end_us < end for begin, end in self.pauses)
        return {
            "time_us": end_us,
            "port": self.port,
            "queue": self.priority,
            "paused_now": int(now),
            "pause_us": self.pause_us,
            "rx_xoff": self.rx_xoff,
            "rx_xon": self.rx_xon,
            "on2off": self.on2off,
            "tx_packets": self.tx_bytes // 1024,
            "tx_bytes": self.tx_bytes,
            "occupancy_bytes": max(self.backlog, 1_500_000 if now else 0),
            "speed_bps": 100_000_000_000,
        }


def rows(queues, length_us):
    for end_us in range(0, length_us + 1, POLL_US):
        for queue in queues:
            yield queue.row(max(0, end_us - POLL_US), end_us)


def write_csv(name, comment, queues, length_us):
    lines = [f"# {line}" for line in comment]
    for number, row in enumerate(rows(queues, length_us)):
        if number == 0:
            lines.append(",".join(row))
        lines.append(",".join(str(cell) for cell in row.values()))
    (HERE / name).write_text("\n".join(lines) + "\n")


def short_pauses(seed, length_us):
    """Ordinary congestion: every now and then a pause of some milliseconds."""
    at = 20_000 + seed * 7_919 % 150_000
    pauses = []
    while at < length_us:
        pauses.append((at, at + 1_500 + seed * 613 % 9_000))
        at += 180_000 + seed * 10_007 % 90_000
    return pauses


def square(period_us, on_us, length_us, start_us=0):
    return [(at, at + on_us) for at in range(start_us, length_us, period_us)]


def storm():
    length = 6_000_000
    queues = [Queue(f"Ethernet{4 * port}", priority, short_pauses(3 * port + priority, length))
              for port in range(4) for priority in (3, 4)]
    mad = next(q for q in queues if q.port == "Ethernet4" and q.priority == 3)
    mad.pauses = [p for p in mad.pauses if p[1] < 1_000_000] + [(1_037_000, 3_352_000)]
    write_csv("storm.csv", ["A busy switch of four ports. The NIC behind Ethernet4 pauses queue 3 from 1.037 s to 3.352 s."],
              queues, length)


def choppy():
    length = 6_000_000
    queues = [Queue("Ethernet0", 3, short_pauses(1, length)), Queue("Ethernet0", 4, short_pauses(2, length)),
              Queue("Ethernet8", 3, square(50_000, 47_500, 4_000_000, 1_000_000), load=0.00001, backlog=2_000_000),
              Queue("Ethernet8", 4, short_pauses(5, length))]
    write_csv("choppy.csv", ["Ethernet8 queue 3 is paused 95 % of the time from 1 s to 4 s and sends almost nothing, but no",
                             "pause lasts longer than 47.5 ms: a rule that needs an unbroken pause never detects it."],
              queues, length)


def incast():
    length = 5_000_000
    queues = [Queue(f"Ethernet{4 * port}", 3, square(6_400, 6_300, length, 13 * port), load=1.0, backlog=800_000)
              for port in range(8)]
    write_csv("incast.csv", ["Eight of the senders of a 64:1 incast: each is paused 98.4 % of the time and sends 1.6 % of the",
                             "line rate, steadily. This is congestion, not a storm: no rule may detect one."],
              queues, length)


def two_switches():
    length = 4_000_000
    leaf = [Queue("Ethernet0", 3, [(500_000, 1_900_000)]), Queue("Ethernet4", 3, short_pauses(1, length))]
    spine = [Queue("Ethernet12", 3, [(520_000, 1_450_000)]), Queue("Ethernet16", 3, short_pauses(4, length))]
    lines = []
    for leaf_row, spine_row in zip(rows(leaf, length), rows(spine, length)):
        lines.append(json.dumps({"device": "leaf1", **leaf_row}))
        lines.append(json.dumps({"device": "spine1", **spine_row}))
    (HERE / "two-switches.jsonl").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    storm()
    choppy()
    incast()
    two_switches()
