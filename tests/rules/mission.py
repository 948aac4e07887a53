#!/usr/bin/env python3
"""Runs the commands of docs/mission.md and checks that the device tests that it names exist.

usage: mission.py ROOT FOLDER_OF_PROGRAMS

A row has four cells: statement, command, piece of its output, device tests. A command that begins with "not yet" is not run.
"""

import re
import shlex
import subprocess
import sys
from pathlib import Path

CODE = re.compile(r"`([^`]+)`")
TEST = re.compile(r"^TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", re.MULTILINE)


def rows(page):
    for number, line in enumerate(page.read_text().splitlines(), 1):
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if line.startswith("| ") and not line.startswith("| statement |"):
            yield number, cells


def problems(root, programs):
    page = root / "docs/mission.md"
    tests = {".".join(found) for source in (root / "tests").glob("*/*_test.cpp") for found in TEST.findall(source.read_text())}
    outputs = {}
    for number, cells in rows(page):
        place = f"docs/mission.md:{number}"
        if len(cells) != 4:
            yield f"{place}: a row has four cells"
            continue
        _, command, piece, devices = cells
        for name in CODE.findall(devices):
            if name not in tests:
                yield f"{place}: there is no test {name}"
        if command.startswith("not yet"):
            continue
        commands, pieces = CODE.findall(command), CODE.findall(piece)
        if len(commands) != 1 or len(pieces) != 1:
            yield f"{place}: a row has one command and one piece of its output"
            continue
        words = shlex.split(commands[0])
        if commands[0] not in outputs:
            outputs[commands[0]] = subprocess.run([programs / words[0], *words[1:]], cwd=root, text=True,
                                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        done = outputs[commands[0]]
        if done.returncode != 0:
            yield f"{place}: `{commands[0]}` ends with {done.returncode}:\n{done.stdout[-2000:]}"
        elif pieces[0] not in done.stdout:
            yield f"{place}: the output of `{commands[0]}` lacks '{pieces[0]}'"
    if not outputs:
        yield f"{page} has no commands"


def main():
    found = list(problems(Path(sys.argv[1]), Path(sys.argv[2])))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
