#!/usr/bin/env python3
"""The simulated switch of examples/helpers with one defect: broken_helper.py EXAMPLES DEFECT [FILE].

With a FILE, the defect shows in the first helper only, which creates the file. Samples have no stamps, so that the helper
also works for an agent in simulated time.
"""
import os
import signal
import sys

sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
from simulated_switch import Switch, serve  # noqa: E402


class Broken(Switch):
    def __init__(self, defect):
        super().__init__(2, [])
        self.defect = defect
        self.looks = 0

    def reply(self, request):
        answer = super().reply(request)
        call = request["call"]
        if call == "look":
            self.looks += 1
        for sample in answer.get("samples", []):
            sample.pop("at_us")
        change = getattr(self, "defect_" + self.defect, None)
        return change(call, request, answer) if change else answer

    def defect_dies_at_third_look(self, call, request, answer):
        if self.looks == 3:
            sys.exit("the switch is gone")
        return answer

    def defect_dies_at_hello(self, call, request, answer):
        sys.exit("no such switch")

    def defect_hangs_at_third_look(self, call, request, answer):
        if call == "hello":
            answer["answer_within_ms"] = 1000
        while self.looks == 3:
            signal.pause()
        return answer

    def defect_nonsense_at_third_look(self, call, request, answer):
        if self.looks == 3:
            print("Traceback (most recent call last):", flush=True)
        return answer

    def defect_negative_counter(self, call, request, answer):
        if call == "look":
            answer["samples"][0]["tx_packets"] = -1
        return answer

    def defect_other_protocol(self, call, request, answer):
        return {**answer, "protocol": 2} if call == "hello" else answer

    def defect_leaves_rows_out(self, call, request, answer):
        return {**answer, "samples": answer["samples"][1:]} if call == "look" else answer

    def defect_lacks_a_field(self, call, request, answer):
        for sample in answer.get("samples", []):
            sample.pop("rx_xoff")
        return answer

    def defect_counters_shrink(self, call, request, answer):
        for sample in answer.get("samples", []):
            sample["tx_packets"] = 1000 - self.looks
        return answer

    def defect_knows_other_links(self, call, request, answer):
        return {**answer, "links": [{"port": "Ethernet99", "up": True}]} if call == "links" else answer

    # Ethernet0, from the tenth look to the thirtieth.
    def defect_loses_a_link(self, call, request, answer):
        if call == "links" and 10 <= self.looks < 30:
            answer["links"][0] = {"port": "Ethernet0", "up": False, "list": "sai.port_error", "code": 2}
        return answer

    def defect_accepts_everything(self, call, request, answer):
        return {"id": request["id"]} if "error" in answer else answer

    def defect_prepare_applies(self, call, request, answer):
        if call == "prepare" and "error" not in answer:
            self.queues[request["target"]].treatment = "drop"
        return answer

    def defect_apply_does_nothing(self, call, request, answer):
        if call == "apply":
            self.queues[request["target"]].treatment = "none"
        return answer

    def defect_rounds_intervals(self, call, request, answer):
        for row in answer.get("rows", []):
            row["detect_us"] *= 2
        return answer

    def defect_fails_at_the_end(self, call, request, answer):
        return answer

    def defect_ignores_the_end(self, call, request, answer):
        if call == "hello":
            answer["answer_within_ms"] = 1000
        return answer


if __name__ == "__main__":
    defect = sys.argv[2]
    if len(sys.argv) > 3:
        if os.path.exists(sys.argv[3]):
            defect = "none"
        else:
            open(sys.argv[3], "w", encoding="utf-8").close()
    serve(Broken(defect))
    if defect == "fails_at_the_end":
        sys.exit("cannot close the session")
    while defect == "ignores_the_end":
        signal.pause()
