#!/usr/bin/env python3
"""Certificates of agents, from the invitation to the revocation: enrolment_test.py PETREL Enrolment"""

import http.client
import json
import ssl
import subprocess
import time
import unittest

from access_test import ROOT, TOKENS, TlsCase
from json_schema import Schemas
from manager_program import NDJSON, PETREL, body, event
from openapi_test import DESCRIPTION

PEM = {"Content-Type": "application/x-pem-file"}
JSON = {"Content-Type": "application/json"}


class Enrolment(TlsCase):
    def start(self, folder):
        self.files = folder
        self.arguments = ("--ca", folder / "ca")
        return super().start(folder)

    def petrel(self, *arguments):
        return subprocess.run([PETREL, *arguments, "--ca-file", self.files / "cert.pem"], capture_output=True, text=True)

    @property
    def url(self):
        return f"https://127.0.0.1:{self.manager.port}"

    def invite(self, agent="leaf3", *flags):
        (self.files / "operator").write_text(TOKENS["alice"] + "\n")
        ended = self.petrel("invite", agent, "--manager", self.url, "--token-file", self.files / "operator", *flags)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return ended.stdout.strip()

    def enrol(self, token, agent="leaf3", name="agent.pem"):
        (self.files / "invitation").write_text(token + "\n")
        return self.petrel("enrol", self.url, "--name", agent, "--token-file", self.files / "invitation", "--output",
                           self.files / name)

    def enrolled(self, agent="leaf3", name="agent.pem"):
        ended = self.enrol(self.invite(agent), agent, name)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return self.files / name

    def with_certificate(self, file, method, path, content=None, headers=None):
        context = ssl.create_default_context(cafile=self.files / "cert.pem")
        context.load_cert_chain(file)
        connection = http.client.HTTPSConnection("127.0.0.1", self.manager.port, context=context)
        connection.request(method, path, content, headers or {})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer, json.loads(text) if text.startswith("{") else text

    def report_with(self, file, agent="leaf3", *lines):
        return self.with_certificate(file, "POST", f"/api/v1/agents/{agent}/reports", body(*lines, agent=agent), NDJSON)

    def audit(self):
        entries = self.ask("GET", "/api/v1/audit", "alice")[1]["audit"]
        return [(one["who"], one["what"], one["on"]) for one in reversed(entries)]

    def request_for(self, name="x"):
        subprocess.run(["openssl", "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                        "-subj", "/CN=other", "-keyout", self.files / f"{name}.key", "-out", self.files / f"{name}.csr"],
                       check=True, capture_output=True)
        return (self.files / f"{name}.csr").read_text()

    def certify(self, request, token, agent="leaf3"):
        return self.manager.request("POST", f"/api/v1/agents/{agent}/certificate", request,
                                    {**PEM, "Authorization": f"Bearer {token}"})

    def test_an_invited_agent_reports_with_its_certificate_and_for_itself_only(self):
        file = self.enrolled()
        self.assertEqual(file.stat().st_mode & 0o777, 0o600)
        self.assertFalse((self.files / "agent.pem.key").exists())
        answer = self.report_with(file, "leaf3", event(1))
        self.assertEqual(answer[0].status, 200, answer[1])
        self.problem(self.report_with(file, "leaf4", event(1, device="leaf4")), 403, "may only report as that agent")
        self.problem(self.with_certificate(file, "GET", "/api/v1/ports"), 403, "may only report")
        self.problem(self.with_certificate(file, "GET", "/api/v1/audit"), 403, "may only report")
        self.assertEqual(self.audit(), [("alice", "agent_invited", "leaf3"),
                                        ("127.0.0.1", "certificate_issued", "leaf3"),
                                        ("leaf3", "agent_started", "leaf3")])

    def test_a_token_works_for_one_agent_and_one_key_and_also_after_a_restart(self):
        token = self.invite()
        first, second = self.request_for("a"), self.request_for("b")
        self.problem(self.certify(first, token, "leaf4"), 403, "an invitation for this agent")
        self.problem(self.certify(first, "0" * 32), 403, "an invitation for this agent")
        self.assertEqual(self.certify(first, token)[0].status, 200)
        self.manager.kill()
        self.manager.start()
        self.problem(self.certify(second, token), 403, "the token has been used")
        answer, content = self.certify(first, token)  # the answer was lost
        self.assertEqual(answer.status, 200)
        (self.files / "a.pem").write_text(content["certificate"] + (self.files / "a.key").read_text())
        self.assertEqual(self.report_with(self.files / "a.pem")[0].status, 200)

    def test_an_enrolment_that_was_interrupted_goes_on_with_its_key(self):
        token = self.invite()
        self.assertEqual(self.enrol(token).returncode, 0)
        (self.files / "agent.pem").rename(self.files / "agent.pem.key")  # killed before the certificate was written
        text = (self.files / "agent.pem.key").read_text()
        (self.files / "agent.pem.key").write_text(text[text.index("-----BEGIN PRIVATE KEY"):])
        ended = self.enrol(token)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(self.report_with(self.files / "agent.pem")[0].status, 200)
        self.assertIn("the token has been used", self.enrol(token, name="other.pem").stderr)

    def test_a_certificate_renews_itself_and_no_other(self):
        file = self.enrolled()
        request = self.request_for()
        answer, content = self.with_certificate(file, "POST", "/api/v1/agents/leaf3/certificate", request, PEM)
        self.assertEqual(answer.status, 200, content)
        self.problem(self.with_certificate(file, "POST", "/api/v1/agents/leaf4/certificate", request, PEM), 403, "may not renew")
        (self.files / "new.pem").write_text(content["certificate"] + (self.files / "x.key").read_text())
        self.assertEqual(self.report_with(self.files / "new.pem")[0].status, 200)
        self.assertIn(("leaf3", "certificate_renewed", "leaf3"), self.audit())

    def test_a_revoked_agent_is_locked_out_until_it_is_invited_again(self):
        file = self.enrolled()
        unused = self.invite()
        self.invite("leaf3", "--revoke")
        for _ in range(2):
            self.problem(self.report_with(file), 401, "a certificate of this manager that is valid")
            self.problem(self.with_certificate(file, "POST", "/api/v1/agents/leaf3/certificate", self.request_for(), PEM),
                         403, "needs a certificate")
            self.problem(self.certify(self.request_for(), unused), 403, "an invitation for this agent")
            self.manager.kill()
            self.manager.start()
        self.assertEqual(self.report_with(self.enrolled())[0].status, 200)
        self.assertIn(("alice", "certificates_revoked", "leaf3"), self.audit())

    def old_certificate(self, name):
        """One that the manager's CA issued 25 days ago, and that ends tomorrow."""
        self.request_for("old")
        serial = f"{int((time.time() - 25 * 86400) * 1e6):016x}{0:016x}"
        subprocess.run(["openssl", "x509", "-req", "-in", self.files / "old.csr", "-CA", self.files / "ca/ca.pem", "-CAkey",
                        self.files / "ca/ca-key.pem", "-days", "1", "-set_serial", "0x" + serial, "-subj", f"/CN={name}",
                        "-out", self.files / "old.crt"], check=True, capture_output=True)
        (self.files / "old.pem").write_text((self.files / "old.crt").read_text() + (self.files / "old.key").read_text())
        return self.files / "old.pem"

    def test_an_agent_renews_its_certificate_in_time(self):
        file = self.old_certificate("leaf3")
        before = file.read_text()
        config = self.files / "agent.toml"
        config.write_text(f"""
[agent]
name = "leaf3"
state_dir = "{self.files}/state"
[control]
socket = "{self.files}/control.sock"
[metrics]
listen = ""
[manager]
url = "{self.url}"
ca_file = "{self.files}/cert.pem"
certificate_file = "{file}"
[[device]]
name = "sw"
driver = "twin:{ROOT}/scenarios/agent/storm.toml"
simulated = true
[[policy]]
preset = "sonic"
""")
        agent = subprocess.Popen([PETREL, "agent", "--config", config], stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: agent.poll() is None and (agent.kill(), agent.communicate()))
        seen = set()
        for line in agent.stderr:
            self.assertNotIn("certificate_not_renewed", line)
            seen |= {word for word in ("certificate_renewed", "manager_connected") if word in line}
            if len(seen) == 2:
                break
        self.assertEqual(len(seen), 2, "the agent ended")
        self.assertNotEqual(file.read_text(), before)
        self.assertEqual(self.report_with(file)[0].status, 200)
        self.assertIn(("leaf3", "certificate_renewed", "leaf3"), self.audit())
        agent.terminate()
        agent.communicate()

    def test_certificates_of_other_issuers_count_as_none(self):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                        "-subj", "/CN=leaf3", "-keyout", self.files / "f.key", "-out", self.files / "f.crt"], check=True,
                       capture_output=True)
        (self.files / "f.pem").write_text((self.files / "f.crt").read_text() + (self.files / "f.key").read_text())
        self.problem(self.report_with(self.files / "f.pem"), 401, "a certificate of this manager")

    def test_bad_requests_change_nothing(self):
        token = self.invite()
        for content in (b"", b"x" * 100_000, b"-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----"):
            self.problem(self.certify(content, token), 400, "request")
        for content in (b"{}", b'{"hours":0}', b'{"hours":721}', b'{"hours":"1"}', b"[]", b"\xff", b'{"hours":1,"x":1}'):
            answer = self.ask("POST", "/api/v1/agents/leaf4/invitation", "alice", content, JSON)
            self.assertEqual(answer[0].status, 400, content)
        for who in ("grafana", "leaf3", None):
            for path in ("invitation", "revocation"):
                answer = self.ask("POST", f"/api/v1/agents/leaf4/{path}", who, b'{"hours":1}', JSON)
                self.assertEqual(answer[0].status, 401 if who is None else 403)
        self.assertEqual(self.audit(), [("alice", "agent_invited", "leaf3")])
        self.assertEqual(self.certify(self.request_for(), token)[0].status, 200)

    def test_the_answers_are_as_described(self):
        token = self.invite()
        answers = {"invitation": self.ask("POST", "/api/v1/agents/leaf3/invitation", "alice", b'{"hours":1}', JSON),
                   "certificate": self.certify(self.request_for(), token),
                   "revocation": self.ask("POST", "/api/v1/agents/leaf3/revocation", "alice", b"{}", JSON)}
        for path, (answer, content) in answers.items():
            self.assertEqual(answer.status, 200, content)
            described = DESCRIPTION["paths"][f"/api/v1/agents/{{agent}}/{path}"]["post"]["responses"]["200"]
            Schemas(DESCRIPTION).check(content, described["content"]["application/json"]["schema"])


if __name__ == "__main__":
    unittest.main()
