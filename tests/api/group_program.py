"""A real cluster of NATS, several real managers that share a log there, and agents that report to whichever leads. For
the tests in this folder. Nothing here has a timeout: it waits for conditions, and ctest ends a test that hangs."""

import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import threading
from pathlib import Path

from manager_program import NDJSON, Manager, body, event

LOOK_AGAIN_S = 0.03
NATS_SERVER = shutil.which("nats-server", path=os.environ["PATH"] + ":/usr/sbin")
NODES = 3


def until(holds):
    """Waits until there is a result that is true, and returns it."""
    pause = threading.Event()
    while not (found := holds()):
        pause.wait(LOOK_AGAIN_S)
    return found


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Node:
    def __init__(self, folder, name, port, route, routes):
        self.folder = folder
        self.health, = free_ports(1)
        self.url = f"nats://127.0.0.1:{port}"
        folder.mkdir()
        (folder / "nats.conf").write_text(
            f"server_name: {name}\nlisten: 127.0.0.1:{port}\nhttp: 127.0.0.1:{self.health}\n"
            f"max_payload: 8MB\nmax_pending: 64MB\n"
            f'jetstream {{ store_dir: "{folder}/js" }}\n'
            f"cluster {{ name: petrel, listen: 127.0.0.1:{route}, routes: [{', '.join(routes)}] }}\n")
        self.start()

    def start(self):
        with (self.folder / "log").open("a") as log:
            self.process = subprocess.Popen([NATS_SERVER, "-c", self.folder / "nats.conf"], stdout=log, stderr=log)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def has_caught_up(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.health, timeout=3)
        try:
            connection.request("GET", "/healthz")
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()


class Cluster:
    def __init__(self, folder):
        ports = free_ports(2 * NODES)
        routes = [f"nats://127.0.0.1:{route}" for route in ports[NODES:]]
        self.nodes = [Node(folder / f"node{i}", f"node{i}", ports[i], ports[NODES + i], routes) for i in range(NODES)]
        self.urls = ",".join(node.url for node in self.nodes)

    def kill(self):
        for node in self.nodes:
            if node.process.poll() is None:
                node.kill()

    def leader_of(self, stream):
        """The node that leads this stream, by the last line about it in the logs of all nodes."""
        lines = []
        for node in self.nodes:
            for line in (node.folder / "log").read_text().splitlines():
                if f"new stream leader for '$G > {stream}'" in line:
                    lines.append((line.split("[INF]")[0].split("]", 1)[1], node))
        return max(lines, key=lambda one: one[0])[1]


class GroupManager(Manager):
    """It keeps its port when it is started again, so that its URL stays."""

    def __init__(self, folder, urls, *arguments):
        self.listen = "127.0.0.1:0"
        folder.mkdir(exist_ok=True)
        super().__init__(folder, "--nats", urls, *arguments)

    def start(self):
        super().start()
        self.listen = f"127.0.0.1:{self.port}"
        self.reader = threading.Thread(target=self._read_log, args=(self.process.stderr,))
        self.reader.start()

    def _read_log(self, stderr):
        with stderr, (self.folder / "log").open("a") as log:
            for line in stderr:
                log.write(line)
                log.flush()

    def _end(self):
        code = self.process.wait()
        self.reader.join()
        return code

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def metric(self, name):
        for line in self.get("/metrics").splitlines():
            if line.startswith(name + " "):
                return float(line.split()[1])
        return None

    def history(self):
        """The cursors and numbers of all events, in their order."""
        rows, after = [], 0
        while True:
            page = self.get(f"/api/v1/events?after={after}&limit=1000")
            if not page["events"]:
                return rows
            rows += [(one["cursor"], one["event"]["device"], one["event"]["seq"]) for one in page["events"]]
            after = page["next"]


class Group:
    def __init__(self, folder, managers=3, arguments=()):
        self.folder = Path(folder)
        self.cluster = Cluster(self.folder)
        self.managers = [GroupManager(self.folder / f"m{i}", self.cluster.urls, *arguments) for i in range(managers)]

    def close(self):
        for manager in self.managers:
            if manager.process.poll() is None:
                manager.process.send_signal(signal.SIGCONT)
                manager.kill()
        self.cluster.kill()

    def leader(self, among=None):
        """Waits until one of these managers leads."""
        return until(lambda: next((manager for manager in among or self.managers if manager.process.poll() is None
                                   and manager.metric("petrel_manager_leader") == 1), None))

    def others(self, than):
        return [manager for manager in self.managers if manager is not than]

    def wait_until_good(self):
        """Until one leads and all others follow it."""
        until(lambda: all(manager.metric("petrel_manager_group_good") == 1 for manager in self.managers))

    def wait_for_same_entry(self):
        """Until all managers have stored the same part of the log."""
        until(lambda: len({manager.metric("petrel_manager_log_entry") for manager in self.managers}) == 1)


class ReportingAgent(threading.Thread):
    """Sends events 1, 2, 3 ... to one manager after the other, and each again until it is acknowledged."""

    def __init__(self, name, ports, at_once=5):
        super().__init__(daemon=True)
        self.agent, self.ports, self.at_once = name, ports, at_once
        self.acknowledged = 0
        self.lost = []  # what was acknowledged and is not stored
        self.stopping = False

    def run(self):
        turn = 0
        pause = threading.Event()
        while not self.stopping:
            if not self.report(self.ports[turn % len(self.ports)]):
                turn += 1
                pause.wait(LOOK_AGAIN_S)

    def report(self, port):
        first = self.acknowledged + 1
        kinds = ("storm_detected", "storm_restored")
        lines = [event(seq, kinds[seq % 2], device=self.agent) for seq in range(first, first + self.at_once)]
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=3)
        try:
            connection.request("POST", f"/api/v1/agents/{self.agent}/reports", body(*lines, agent=self.agent), NDJSON)
            answer = connection.getresponse()
            content = json.loads(answer.read())
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()
        if answer.status != 200:
            return False
        stored = content["stored"][self.agent]["seq"]
        if stored < self.acknowledged:
            self.lost.append((port, self.acknowledged, stored))
        self.acknowledged = max(self.acknowledged, stored)
        return True


class Storm:
    """Agents that report all the time."""

    def __init__(self, group, agents=4):
        ports = [manager.port for manager in group.managers]
        self.agents = [ReportingAgent(f"leaf{i}", ports) for i in range(agents)]
        for agent in self.agents:
            agent.start()

    def go_on(self, events=50):
        """Until each agent has so many more events acknowledged."""
        goals = [agent.acknowledged + events for agent in self.agents]
        until(lambda: all(agent.acknowledged >= goal for agent, goal in zip(self.agents, goals)))

    def end(self):
        for agent in self.agents:
            agent.stopping = True
        for agent in self.agents:
            agent.join()
