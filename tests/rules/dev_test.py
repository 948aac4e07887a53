#!/usr/bin/env python3
"""Tests how ./dev installs its packages and returns exit codes, with stand-ins for the tools that it calls."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
SHELL_TOOLS = ("bash", "env", "dirname", "basename", "grep", "sed", "nproc", "mkdir", "rm", "cat", "find", "cut", "uniq", "tr", "xargs")


def packages(group):
    return [line.split()[1] for line in (PROJECT / "packaging/apt-packages").read_text().splitlines()
            if line.startswith(f"{group} ")]


BUILD_PACKAGES = packages("build")
TEST_PACKAGES = BUILD_PACKAGES + packages("test")  # what ./dev test needs

# Lists the packages in $STATE/installed and always exits 1, as the real dpkg-query does for an unknown package.
DPKG_QUERY = """while IFS= read -r package; do echo "$package installed"; done <"$STATE/installed"; exit 1"""

# Installs the requested packages; fails as many times as $STATE/apt_failures has lines.
APT_GET = """
echo "apt-get $*" >>"$STATE/log"
[[ "$*" == *install* ]] || exit 0
if [[ -s "$STATE/apt_failures" ]]; then sed -i 1d "$STATE/apt_failures"; exit 100; fi
for word in "$@"; do [[ "$word" == -* || "$word" == *=* ]] || echo "$word" >>"$STATE/installed"; done
"""


class Dev(unittest.TestCase):
    def setUp(self):
        top = Path(tempfile.mkdtemp(prefix="petrel dev "))
        self.addCleanup(shutil.rmtree, top)
        self.tree, self.bin, self.state = top / "a tree", top / "bin", top / "state"
        for folder in (self.tree / "packaging", self.bin, self.state):
            folder.mkdir(parents=True)
        shutil.copy(PROJECT / "dev", self.tree)
        shutil.copy(PROJECT / "packaging/apt-packages", self.tree / "packaging")
        for tool in SHELL_TOOLS:
            (self.bin / tool).symlink_to(shutil.which(tool))
        self.tool("dpkg-query", DPKG_QUERY)
        self.tool("apt-get", APT_GET)
        self.tool("dpkg", 'echo "dpkg $*" >>"$STATE/log"')
        self.tool("id", "echo 0")
        self.tool("cmake", 'echo "cmake $*" >>"$STATE/log"')
        self.tool("ctest", 'echo "ctest $*" >>"$STATE/log"')
        self.installed(TEST_PACKAGES)

    def tool(self, name, body):
        path = self.bin / name
        path.write_text(f"#!{shutil.which('bash')}\n{body}\n")
        path.chmod(0o755)

    def installed(self, packages):
        (self.state / "installed").write_text("".join(f"{package}\n" for package in packages))

    def dev(self, *arguments, **options):
        environment = {"PATH": str(self.bin), "STATE": str(self.state)}
        # A session of its own has no terminal, as in CI.
        return subprocess.run([self.tree / "dev", *arguments], env=environment, text=True, capture_output=True,
                              start_new_session=True, **{"cwd": "/", "stdin": subprocess.DEVNULL, **options})

    def log(self):
        path = self.state / "log"
        return path.read_text() if path.exists() else ""

    def program(self, name, body):
        path = self.tree / "build/release/bin" / name
        path.parent.mkdir(parents=True)
        path.write_text(f"#!{shutil.which('bash')}\n{body}\n")
        path.chmod(0o755)

    def test_installs_nothing_when_all_is_there(self):
        run = self.dev("test")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertNotIn("apt-get", self.log())
        self.assertIn("ctest --test-dir build/release", self.log())

    def test_installs_exactly_the_missing_packages_with_reasons(self):
        self.installed(package for package in TEST_PACKAGES if package not in ("ninja-build", "libfmt-dev"))
        run = self.dev("test")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertRegex(run.stderr, r"ninja-build +build tool")
        installs = [line for line in self.log().splitlines() if " install " in line]
        self.assertEqual(len(installs), 1)
        self.assertTrue(installs[0].endswith(" install -y --no-install-recommends ninja-build libfmt-dev"), installs)
        self.assertLess(self.log().index("update"), self.log().index("install"))

    def test_on_a_fresh_machine_installs_the_whole_group(self):
        self.installed([])
        run = self.dev("build")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn(" ".join(BUILD_PACKAGES), self.log())
        self.assertNotIn("clang", self.log())

    def test_repairs_an_interrupted_installation(self):
        self.installed([])
        (self.state / "apt_failures").write_text("once\n")
        run = self.dev("build")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("dpkg --configure -a", self.log())

    def test_names_the_step_and_passes_the_code_when_packages_cannot_be_had(self):
        self.installed([])
        (self.state / "apt_failures").write_text("once\ntwice\n")
        run = self.dev("build")
        self.assertEqual(run.returncode, 100)
        self.assertIn("failed in step: install packages", run.stderr)

    def test_without_root_and_sudo_gives_the_command(self):
        self.installed(TEST_PACKAGES[1:])
        self.tool("id", "echo 1000")
        run = self.dev("test")
        self.assertEqual(run.returncode, 1)
        self.assertIn(f"apt-get install -y --no-install-recommends {BUILD_PACKAGES[0]}\n", run.stderr)
        self.assertEqual(self.log(), "")

    def test_uses_sudo(self):
        self.installed(TEST_PACKAGES[1:])
        self.tool("id", "echo 1000")
        self.tool("sudo", '[[ "$1" == -n ]] && exit; echo sudo >>"$STATE/log"; exec "$@"')
        run = self.dev("test")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("sudo\napt-get", self.log())

    def test_goes_on_where_there_is_no_dpkg(self):
        (self.bin / "dpkg-query").unlink()
        run = self.dev("test")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("no dpkg here", run.stderr)

    def test_passes_exit_codes_on(self):
        self.tool("ctest", "exit 8")
        run = self.dev("test")
        self.assertEqual(run.returncode, 8)
        self.assertIn("failed in step: test release", run.stderr)

    def test_shows_what_a_failing_configure_said(self):
        self.tool("cmake", "echo no such compiler; exit 3")
        run = self.dev("build")
        self.assertEqual(run.returncode, 3)
        self.assertIn("no such compiler", run.stderr)
        self.assertIn("failed in step: configure release", run.stderr)

    def folder_with_a_test(self, name):
        (self.tree / "tests" / name).mkdir(parents=True)
        (self.tree / "tests" / name / "some_test.cpp").touch()

    def test_of_one_folder_builds_and_runs_that_one(self):
        self.folder_with_a_test("watchdog")
        run = self.dev("test", "watchdog", "-R", "Storm")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertRegex(self.log(), r"cmake --build build/release .*--target watchdog_tests\n")
        self.assertRegex(self.log(), r"ctest .*--label-regex \^watchdog\$ --label-exclude \^slow\$ -R Storm\n")

    def test_of_an_unknown_folder_names_those_there_are(self):
        self.folder_with_a_test("watchdog")
        run = self.dev("test", "wachdog")
        self.assertEqual(run.returncode, 1)
        self.assertIn("no tests in tests/wachdog; there are some in: watchdog ", run.stderr)
        self.assertNotIn("cmake --build", self.log())

    def test_demo_needs_no_package_of_the_tests(self):
        self.installed(BUILD_PACKAGES)
        self.program("petrel", "true")
        run = self.dev("demo")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertNotIn("apt-get", self.log())
        self.assertIn("cmake --preset release -DPETREL_TESTS=OFF\n", self.log())

    def test_demo_runs_where_the_caller_stands_with_stdout_to_itself(self):
        self.program("petrel", 'echo "$PWD: $*"; exit 5')
        run = self.dev("demo", "--json", "a b", cwd=self.state)
        self.assertEqual(run.stdout, f"{self.state}: demo --json a b\n")
        self.assertEqual(run.returncode, 5)

    def test_replaces_a_build_folder_of_another_tree(self):
        cache = self.tree / "build/release/CMakeCache.txt"
        cache.parent.mkdir(parents=True)
        cache.write_text(f"CMAKE_HOME_DIRECTORY:INTERNAL={self.tree.resolve()}\n")
        self.dev("build")
        self.assertTrue(cache.exists())
        cache.write_text("CMAKE_HOME_DIRECTORY:INTERNAL=/elsewhere\n")
        self.dev("build")
        self.assertFalse(cache.exists())

    def test_works_with_stdin_closed(self):
        run = self.dev("test", stdin=None, preexec_fn=lambda: os.close(0))
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_refuses_an_unknown_command(self):
        run = self.dev("teste")
        self.assertEqual(run.returncode, 2)
        self.assertIn("no command 'teste'", run.stderr)


if __name__ == "__main__":
    unittest.main()
