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
        if call is None and self.defect != "accepts_everything":
            return {"error": "no such call", "kind": "unsupported"}
        return call(request) if call else {}

    def call_hello(self, _):
        ports = [{"name": port, "speed_bps": 0, "edge": True, **USUAL} for port in PORTS]
        return {"protocol": 1, "registers": "slingshot", "name": "registers", "ports": ports}

    def call_read(self, request):
        self.reads += 1
        sent = 100 - self.reads if self.defect == "counters_shrink" else self.reads
        ports = [{"port": port, "epoch": 1, "pause_timeout": 0, "frames_sent": sent, **self.registers[port]}
                 for port in request["ports"]]
        if self.defect == "leaves_ports_out":
            ports.pop()
        return {"ports": ports}

    def call_write(self, request):
        port, register = request["port"], request["register"]
        if port not in PORTS or register not in USUAL:
            return {} if self.defect == "accepts_everything" else {"error": f"no {register} of {port}"}
        if self.defect != "write_does_nothing":
            self.registers[port][register] = request["value"]
        if self.defect != "forgets":
            with open(self.file, "w") as kept:
                json.dump(self.registers, kept)
        return {}

    def call_close(self, _):
        return {}


def main():
    switch = Switch(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "")
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps({"id": request["id"], **switch.answer(request)}), flush=True)


main()
