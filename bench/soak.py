#!/usr/bin/env python3
"""Runs the service on a busy twin for some minutes: its memory stays flat, its descriptors too, and missed polls have a cause.

usage: soak.py PETREL [--minutes M]

A storm begins every second somewhere in a fabric of five switches, each polled every 20 ms. Meanwhile clients ask for status,
queues, history and metrics, follow events and hang up, and the configuration is reloaded.

Exit code: 0 if all is flat and explained, 5 if not, 1 if the service cannot be run.
"""

import argparse
import json
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path

POLL_S = 0.02
COMMAND_S = 1.0  # a command times out after this time
WARM_UP = 0.25  # of the time: pools, stacks and the history fill up
MOST_GROWTH_KIB = 1024
OUT_OF_ORDER, FAILED = 5, 1

FABRIC = """
name = "soak"
duration = "1s"
[topology]
kind = "leaf-spine"
leaves = 4
spines = 1
hosts_per_leaf = 4
host_links = { speed = "1G" }
fabric_links = { speed = "1G" }
[[traffic]]
pattern = "permutation"
shift = 4
rate = "10M"
reliable = false
[[policy]]
preset = "sonic"
"""

STORM = """
[[fault]]
at = "{at}ms"
kind = "storm"
host = "h{host}"
priorities = {priorities}
period = "10ms"
until = "{until}ms"
"""

CONFIG = """
[agent]
state_dir = "{folder}/state"
history_events = 20
[control]
socket = "{folder}/control.sock"
[metrics]
listen = "127.0.0.1:{port}"
[log]
format = "json"
to = "{folder}/log"
[[device]]
driver = "twin:{folder}/soak.toml"
[[policy]]
preset = "rdma-switch"
detect_ms = {detect_ms}
restore_ms = 100
poll_ms = {poll_ms}
"""


def fabric(seconds):
    storms = (STORM.format(at=1000 * s, host=s * 7 % 16, priorities="[3, 4]" if s % 3 == 0 else 3, until=1000 * s + 600)
              for s in range(1, seconds))
    return FABRIC + "".join(storms)


def config(folder, port, detect_ms):
    return CONFIG.format(folder=folder, port=port, detect_ms=detect_ms, poll_ms=int(1000 * POLL_S))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@dataclass
class Reading:
    """The service at one moment."""
    rss_kib: int
    descriptors: int
    waited_s: float  # all threads, for a processor
    counters: dict = field(default_factory=dict)  # by name and device

    def of(self, name):
        return {device: value for (counter, device), value in self.counters.items() if counter == name}

    def total(self, name):
        return int(sum(self.of(name).values()))


class Service:
    def __init__(self, petrel, folder, seconds):
        self.petrel, self.folder, self.port = petrel, folder, free_port()
        (folder / "soak.toml").write_text(fabric(seconds))
        (folder / "state").mkdir()
        self.configure(200)
        self.process = subprocess.Popen([petrel, "agent", "--config", folder / "agent.toml"], stdout=subprocess.DEVNULL)

    def configure(self, detect_ms):
        (self.folder / "agent.toml").write_text(config(self.folder, self.port, detect_ms))

    def reload(self, detect_ms):
        self.configure(detect_ms)
        self.process.send_signal(signal.SIGHUP)

    def ask(self, *words):
        subprocess.run([self.petrel, *words, "--socket", self.folder / "control.sock"], capture_output=True, timeout=60)

    def hang_up(self):
        """A follower that leaves without a word."""
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(self.folder / "control.sock"))
            client.sendall(b'{"command":"events","follow":true}\n')

    def read(self):
        proc = Path(f"/proc/{self.process.pid}")
        counters = {}
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=60) as answer:
            for name, labels, value in re.findall(r"^(petrel_\w+)\{(.*)\} (\S+)$", answer.read().decode(), re.MULTILINE):
                device = re.search(r'device="([^"]*)"', labels)
                if device:
                    counters[name, device[1]] = float(value)
        # After the counters: the kernel counts a wait when it is over, and what follows from it is counted later.
        waited_ns = sum(int((task / "schedstat").read_text().split()[1]) for task in (proc / "task").iterdir())
        rss = int(re.search(r"VmRSS:\s+(\d+)", (proc / "status").read_text())[1])
        return Reading(rss, len(list((proc / "fd").iterdir())), waited_ns / 1e9, counters)

    def wait_until_watching(self):
        for _ in range(600):
            if self.process.poll() is not None:
                return False
            try:
                if self.read().total("petrel_looks_total") > 0:
                    return True
            except OSError:
                pass
            time.sleep(0.1)
        return False

    def stop(self):
        self.process.terminate()
        try:
            return self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return None


