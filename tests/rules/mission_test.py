#!/usr/bin/env python3
"""Tests that mission.py finds what is wrong with a page, with a stand-in for petrel."""

import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

MISSION = Path(__file__).resolve().parent / "mission.py"

# Prints its arguments and the socket; "later" fails until it has run three times, "bad" always.
PETREL = """#!/bin/bash
echo "ran   $* at $PETREL_CONTROL_SOCKET, manager $PETREL_MANAGER"
if [[ "$1" == later ]]; then echo x >>later; [[ $(wc -l <later) -ge 3 ]] && echo ready; fi
[[ "$1" != bad ]]
"""

PAGE = """
```sh
echo "state /tmp/petrel, library $PWD/build/release/lib/x.so"
echo "listens at port 7650"
echo agent_ready
exec sleep 600
```

| statement | command | output | device tests |
|---|---|---|---|
"""


class Page(unittest.TestCase):
    def setUp(self):
        self.root = Path(tempfile.mkdtemp(prefix="petrel mission "))
        self.addCleanup(shutil.rmtree, self.root)
        for name, content in {"bin/petrel": PETREL, "tests/a/b_test.cpp": "TEST_F(Some, Test)\nRC_GTEST_PROP(Law, Holds, ())\n", "README.md": "", "dev": PETREL,
                              "tests/a/c_test.py": "class Life(unittest.TestCase):\n    def test_1_all(self):\n",
                              "one.toml": "", "two.toml": ""}.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(content)
        (self.root / "bin/petrel").chmod(0o755)
        (self.root / "dev").chmod(0o755)

    def problems(self, row, readme=""):
        (self.root / "docs").mkdir(exist_ok=True)
        (self.root / "docs/mission.md").write_text(PAGE + row + "\n")
        (self.root / "README.md").write_text(readme)
        done = subprocess.run([sys.executable, "-B", MISSION, self.root, self.root / "bin"], text=True, stdout=subprocess.PIPE)
        self.assertEqual(done.returncode, 1 if done.stdout.strip() else 0)
        return done.stdout.strip()

    def test_rows_that_hold(self):
        self.assertEqual(self.problems("| a | `petrel lab run *.toml` | `ran lab run one.toml two.toml at` | `Some.Test` |"), "")
        self.assertEqual(self.problems("| a | `petrel set` `petrel show` | `ran show` | |"), "")
        self.assertEqual(self.problems("| a | not yet: a manager | | |"), "")
        self.assertEqual(self.problems("| a | `petrel b` | `control.sock` | |", "    build/release/bin/petrel b -o x.html  # why\n"), "")

    def test_a_program_of_the_source_tree_and_a_test_in_python(self):
        self.assertEqual(self.problems("| a | `./dev help` | `ran help` | `Life.test_1_all` `Law.Holds` |"), "")
        self.assertIn("there is no test Life.test_2", self.problems("| a | `./dev help` | `ran help` | `Life.test_2` |"))

    def test_a_program_that_the_readme_names_without_a_row(self):
        readme = "It has `petrel sing` and `petrel.toml`, `pfcwd`, `./dev package`.\n## Working on it\n`./dev fuzz`\n"
        self.assertEqual(self.problems("| `petrel sing` makes `./dev package` | `petrel pfcwd` | `ran pfcwd` | |", readme), "")
        problem = self.problems("| a | `petrel singing` | `ran` | |", readme)
        for named in ("petrel sing", "./dev package", "pfcwd"):
            self.assertIn(f"has no row about `{named}`", problem)
        self.assertNotIn("fuzz", problem)
        self.assertNotIn("toml", problem)

    def test_a_row_uses_the_folder_and_the_manager_of_the_page(self):
        problem = self.problems("| a | `petrel a /tmp/petrel/log` | `/tmp/petrel` | |")
        self.assertNotIn("ran a /tmp/petrel", problem)
        port = re.search(r"manager http://127.0.0.1:(\d+)", problem).group(1)
        self.assertIn(f"listens at port {port}", problem)
        self.assertNotEqual(port, "7650")
        self.assertRegex(self.problems("| a | `petrel at 7650` | `nothing` | |"), r"ran +at (\d+) at .*, manager http://127.0.0.1:\1\n")

    def test_a_command_that_waits_is_repeated(self):
        self.assertEqual(self.problems("| a | `petrel later` (wait) | `ready` | |"), "")

    def test_an_output_without_the_piece(self):
        self.assertIn("the output of `petrel a` lacks 'b c'", self.problems("| a | `petrel a` | `b c` | |"))
        self.assertIn("state /tmp/", self.problems("| a | `petrel a` | `b c` | |"), "the agent's log is printed")
        self.assertNotIn("$PWD", self.problems("| a | `petrel a` | `b c` | |"))

    def test_a_command_that_fails(self):
        self.assertIn("`petrel bad` ends with 1", self.problems("| a | `petrel bad` | `ran` | |"))
        self.assertIn("`petrel bad` ends with 1", self.problems("| a | `petrel bad` `petrel good` | `ran` | |"))

    def test_a_test_that_does_not_exist(self):
        self.assertIn("there is no test Some.Tests", self.problems("| a | `petrel a` | `ran` | `Some.Tests` |"))

    def test_a_row_without_a_command(self):
        self.assertIn("a row has commands", self.problems("| a | some day | `ran` | |"))
        self.assertIn("a row has four cells", self.problems("| a | `petrel a` |"))

    def test_a_command_of_the_readme_that_the_page_lacks(self):
        self.assertIn("lacks the command `petrel c`", self.problems("| a | `petrel b` | `ran` | |", "    build/release/bin/petrel c # why\n"))


if __name__ == "__main__":
    unittest.main()
