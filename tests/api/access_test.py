#!/usr/bin/env python3
"""Who may use the manager's API, and what it exports for Prometheus: access_test.py PETREL CLASS"""

import re
import shutil
import socket
import ssl
import subprocess
import tempfile
import unittest
from pathlib import Path

from manager_program import NDJSON, Manager, ManagerCase, body, event

ROOT = Path(__file__).parents[2]
TOKENS = {"leaf3": "the secret of leaf3", "grafana": "only reads things", "alice": "operates the fabric"}
ROLES = {"leaf3": "agent", "grafana": "read", "alice": "operator"}


def make_certificate(folder, name="127.0.0.1"):
    """A certificate for this address that signs itself."""
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                    "-days", "2", "-subj", "/CN=manager", "-addext", f"subjectAltName=IP:{name}", "-keyout",
                    folder / "key.pem", "-out", folder / "cert.pem"], check=True, capture_output=True)


def write_tokens(folder):
    text = "".join(f'[[token]]\nname = "{name}"\nrole = "{ROLES[name]}"\ntoken = "{secret}"\n'
                   for name, secret in TOKENS.items())
    (folder / "tokens.toml").write_text(text)


class TlsCase(ManagerCase):
    def start(self, folder):
        make_certificate(folder)
        write_tokens(folder)
        manager = Manager(folder, "--tls-cert", folder / "cert.pem", "--tls-key", folder / "key.pem", "--tokens",
                          folder / "tokens.toml", *self.arguments)
        manager.context = ssl.create_default_context(cafile=folder / "cert.pem")
        return manager

    def as_(self, name):
        return {"Authorization": "Bearer " + TOKENS[name]} if name else {}

    def ask(self, method, path, name, content=None, headers=None):
        return self.manager.request(method, path, content, {**(headers or {}), **self.as_(name)})

    def report(self, name, *lines):
        return self.ask("POST", "/api/v1/agents/leaf3/reports", name, body(*lines), NDJSON)


