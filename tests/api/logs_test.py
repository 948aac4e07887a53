#!/usr/bin/env python3
"""Log lines of switches to the real manager, and what `petrel ports` then shows: logs_test.py PETREL"""

import json
import os
import socket
import subprocess
import unittest
from pathlib import Path

from manager_program import PETREL, Manager, ManagerCase

SOURCE = Path(__file__).resolve().parents[2]
LINES = (SOURCE / "tests/golden/wire/pause_too_long.log").read_text().splitlines()
SWITCH, PORT = "x0c0r4b0", "x0c0r4j3p1"
ERROR_US, PAUSE_GONE_US = 1550149052930043, 1550149053120815
CABLES = f'[[cable]]\nends = ["{SWITCH}:{PORT}", "gpu-1207:eth2"]\n'


class LogCase(ManagerCase):
    def setUp(self):
        super().setUp()
        self.manager.stop()
        folder = Path(self.folder.name)
        (folder / "cables.toml").write_text(CABLES)
        self.manager = Manager(folder, "--syslog", "udp:127.0.0.1:0", "--syslog", "tcp:127.0.0.1:0",
                               "--syslog", f"unix:{folder}/log", "--cables", folder / "cables.toml")
        self.udp, self.tcp, self.unix = self.manager.logs

    @staticmethod
    def address(where):
        host, port = where.split(":")[1:]
        return host, int(port)

    def datagram(self, *lines):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            for line in lines:
                sender.sendto(line.encode() if isinstance(line, str) else line, self.address(self.udp))

    def lines_counted(self):
        counts = {}
        for line in self.manager.get("/metrics").splitlines():
            if line.startswith("petrel_manager_log_lines_total{"):
                counts[line.split('"')[1]] = int(float(line.split()[-1]))
        return counts

    def until(self, **counts):
        while {key: self.lines_counted()[key] for key in counts} != counts:
            pass

    def ports(self, *arguments):
        ended = subprocess.run([PETREL, "ports", "--manager", f"http://127.0.0.1:{self.manager.port}", *arguments],
                               capture_output=True, text=True)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return ended.stdout

    def errors(self):
        return [(error["cause"], error["opened_us"], error["closed_us"], error["times"], error["text"])
                for port in self.manager.get("/api/v1/ports")["ports"] for error in port["errors"]]


