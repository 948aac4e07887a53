#!/usr/bin/env python3
"""A simulated switch behind Petrel's exec protocol (docs/device-exec.md), to try the protocol without hardware.

    petrel agent --device "exec:/PATH/simulated_switch.py --storm Ethernet0:3@2+5" ...

--storm QUEUE@START+LENGTH pauses a queue START seconds after the helper has started, for LENGTH seconds. The switch can
drop a queue and watch queues by itself. Treatments are forgotten when the helper ends.
"""
import argparse
import json
import os
import select
import time

PACKETS_PER_S = 100_000  # that every queue sends while nothing stops it
XOFF_PER_S = 10_000  # that arrive while a queue is paused
FIELDS = ["paused_now", "pause_us", "rx_xoff", "tx_packets", "tx_drops", "occupancy_bytes"]


class Failure(Exception):
    """Its arguments: the text and the kind of the answer."""


class Queue:
    def __init__(self):
        self.storms = []     # (begin, end), of the monotonic clock
        self.treatment = "none"
        self.pause = self.sent = self.dropped = 0.0
        self.read_at = time.monotonic()
        self.watched = None  # the request of watch_by_itself
        self.found = False   # a storm, by itself
        self.since = None    # begin of the pause, or of the quiet after a storm

    def paused(self, now):
        return any(begin <= now < end for begin, end in self.storms)

    def advance(self, now):
        paused = sum(max(0, min(now, end) - max(self.read_at, begin)) for begin, end in self.storms)
        passed, self.read_at = now - self.read_at, now
        self.pause += paused
        self.dropped += passed * PACKETS_PER_S if self.treatment == "drop" else 0
        self.sent += (passed - paused) * PACKETS_PER_S if self.treatment == "none" else 0

    def sample(self, row, now):
        self.advance(now)
        return {"row": row, "at_us": int(now * 1e6), "epoch": 1, "paused_now": self.paused(now),
                "pause_us": int(self.pause * 1e6), "rx_xoff": int(self.pause * XOFF_PER_S),
                "tx_packets": int(self.sent), "tx_drops": int(self.dropped),
                "occupancy_bytes": 1_000_000 if self.paused(now) and self.treatment == "none" else 0}

    def detect(self, row, now):
        if self.watched is None or self.paused(now) == self.found:
            self.since = None
            return None
        self.since = self.since or now
        limit = self.watched["restore_us" if self.found else "detect_us"]
        if (now - self.since) * 1e6 < limit:
            return None
        self.advance(now)
        self.since, self.found = None, not self.found
        self.treatment = self.watched["action"] if self.found else "none"
        return {"notice": "detected" if self.found else "recovered", "target": row, "at_us": int(now * 1e6),
                "action": self.watched["action"], "interval_us": limit}


class Switch:
    def __init__(self, ports, storms):
        self.ports = [{"name": f"Ethernet{4 * i}", "number": i, "speed_bps": 100_000_000_000, "host_facing": True,
                       "priorities": [3, 4]} for i in range(ports)]
        self.queues = {f"{port['name']}:{p}": Queue() for port in self.ports for p in port["priorities"]}
        start = time.monotonic()
        for storm in storms:
            name, begin, length = storm.replace("+", "@").split("@")
            self.queues[name].storms.append((start + float(begin), start + float(begin) + float(length)))

    def find(self, request):
        if request["target"] not in self.queues:
            raise Failure(f"no queue {request['target']}", "unreachable")
        if request.get("want", "none") not in ["drop", "none"]:
            raise Failure(f"cannot do {request['want']}", "unsupported")
        return self.queues[request["target"]]

    def call_hello(self, _):
        can = {"fields": FIELDS, "survive": FIELDS[:3], "treatments": ["drop"], "port_wide": [], "reads_back": True,
               "detects_itself": True, "reads_links": True, "refresh_us": 0, "stamp_uncertainty_us": 0}
        return {"protocol": 1, "name": "simulated switch", "capabilities": can, "inventory": {"ports": self.ports}}

    def call_look(self, request):
        rows = request.get("rows", self.queues)
        return {"samples": [self.queues[row].sample(row, time.monotonic()) for row in rows if row in self.queues]}

    def call_prepare(self, request):
        self.find(request)
        return {"undo": ""}  # every restore ends in the treatment none: nothing has to be kept

    def call_apply(self, request):
        queue = self.find(request)
        queue.advance(time.monotonic())
        queue.treatment = request["want"]
        return {}

    def call_read_back(self, request):
        return {"treatment": self.find(request).treatment}

    def call_watch_by_itself(self, request):
        wanted = {row["row"]: row for row in request["rows"]}
        for name, queue in self.queues.items():
            queue.watched = wanted.get(name)
        return {"rows": [{"row": name, "on": True, "detect_us": row["detect_us"], "restore_us": row["restore_us"]}
                         for name, row in wanted.items()]}

    def call_links(self, _):
        return {"links": [{"port": port["name"], "up": True} for port in self.ports]}

    def call_close(self, _):
        return {}

    def notices(self):
        return filter(None, [queue.detect(row, time.monotonic()) for row, queue in self.queues.items()])

    def reply(self, request):
        try:
            if not hasattr(self, "call_" + request["call"]):
                raise Failure(f"no call {request['call']}", "unsupported")
            return {"id": request["id"], **getattr(self, "call_" + request["call"])(request)}
        except Failure as failure:
            return {"id": request["id"], "error": failure.args[0], "kind": failure.args[1]}


def serve(switch):
    """Answers until the input ends, and looks for storms every 10 ms."""
    unread = b""
    while True:
        requests = []
        if select.select([0], [], [], 0.01)[0]:
            piece = os.read(0, 65536)
            if not piece:
                return
            *requests, unread = (unread + piece).split(b"\n")
        for message in [*switch.notices(), *(switch.reply(json.loads(line)) for line in requests)]:
            print(json.dumps(message), flush=True)


if __name__ == "__main__":
    flags = argparse.ArgumentParser()
    flags.add_argument("--ports", type=int, default=4)
    flags.add_argument("--storm", action="append", default=[], metavar="QUEUE@START+LENGTH")
    given = flags.parse_args()
    serve(Switch(given.ports, given.storm))