class Access(TlsCase):
    def test_each_role_may_do_what_it_is_for(self):
        for name, read, operate, report in (("grafana", 200, 403, 403), ("alice", 200, 200, 403),
                                            ("leaf3", 403, 403, 200), (None, 401, 401, 401)):
            for path, status in (("devices", read), ("events", read), ("events/stream?after=x", {200: 400}.get(read, read)),
                                 ("audit", operate)):
                answer = self.ask("GET", f"/api/v1/{path}", name)
                self.assertEqual(answer[0].status, status, (name, path, answer[1]))
            answer = self.report(name, event(1))
            self.assertEqual(answer[0].status, report, (name, answer[1]))
            self.assertEqual(self.ask("GET", "/metrics", name)[0].status, read)
        for path in ("/healthz", "/readyz"):
            self.assertEqual(self.ask("GET", path, None)[0].status, 200)

    def test_a_refusal_says_what_is_needed(self):
        answer = self.ask("GET", "/api/v1/ports", None)
        self.problem(answer, 401, "Authorization: Bearer TOKEN")
        self.assertEqual(answer[0].headers["WWW-Authenticate"], "Bearer")
        self.problem(self.report("grafana"), 403, "the token has the role read: needed agent")
        for wrong in ("Bearer ", "Bearer only reads thing", "Bearer only reads thingsx", "Basic " + TOKENS["alice"],
                      TOKENS["alice"], "bearer\tx"):
            self.assertEqual(self.manager.request("GET", "/api/v1/ports", None, {"Authorization": wrong})[0].status, 401)
        self.problem(self.ask("GET", "/api/v1/nothing", None), 401, "")

    def test_a_refused_report_changes_nothing_and_an_accepted_one_names_its_sender(self):
        self.report("grafana", event(1))
        self.report(None, event(2))
        self.assertEqual(self.ask("GET", "/api/v1/events", "alice")[1]["events"], [])
        self.report("leaf3", event(3))
        audit = self.ask("GET", "/api/v1/audit", "alice")[1]["audit"]
        self.assertEqual([(one["who"], one["what"], one["on"]) for one in audit], [("leaf3", "agent_started", "leaf3")])

    def test_clients_without_tls_get_nothing(self):
        answer = self.manager.raw(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.assertNotIn(b"ok", answer)
        with socket.create_connection(("127.0.0.1", self.manager.port)) as half:
            half.sendall(b"\x16\x03\x01\x02\x00")  # half of a TLS record; the manager serves others meanwhile
            self.assertEqual(self.ask("GET", "/healthz", None)[0].status, 200)

    def test_old_versions_of_tls_are_refused(self):
        old = ssl.create_default_context(cafile=self.manager.folder / "cert.pem")
        old.set_ciphers("ALL:@SECLEVEL=0")
        old.minimum_version = ssl.TLSVersion.TLSv1
        old.maximum_version = ssl.TLSVersion.TLSv1_1
        with self.assertRaises(OSError), socket.create_connection(("127.0.0.1", self.manager.port)) as connection:
            old.wrap_socket(connection, server_hostname="127.0.0.1")

    def test_certificates_and_tokens_that_do_not_fit_are_refused_at_the_start(self):
        folder = Path(self.folder.name)
        with tempfile.TemporaryDirectory() as other:
            make_certificate(Path(other))
            cases = [(["--tls-cert", folder / "cert.pem", "--tls-key", Path(other) / "key.pem"], "belong together"),
                     (["--tls-cert", folder / "cert.pem"], "--tls-key"),
                     (["--tls-cert", "/nowhere", "--tls-key", folder / "key.pem"], "/nowhere")]
            (Path(other) / "tokens.toml").write_text('[[token]]\nname = "a"\nrole = "king"\ntoken = "short"\n')
            cases.append((["--tokens", Path(other) / "tokens.toml"], "allowed read, agent or operator"))
            cases.append((["--tokens", Path(other) / "tokens.toml"], "16"))
            for arguments, words in cases:
                ended = subprocess.run([self.manager.program, "manager", "--listen", "127.0.0.1:0", "--store",
                                        Path(other) / "m.db", *arguments], capture_output=True, text=True)
                self.assertEqual(ended.returncode, 2, ended.stderr)
                self.assertIn(words, ended.stderr)


class Metrics(ManagerCase):
    rules = (ROOT / "packaging/prometheus/petrel-manager.rules.yml").read_text()
    cases = (ROOT / "packaging/prometheus/petrel-manager.rules.test.yml").read_text()

    def families(self):
        self.manager.report(event(1))  # a metric of devices or ports needs one
        return set(re.findall(r"^# TYPE (\w+) ", self.manager.get("/metrics"), re.MULTILINE))

    def test_the_metrics_show_devices_errors_and_counts(self):
        far = {"device": "gpu-1207", "port": "eth2"}
        self.manager.report({"devices": [{"device": "leaf3", "ports": [{"port": "Ethernet0", "neighbour": far}]}]},
                            event(1), event(4, "order_taken"))
        self.manager.report(event(1))
        self.manager.get("/api/v1/nothing")
        text = self.manager.get("/metrics")
        for line in ('petrel_manager_device_reporting{device="leaf3"} 1',
                     'petrel_manager_device_events_missing{device="leaf3"} 2',
                     'petrel_manager_port_error{device="leaf3",port="Ethernet0",priority="3",cause="PFC_STORM_MITIGATED",'
                     'neighbour="gpu-1207 eth2"} 1', "petrel_manager_reports_total 2", "petrel_manager_events_total 2",
                     "petrel_manager_requests_refused_total 1", "petrel_manager_store_failures_total 0",
                     "petrel_manager_event_viewers 0"):
            self.assertIn(line + "\n", text)
        self.manager.report(event(5, "storm_restored"))
        self.assertNotIn('port="Ethernet0"', self.manager.get("/metrics"))

    def test_names_of_devices_cannot_break_the_format(self):
        self.manager.report(event(1, device='a"b\\c', port="\u00e4 x"))
        if promtool := shutil.which("promtool"):
            checked = subprocess.run([promtool, "check", "metrics"], input=self.manager.get("/metrics"), text=True,
                                     capture_output=True)
            self.assertEqual((checked.returncode, checked.stdout + checked.stderr), (0, ""))

    def test_each_metric_is_documented(self):
        documented = set(re.findall(r"^\| `(petrel_manager_\w+)` \|", (ROOT / "docs/manager.md").read_text(), re.MULTILINE))
        source = (ROOT / "src/api/manager_metrics.cpp").read_text()
        self.assertEqual(set(re.findall(r'MetricFamily\{"(petrel_manager_\w+)"', source)), documented)
        self.assertLessEqual(self.families(), documented, "some appear with a link or a finding only")

    def test_the_alert_rules_pass_their_tests(self):
        promtool = shutil.which("promtool")
        if not promtool:
            self.skipTest("promtool is not installed (package prometheus)")
        for what, name in (("check", "petrel-manager.rules.yml"), ("test", "petrel-manager.rules.test.yml")):
            ended = subprocess.run([promtool, what, "rules", name], cwd=ROOT / "packaging/prometheus", text=True,
                                   capture_output=True)
            self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)

    def test_each_alert_fires_in_a_test_and_is_silent_in_another_and_uses_exported_metrics(self):
        tested = {}
        for name, silent in re.findall(r"alertname: (\w+)\n +eval_time: \w+\n +exp_alerts:( \[\])?", self.cases):
            tested.setdefault(name, set()).add(bool(silent))
        alerts = re.findall(r"- alert: (\w+)\n", self.rules)
        self.assertGreaterEqual(len(alerts), 5)
        for alert in alerts:
            self.assertEqual(tested.get(alert), {True, False}, alert)
        source = (ROOT / "src/api/manager_metrics.cpp").read_text()
        self.assertLessEqual(set(re.findall(r"\bpetrel_\w+", self.rules)),
                             set(re.findall(r'MetricFamily\{"(petrel_manager_\w+)"', source)))


if __name__ == "__main__":
    unittest.main()
