#!/usr/bin/env python3
"""petrel-host as a file for any distribution: it needs no other file, and its doctor and its agent run.

usage: host_program_test.py PETREL_HOST
"""

import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = Path(sys.argv[1])
PT_INTERP = 3
HANG_GUARD_S = 60
# Twice the size at the time of writing: what drags in the lab, SONiC or a library's debug code is larger.
MOST_BYTES = 12 << 20


def segments(program):
    """The types of the segments of a 64-bit ELF file."""
    header = program.read_bytes()[:64]
    table, size, count = *struct.unpack_from("<Q", header, 32), *struct.unpack_from("<HH", header, 54)
    data = program.read_bytes()
    return [struct.unpack_from("<I", data, table + i * size)[0] for i in range(count)]


def run(*arguments, **more):
    # Nothing of this machine's configuration or environment counts.
    return subprocess.run([PROGRAM, *arguments], env={}, capture_output=True, text=True, timeout=HANG_GUARD_S, **more)


def in_own_network():
    """A prefix for a command that runs it with a veth pair (up0, down0) in a network of its own, where permitted."""
    make = "ip link add up0 type veth peer name down0 && ip link set up0 up && ip link set down0 up"
    for user in ([], ["--user", "--map-root-user"]):
        prefix = ["unshare", *user, "--net", "sh", "-c", f'{make} && exec "$@"', "sh"]
        if shutil.which("unshare") and shutil.which("ip") and not subprocess.run([*prefix, "true"], capture_output=True).returncode:
            return prefix
    return None


class PetrelHost(unittest.TestCase):
    def test_needs_no_other_file(self):
        self.assertNotIn(PT_INTERP, segments(PROGRAM))

    def test_is_small(self):
        if shutil.which("strip") is None:
            self.skipTest("strip is not installed")
        with tempfile.TemporaryDirectory() as folder:
            stripped = Path(folder) / "petrel-host"
            subprocess.run(["strip", "-o", stripped, PROGRAM], check=True)
            print(f"petrel-host: {stripped.stat().st_size} bytes stripped", flush=True)
            self.assertLess(stripped.stat().st_size, MOST_BYTES)

    def test_has_the_commands_of_a_host_alone(self):
        usage = run("--help")
        self.assertEqual(usage.returncode, 0)
        for command in ("agent", "doctor", "status", "watch", "repaired", "events", "config"):
            self.assertRegex(usage.stdout, rf"\n  {command} ")
        for command in ("lab", "demo", "replay", "hand-back"):
            self.assertEqual(run(command).returncode, 2, command)
        self.assertIn("\n  petrel-host mitigate ", run("mitigate", "--help").stdout)
        self.assertIn("petrel-host 0.", run("--version").stdout)

    def test_doctor_runs(self):
        doctor = run("doctor", "lo")
        self.assertEqual(doctor.returncode, 0, doctor.stderr)
        self.assertIn("lo: no driver", doctor.stdout)
        missing = run("doctor", "nosuch")
        self.assertEqual(missing.returncode, 1)
        self.assertIn("No such device", missing.stdout)

    def test_has_the_commands_of_petrel_host_too(self):
        self.assertIn("lo: no driver", run("host", "doctor", "lo").stdout)

    def test_names_an_unknown_driver(self):
        refused = run("agent", "--device", "sai:/usr/lib/libsai.so")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("linux", refused.stderr)

    def test_agent_runs_on_a_network_interface(self):
        prefix = in_own_network()
        interface = "lo" if prefix is None else "up0"
        with tempfile.TemporaryDirectory() as folder:
            socket = f"{folder}/control.sock"
            agent = subprocess.Popen(
                [*(prefix or []), PROGRAM, "agent", "--device", f"linux:{interface}", "--state-dir", folder,
                 "--control-socket", socket, "--metrics-listen", "127.0.0.1:0"],
                env={"PATH": os.environ["PATH"]}, stderr=subprocess.PIPE, text=True)
            try:
                lines = self.lines_until(agent, "ready")
                status = run("status", "--socket", socket)
                self.assertEqual(status.returncode, 0, status.stderr + "".join(lines))
                self.assertIn(interface, status.stdout)
                self.assertIn("monitored only", run("queues", "--socket", socket).stdout + status.stdout)
            finally:
                agent.send_signal(signal.SIGTERM)
                rest = agent.communicate(timeout=HANG_GUARD_S)[1]
            self.assertEqual(agent.returncode, 0, rest)

    def lines_until(self, agent, word):
        lines = []
        for line in agent.stderr:
            lines.append(line)
            if word in line:
                return lines
        self.fail(f"the agent ended before '{word}': {''.join(lines)}")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
