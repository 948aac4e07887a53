#!/usr/bin/env python3
"""Links in the real manager, by the reports of the agents of both ends: links_test.py PETREL"""

import subprocess
import unittest
from pathlib import Path

from manager_program import PETREL, Manager, ManagerCase, event

LEAF, HOST = ("leaf3", "Ethernet20"), ("gpu-1207", "eth2")
CABLES = '[[cable]]\nends = ["leaf3:Ethernet20", "gpu-1207:eth2"]\n'
UNKNOWN, REBOOT = 36, 35


def link_event(seq, what, end, number, ldr, second, **more):
    link = {"number": number, "ldr": ldr, "nldr": None, "cause": ldr, **more}
    return event(seq, what, device=end[0], port=end[1], time_us=second * 1_000_000, queue=None, by="text", link=link)


def state(end, link, uncleared=None, neighbour=None):
    port = {"port": end[1], "link": link}
    if uncleared:
        port["uncleared"] = uncleared
    if neighbour:
        port["neighbour"] = {"device": neighbour[0], "port": neighbour[1]}
    return {"devices": [{"device": end[0], "state": "watching", "ports": [port]}]}


class Links(ManagerCase):
    def setUp(self):
        super().setUp()
        self.manager.stop()
        (Path(self.folder.name) / "cables.toml").write_text(CABLES)
        self.manager = Manager(self.folder.name, "--cables", Path(self.folder.name) / "cables.toml")

    def shown(self, *arguments):
        ended = subprocess.run([PETREL, "link", "show", "--manager", f"http://127.0.0.1:{self.manager.port}",
                                *arguments], capture_output=True, text=True)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return ended.stdout

    def ends(self, query=""):
        return {end["device"]: end for link in self.manager.get(f"/api/v1/links{query}")["links"]
                for end in link["ends"]}

    def reboot_of_the_host(self):
        """The link goes down because the host reboots. Its agent reports that after it is back."""
        self.manager.report(state(LEAF, "down", 1), link_event(1, "link_down", LEAF, 1, UNKNOWN, 100))
        down = self.ends()
        answer, content = self.manager.report(state(LEAF, "up", 1), link_event(2, "link_up", LEAF, 1, UNKNOWN, 160))
        self.assertEqual(answer.status, 200, content)
        self.manager.report(state(HOST, "up", 1), link_event(1, "link_down", HOST, 1, REBOOT, 101),
                            link_event(2, "link_up", HOST, 1, REBOOT, 161), agent="gpu-1207")
        return down, content

    def test_both_ends_reasons_are_joined_and_the_far_end_is_unavailable_meanwhile(self):
        down, _ = self.reboot_of_the_host()
        self.assertEqual(down["gpu-1207"]["status"], "unknown")
        self.assertEqual(down["leaf3"]["registers"]["ldr"], UNKNOWN)
        self.assertTrue(down["leaf3"]["down"])
        ends = self.ends()
        self.assertEqual([(e["history"][0]["cause"], e["history"][0]["far_cause"]) for e in ends.values()],
                         [("REBOOT", None), ("NEIGHBOR_UNKNOWN", "REBOOT")])
        text = self.shown()
        self.assertIn("gpu-1207:eth2 → leaf3:Ethernet20", text)
        self.assertRegex(text, r"leaf3:Ethernet20 → gpu-1207:eth2 .*36 Neighbor Unknown.*35 Reboot")
        self.assertIn("after 60000.000 ms", self.shown("leaf3:Ethernet20", "--history"))

    def test_the_manager_clears_what_it_has_stored_when_the_link_is_up_again(self):
        answer, content = self.manager.report(state(LEAF, "down", 1), link_event(1, "link_down", LEAF, 1, UNKNOWN, 100))
        self.assertNotIn("clear_links", content, "the link is still down")
        _, content = self.manager.report(state(LEAF, "up", 1), link_event(2, "link_up", LEAF, 1, UNKNOWN, 160))
        self.assertEqual(content["clear_links"], {"leaf3": {"Ethernet20": 1}})
        _, content = self.manager.report()
        self.assertEqual(content["clear_links"], {"leaf3": {"Ethernet20": 1}}, "until the agent has done it")
        _, content = self.manager.report(state(LEAF, "up"))
        self.assertNotIn("clear_links", content)
        self.assertIsNone(self.ends()["leaf3"]["registers"])
        self.assertEqual(len(self.ends()["leaf3"]["history"]), 1, "the history stays")

    def test_the_history_survives_a_kill_and_is_shown_as_asked(self):
        for number in range(1, 31):
            second = 10_000 * number
            self.manager.report(link_event(2 * number - 1, "link_down", LEAF, number, REBOOT, second),
                                link_event(2 * number, "link_up", LEAF, number, REBOOT, second + 1))
        before = self.ends("?history=128")["leaf3"]["history"]
        self.assertEqual([down["number"] for down in before], list(range(1, 31)))
        self.assertEqual([down["number"] for down in self.ends()["leaf3"]["history"]], list(range(23, 31)))
        self.manager.kill()
        self.manager.start()
        self.assertEqual(self.ends("?history=128")["leaf3"]["history"], before)
        self.problem(self.manager.request("GET", "/api/v1/links?history=129"), 400, "allowed 0..128")
        text = self.shown("--history", "--format", "opasaquery")
        self.assertEqual(text.count("LinkDownErrorLog: 35 (              Reboot) Time: "), 8)
        self.assertIn("Port gpu-1207:eth2 Info\n   PortState:        Unknown\n   LinkDownReason: unavailable    "
                      "NeighborLinkDownReason: unavailable", text)

    def test_a_flapping_link_is_quarantined(self):
        import time
        now = int(time.time())
        events = []
        for number in range(1, 26):
            events += [link_event(2 * number - 1, "link_down", LEAF, number, REBOOT, now - 100 + number),
                       link_event(2 * number, "link_up", LEAF, number, REBOOT, now - 100 + number)]
        _, content = self.manager.report(state(LEAF, "up", 1), *events)
        self.assertNotIn("clear_links", content)
        self.assertTrue(self.ends()["leaf3"]["quarantined"])
        self.assertIn("up, quarantined", self.shown())
        self.assertIn('petrel_manager_link_quarantined{device="leaf3",port="Ethernet20",neighbour="gpu-1207 eth2"} 1',
                      self.manager.get("/metrics"))

    def test_a_neighbour_that_the_cables_do_not_name_is_a_finding(self):
        self.manager.report(state(LEAF, "up", neighbour=("gpu-1208", "eth2")))
        port = next(p for p in self.manager.get("/api/v1/ports")["ports"] if p["device"] == "leaf3")
        self.assertEqual(port["neighbour"], {"device": "gpu-1207", "port": "eth2"})
        self.assertEqual([claim["by"] for claim in port["disagreement"]], ["cables", "agent"])
        self.assertIn('petrel_manager_neighbour_disagreement{device="leaf3",port="Ethernet20"} 1',
                      self.manager.get("/metrics"))
        ended = subprocess.run([PETREL, "ports", "--manager", f"http://127.0.0.1:{self.manager.port}"],
                               capture_output=True, text=True)
        self.assertIn("note: leaf3:Ethernet20: the cables name gpu-1207:eth2, its agent names gpu-1208:eth2",
                      ended.stdout)

    def test_samples_are_paged(self):
        row = {"device": "leaf3", "port": "Ethernet20", "queue": 3, "paused_us": 5, "tx_packets": 6, "rx_pfc": 7}
        self.manager.report({"samples": [{**row, "time_us": second * 1_000_000} for second in range(1, 6)]},
                            {"samples": [{**row, "port": "*", "queue": 0, "time_us": 1}]})
        first = self.manager.get("/api/v1/samples?device=leaf3&port=Ethernet20&limit=3")
        self.assertEqual(first["samples"][0], {**row, "time_us": 1_000_000})
        rest = self.manager.get(f"/api/v1/samples?port=Ethernet20&after={first['next']}")
        self.assertEqual([s["time_us"] for s in first["samples"] + rest["samples"]],
                         [second * 1_000_000 for second in range(1, 6)])
        self.problem(self.manager.request("GET", "/api/v1/samples?limit=0"), 400, "allowed 1..10000")


