"""Runs the commands of docs/mission.md: each must succeed and print what its row claims.

A row of the tables is: statement | `petrel ...` | what the output contains, as one or more `texts`.
"""

import pathlib
import re
import shlex
import subprocess
import sys


def rows(text):
    """The rows with a command: (line number, command, expected texts)."""
    for number, line in enumerate(text.splitlines(), 1):
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) != 3 or not cells[1].startswith("`"):
            continue
        yield number, cells[1].strip("`"), re.findall(r"`([^`]+)`", cells[2])


def problem_of(petrel, root, command, expected):
    """None, or what is wrong with this row."""
    words = shlex.split(command)
    if words[:1] != ["petrel"]:
        return "the command is not petrel"
    if not expected:
        return "the row claims nothing about the output"
    done = subprocess.run([petrel, *words[1:]], cwd=root, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return f"exit code {done.returncode}: {done.stderr.strip()}"
    missing = [text for text in expected if text not in done.stdout]
    return f"the output does not contain {missing}:\n{done.stdout}" if missing else None


def main(petrel, root):
    page = pathlib.Path(root) / "docs" / "mission.md"
    found = list(rows(page.read_text(encoding="utf-8")))
    problems = [] if found else [f"{page}: no row with a command"]
    for number, command, expected in found:
        if problem := problem_of(petrel, root, command, expected):
            problems.append(f"{page}:{number}: {command}: {problem}")
    print("\n".join(problems) or f"{len(found)} commands do what docs/mission.md says")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
