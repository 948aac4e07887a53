#!/usr/bin/env python3
"""The manager's API, over real HTTP against the real program: manager_test.py PETREL"""

import random
import shutil
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

from manager_program import NDJSON, PETREL, Manager, ManagerCase, body, event



class Ingest(ManagerCase):
    def test_a_report_is_stored_and_shown(self):
        answer, content = self.manager.report(event(1), event(2, device="leaf9"))
        self.assertEqual(answer.status, 200, content)
        self.assertEqual(content["stored"], {"leaf3": {"seq": 1, "epoch": 0}, "leaf9": {"seq": 2, "epoch": 0}})
        storms = self.manager.get("/api/v1/storms")["storms"]
        self.assertEqual([(s["device"], s["port"], s["queue"], s["status"]) for s in storms],
                         [("leaf3", "Ethernet0", 3, "reporting"), ("leaf9", "Ethernet0", 3, "reporting")])
        self.manager.report(event(2, "storm_restored"))
        ports = self.manager.get("/api/v1/ports?errors=true")["ports"]
        self.assertEqual([p["device"] for p in ports], ["leaf9"])
        self.assertEqual(len(self.manager.get("/api/v1/ports")["ports"]), 2)
        self.assertEqual(len(self.manager.get("/api/v1/ports?device=leaf3")["ports"]), 1)

    def test_two_live_agents_cannot_report_the_same_device(self):
        state = {"devices": [{"device": "eth0", "state": "watching"}]}
        self.assertEqual(self.manager.report(state, agent="host1")[0].status, 200)
        for line in (state, event(1, device="eth0")):
            self.problem(self.manager.report(line, agent="host2"), 409, "'eth0' is reported by the agent 'host1'")
        self.assertEqual(self.manager.report(event(1, device="eth0"), agent="host1")[0].status, 200)
        self.assertEqual(self.manager.report(agent="host2")[0].status, 200)

    def test_a_heartbeat_of_an_unknown_agent_is_no_device(self):
        answer, content = self.manager.report()
        self.assertEqual((answer.status, content["stored"]), (200, {}))
        self.assertEqual(self.manager.get("/api/v1/devices")["devices"], [])

    def test_a_state_names_neighbour_link_and_queues(self):
        port = {"port": "Ethernet0", "link": "up", "neighbour": {"device": "gpu-1207", "port": "eth2"},
                "queues": [{"queue": 3, "phase": "watching", "configured": "drop", "programmed": "drop",
                            "observed": "none"}]}
        self.manager.report({"devices": [{"device": "leaf3", "state": "watching", "ports": [port]}]}, event(1))
        shown = self.manager.get("/api/v1/ports")["ports"][0]
        self.assertEqual(shown["neighbour"], {"device": "gpu-1207", "port": "eth2"})
        self.assertEqual(shown["link"], "up")
        self.assertEqual(shown["queues"], port["queues"])
        for path, key in (("events", "events"), ("storms", "storms")):
            self.assertEqual(self.manager.get(f"/api/v1/{path}")[key][0]["neighbour"]["device"], "gpu-1207")

    def test_duplicates_reordering_and_replays_change_nothing(self):
        kinds = ["storm_detected", "storm_restored", "link_down", "link_up", "pause_too_long",
                 "pause_too_long_cleared", "order_taken"]
        draw = random.Random(7)
        events = [event(seq, draw.choice(kinds), port=draw.choice(["Ethernet0", "Ethernet4"]), time_us=1000)
                  for seq in range(1, 201)]
        self.manager.report(*events)
        expected = [self.manager.get(f"/api/v1/{path}") for path in ("storms", "links")]
        with tempfile.TemporaryDirectory() as folder:
            other = Manager(folder)
            mixed = events + draw.sample(events, 100)
            draw.shuffle(mixed)
            for begin in range(0, len(mixed), 20):
                part = mixed[begin:begin + 20]
                self.assertEqual(other.report(*part)[0].status, 200)
                self.assertEqual(other.report(*part)[0].status, 200)
            shown = [other.get(f"/api/v1/{path}") for path in ("storms", "links")]
            cursors = [e["event"]["seq"] for e in other.get("/api/v1/events?limit=1000")["events"]]
            other.stop()
        for views in (expected, shown):
            for rows in (views[0]["storms"], *(end for link in views[1]["links"] for end in [link["ends"]])):
                for row in rows:
                    row.pop("heard_us", None)
                    for down in row.get("history", []):
                        down.pop("observed_us")
        self.assertEqual(shown, expected)
        self.assertEqual(sorted(cursors), list(range(1, 201)), "each event once")


