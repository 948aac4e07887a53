#!/usr/bin/env python3
"""Several managers that share a log in a real cluster of NATS. Nodes and managers are killed and stopped while agents
report: each event is exactly once in the history of each manager, and nothing that was acknowledged is lost.
group_test.py PETREL CLASS"""

import shutil
import signal
import tempfile
import unittest
from pathlib import Path

from group_program import Group, GroupManager, Storm, until
from manager_program import Manager, ManagerCase, event


class GroupCase(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.group = Group(self.folder.name)
        self.addCleanup(self.group.close)

    problem = ManagerCase.problem


class StormCase(GroupCase):
    """Agents report from the begin of each test to its end."""

    def setUp(self):
        super().setUp()
        self.group.wait_until_good()
        self.storm = Storm(self.group)
        self.addCleanup(self.storm.end)
        self.storm.go_on()

    def end(self):
        self.storm.go_on()
        self.storm.end()
        self.group.leader()
        self.group.wait_for_same_entry()
        histories = [manager.history() for manager in self.group.managers]
        cursors = [cursor for cursor, _, _ in histories[0]]
        self.assertEqual(cursors, sorted(set(cursors)))
        for agent in self.storm.agents:
            self.assertEqual(agent.lost, [], "a manager did not know what another one had acknowledged")
            seqs = [seq for _, device, seq in histories[0] if device == agent.agent]
            self.assertEqual(sorted(seqs), list(range(1, len(seqs) + 1)), "each event once")
            self.assertGreaterEqual(len(seqs), agent.acknowledged)
        for history in histories[1:]:
            self.assertEqual(history, histories[0])


class NodesDie(StormCase):
    def test_each_node_of_nats_dies_and_returns(self):
        first = self.group.cluster.leader_of("PETREL")
        for node in [first] + [node for node in self.group.cluster.nodes if node is not first]:
            node.kill()
            self.storm.go_on()
            node.start()
            self.storm.go_on()
            until(node.has_caught_up)  # two nodes that have the log are a majority, one and a late one may be none
        self.end()


class AllNodesDie(StormCase):
    def test_all_nodes_of_nats_die_at_once(self):
        self.group.cluster.kill()
        until(lambda: all(manager.metric("petrel_manager_group_good") == 0 for manager in self.group.managers))
        for manager in self.group.managers:
            answer, content = manager.request("GET", "/readyz")
            self.assertEqual(answer.status, 503, content)
            self.assertNotEqual(manager.get("/api/v1/ports")["ports"], [], "the view is shown nevertheless")
        for node in self.group.cluster.nodes:
            node.start()
        self.end()


class LeadersDie(StormCase):
    def test_the_leading_manager_dies_twice(self):
        for _ in range(2):
            leader = self.group.leader()
            leader.kill()
            self.group.leader(self.group.others(leader))
            self.storm.go_on()
            leader.start()
            self.storm.go_on()
        self.end()


class LeaderIsStopped(StormCase):
    def test_a_leader_that_was_stopped_cannot_write_when_it_goes_on(self):
        leader = self.group.leader()
        leader.process.send_signal(signal.SIGSTOP)
        self.group.leader(self.group.others(leader))
        self.storm.go_on()
        leader.process.send_signal(signal.SIGCONT)
        until(lambda: leader.metric("petrel_manager_leader") == 0)
        self.storm.go_on()
        until(lambda: leader.metric("petrel_manager_group_good") == 1)
        self.end()

    def test_a_leader_whose_nodes_are_stopped_goes_on_with_others(self):
        node = self.group.cluster.leader_of("PETREL")
        node.process.send_signal(signal.SIGSTOP)
        self.storm.go_on()
        node.process.send_signal(signal.SIGCONT)
        self.end()


class Followers(GroupCase):
    def test_they_show_what_the_leader_stores_and_refuse_changes(self):
        leader = self.group.leader()
        follower = self.group.others(leader)[0]
        self.group.wait_until_good()
        stream = follower.connection()
        stream.request("GET", "/api/v1/events/stream")
        events = stream.getresponse()
        events.readline()
        answer, content = leader.report(event(1), {"samples": [
            {"device": "leaf3", "port": "Ethernet0", "queue": 3, "time_us": 7, "paused_us": 1, "tx_packets": 2,
             "rx_pfc": 3}]})
        self.assertEqual((answer.status, content["stored"]), (200, {"leaf3": {"seq": 1, "epoch": 0}}))
        self.assertEqual(events.readline(), b"\n")
        self.assertEqual(events.readline(), b"id: 1\n")
        stream.close()
        self.assertEqual(follower.get("/api/v1/storms")["storms"][0]["status"], "reporting")
        until(lambda: follower.get("/api/v1/samples")["samples"])
        self.assertEqual(follower.get("/api/v1/audit"), leader.get("/api/v1/audit"))
        self.assertEqual(follower.get("/readyz"), f"ready: follows {leader.url}\n")
        self.assertEqual(leader.get("/readyz"), "ready\n")
        for answer in (follower.report(event(2)), follower.request("GET", "/api/v1/commands"),
                       follower.request("POST", "/api/v1/backup", b"{}", {"Content-Type": "application/json"})):
            self.problem(answer, 503, f"this manager does not lead: send this to {leader.url}")

    def test_a_leader_that_stops_in_order_has_a_successor_at_once(self):
        leader = self.group.leader()
        self.assertEqual(leader.stop(), 0)
        self.group.leader(self.group.others(leader))


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name)
        self.group = Group(self.path, managers=0)
        self.addCleanup(self.group.close)

    def manager(self, name, copy_of=None):
        folder = self.path / name
        folder.mkdir(exist_ok=True)
        if copy_of:
            answer, content = copy_of.request("POST", "/api/v1/backup", b"{}", {"Content-Type": "application/json"})
            self.assertEqual(answer.status, 200, content)
            Path(content["file"]).rename(folder / "m.db")
        made = GroupManager(folder, self.group.cluster.urls)
        self.group.managers.append(made)
        return made

    def trouble(self, manager, words):
        until(lambda: words in manager.request("GET", "/readyz")[1].get("detail", ""))

    def test_a_file_goes_on_as_a_group_and_back(self):
        (self.path / "a").mkdir()
        alone = Manager(self.path / "a")
        alone.report(event(1))
        alone.stop()
        first = self.manager("a")
        self.group.leader()
        answer, content = first.report(event(2), agent="leaf3")
        self.assertEqual(content["stored"], {"leaf3": {"seq": 2, "epoch": 0}})
        empty = self.manager("b")
        self.trouble(empty, "goes on where the file of another manager ended: start with a copy")
        empty.kill()
        shutil.rmtree(self.path / "b")
        self.group.managers.remove(empty)
        second = self.manager("b", copy_of=first)
        self.group.leader()
        self.group.wait_for_same_entry()
        self.assertEqual(second.history(), [(1, "leaf3", 1), (2, "leaf3", 2)])
        first.stop()
        self.assertEqual(self.group.leader([second]).report(event(3))[0].status, 200)
        second.stop()
        alone = Manager(self.path / "a")
        self.assertEqual(alone.report(event(3, "storm_restored"))[1]["stored"], {"leaf3": {"seq": 3, "epoch": 0}})
        alone.stop()
        self.group.managers.clear()
        self.trouble(self.manager("a"), "belongs to no log")


if __name__ == "__main__":
    unittest.main(verbosity=2)
