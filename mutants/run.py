#!/usr/bin/env python3
"""Builds Petrel with one deliberate bug at a time and checks that the swarm or a test finds it.

usage: run.py [--runs N] [--seed S] [--jobs J] [MUTANT...]

A mutant is a file mutants/NAME.patch: three header lines, an empty line, and a unified diff. First the swarm hunts it, then
the test programs that the header names, one after the other. The table in docs/verification.md says what found it.

A run that was interrupted goes on where it ended, as long as nothing below src and tests changes.

Exit code: 0 if every mutant was found, 5 if one survived, 1 if a mutant cannot be built or the tree without mutants fails.
"""

import argparse
import filecmp
import hashlib
import json
import os
import queue
import re
import shutil
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / "build/mutants"
RESULTS = WORK / "results.json"
TABLE = ROOT / "docs/verification.md"
COMPILED = ("CMakeLists.txt", "CMakePresets.json", "cmake/", "src/", "tests/")
BEGIN, END = "<!-- mutants: begin -->\n", "<!-- mutants: end -->\n"
HANGS_AFTER_S = 900
HEADER = re.compile(r"breaks: (?P<breaks>.+)\nstands for: (?P<stands_for>.+)\ntests: (?P<tests>.+)\n\n--- a/")


class Broken(Exception):
    """The mutants cannot be judged."""


@dataclass
class Mutant:
    name: str
    breaks: str
    stands_for: str
    tests: list
    patch: Path

    @staticmethod
    def read(patch):
        header = HEADER.match(patch.read_text())
        if not header:
            raise Broken(f"{patch.name}: the header is not 'breaks: …', 'stands for: …', 'tests: …' and an empty line")
        return Mutant(patch.stem, header["breaks"], header["stands_for"], header["tests"].split(), patch)

    def files(self):
        return re.findall(r"^\+\+\+ b/(.+)$", self.patch.read_text(), re.MULTILINE)


def all_mutants():
    return [Mutant.read(patch) for patch in sorted((ROOT / "mutants").glob("*.patch"))]


def files_of_the_tree():
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"], check=True,
                            capture_output=True, text=True).stdout
    return {name for name in listed.split("\0") if name and (ROOT / name).is_file()}


@dataclass
class Found:
    by: str  # empty: the mutant survives
    runs: int = 0  # of the swarm; 0 if a test found it


class Results:
    """What found each mutant, in a file. A result holds for the tree, the patch and the options it came from."""

    def __init__(self, options):
        tree = hashlib.sha256(f"{options.runs} {options.seed}".encode())
        for name in sorted(name for name in files_of_the_tree() if name.startswith(COMPILED)):
            tree.update(name.encode() + b"\0" + (ROOT / name).read_bytes())
        self.tree = tree.hexdigest()
        self.of = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
        rows = re.findall(r"^\| (\S+) \|.*\| ((?:test|swarm): .+?)(?: \(earlier\))? \| (\d*) \|$", TABLE.read_text(), re.MULTILINE)
        self.table = {name: Found(by, int(runs or 0)) for name, by, runs in rows}  # as committed

    def source(self, mutant):
        return hashlib.sha256(self.tree.encode() + mutant.patch.read_bytes()).hexdigest()

    def has(self, mutant):
        return self.of.get(mutant.name, {}).get("source") == self.source(mutant)

    def found(self, mutant):
        result = self.of.get(mutant.name)
        return Found(result["by"], result["runs"]) if result else None

    def add(self, mutant, found):
        self.of[mutant.name] = {**vars(found), "source": self.source(mutant)}
        RESULTS.write_text(json.dumps(self.of, indent=1, sort_keys=True))

    def urgency(self, mutant):
        """First those that nothing has found, then those that a change of the draw may hide from the swarm. Mutants of one
        file follow each other, so that each change of the tree is compiled once."""
        before = self.table.get(mutant.name, Found(""))
        return bool(before.by), before.by.startswith("test: "), mutant.files(), mutant.name

    def test_of(self, mutant):
        """The test that found the mutant last time, as folder and name."""
        known = re.fullmatch(r"test: (\w+), (\S+\.\S+)", self.table.get(mutant.name, Found("")).by)
        return (known[1], known[2]) if known else (None, None)


