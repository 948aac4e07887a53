"""Stands in for `petrel manager`: stores the reports of agents as docs/manager.md says, and misbehaves on request.

usage: manager_stand_in.py FOLDER [--tls CERT KEY] [--token TOKEN] [--port PORT]

Prints its port. FOLDER keeps what it stores: events.jsonl (synced before an answer), requests.jsonl, devices.json. Lines
on stdin change its behaviour:
  status N [RETRY_AFTER]   answer reports with this status (200 = store and answer)
  drop_answers N           store the next N reports, and end the connection without an answer
  drop_requests N          end the connection of the next N reports without storing them
  hold, go                 let reports wait; let them continue
After each of them it prints "ok". After each report that it has stored it prints "stored N": how many events it has.
"""

import argparse
import http.server
import json
import os
import ssl
import sys
import threading
from pathlib import Path


class Store:
    def __init__(self, folder):
        self.lock = threading.Lock()
        self.folder = Path(folder)
        self.events = {}
        self.file = open(self.folder / "events.jsonl", "a+", encoding="utf-8")
        self.requests = open(self.folder / "requests.jsonl", "a", encoding="utf-8")
        self.file.seek(0)
        for line in self.file:
            event = json.loads(line)
            self.events[(event["device"], event["seq"])] = event
        self.devices = {}
        self.agents = {}
        self.how = {"status": 200, "retry_after": None, "drop_answers": 0, "drop_requests": 0}
        self.held = threading.Event()
        self.held.set()

    def take(self, body):
        lines = [json.loads(line) for line in body.decode("utf-8").splitlines()]
        head, rest = lines[0], lines[1:]
        assert head["report"] == 1 and len(head["boot"]) == 32, head
        named = set(head.get("devices", []))
        knows_us = head.get("manager", str(os.getpid())) == str(os.getpid())
        for line in rest:
            if "event" in line:
                key = (line["device"], line["seq"])
                named.add(line["device"])
                if key not in self.events and knows_us:
                    self.events[key] = line
                    self.file.write(json.dumps(line) + "\n")
            for device in line.get("devices", []):
                named.add(device["device"])
                self.devices[device["device"]] = device
        self.file.flush()
        os.fsync(self.file.fileno())
        (self.folder / "devices.json").write_text(json.dumps(self.devices))
        highest = {device: max([seq for of, seq in self.events if of == device], default=0) for device in named}
        return {"manager": str(os.getpid()), "stored": {device: {"seq": seq} for device, seq in highest.items()}, "time_us": 0}

    def answer(self, path):
        known = self.folder / ("answer" + path.split("?")[0].replace("/", "_") + ".json")
        return known.read_text() if known.exists() else None


def make_handler(store, token):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def reply(self, status, body, kind="application/json", headers=()):
            data = body.encode("utf-8")
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            for name, value in headers:
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        def refuse(self, status, title, headers=()):
            problem = {"type": "about:blank", "title": title, "status": status, "detail": "as the test wants it"}
            self.reply(status, json.dumps(problem), "application/problem+json", headers)

        def admitted(self):
            return token is None or self.headers.get("Authorization") == "Bearer " + token

        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.path.endswith("/commands"):
                return self.refuse(404, "it has no commands")
            if not store.held.is_set():
                print("held", flush=True)
                store.held.wait()
            with store.lock:
                store.requests.write(json.dumps({"path": self.path, "lines": body.decode().splitlines()}) + "\n")
                store.requests.flush()
                how = store.how
                if not self.admitted():
                    return self.refuse(401, "no valid token")
                if how["status"] != 200:
                    after = how["retry_after"]
                    return self.refuse(how["status"], "refused", [("Retry-After", after)] if after else ())
                if how["drop_requests"] > 0:
                    how["drop_requests"] -= 1
                    self.close_connection = True
                    return None
                answer = store.take(body)
                print("stored", len(store.events), flush=True)
                if how["drop_answers"] > 0:
                    how["drop_answers"] -= 1
                    self.close_connection = True
                    return None
            return self.reply(200, json.dumps(answer))

        def do_GET(self):
            if not self.admitted():
                return self.refuse(401, "no valid token")
            answer = store.answer(self.path)
            return self.refuse(404, "no such page") if answer is None else self.reply(200, answer)

    return Handler


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--tls", nargs=2)
    parser.add_argument("--token")
    parser.add_argument("--port", type=int, default=0)
    arguments = parser.parse_args()
    store = Store(arguments.folder)
    http.server.ThreadingHTTPServer.allow_reuse_address = True
    server = http.server.ThreadingHTTPServer(("127.0.0.1", arguments.port), make_handler(store, arguments.token))
    server.daemon_threads = True
    server.handle_error = lambda *_: None  # clients that are killed, or that do not trust it
    if arguments.tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*arguments.tls)
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print("port", server.server_address[1], flush=True)
    for line in sys.stdin:
        what, *values = line.split()
        # "ok" comes before what the order lets happen: the test skips the lines before it.
        with store.lock:
            if what == "hold":
                store.held.clear()
            elif what != "go":
                store.how[what] = int(values[0])
                if what == "status":
                    store.how["retry_after"] = values[1] if len(values) > 1 else None
            print("ok", flush=True)
            if what == "go":
                store.held.set()


main()
