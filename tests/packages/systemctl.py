#!/usr/bin/env python3
"""Stands for systemctl where no systemd runs: starts, restarts and stops one unit by its file. Logs each call."""

import os
import pwd
import re
import select
import signal
import socket
import subprocess
import sys
from pathlib import Path

PID_FILE = Path("/run/petrel-test.pid")
LOG = Path("/run/systemctl.log")


def unit_value(unit, key):
    text = (Path("/lib/systemd/system") / unit).read_text()
    return re.search(rf"^{key}=(.*)$", text, re.M).group(1)


def is_active():
    return PID_FILE.exists()


def start(unit):
    user = pwd.getpwnam(unit_value(unit, "User"))
    for folder in ("/var/lib/petrel", "/run/petrel"):
        os.makedirs(folder, mode=0o755, exist_ok=True)
        os.chown(folder, user.pw_uid, user.pw_gid)
    ready = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    name = f"\0petrel-test-{os.getpid()}"
    ready.bind(name)
    agent = subprocess.Popen(
        unit_value(unit, "ExecStart").split(), user=user.pw_uid, group=user.pw_gid, extra_groups=[], start_new_session=True,
        env={"NOTIFY_SOCKET": "@" + name[1:]}, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=open("/run/agent.log", "a"))
    PID_FILE.write_text(str(agent.pid))
    while b"READY=1" not in ready.recv(65536):
        pass


def stop():
    if not is_active():
        return
    pid = int(PID_FILE.read_text())
    end = os.pidfd_open(pid)
    os.kill(pid, signal.SIGTERM)
    select.select([end], [], [])
    PID_FILE.unlink()


def main(words):
    with LOG.open("a") as log:
        print(*words, file=log)
    words = [word for word in words if not word.startswith("-")]
    action, units = words[0], words[1:]
    if action in ("start", "restart"):
        stop()
        start(units[0])
    elif action == "try-restart" and is_active():
        stop()
        start(units[0])
    elif action == "stop":
        stop()
    elif action == "is-enabled":
        print("disabled")
    elif action == "is-active":
        return 0 if is_active() else 3
    return 0


sys.exit(main(sys.argv[1:]))
