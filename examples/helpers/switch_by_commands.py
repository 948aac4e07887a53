#!/usr/bin/env python3
"""Drives a switch by its shell commands, behind Petrel's exec protocol (docs/device-exec.md).

    petrel agent --device "exec:/PATH/switch_by_commands.py /etc/petrel/switch.json" ...

The table, a JSON file, says which commands read and write. In a command, {port} and {priority} are replaced by those of
the queue, {undo} by the text that `save` printed before the treatment. A command that fails, or that takes longer than
`timeout_s`, is reported with the last line of its output.

    {"name": "my switch", "timeout_s": 2, "stamp_uncertainty_us": 5000,
     "ports": [{"name": "Ethernet0", "speed_bps": 100000000000, "host_facing": true, "priorities": [3, 4]}],
     "look": "show queue counters {port} {priority}",
     "fields": {"pause_us": "pause time: (\\\\d+) us", "tx_packets": "sent: (\\\\d+)"},   expressions for its output
     "survive": ["pause_us"],
     "link": "link: (up|down)",                    up, or anything else; without it the link is always up
     "read_back": "show queue policy {port} {priority}",
     "treatments": {"drop": {"apply": "set queue policy {port} {priority} drop",
                             "shown": "policy: drop"}},        a regular expression for the output of read_back
     "save": "show queue policy {port} {priority} --short",
     "restore": "set queue policy {port} {priority} {undo}",
     "default": "forward"}                         the undo of a queue whose former settings are not known
"""
import json
import re
import shlex
import subprocess
import sys
import time


class Failure(Exception):
    def __init__(self, text, kind="unreachable"):
        super().__init__(text)
        self.kind = kind


class Switch:
    def __init__(self, table):
        self.table = table
        self.rows = {f"{port['name']}:{priority}": (port["name"], priority)
                     for port in table["ports"] for priority in port["priorities"]}
        self.epochs = dict.fromkeys(self.rows, 0)  # counts the times that the link came up
        self.up = dict.fromkeys(self.rows)  # None: not read yet

    def run(self, command, row, undo=""):
        port, priority = self.rows[row]
        words = [word.format(port=port, priority=priority, undo=undo) for word in shlex.split(command)]
        try:
            done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True, errors="replace", timeout=self.table.get("timeout_s", 2))
        except subprocess.TimeoutExpired:
            raise Failure(f"{shlex.join(words)} takes too long", "timed_out")
        except OSError as error:
            raise Failure(f"{words[0]}: {error.strerror}")
        if done.returncode != 0:
            last = (done.stdout.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
            raise Failure(f"{shlex.join(words)}: {last}"[:1000])
        return done.stdout

    def find(self, request):
        if request["target"] not in self.rows:
            raise Failure(f"no queue {request['target']}")
        if request.get("want", "none") not in [*self.table["treatments"], "none"]:
            raise Failure(f"the table has no treatment {request['want']}", "unsupported")
        return request["target"]

    def answer(self, request):
        call = getattr(self, "call_" + request["call"], None)
        if call is None:
            raise Failure(f"no call {request['call']}", "unsupported")
        return call(request)

    def call_hello(self, _):
        table = self.table
        # A look at all rows runs one command after the other.
        within_s = table.get("timeout_s", 2) * max(len(self.rows), 3)
        return {"protocol": 1, "name": table["name"], "answer_within_ms": min(60_000, int(within_s * 1000) + 500),
                "inventory": {"ports": table["ports"]},
                "capabilities": {"fields": list(table["fields"]), "survive": table["survive"],
                                 "treatments": list(table["treatments"]), "port_wide": [], "reads_back": True,
                                 "detects_itself": False, "reads_links": "link" in table, "refresh_us": 0,
                                 "stamp_uncertainty_us": table["stamp_uncertainty_us"]}}

    def call_look(self, request):
        return {"samples": [self.sample(row) for row in request.get("rows", self.rows) if row in self.rows]}

    def sample(self, row):
        try:
            output = self.run(self.table["look"], row)
        except Failure as failure:
            return {"row": row, "unreadable": str(failure)}
        link = re.search(self.table.get("link", ""), output)
        up = link is not None and (link.group(1) == "up" if link.groups() else True)
        self.epochs[row] += up and not self.up[row]
        self.up[row] = up
        sample = {"row": row, "at_us": time.monotonic_ns() // 1000, "epoch": self.epochs[row] if up else 0}
        for field, pattern in self.table["fields"].items():
            if found := re.search(pattern, output):
                sample[field] = found.group(1) in ("1", "true", "yes") if field == "paused_now" else int(found.group(1))
        return sample

    def call_links(self, _):
        up = {port: self.up[row] for row, (port, _) in self.rows.items() if self.up[row] is not None}
        return {"links": [{"port": port, "up": link} for port, link in up.items()]}

    def call_prepare(self, request):
        row = self.find(request)
        if self.call_read_back(request)["treatment"] != "none":
            return {"undo": self.table["default"]}  # the switch shows our own treatment, not what was before it
        return {"undo": self.run(self.table["save"], row).strip()}

    def call_apply(self, request):
        row = self.find(request)
        if request["want"] == "none":
            self.run(self.table["restore"], row, request["undo"] or self.table["default"])
        else:
            self.run(self.table["treatments"][request["want"]]["apply"], row)
        return {}

    def call_read_back(self, request):
        output = self.run(self.table["read_back"], self.find(request))
        shown = [name for name, one in self.table["treatments"].items() if re.search(one["shown"], output)]
        return {"treatment": shown[0] if shown else "none"}

    def call_close(self, _):
        return {}


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        switch = Switch(json.load(file))
    for line in sys.stdin:
        request = json.loads(line)
        try:
            message = {"id": request["id"], **switch.answer(request)}
        except Failure as failure:
            message = {"id": request["id"], "error": str(failure), "kind": failure.kind}
        print(json.dumps(message), flush=True)


if __name__ == "__main__":
    main()