class Workshop:
    """A copy of the tree, in which mutants are built one after the other."""

    def __init__(self, number, options, results):
        self.tree = WORK / str(number)
        self.build_folder = self.tree / "build/release"
        self.options = options
        self.results = results
        self.copy()
        linker = ["-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld -Wl,--strip-all"] if shutil.which("ld.lld") else []
        changed = {name for mutant in all_mutants() for name in mutant.files() if name.endswith(".cpp")}
        apart = ";".join(str(self.tree / name) for name in sorted(changed))
        self.call("configure", "cmake", "--preset", "release", "-DPETREL_TESTS=ON", "-DPETREL_RULES=OFF", "-DPETREL_SLOW=OFF",
                  "-DPETREL_BENCH=OFF", "-DPETREL_FAULT_POINTS=ON", f"-DPETREL_APART={apart}", *linker)

    def copy(self):
        """Files that are the same keep their times, so that only what changed is compiled."""
        wanted = files_of_the_tree()
        for path in self.tree.rglob("*"):
            name = path.relative_to(self.tree).as_posix()
            if path.is_file() and not name.startswith("build/") and name not in wanted:
                path.unlink()
        for name in wanted:
            self.put(name)

    def put(self, name):
        source, target = ROOT / name, self.tree / name
        if not target.is_file() or not filecmp.cmp(source, target, shallow=False):
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
            shutil.copymode(source, target)

    def call(self, what, *command):
        done = subprocess.run(command, cwd=self.tree, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            raise Broken(f"{what} fails:\n{done.stdout[-4000:]}")

    def make(self, target, parallel=1):
        self.call(f"the build of {target}", "cmake", "--build", self.build_folder, "--parallel", str(parallel), "--target", target)

    def judge(self, mutant):
        # The copy lies below a repository, which git apply would take for the tree.
        environment = {**os.environ, "GIT_CEILING_DIRECTORIES": str(WORK)}
        try:
            subprocess.run(["git", "apply", mutant.patch], cwd=self.tree, env=environment, check=True, capture_output=True)
            self.make("petrel")
            return self.swarm() or self.tests(mutant) or Found("")
        except (subprocess.CalledProcessError, Broken) as error:
            raise Broken(f"{mutant.name}: {getattr(error, 'stderr', None) or error}") from error
        finally:
            for name in mutant.files():
                self.put(name)

    def swarm(self):
        code, output = self.hunt(self.options.runs)
        violated = re.search(r"VIOLATED\s+seed (\d+): (.+)", output)
        if violated:
            return Found(f"swarm: {violated[2]}", int(violated[1]) - self.options.seed + 1)
        if code == 0:
            return None
        survived, died = 0, self.options.runs  # a crash does not tell its run
        while survived + 1 < died:
            middle = (survived + died) // 2
            survived, died = (middle, died) if self.hunt(middle)[0] == 0 else (survived, middle)
        return Found("swarm: hangs" if code is None else "swarm: crash", died)

    def hunt(self, runs):
        """The exit code, None if it hangs, and the output up to the first violation: the rest only shrinks the scenario."""
        command = [self.build_folder / "bin/petrel", "lab", "swarm", "--runs", str(runs), "--seed", str(self.options.seed),
                   "--jobs", "1", "--output", self.tree / "build/swarm.toml"]
        return watched(command, self.tree, lambda line: "VIOLATED" in line)

    def tests(self, mutant):
        folder, name = self.results.test_of(mutant)
        found = self.test(folder, f"--gtest_filter={name}") if folder in mutant.tests else None
        for folder in mutant.tests:
            found = found or self.test(folder)
        return found

    def test(self, folder, *which):
        self.make(f"{folder}_tests")
        program = self.build_folder / f"bin/{folder}_tests"
        code, output = watched([program, "--gtest_fail_fast", "--gtest_brief=1", *which], self.tree,
                               lambda line: "[  FAILED  ]" in line)
        failed = re.search(r"\[  FAILED  \] ([\w/.]+)", output)
        if failed:
            return Found(f"test: {folder}, {failed[1]}")
        if code != 0:
            return Found(f"test: {folder}, {'hangs' if code is None else 'crash'}")
        return None


def watched(command, folder, enough):
    process = subprocess.Popen(command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace")
    late = threading.Event()

    def stop():
        late.set()
        process.kill()

    timer = threading.Timer(HANGS_AFTER_S, stop)
    timer.start()
    output = ""
    for line in process.stdout:
        output += line
        if enough(line):
            process.kill()
            break
    process.stdout.close()
    code = process.wait()
    timer.cancel()
    return (None if late.is_set() else code), output


def judge_all(mutants, options, results):
    waiting = queue.SimpleQueue()
    for mutant in mutants:
        waiting.put(mutant)
    broken, telling, started = [], threading.Lock(), time.monotonic()

    # One after the other: a compiler cache gives the second what the first has compiled.
    workshops = [Workshop(number, options, results) for number in range(min(options.jobs, len(mutants)))]
    for workshop in workshops:
        workshop.make("petrel", options.jobs)
    if workshops and workshops[0].swarm():
        raise Broken("the swarm finds a violation without any mutant")

    def work(workshop):
        try:
            while not broken:
                mutant = waiting.get_nowait()
                found = workshop.judge(mutant)
                with telling:
                    results.add(mutant, found)
                    text = f"{found.by}{f', {found.runs} runs' if found.runs else ''}" or "SURVIVES"
                    print(f"[{time.monotonic() - started:.0f} s] {mutant.name}: {text}", flush=True)
        except queue.Empty:
            pass
        except (Broken, subprocess.CalledProcessError) as error:
            broken.append(error)

    workers = [threading.Thread(target=work, args=(workshop,)) for workshop in workshops]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    if broken:
        raise broken[0]


def table(mutants, results, options):
    rows = [f"With `--runs {options.runs} --seed {options.seed}`; *earlier* rows are of an earlier commit and up to 400 runs:\n\n",
            "| mutant | what it breaks | stands for | found by | swarm runs |\n|---|---|---|---|---|\n"]
    for mutant in mutants:
        found = results.found(mutant)
        if not found and mutant.name in results.table:
            found = Found(results.table[mutant.name].by + " (earlier)", results.table[mutant.name].runs)
        found = found or Found("not run yet")
        rows.append(f"| {mutant.name} | {mutant.breaks} | {mutant.stands_for} | {found.by or '**survives**'} | {found.runs or ''} |\n")
    return "".join(rows)


def write_table(text):
    before, rest = TABLE.read_text().split(BEGIN)
    TABLE.write_text(before + BEGIN + text + END + rest.split(END)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=300, help="of the swarm for each mutant")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="mutants at once")
    parser.add_argument("names", nargs="*", metavar="MUTANT", help="only these, also if nothing has changed")
    options = parser.parse_args()
    try:
        mutants = all_mutants()
        unknown = set(options.names) - {mutant.name for mutant in mutants}
        if unknown:
            raise Broken(f"no mutant {', '.join(sorted(unknown))}")
        WORK.mkdir(parents=True, exist_ok=True)
        results = Results(options)
        wanted = [mutant for mutant in mutants
                  if (mutant.name in options.names if options.names else not results.has(mutant))]
        judge_all(sorted(wanted, key=results.urgency), options, results)
    except Broken as error:
        print(f"mutants: {error}", file=sys.stderr)
        return 1
    write_table(table(mutants, results, options))
    run = {mutant.name: results.found(mutant) for mutant in mutants if results.found(mutant)}
    surviving = [name for name, found in run.items() if not found.by]
    by_swarm = sum(found.by.startswith("swarm") for found in run.values())
    print(f"{len(run)} of {len(mutants)} mutants run: {by_swarm} found by the swarm, "
          f"{len(run) - by_swarm - len(surviving)} by a test, {len(surviving)} survive")
    for name in surviving:
        print(f"survives: {name}")
    return 5 if surviving else 0


if __name__ == "__main__":
    sys.exit(main())
