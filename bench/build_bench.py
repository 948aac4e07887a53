#!/usr/bin/env python3
"""Measures what the build costs: ./dev bench build [--json].

Clones the last commit twice into a temporary folder and runs the project's own commands there, without ccache. Packages
are taken to be installed. Takes about as long as .ci/run.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EDITED = "src/watchdog/machine_storm.cpp"

# The goals, in seconds, for two cores that do nothing else.
DEMO_CPU_S = 300
CI_WALL_S = 1500
EDIT_WALL_S = 20


def clone(into):
    subprocess.run(["git", "clone", "--quiet", ROOT, into], check=True)
    return into


def measured(tree, *command):
    """Wall time and processor time of a command, its children included."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    run = subprocess.run(command, cwd=tree, env={**os.environ, "CCACHE_DISABLE": "1", "CI": "true"},
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if run.returncode:
        sys.exit(f"{run.stdout[-4000:]}\nbuild bench: {' '.join(command)} failed with exit code {run.returncode}")
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def compiled(tree, preset):
    """How many compilations a build from nothing has run."""
    log = (tree / "build" / preset / ".ninja_log").read_text().splitlines()[1:]
    return len({output for output in (line.split("\t")[3] for line in log) if output.endswith(".o")})


def main():
    as_json = sys.argv[1:] == ["--json"]
    if sys.argv[1:] and not as_json:
        print("usage: ./dev bench build [--json]", file=sys.stderr)
        return 2

    def report(bench, metric, value, goal=None):
        if as_json:
            print(json.dumps({"bench": bench, "metric": metric, "value": round(value, 1)}), flush=True)
        else:
            judged = "" if goal is None else f"at most {goal}: {'met' if value <= goal else 'missed'}"
            print(f"{bench:<34}{metric:<30}{value:>16.1f}   {judged}".rstrip(), flush=True)

    with tempfile.TemporaryDirectory(prefix="petrel-build-") as folder:
        tree = clone(Path(folder) / "demo")
        wall, cpu = measured(tree, "./dev", "demo", "--fast", "--report", str(tree / "report"))
        report("build/demo", "cpu_s", cpu, DEMO_CPU_S)
        report("build/demo", "wall_s", wall)

        tree = clone(Path(folder) / "ci")
        wall, cpu = measured(tree, ".ci/run")
        report("build/ci", "wall_s", wall, CI_WALL_S)
        report("build/ci", "cpu_s", cpu)
        for preset in ("asan", "release"):
            report(f"build/{preset}", "compilations", compiled(tree, preset))

        with (tree / EDITED).open("a") as source:
            source.write("// edited\n")
        wall, cpu = measured(tree, "./dev", "test", "watchdog")
        report("build/edit_watchdog", "wall_s", wall, EDIT_WALL_S)
        report("build/edit_watchdog", "cpu_s", cpu)
    return 0


if __name__ == "__main__":
    sys.exit(main())