class Deaths(ManagerCase):
    def test_nothing_acknowledged_is_lost_when_the_manager_is_killed(self):
        acknowledged = 0
        for seq in range(1, 41):
            answer, content = self.manager.report(event(seq, "order_taken"))
            self.assertEqual(answer.status, 200)
            acknowledged = content["stored"]["leaf3"]["seq"]
            if seq % 10 == 0:
                # A report is under way when the process dies.
                connection = self.manager.connection()
                connection.request("POST", "/api/v1/agents/leaf3/reports", body(event(seq + 1, "order_taken")), NDJSON)
                self.manager.kill()
                connection.close()
                self.manager.start()
                stored = [e["event"]["seq"] for e in self.manager.get("/api/v1/events?limit=1000")["events"]]
                self.assertEqual(stored[:acknowledged], list(range(1, acknowledged + 1)))
                self.assertLessEqual(len(stored), acknowledged + 1)
                self.assertEqual(self.manager.get("/api/v1/devices")["devices"][0]["status"], "unknown")

    def test_a_stop_ends_with_0_also_with_open_streams_and_half_a_request(self):
        stream = self.manager.connection()
        stream.request("GET", "/api/v1/events/stream")
        stream.getresponse().readline()
        half = self.manager.connection()
        half.putrequest("POST", "/api/v1/agents/leaf3/reports")
        half.putheader("Content-Length", "100")
        half.endheaders(b"x")
        self.assertEqual(self.manager.stop(), 0)
        stream.close()
        half.close()

    def test_a_copy_made_while_reports_arrive_is_a_whole_store(self):
        self.manager.report(*(event(seq, "order_taken", by="x" * 500) for seq in range(1, 901)))
        answers = []
        copying = threading.Thread(target=lambda: answers.append(self.manager.request(
            "POST", "/api/v1/backup", b"{}", {"Content-Type": "application/json"})))
        copying.start()
        for seq in range(901, 921):
            self.manager.report(event(seq, "order_taken"))
        copying.join()
        self.assertEqual(answers[0][0].status, 200, answers[0][1])
        self.assertEqual(answers[0][1]["file"], str(self.manager.folder / "m.db.backup"))
        self.assertEqual(self.manager.get("/api/v1/audit")["audit"][0]["what"], "backed_up")
        self.manager.kill()
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(self.manager.folder / "m.db.backup", Path(folder) / "m.db")
            restored = Manager(folder)
            seqs = [e["event"]["seq"] for e in restored.get("/api/v1/events?limit=1000")["events"]]
            self.assertGreaterEqual(len(seqs), 900)
            self.assertEqual(seqs, list(range(1, len(seqs) + 1)))
            restored.stop()
        self.manager.start()

    def test_a_start_forgets_what_the_flags_do_not_keep(self):
        samples = [{"device": "leaf3", "port": "Ethernet0", "queue": 3, "time_us": time_us, "paused_us": 1,
                    "tx_packets": 2, "rx_pfc": 3} for time_us in range(30)]
        self.manager.report(*(event(seq, "order_taken") for seq in range(1, 31)), {"samples": samples})
        self.manager.stop()
        self.manager.arguments = ("--keep-events", "5", "--keep-samples", "7")
        self.manager.start()
        for name, kept in ("events", 5), ("samples", 7):
            while len(rows := self.manager.get(f"/api/v1/{name}?limit=1000")[name]) > kept:
                pass
            self.assertEqual(len(rows), kept)

    def refused_start(self, *arguments, store="other.db"):
        return subprocess.run([PETREL, "manager", "--store", Path(self.folder.name) / store, *arguments],
                              capture_output=True, text=True)

    def test_a_start_that_cannot_work_names_the_reason(self):
        used = f"127.0.0.1:{self.manager.port}"
        for arguments, store, code, words in (
                (["--listen", "127.0.0.1:0"], "m.db", 3, "does another manager use it?"),
                (["--listen", used], "other.db", 3, f"at {used}: Address already in use"),
                (["--listen", "127.0.0.1:notaport"], "other.db", 2, "127.0.0.1:notaport"),
                (["--listen", "7650"], "other.db", 2, "allowed HOST:PORT"),
                (["--listen", "0.0.0.0:0"], "other.db", 2, "allowed with --tls-cert, --tls-key and --tokens"),
                (["--cables", "/nowhere"], "other.db", 2, "/nowhere"),
                (["--listen", "127.0.0.1:0"], "nowhere/m.db", 3, "nowhere/m.db")):
            ended = self.refused_start(*arguments, store=store)
            self.assertEqual(ended.returncode, code, ended.stderr)
            self.assertIn(words, ended.stderr)