class Delays:
    """Why polls were missed and commands timed out, second by second. A cause may be counted a second before its effect."""

    def __init__(self):
        self.waited = self.slow = self.unexplained = self.failed = 0

    def add(self, earlier, before, now):
        waited_s = now.waited_s - earlier.waited_s
        overdue = increase("petrel_looks_overdue_total", earlier, now)
        for device, missed in increase("petrel_polls_missed_total", before, now).items():
            if missed * POLL_S <= waited_s:
                self.waited += missed
            elif overdue[device] > 0:
                self.slow += missed
            else:
                self.unexplained += missed
        if waited_s < COMMAND_S:
            self.failed += sum(increase("petrel_commands_failed_total", before, now).values())

    def text(self):
        return (f"{self.waited} while threads waited for a processor, {self.slow} behind a look that took longer than a poll, "
                f"{self.unexplained} without a cause")


def increase(name, before, now):
    return {device: int(value - before.of(name).get(device, 0)) for device, value in now.of(name).items()}


def soak(service, seconds):
    """Returns the readings after the warm-up and the causes of all delays."""
    readings, delays = [], Delays()
    earlier = before = service.read()
    begin = time.monotonic()
    for second in range(1, seconds + 1):
        time.sleep(max(0, begin + second - time.monotonic()))
        if second % 5 == 0:
            service.hang_up()
            service.ask(("status", "queues", "events")[second // 5 % 3], "--json")
        if second % 7 == 0:
            service.reload(200 if second % 2 == 0 else 220)
        now = service.read()
        delays.add(earlier, before, now)
        earlier, before = before, now
        if second > WARM_UP * seconds:
            readings.append(now)
    return readings, delays


def judge(readings, delays, exit_code, errors):
    part = max(1, len(readings) // 4)
    first, last = readings[:part], readings[-part:]
    rss = [int(statistics.median(one.rss_kib for one in some)) for some in (first, last)]
    descriptors = [max(one.descriptors for one in some) for some in (first, last)]
    end = readings[-1]
    looks, skipped = end.total("petrel_looks_total"), end.total("petrel_polls_missed_total")
    print(f"looks: {looks}, failed: {end.total('petrel_looks_failed_total')}, overdue: {end.total('petrel_looks_overdue_total')}")
    print(f"commands: {end.total('petrel_commands_total')}, failed: {end.total('petrel_commands_failed_total')}")
    print(f"storms: {end.total('petrel_storms_detected_total')} detected, {end.total('petrel_storms_restored_total')} restored")
    print(f"memory: {rss[0]} KiB after the warm-up, {rss[1]} KiB at the end")
    print(f"descriptors: at most {descriptors[0]} after the warm-up, {descriptors[1]} at the end")
    print(f"polls missed: {skipped}; {delays.text()}")
    checks = {
        "the memory grows": rss[1] - rss[0] <= MOST_GROWTH_KIB,
        "the descriptors grow": descriptors[1] <= descriptors[0],
        "polls are missed without a cause": delays.unexplained == 0,
        "commands fail without a cause": delays.failed == 0,
        "looks fail": end.total("petrel_looks_failed_total") == 0,
        "no storm was detected": end.total("petrel_storms_detected_total") > 0,
        f"the service ends with {exit_code}": exit_code == 0,
        f"the log has errors: {errors[:3]}": not errors,
    }
    wrong = [what for what, good in checks.items() if not good]
    for what in wrong:
        print(f"VIOLATED: {what}")
    return OUT_OF_ORDER if wrong else 0


def errors_in(log):
    entries = (json.loads(line) for line in log.read_text().splitlines() if line.startswith("{"))
    of_commands = ("mitigation_failed", "restore_failed")  # which Delays judges
    return [entry for entry in entries if entry["level"] in ("error", "critical") and entry["event"] not in of_commands]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("petrel", type=Path)
    parser.add_argument("--minutes", type=float, default=10)
    options = parser.parse_args()
    seconds = max(20, int(60 * options.minutes))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(FAILED))  # the service ends, too
    with tempfile.TemporaryDirectory(prefix="petrel-soak-") as name:
        folder = Path(name)
        service = Service(options.petrel.resolve(), folder, seconds)
        try:
            if not service.wait_until_watching():
                print("the service does not watch its devices", file=sys.stderr)
                return FAILED
            readings, delays = soak(service, seconds)
        finally:
            exit_code = service.stop()
        return judge(readings, delays, exit_code, errors_in(folder / "log"))


if __name__ == "__main__":
    sys.exit(main())