class TwoAgents(ManagerCase):
    """A real agent at each end. The manager knows the cables of the twin."""

    PLAN = Path(__file__).resolve().with_name("link_down.toml")

    def agent(self, node):
        folder = Path(self.folder.name) / node
        folder.mkdir()
        (folder / "agent.toml").write_text(f'''
[agent]
name = "{node}"
state_dir = "{folder}/state"
[control]
socket = "{folder}/socket"
[metrics]
listen = ""
[manager]
url = "http://127.0.0.1:{self.manager.port}"
[[device]]
driver = "twin:{self.PLAN}#{node}"
simulated = true
[[policy]]
preset = "sonic"
''')
        agent = subprocess.Popen([PETREL, "agent", "--config", folder / "agent.toml"], stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
        self.addCleanup(agent.wait)
        self.addCleanup(agent.kill)

    def command(self, *arguments):
        return subprocess.run([PETREL, *arguments], capture_output=True, text=True).stdout

    def ends(self):
        return {end["device"]: end for link in self.manager.get("/api/v1/links?port=leaf3:Ethernet1")["links"]
                for end in link["ends"]}

    def test_a_real_link_event_is_joined_and_cleared_at_both_agents(self):
        self.manager.stop()
        self.manager = Manager(self.folder.name, "--twin", self.PLAN)
        self.agent("leaf3")
        self.agent("spine1")
        ends = {}
        while not all(end["history"] and end["history"][0]["up_us"] for end in ends.values()) or not ends:
            ends = self.ends()
        leaf, spine = (ends[name]["history"][0] for name in ("leaf3", "spine1"))
        self.assertEqual((leaf["ldr"], leaf["far_cause"]), (60, None))
        self.assertEqual((spine["ldr"], spine["far_cause"]), (36, "SWITCH_MGMT"))
        while any(end["registers"] for end in self.ends().values()) or any(
                "Switch Management" in self.command("link", "show", "--socket", f"{self.folder.name}/{node}/socket")
                for node in ("leaf3", "spine1")):
            pass
        shown = self.command("link", "show", "leaf3:Ethernet1", "--manager",
                             f"http://127.0.0.1:{self.manager.port}")
        self.assertRegex(shown, r"spine1:Ethernet1 → leaf3:Ethernet1 +up .*36 Neighbor Unknown +60 Switch Management")
        self.assertIn("leaf3:Ethernet0 → gpu-1207", self.command(
            "ports", "--manager", f"http://127.0.0.1:{self.manager.port}"))


if __name__ == "__main__":
    unittest.main()
