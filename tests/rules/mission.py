#!/usr/bin/env python3
"""Runs the commands of docs/mission.md and checks that the tests that it names exist.

usage: mission.py ROOT FOLDER_OF_PROGRAMS

A row has four cells: statement, commands, piece of the last command's output, tests. Blanks of output and piece are compared as one. The
page begins with a block that starts a manager and an agent; commands that connect to one of them connect to these. The folder /tmp/petrel and
the manager's port stand for others, so that tests can run at the same time. After "(wait)" the last command of the row is repeated until the
piece shows, because the agent's switch needs time. A row that begins with "not yet" is not run. A command that begins with "./" is a program
of the source tree.

The commands of README.md must be commands of the page, without their output files, and the page must have each program and subcommand that
README.md names, except those of its section for developers.
"""

import contextlib
import glob
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CODE = re.compile(r"`([^`]+)`")
TEST = re.compile(r"^(?:TEST(?:_F|_P)?|RC_GTEST_PROP)\((\w+),\s*(\w+)\b", re.MULTILINE)
PYTHON_TEST = re.compile(r"^class (\w+)\(|^    def (test_\w+)\(", re.MULTILINE)
BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
OUTPUT_FILES = re.compile(r" (?:-o|--report) \S+")
NAMED_IN_README = re.compile(r"(?:petrel|\./dev)(?: [a-z][a-z-]*|-host)|pfcwd|mmuconfig|pfcstat|pfc")
FOR_DEVELOPERS = "## Working on it"
MANAGERS_PORT = "7650"
HANG_GUARD_S = 120


def rows(page):
    for number, line in enumerate(page.read_text().splitlines(), 1):
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if line.startswith("| ") and not line.startswith("| statement |"):
            yield number, cells


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def one_blank(text):
    return " ".join(text.split())


class Programs:
    """Runs commands as a user would at the top of the tree, with one manager and one agent."""

    def __init__(self, root, folder):
        self.root = root
        self.folder = folder
        self.environment = dict(os.environ)
        self.state = ""  # the folder in place of /tmp/petrel
        self.port = MANAGERS_PORT
        self.outputs = {}

    @contextlib.contextmanager
    def agent(self, block):
        with tempfile.TemporaryDirectory() as state:
            self.state = state
            self.port = str(free_port())
            self.environment.update(PETREL_CONTROL_SOCKET=state + "/control.sock", TMPDIR=state,
                                    PETREL_MANAGER=f"http://127.0.0.1:{self.port}")
            script = block.replace("/tmp/petrel", state).replace("build/release/", f"{self.folder.parent}/").replace("$PWD/", "")
            script = script.replace(MANAGERS_PORT, self.port)
            ready = ["agent_ready"] + (["listens at port"] if MANAGERS_PORT in block else [])
            log = Path(state) / "log"
            with log.open("w") as out:
                process = subprocess.Popen(["bash", "-e", "-c", script], cwd=self.root, stdout=out, stderr=out, start_new_session=True)
                try:
                    end = time.monotonic() + HANG_GUARD_S
                    while not all(word in log.read_text() for word in ready) and process.poll() is None and time.monotonic() < end:
                        time.sleep(0.05)
                    yield log
                finally:
                    os.killpg(process.pid, signal.SIGTERM)
                    process.wait()

    def run(self, command):
        words = shlex.split(command.replace("/tmp/petrel", self.state).replace(MANAGERS_PORT, self.port))
        expanded = [name for word in words[1:] for name in (sorted(glob.glob(word, root_dir=self.root)) if "*" in word else [word])]
        program = self.root / words[0] if words[0].startswith("./") else self.folder / words[0]
        done = subprocess.run([program, *expanded], cwd=self.root, env=self.environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout

    def run_once(self, command):
        if command not in self.outputs:
            self.outputs[command] = self.run(command)
        return self.outputs[command]

    def run_until_shown(self, command, piece):
        end = time.monotonic() + HANG_GUARD_S
        code, text = self.run(command)
        while (code != 0 or piece not in one_blank(text)) and time.monotonic() < end:
            code, text = self.run(command)
        return code, text

    def problem_of(self, cell, piece):
        """What is wrong with a row, or nothing."""
        commands = CODE.findall(cell)
        alone = len(commands) == 1 and "(wait)" not in cell
        for number, command in enumerate(commands, 1):
            last = number == len(commands)
            wanted = one_blank(piece) if last else ""
            if alone:
                code, text = self.run_once(command)
            elif last and "(wait)" in cell:
                code, text = self.run_until_shown(command, wanted)
            else:
                code, text = self.run(command)
            if code != 0:
                return f"`{command}` ends with {code}:\n{text[-2000:]}"
            if wanted not in one_blank(text):
                return f"the output of `{command}` lacks '{piece}':\n{text[-2000:]}"
        return None


def names_of_tests(root):
    names = {".".join(found) for source in (root / "tests").glob("*/*_test.cpp") for found in TEST.findall(source.read_text())}
    for source in (root / "tests").glob("*/*_test.py"):
        case = ""
        for found_case, test in PYTHON_TEST.findall(source.read_text()):
            case = found_case or case
            names.add(f"{case}.{test}")
    return names


def problems(page, programs):
    tests = names_of_tests(programs.root)
    for number, cells in rows(page):
        place = f"docs/mission.md:{number}"
        if len(cells) != 4:
            yield f"{place}: a row has four cells"
            continue
        _, cell, piece, shown_by = cells
        for name in CODE.findall(shown_by):
            if name not in tests:
                yield f"{place}: there is no test {name}"
        pieces = CODE.findall(piece)
        if cell.startswith("not yet"):
            continue
        if not CODE.findall(cell) or len(pieces) != 1:
            yield f"{place}: a row has commands and one piece of their output"
        elif problem := programs.problem_of(cell, pieces[0]):
            yield f"{place}: {problem}"


def unknown_commands(readme, page):
    known = {command for _, cells in rows(page) for command in CODE.findall(cells[1])}
    for line in readme.read_text().splitlines():
        command = OUTPUT_FILES.sub("", line.split("#")[0]).strip().removeprefix("build/release/bin/")
        if command.startswith("petrel ") and command not in known:
            yield f"README.md: docs/mission.md lacks the command `{command}`"


def unclaimed_programs(readme, page):
    block = BLOCK.search(page.read_text()).group(1)
    claimed = [*(cell for _, cells in rows(page) for cell in cells[:2]), *block.splitlines()]
    for named in sorted({code for code in CODE.findall(readme.read_text().split(FOR_DEVELOPERS)[0]) if NAMED_IN_README.fullmatch(code)}):
        if not any(re.search(rf"(?<![\w-]){re.escape(named)}(?![\w-])", text) for text in claimed):
            yield f"README.md: docs/mission.md has no row about `{named}`"


def main():
    root, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    page = root / "docs/mission.md"
    programs = Programs(root, folder)
    with programs.agent(BLOCK.search(page.read_text()).group(1)) as log:
        found = [*problems(page, programs), *unknown_commands(root / "README.md", page),
                 *unclaimed_programs(root / "README.md", page)]
        if found:
            found.append("the agent:\n" + log.read_text()[-4000:])
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
