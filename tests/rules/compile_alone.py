#!/usr/bin/env python3
"""Compiles sources one by one, without producing objects: each has to include what it uses.

usage: compile_alone.py BUILD_FOLDER [--jobs N] PART...

PART is a part of the path of a source, e.g. tests/ or headers_alone/. The commands come from compile_commands.json in
BUILD_FOLDER, which has to be configured without unity builds. Exits 1 if a source does not compile.
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


def syntax_only(entry):
    words = shlex.split(entry["command"])
    output = words.index("-o")
    return words[:output] + words[output + 2:] + ["-fsyntax-only"]


def compile_alone(entry):
    return entry["file"], subprocess.run(syntax_only(entry), cwd=entry["directory"], capture_output=True, text=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("parts", nargs="+")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    entries = json.loads((arguments.build / "compile_commands.json").read_text())
    chosen = [entry for entry in entries if any(f"/{part}/" in entry["file"] for part in arguments.parts)]
    if not chosen:
        print(f"no source of {arguments.build} has {' or '.join(arguments.parts)} in its path")
        return 1
    failures = 0
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for source, run in pool.map(compile_alone, chosen):
            if run.returncode:
                failures += 1
                print(f"{source} does not compile by itself:\n{run.stderr}")
    print(f"{len(chosen) - failures} of {len(chosen)} sources compile by themselves")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
