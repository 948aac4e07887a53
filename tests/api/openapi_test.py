#!/usr/bin/env python3
"""docs/openapi.yaml and the program agree in both directions: openapi_test.py PETREL OpenApi"""

import json
import re
import unittest
from pathlib import Path

import yaml
from json_schema import Schemas
from manager_program import NDJSON, ManagerCase, body, event

ROOT = Path(__file__).parents[2]
METHODS = {"get", "post", "put", "patch", "delete"}
DESCRIPTION = yaml.safe_load((ROOT / "docs/openapi.yaml").read_text())


def operations():
    for path, entry in DESCRIPTION["paths"].items():
        for method, operation in entry.items():
            assert method in METHODS, f"{path}: {method}"
            yield path, method.upper(), operation


def parameters(operation, where):
    return [one for one in operation.get("parameters", []) if one["in"] == where]


def example_path(path, operation):
    for one in parameters(operation, "path"):
        path = path.replace("{" + one["name"] + "}", one["example"])
    return path


class OpenApi(ManagerCase):
    def setUp(self):
        super().setUp()
        self.schemas = Schemas(DESCRIPTION)
        far = {"device": "gpu-1207", "port": "eth2"}
        port = {"port": "Ethernet0", "link": "up", "neighbour": far,
                "queues": [{"queue": 3, "phase": "watching", "configured": "drop", "programmed": "drop",
                            "observed": "none"}]}
        self.manager.report({"devices": [{"device": "leaf3", "state": "watching", "ports": [port, {"port": "Ethernet4"}]}]},
                            event(1), event(2, "storm_restored"), event(3), event(4, "pause_too_long", queue=None),
                            event(5, "link_down", port="Ethernet4"), event(6, "link_up", port="Ethernet4"),
                            event(7, "link_down", port="Ethernet4"), event(9, "order_taken", port=None),
                            {"samples": [{"device": "leaf3", "port": "Ethernet0", "queue": 3, "time_us": 9, "paused_us": 1,
                                          "tx_packets": 2, "rx_pfc": 3}]})
        self.manager.report({"devices": [{"device": "gpu-1207", "ports": [
            {"port": "eth2", "neighbour": {"device": "leaf3", "port": "Ethernet0"}}]}]},
            event(1, "link_down", device="gpu-1207", port="eth2"), agent="gpu-1207")
        response, ordered = self.answer("POST", "/api/v1/commands",
                                        json.dumps({"request": {"command": "status"}, "all": True}),
                                        {"Content-Type": "application/json"})
        self.assertEqual(response.status, 200, ordered)
        self.ordered = f"/api/v1/commands/{ordered['id']}"

    def answer(self, method, path, content=None, headers=None):
        response, given = self.manager.request(method, path, content, headers)
        return response, given

    def test_the_program_serves_the_file_itself(self):
        self.assertEqual(self.manager.get("/api/v1/openapi.yaml"), (ROOT / "docs/openapi.yaml").read_text())
        self.assertEqual(DESCRIPTION["openapi"], "3.1.0")

    def test_each_route_is_described_with_its_parameters(self):
        source = (ROOT / "src/api/routes.cpp").read_text()
        queries = {name: re.findall(r'"([^"]+)"', values) for name, values in
                   re.findall(r"constexpr std::array<std::string_view, \d+> (k\w+)\{([^}]*)\}", source)}
        table = source[source.index("constexpr std::array kRoutes{"):]
        header = (ROOT / "src/api/routes.hpp").read_text()
        names = dict(re.findall(r'std::string_view (k\w+) =\s+"([^"]+)"', header))
        routes = {(path.strip('"') if '"' in path else names[path], method): sorted(queries.get(query, [])) for method, path, query in
                  re.findall(r'Route\{\s*"(\w+)",\s*([^,]+),\s*Role::\w+,(?:\s*(?:\{\}|k[A-Z][a-z]+),)?\s*(\{\}|k\w+)',
                             table[:table.index("};\n")])}
        self.assertGreater(len(routes), 10)
        described = {(path, method): sorted(one["name"] for one in parameters(operation, "query"))
                     for path, method, operation in operations()}
        self.assertEqual(routes, described)

    def test_other_methods_are_refused_with_those_that_are_described(self):
        for path, entry in DESCRIPTION["paths"].items():
            operation = next(iter(entry.values()))
            described = {method.upper() for method in entry}
            for method in {"GET", "POST", "PUT", "DELETE", "PATCH"} - described:
                response, given = self.answer(method, example_path(path, operation))
                self.problem((response, given), 405, "allowed")
                self.assertEqual(set(response.headers["Allow"].split(", ")), described, path)

    def check_answer(self, response, given, operation, at):
        answers = operation["responses"]
        self.assertIn("200", answers)
        described = answers[str(response.status)] if str(response.status) in answers else answers["default"]
        if "$ref" in described:
            described = DESCRIPTION["components"]["responses"][described["$ref"].rsplit("/", 1)[1]]
        kind = response.headers["Content-Type"].split(";")[0]
        self.assertEqual([kind], list(described["content"]), at)
        self.schemas.check(given, described["content"][kind]["schema"], at)

    def test_each_answer_is_as_described(self):
        for path, method, operation in operations():
            if method == "GET" and not path.endswith("/stream"):
                example = self.ordered if path == "/api/v1/commands/{id}" else example_path(path, operation)
                response, given = self.answer(method, example)
                self.assertEqual(response.status, 200, path)
                self.check_answer(response, given, operation, path)
        operation = DESCRIPTION["paths"]["/api/v1/agents/{agent}/reports"]["post"]
        response, given = self.answer("POST", "/api/v1/agents/leaf3/reports", body(event(10)), NDJSON)
        self.check_answer(response, given, operation, "report")
        # Each property of each schema was in an answer. (An object of the agent has properties of its own.)
        described = {(f"#/components/schemas/{name}", key) for name, schema in DESCRIPTION["components"]["schemas"].items()
                     for key in schema.get("required", []) if name not in ("Problem", "Order", "CommandPoll", "AgentCommands")}
        self.assertEqual(described - self.schemas.seen, set())

    def test_each_parameter_takes_what_is_described_and_nothing_else(self):
        for path, method, operation in operations():
            for one in parameters(operation, "query"):
                schema = one["schema"]
                if method != "GET" or path.endswith("/stream"):
                    continue
                good, bad = [], []
                if schema["type"] == "integer":
                    good = [str(schema[bound]) for bound in ("minimum", "maximum", "default") if bound in schema]
                    bad = ["x", "1.5", "-1", "99999999999999999999"]
                    bad += [str(schema["maximum"] + 1)] if "maximum" in schema else []
                elif schema["type"] == "boolean":
                    good, bad = ["true", "false"], ["maybe", "1"]
                elif "enum" in schema:
                    good, bad = schema["enum"], ["colour"]
                else:
                    good = [one.get("example", "leaf3")]
                for value, status in [(v, 200) for v in good] + [(v, 400) for v in bad]:
                    address = f"{example_path(path, operation)}?{one['name']}={value}"
                    response, given = self.answer(method, address)
                    self.assertEqual(response.status, status, address)
                    self.check_answer(response, given, operation, address)
            response, given = self.answer(method, example_path(path, operation) + "?colour=red")
            self.problem((response, given), 400, "unknown parameter 'colour'")

    def test_bodies_of_other_types_are_refused(self):
        for path, method, operation in operations():
            if "requestBody" not in operation:
                continue
            response, given = self.answer(method, example_path(path, operation), b"x", {"Content-Type": "text/html"})
            self.problem((response, given), 415, "allowed " + next(iter(operation["requestBody"]["content"])))


if __name__ == "__main__":
    unittest.main()