class Logs(LogCase):
    def test_the_five_lines_open_and_close_the_error_of_a_named_port(self):
        self.datagram(*LINES[:3])
        self.until(taken=3)
        shown = self.manager.get("/api/v1/ports?errors=true")["ports"]
        self.assertEqual([(p["device"], p["port"], p["neighbour"]) for p in shown],
                         [(SWITCH, PORT, {"device": "gpu-1207", "port": "eth2"})])
        text = self.ports("--errors")
        self.assertIn(f"{SWITCH}:{PORT} → gpu-1207:eth2", text)
        self.assertIn("PAUSE_TOO_LONG_FROM_PEER", text)
        self.assertIn("2019-02-14T12:57:32.930043+00:00  open", text)
        self.assertIn('cause="PAUSE_TOO_LONG_FROM_PEER"', self.manager.get("/metrics"))
        self.datagram(*LINES[3:])
        self.until(taken=5)
        self.assertEqual(self.ports("--errors"), "no port is in error\n")
        reason = "ERROR_STATE_ETHERNET_FLOW_CONTROL_TOO_LONG"
        self.assertEqual(self.errors(), [("PAUSE_TOO_LONG_FROM_PEER", ERROR_US, PAUSE_GONE_US, 1, reason)])
        self.assertIn("2019-02-14T12:57:33.120815+00:00", self.ports())
        self.assertNotIn('petrel_manager_port_error{', self.manager.get("/metrics"))
        self.assertEqual(self.manager.get("/api/v1/links")["links"][0]["ends"][1]["history"], [],
                         "the link stayed up")

    def test_order_repetition_and_restart_change_nothing(self):
        self.datagram(*reversed(LINES), *LINES)
        self.until(taken=10)
        before = self.errors()
        self.assertEqual(len(before), 1)
        self.assertEqual(before[0][3], 1, "counted once")
        self.manager.kill()
        self.manager.start()
        self.assertEqual(self.errors(), before)
        events = self.manager.get("/api/v1/events")["events"]
        self.assertEqual(sorted(e["event"]["event"] for e in events),
                         ["log_line", "log_line", "log_line", "pause_too_long", "pause_too_long_cleared"])
        self.assertTrue(all(e["event"]["by"] for e in events), "the text of each line is kept")

    def test_tcp_in_both_framings_and_in_pieces(self):
        counted = "".join(f"{len(line)} {line}" for line in LINES[:3])
        ended = "".join(f"{line}\r\n" for line in LINES[3:])
        with socket.create_connection(self.address(self.tcp)) as sender:
            for byte in (counted + ended).encode():
                sender.sendall(bytes([byte]))
            self.until(taken=5)
        self.assertEqual(len(self.errors()), 1)

    def test_a_unix_socket(self):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            for line in LINES:
                sender.sendto(line.encode() + b"\n\0", self.unix.removeprefix("unix:"))
        self.until(taken=5)
        self.assertEqual(len(self.errors()), 1)

    def test_other_and_broken_lines_change_nothing(self):
        moved = LINES[2]
        self.datagram("<11>1 - x0c0r4b0 sshd 1 - - hello", moved.replace(PORT, "Ethernet0"), moved.replace(SWITCH, "leaf3"),
                      moved.replace(PORT, "x0c9r4j3p1"), moved.replace("error state. Reason", "error. Reason"))
        self.datagram(b"\xff\xfe", "<999>1 - - - - - -", "x" * 9000, "", "<11>")
        with socket.create_connection(self.address(self.tcp)) as sender:
            sender.sendall(b"9999999 x" + b"y" * 100_000)
            sender.sendall(b"\n" * 10)
            self.until(other=5, refused=5)
        self.assertEqual(self.manager.get("/api/v1/events")["events"], [])
        self.assertEqual({d["heard_us"] for d in self.manager.get("/api/v1/devices")["devices"]}, {None})

    def test_an_unknown_error_state_keeps_its_name(self):
        self.datagram(LINES[2].replace("ERROR_STATE_ETHERNET_FLOW_CONTROL_TOO_LONG", "ERROR_STATE_NEW"))
        self.until(taken=1)
        self.assertIn("unknown: ERROR_STATE_NEW", self.ports("--errors"))

    def test_addresses_that_others_reach_need_their_networks(self):
        for arguments, words in ((["udp:0.0.0.0:0"], "allowed with --syslog-from NETWORK"),
                                 (["udp:0.0.0.0:0", "--syslog-from", "10.0.0.0/40"], "a network as 10.1.0.0/16"),
                                 (["Udp:1"], "allowed udp:HOST:PORT, tcp:HOST:PORT or unix:PATH"),
                                 ([f"unix:{self.folder.name}/log"], "Address already in use")):
            ended = subprocess.run([PETREL, "manager", "--store", Path(self.folder.name) / "other.db", "--listen",
                                    "127.0.0.1:0", "--syslog", *arguments], capture_output=True, text=True)
            self.assertIn(ended.returncode, (2, 3), ended.stderr)
            self.assertIn(words, ended.stderr)

    def test_json_and_an_absent_manager(self):
        self.datagram(*LINES[:3])
        self.until(taken=3)
        self.assertEqual(json.loads(self.ports("--json", "--errors"))["ports"][0]["port"], PORT)
        self.manager.stop()
        ended = subprocess.run([PETREL, "ports"], capture_output=True, text=True,
                               env={**os.environ, "PETREL_MANAGER": f"http://127.0.0.1:{self.manager.port}"})
        self.assertEqual(ended.returncode, 3)
        self.assertIn(f"the manager at http://127.0.0.1:{self.manager.port}", ended.stderr)


class LogsFromTheLab(LogCase):
    def test_a_switch_of_the_twin_is_seen_by_its_log(self):
        plan = SOURCE / "scenarios/pause-too-long.toml"
        subprocess.run([PETREL, "lab", "run", plan, "--syslog", self.unix.removeprefix("unix:")], check=True,
                       capture_output=True)
        while not self.errors() or self.errors()[0][2] is None:
            pass
        self.assertEqual(self.errors()[0][0], "PAUSE_TOO_LONG_FROM_PEER")
        self.assertEqual(self.ports("--errors"), "no port is in error\n")


if __name__ == "__main__":
    unittest.main()
