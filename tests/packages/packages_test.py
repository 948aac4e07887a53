#!/usr/bin/env python3
"""The life of the Debian packages in a Debian root (README.md).

usage: packages_test.py BUILD_FOLDER WORK_FOLDER

The exit code is 0, 1 if a case failed, or 77 if this machine lacks what is needed; with REQUIRE_PACKAGE_TEST=1 in the
environment that is a failure.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import time
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parents[1]
HANG_GUARD_S = 300
SKIPPED = 77
INSIDE = "PETREL_PACKAGES_ROOT"  # set in the namespaces: the folder of the root
FILES = "/srv/packages"  # what the test brings into the root

# What dpkg, ldconfig, useradd and the other packages' triggers write.
OF_OTHERS = re.compile(
    r"/(var/lib/dpkg|var/log|var/cache|var/lib/systemd/deb-systemd-helper-enabled|etc/ld\.so\.cache|etc/\.pwd\.lock"
    r"|etc/(passwd|group|shadow|gshadow|subuid|subgid)-?|run|tmp|dev|srv|root|usr/local/sbin/systemctl)(/|$)")


def missing():
    """What this machine lacks, or nothing."""
    for program in ("dpkg-buildpackage", "dh", "dpkg-deb", "unshare", "setpriv", "systemd-sysusers"):
        if shutil.which(program) is None:
            return f"the program {program}"
    if os.getuid() != 0:
        return "root"
    for path in ("/usr/bin/petrel", "/usr/bin/petrel-host", "/var/lib/petrel", "/etc/petrel"):
        if Path(path).exists():
            return f"a machine without {path}"
    if subprocess.run(["unshare", "--mount", "--pid", "--net", "--fork", "true"], capture_output=True).returncode:
        return "the permission to make namespaces"
    return None


def with_version(package, version, output):
    """A copy of a package with another version."""
    tree = output / "tree"
    subprocess.run(["dpkg-deb", "-R", package, tree], check=True)
    control = tree / "DEBIAN/control"
    control.write_text(re.sub(r"(?m)^Version: .*$", f"Version: {version}", control.read_text()))
    made = output / f"{package.name.split('_')[0]}_{version}.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Zgzip", "-z1", "-b", tree, made], check=True, capture_output=True)
    shutil.rmtree(tree)
    return made


# ---------------------------------------------------------------------------------------------------- outside

def outside(build, work):
    if why := missing():
        print(f"packages test: skipped: it needs {why}")
        return 1 if os.environ.get("REQUIRE_PACKAGE_TEST") == "1" else SKIPPED
    begin = time.monotonic()
    packages = work / "packages"
    made = subprocess.run([PROJECT / "packaging/build.sh", build, packages, "0"], capture_output=True, text=True,
                          env={**os.environ, "DEB_BUILD_OPTIONS": "noautodbgsym"})
    if made.returncode:
        print(made.stdout[-4000:] + made.stderr[-4000:])
        return 1
    print(f"packages test: building took {time.monotonic() - begin:.0f} s", flush=True)
    root = work / "root"
    root.mkdir(exist_ok=True)
    return subprocess.run(
        ["unshare", "--mount", "--pid", "--net", "--fork", "--kill-child", "--propagation", "private", sys.executable, "-B",
         __file__, str(build), str(work)],
        env={**os.environ, INSIDE: str(root)}, timeout=2 * HANG_GUARD_S).returncode


# ---------------------------------------------------------------------------------------------------- inside

class Root:
    """A Debian root whose changes are in memory."""

    def __init__(self, root, packages):
        self.root = root
        layers = root.parent / "layers"
        layers.mkdir(exist_ok=True)
        self.mount("-t", "tmpfs", "-o", "size=1g", "petrel", layers)
        self.upper, work = layers / "upper", layers / "work"
        self.upper.mkdir()
        work.mkdir()
        self.mount("-t", "overlay", "petrel", "-o", f"lowerdir=/,upperdir={self.upper},workdir={work}", root)
        self.mount("-t", "proc", "proc", root / "proc")
        self.mount("--rbind", "/dev", root / "dev")
        for folder in ("run", "tmp", "srv"):
            self.mount("-t", "tmpfs", "petrel", root / folder)
        (root / "run/systemd/system").mkdir(parents=True)  # the sign of a running systemd
        systemctl = root / "usr/local/sbin/systemctl"
        shutil.copy(HERE / "systemctl.py", systemctl)
        systemctl.chmod(0o755)
        (root / "var/lib/man-db/auto-update").unlink(missing_ok=True)  # an index of all pages after each step
        (root / "usr/sbin/policy-rc.d").unlink(missing_ok=True)  # images of containers forbid starts with it
        shutil.copytree(packages, root / FILES[1:])
        self.run("ip", "link", "set", "lo", "up", check=False)

    @staticmethod
    def mount(*words):
        subprocess.run(["mount", *map(str, words)], check=True)

    def run(self, *words, check=True, text=None):
        # Without the environment of the caller, as cron or a configuration system would.
        ended = subprocess.run(
            ["chroot", str(self.root), *map(str, words)], capture_output=True, text=True, input=text, timeout=HANG_GUARD_S,
            env={"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive"})
        if check and ended.returncode:
            raise AssertionError(f"{' '.join(map(str, words))}: exit code {ended.returncode}\n{ended.stdout}{ended.stderr}")
        return ended

    def path(self, name):
        return self.root / name.lstrip("/")

    def left(self):
        """What differs from the machine, without what belongs to others."""
        found = []
        for folder, folders, files in os.walk(self.upper):
            for name in files + [f for f in folders if not os.listdir(Path(folder) / f)]:
                path = "/" + str((Path(folder) / name).relative_to(self.upper))
                deleted = (Path(folder) / name).is_char_device()
                if not deleted and not OF_OTHERS.match(path) and not Path(path).exists():
                    found.append(path)
        return sorted(found)


CONFIG = """[agent]
stop = "hold"
[metrics]
listen = ""
[[device]]
name = "sw"
driver = "twin:/srv/packages/storm.toml#leaf0"
simulated = true
[[policy]]
preset = "sonic"
detect_ms = 200
restore_ms = 1000
"""


class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        packages = WORK / "packages"
        shutil.rmtree(packages / "tree", ignore_errors=True)
        cls.version = next(packages.glob("petrel_*.deb")).name.split("_")[1]
        agent = next(packages.glob("petrel_*.deb"))
        cls.older = with_version(agent, "0.0.9", packages).name
        cls.newer = with_version(agent, "99.0", packages).name
        storm = (PROJECT / "scenarios/agent/storm.toml").read_text()
        storm = storm.replace('at = "3s"', 'at = "100ms"').replace('until = "7s"', 'until = "60min"')
        (packages / "storm.toml").write_text(storm[:storm.index("[[expect]]")].replace('duration = "10s"', 'duration = "120min"'))
        cls.root = Root(Path(os.environ[INSIDE]), packages)

    def package(self, name):
        pattern = f"{name}_{self.version}_*.deb"
        return f"{FILES}/" + next((self.root.path(FILES)).glob(pattern)).name

    def petrel(self, *words):
        return self.root.run("petrel", *words)

    def status(self):
        return json.loads(self.petrel("status", "--json").stdout)["status"]

    def storms(self):
        lines = self.petrel("events", "--json").stdout.splitlines()
        return [event for event in map(json.loads, lines) if event.get("event") == "storm_detected"]

    def expect_nothing_left(self):
        self.assertEqual(self.root.left(), [])
        self.assertNotIn("petrel", self.root.path("/etc/passwd").read_text())  # nor petrel-manager
        self.assertNotIn("petrel", self.root.path("/etc/group").read_text())

    def test_1_upgrade_in_a_storm_downgrade_remove_and_purge(self):
        root = self.root
        root.run("dpkg", "-i", f"{FILES}/{self.older}")
        self.assertIn("petrel:", root.path("/etc/passwd").read_text())
        self.assertFalse(root.path("/run/petrel-test.pid").exists(), "the installation started the service")
        self.petrel("config", "check", "/etc/petrel/agent.toml")
        self.assertIn('action = "alert"', root.path("/etc/petrel/agent.toml").read_text())

        root.path("/etc/petrel/agent.toml").write_text(CONFIG)
        self.petrel("config", "check", "--live", "/etc/petrel/agent.toml")
        root.run("systemctl", "start", "petrel-agent.service")
        self.wait_for_event("storm_detected")
        self.petrel("hold", "Ethernet1:3")
        self.assertEqual(self.status()["devices"][0]["latched"], 1)
        first, pid = self.storms(), self.status()["pid"]
        self.assertEqual(len(first), 1)

        for package in (self.package("petrel"), f"{FILES}/{self.newer}", self.package("petrel"), f"{FILES}/{self.older}"):
            root.run("dpkg", "-i", package)
            status = self.status()
            self.assertNotEqual(status["pid"], pid, f"{package}: the agent was not restarted")
            pid = status["pid"]
            self.assertEqual(status["devices"][0]["latched"], 1, package)
            self.assertEqual(self.storms()[0], first[0], package)
            self.assertEqual(root.path("/etc/petrel/agent.toml").read_text(), CONFIG)

        removed = root.run("dpkg", "-r", "petrel")
        self.assertNotIn("not everything was released", removed.stderr)
        self.assertFalse(root.path("/run/petrel-test.pid").exists(), "the agent still runs")
        self.assertFalse(root.path("/usr/bin/petrel").exists())
        self.assertEqual(root.path("/etc/petrel/agent.toml").read_text(), CONFIG)
        self.assertTrue(root.path("/var/lib/petrel/sw.state").exists())

        root.run("dpkg", "-i", self.package("petrel"))
        self.assertIn("sw: nothing is in force", self.petrel("release-all").stdout, "the removal left a treatment")
        root.run("systemctl", "start", "petrel-agent.service")
        self.assertEqual(self.storms()[0], first[0])
        root.run("dpkg", "-P", "petrel")
        self.expect_nothing_left()

    def wait_for_event(self, kind):
        follow = subprocess.Popen(["chroot", str(self.root.root), "petrel", "events", "--follow", "--json"],
                                  stdout=subprocess.PIPE, text=True)
        for line in follow.stdout:
            if json.loads(line).get("event") == kind:
                break
        follow.kill()
        follow.wait()
        follow.stdout.close()

    def test_2_all_packages_at_once(self):
        root = self.root
        names = ("petrel", "petrel-manager", "petrel-doc", "petrel-lab", "petrel-sonic", "libsai-petrel", "petrel-dev")
        root.run("dpkg", "-i", *map(self.package, names))
        self.assertFalse(root.path("/run/petrel-test.pid").exists(), "the installation started a service")
        self.assertIn("petrel-manager:", root.path("/etc/passwd").read_text())
        self.assertIn("PETREL_MANAGER_OPTIONS=", root.path("/etc/petrel-manager/manager.env").read_text())
        self.manager_stores()
        self.manager_keeps_what_it_has()
        root.run("petrel", "demo", "--fast")
        root.run("petrel", "lab", "run", "/usr/share/petrel/scenarios/agent/calm.toml")
        root.run("petrel", "replay", "/usr/share/petrel/examples/storm.csv", "--policy", "sonic")
        self.assertIn("runbook", root.path("/usr/share/doc/petrel/docs/agent.md").read_text())
        self.assertIn("pfcwd", root.run("pfcwd", "--help").stdout)
        example = "/usr/share/doc/petrel-dev/examples/main.cpp"
        root.run("sh", "-c", f"c++ {example} $(pkg-config --cflags --libs petrel-watchdog) -o /tmp/storm")
        self.assertEqual(root.run("/tmp/storm").stdout, "400 ms: Ethernet0:3 gets the treatment drop\n")
        refused = root.run("dpkg", "-i", self.package("petrel-host"), check=False)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("conflict", (refused.stdout + refused.stderr).lower())
        root.run("dpkg", "-P", *reversed(names))
        self.expect_nothing_left()

    def manager_stores(self):
        """The command of the unit makes the store, as the unit's user."""
        unit = self.root.path("/lib/systemd/system/petrel-manager.service").read_text()
        words = re.search(r"(?m)^ExecStart=(.*) \$PETREL_MANAGER_OPTIONS$", unit)[1].split()
        self.root.run("install", "-d", "-o", "petrel-manager", "-g", "petrel-manager", "-m", "0750", "/var/lib/petrel-manager")
        manager = subprocess.Popen(["chroot", str(self.root.root), "setpriv", "--reuid=petrel-manager", "--regid=petrel-manager",
                                    "--clear-groups", *words], stderr=subprocess.PIPE, text=True)
        self.assertIn("listens at port 7650", manager.stderr.readline())
        manager.terminate()
        self.assertEqual(manager.wait(timeout=HANG_GUARD_S), 0)
        manager.stderr.close()
        self.assertTrue(self.root.path("/var/lib/petrel-manager/manager.db").exists())

    def manager_keeps_what_it_has(self):
        """The same package again is an upgrade for dpkg."""
        environment = self.root.path("/etc/petrel-manager/manager.env")
        environment.write_text(environment.read_text() + "# a line of the administrator\n")
        store = self.root.path("/var/lib/petrel-manager/manager.db")
        before = (environment.read_text(), store.read_bytes())
        self.root.run("dpkg", "-i", self.package("petrel-manager"))
        self.assertEqual((environment.read_text(), store.read_bytes()), before)

    def test_3_the_hosts_agent(self):
        self.root.run("dpkg", "-i", self.package("petrel-host"))
        self.assertTrue(self.root.path("/lib/systemd/system/petrel-host.service").exists())
        self.assertIn("petrel:", self.root.path("/etc/passwd").read_text())
        self.root.run("petrel-host", "--version")
        self.assertIn("lo: no driver", self.root.run("petrel", "host", "doctor", "lo").stdout)
        for completion in ("bash-completion/completions", "fish/vendor_completions.d", "zsh/vendor-completions"):
            self.assertTrue(list(self.root.path(f"/usr/share/{completion}").glob("*petrel-host*")), completion)
        self.root.run("dpkg", "-P", "petrel-host")
        self.expect_nothing_left()

    def test_4_the_agents_package_is_small(self):
        size = self.root.run("dpkg-deb", "-f", self.package("petrel"), "Installed-Size").stdout
        print(f"packages test: petrel has {size.strip()} KiB installed", flush=True)
        self.assertLess(int(size), 8 * 1024)

    def test_5_what_an_administrator_may_edit_is_a_conffile(self):
        """Else an upgrade overwrites it, or a removal takes it away."""
        for package in sorted(self.root.path(FILES).glob(f"*_{self.version}_*.deb")):
            listed = subprocess.run(["dpkg-deb", "-c", package], capture_output=True, text=True, check=True).stdout
            in_etc = [line.split()[5][1:] for line in listed.splitlines() if line.split()[5].startswith("./etc/") and line[0] != "d"]
            marked = subprocess.run(["dpkg-deb", "-I", package, "conffiles"], capture_output=True, text=True).stdout
            self.assertEqual(marked.split(), in_etc, package.name)


if __name__ == "__main__":
    BUILD, WORK = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    if INSIDE not in os.environ:
        WORK.mkdir(parents=True, exist_ok=True)
        sys.exit(outside(BUILD, WORK))
    unittest.main(argv=[sys.argv[0], "-v"])
