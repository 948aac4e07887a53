"""The real program `petrel manager`, its clients over loopback, and reports of agents. For the tests in this folder."""

import http.client
import json
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PETREL = sys.argv.pop(1) if len(sys.argv) > 1 and sys.argv[1].endswith("petrel") else "petrel"
NDJSON = {"Content-Type": "application/x-ndjson"}
BOOT = "0123456789abcdef0123456789abcdef"


def head(agent="leaf3", boot=BOOT):
    return {"report": 1, "agent": agent, "boot": boot, "version": "petrel 0.1.0"}


def event(seq, what="storm_detected", device="leaf3", port="Ethernet0", time_us=None, **more):
    return {"seq": seq, "time_us": seq * 1000 if time_us is None else time_us, "event": what, "device": device,
            "port": port, "queue": 3, "policy": "tor", "reason": "proven", "action": "drop", "cause": None,
            "evidence": None, **more}


def body(*lines, **of_head):
    return "\n".join(json.dumps(line) for line in (head(**of_head), *lines)).encode()


class Manager:
    program = PETREL
    listen = "127.0.0.1:0"

    def __init__(self, folder, *arguments, expect_start=True):
        self.folder = Path(folder)
        self.arguments = arguments
        self.context = None
        self.headers = {}
        if expect_start:
            self.start()

    def start(self):
        self.process = subprocess.Popen(
            [PETREL, "manager", "--listen", self.listen, "--store", self.folder / "m.db", *self.arguments],
            stderr=subprocess.PIPE, text=True)
        self.port = 0
        self.logs = []  # where log lines arrive: "udp:127.0.0.1:5514"
        for line in self.process.stderr:
            if "reads log lines at" in line:
                self.logs.append(line.split()[-1])
            if "listens at port" in line:
                self.port = int(line.split()[-1])
                break
        assert self.port, "the manager did not start"

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        return self._end()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self._end()

    def _end(self):
        self.process.stderr.read()
        self.process.stderr.close()
        return self.process.wait()

    def connection(self):
        if self.context:
            return http.client.HTTPSConnection("127.0.0.1", self.port, context=self.context)
        return http.client.HTTPConnection("127.0.0.1", self.port)

    def request(self, method, path, content=None, headers=None):
        connection = self.connection()
        connection.request(method, path, content, {**self.headers, **(headers or {})})
        answer = connection.getresponse()
        text = answer.read()
        kind = answer.headers.get("Content-Type", "")
        connection.close()
        return answer, json.loads(text) if "json" in kind and text else text.decode()

    def get(self, path, **headers):
        answer, content = self.request("GET", path, headers=headers)
        return content if answer.status == 200 else (answer.status, content)

    def report(self, *lines, agent="leaf3", **of_head):
        return self.request("POST", f"/api/v1/agents/{agent}/reports", body(*lines, agent=agent, **of_head), NDJSON)

    def raw(self, data, leave=False):
        """What comes back for these bytes until the manager closes the connection, unless the client leaves before."""
        answer = b""
        with socket.create_connection(("127.0.0.1", self.port)) as connection:
            try:
                connection.sendall(data)
                while not leave and (piece := connection.recv(65536)):
                    answer += piece
            except ConnectionError:
                pass
        return answer


class ManagerCase(unittest.TestCase):
    arguments = ()

    def start(self, folder):
        return Manager(folder, *self.arguments)

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.manager = self.start(Path(self.folder.name))
        self.addCleanup(lambda: self.manager.process.poll() is None and self.manager.kill())

    def problem(self, answer, status, words):
        response, content = answer
        self.assertEqual(response.status, status, content)
        self.assertEqual(response.headers["Content-Type"], "application/problem+json")
        self.assertEqual(set(content), {"type", "title", "status", "detail"})
        self.assertEqual(content["status"], status)
        self.assertIn(words, content["detail"])