class Hostile(ManagerCase):
    def tearDown(self):
        self.assertEqual(self.manager.get("/api/v1/events")["events"], [], "a refused request changes nothing")
        self.assertEqual(self.manager.report(event(1))[0].status, 200, "the manager goes on")

    def post(self, content, agent="leaf3", **headers):
        return self.manager.request("POST", f"/api/v1/agents/{agent}/reports", content, {**NDJSON, **headers})

    def test_a_bad_line_refuses_the_whole_report_and_is_named(self):
        good = body(event(1))
        self.problem(self.post(good + b"\n{\"seq\":2}"), 400, "line 3: allowed an event")
        self.problem(self.post(good + b"\n\xff\xfe"), 400, "line 3: not a JSON object in UTF-8")
        self.problem(self.post(good, agent="leaf4"), 400, "agent: 'leaf3': allowed 'leaf4'")
        self.problem(self.post(b""), 400, "line 1: absent")
        self.problem(self.post(b"[" * 100_000), 400, "line 1: nested 100000 deep: allowed 16")
        self.problem(self.post(b'{"report":' + b"[" * 500_000 + b"]" * 500_000 + b"}"), 400, "line 1: nested 500001 deep")

    def test_too_many_bytes_or_lines(self):
        self.problem(self.post(body() + b'\n{"samples":[]}' * 4096), 413, "line 4097: allowed 4096 lines")
        self.problem(self.manager.request("POST", "/api/v1/agents/leaf3/reports", iter([b"x" * 100_000] * 15), NDJSON),
                     413, "allowed 1048576")
        answer = self.manager.raw(b"POST /api/v1/agents/leaf3/reports HTTP/1.1\r\nHost: localhost\r\n"
                                  b"Content-Type: application/x-ndjson\r\nContent-Length: 99999999999\r\n\r\n")
        self.assertIn(b" 413 ", answer.splitlines()[0])

    def test_other_types_paths_methods_and_parameters(self):
        self.problem(self.manager.request("POST", "/api/v1/agents/leaf3/reports", body(), {"Content-Type": "text/html"}),
                     415, "allowed application/x-ndjson")
        self.problem(self.manager.request("GET", "/api/v1/../etc/passwd"), 404, "openapi.yaml")
        self.problem(self.manager.request("GET", "/api/v1/agents/a/b/reports"), 404, "")
        answer = self.manager.request("DELETE", "/api/v1/ports")
        self.problem(answer, 405, "allowed GET")
        self.assertEqual(answer[0].headers["Allow"], "GET")
        for query, words in (("ports?errors=maybe", "errors: 'maybe': allowed true or false"),
                             ("ports?colour=red", "unknown parameter 'colour'"), ("links?port=x", "DEVICE:PORT"),
                             ("events?limit=0", "allowed 1..1000"), ("events?after=-1", "after: '-1'"),
                             ("events/stream?after=x", "allowed a cursor")):
            self.problem(self.manager.request("GET", f"/api/v1/{query}"), 400, words)

    def test_pages_of_other_sites_are_refused(self):
        for headers in ({"Host": "evil.example"}, {"Host": "localhost.evil.example:7650"},
                        {"Origin": "http://evil.example"}, {"Origin": "null"}):
            self.problem(self.manager.request("GET", "/api/v1/ports", headers=headers), 403, "")
            self.problem(self.post(body(event(1)), **headers), 403, "")
        self.assertEqual(self.manager.get("/healthz", Origin=f"http://localhost:{self.manager.port}"), "ok\n")

    def test_garbage_and_endless_headers(self):
        self.manager.raw(bytes(range(256)) * 10 + b"\r\n\r\n", leave=True)
        self.manager.raw(b"GET /healthz HTTP/1.1\r\nX: " + b"x" * 1_000_000, leave=True)

    def test_slow_and_many_connections_do_not_keep_others_out(self):
        slow = [self.manager.connection() for _ in range(300)]
        for connection in slow:
            connection.connect()
            connection.sock.sendall(b"POST /api/v1/agents/leaf3/reports HTTP/1.1\r\nHost: loc")
        self.assertEqual(self.manager.get("/healthz"), "ok\n")
        for connection in slow:
            connection.close()

    def test_half_a_body_stores_nothing(self):
        content = body(event(1))
        self.manager.raw(b"POST /api/v1/agents/leaf3/reports HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                         b"application/x-ndjson\r\nContent-Length: %d\r\n\r\n" % (len(content) + 1) + content, leave=True)


class Streams(ManagerCase):
    def stream(self, **headers):
        connection = self.manager.connection()
        self.addCleanup(connection.close)
        connection.request("GET", "/api/v1/events/stream", headers=headers)
        answer = connection.getresponse()
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer.headers["Content-Type"], "text/event-stream")
        return answer

    @staticmethod
    def cursors(answer, count):
        found = []
        while len(found) < count:
            line = answer.readline().decode()
            assert line, "the stream ended"
            if line.startswith("id: "):
                found.append(int(line[4:]))
        return found

    def test_pages_follow_a_cursor(self):
        self.manager.report(*(event(seq, device=f"leaf{seq % 2}") for seq in range(1, 12)))
        seen, after = [], 0
        while page := self.manager.get(f"/api/v1/events?after={after}&limit=4")["events"]:
            seen += [e["event"]["seq"] for e in page]
            after = page[-1]["cursor"]
        self.assertEqual(seen, list(range(1, 12)))
        odd = self.manager.get("/api/v1/events?device=leaf1")["events"]
        self.assertEqual([e["event"]["seq"] for e in odd], [1, 3, 5, 7, 9, 11])

    def test_a_viewer_gets_new_events_and_after_a_break_those_it_missed(self):
        viewer = self.stream()
        viewer.readline()
        self.manager.report(event(1))
        self.manager.report(event(2))
        self.assertEqual(self.cursors(viewer, 2), [1, 2])
        self.manager.report(*(event(seq) for seq in range(3, 1000)))
        self.assertEqual(self.cursors(self.stream(**{"Last-Event-ID": "2"}), 997), list(range(3, 1000)))
        self.assertEqual(self.cursors(viewer, 997), list(range(3, 1000)))

    def test_a_replay_goes_on_with_new_events(self):
        self.manager.report(*(event(seq) for seq in range(1, 601)))
        viewer = self.stream(**{"Last-Event-ID": "0"})
        self.assertEqual(self.cursors(viewer, 600), list(range(1, 601)))
        self.manager.report(event(601))
        self.assertEqual(self.cursors(viewer, 1), [601])

    def test_a_viewer_that_does_not_read_loses_nothing_and_stops_no_other(self):
        lazy = self.stream()
        lazy.readline()
        text = "x" * 2000
        for begin in range(1, 4001, 400):
            answer, _ = self.manager.report(*(event(seq, "order_taken", by=text) for seq in range(begin, begin + 400)))
            self.assertEqual(answer.status, 200)
        self.assertEqual(self.cursors(lazy, 4000), list(range(1, 4001)))

    def test_viewers_are_bounded(self):
        viewers = []
        for _ in range(512):
            viewers.append(self.stream())
        connection = self.manager.connection()
        connection.request("GET", "/api/v1/events/stream")
        answer = connection.getresponse()
        self.assertEqual((answer.status, answer.headers["Retry-After"]), (503, "1"))
        connection.close()


if __name__ == "__main__":
    unittest.main()
