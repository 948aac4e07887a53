#!/usr/bin/env python3
"""A helper for slingshot:exec: that keeps its registers in a file, with one defect or none.

usage: registers_helper.py FILE [DEFECT]
"""
import json
import os
import sys

PORTS = ("Ethernet0", "Ethernet1")
USUAL = {"max_frame_size": 9216, "pcp_enable": 1}


class Switch:
    def __init__(self, file, defect):
        self.file = file
        self.defect = defect
        self.reads = 0
        self.registers = {port: dict(USUAL) for port in PORTS}
        if os.path.exists(file):
            with open(file) as kept:
                self.registers = json.load(kept)

    def answer(self, request):
        call = getattr(self, "call_" + request["call"], None)
        if call is None and self.defect != "accepts_any_call":
            return {"error": "no such call", "kind": "unsupported"}
        return call(request) if call else {}

    def call_hello(self, _):
        ports = [{"name": port, "speed_bps": 0, "edge": self.defect != "no_edge", **USUAL} for port in PORTS]
        return {"protocol": 1, "registers": "slingshot", "name": "registers", "reads_links": True, "ports": ports}

    def call_links(self, _):
        return {"links": [{"port": port, "up": "yes" if self.defect == "links_in_words" else True} for port in PORTS]}

    def call_read(self, request):
        self.reads += 1
        sent = 100 - self.reads if self.defect == "counters_shrink" else self.reads
        discarded = 100 - self.reads if self.defect == "discards_shrink" else 0
        ports = [{"port": port, "epoch": 1, "pause_timeout": 0, "frames_sent": sent, "frames_discarded": discarded,
                  **self.registers[port]} for port in request["ports"]]
        if self.defect == "leaves_ports_out" or (self.defect == "reads_all_only" and len(ports) == 1):
            ports.pop()
        return {"ports": ports}

    def call_write(self, request):
        port, register = request["port"], request["register"]
        if port not in PORTS:
            return {} if self.defect == "accepts_any_port" else {"error": f"no port {port}"}
        if register not in USUAL:
            return {} if self.defect == "accepts_any_register" else {"error": f"no {register} of {port}"}
        restores = request["value"] == USUAL[register]
        if self.defect not in ("write_does_nothing", register + "_is_stuck") and not (self.defect == "never_restores" and restores):
            self.registers[port][register] = request["value"]
        if self.defect != "forgets":
            with open(self.file, "w") as kept:
                json.dump(self.registers, kept)
        return {}

    def call_close(self, _):
        return {"error": "not now"} if self.defect == "stays_open" else {}


def main():
    switch = Switch(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "")
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps({"id": request["id"], **switch.answer(request)}), flush=True)


main()
