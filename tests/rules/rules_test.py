#!/usr/bin/env python3
"""Tests that each rule can fail: a small tree that follows all rules, and one planted violation of each kind.

The small tree is configured with the project's own CMake modules, so the table and the header check are tested as well.
"""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import rules

PROJECT = Path(__file__).resolve().parents[2]

CMAKE_LISTS = """
cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 20)
include(petrel_module)
include(petrel_headers_alone)
add_library(nlohmann_json::nlohmann_json INTERFACE IMPORTED)
petrel_module(base)
petrel_module(watchdog DEPS base PURE)
petrel_module(device DEPS base watchdog)
petrel_module(device_replay FOLDER device/replay DEPS base watchdog device)
petrel_module(codec DEPS base watchdog PRIVATE_LIBS nlohmann_json::nlohmann_json)
petrel_write_layers()
petrel_headers_alone(headers_alone)
"""

FILES = {
    "CMakeLists.txt": CMAKE_LISTS,
    "src/base/ids.hpp": "#pragma once\n#include <cstdint>\nusing Slot = std::uint32_t;\n",
    "src/watchdog/rule.hpp": '#pragma once\n#include "base/ids.hpp"\n#include <chrono>\nSlot decide(Slot);\n',
    "src/watchdog/rule.cpp": '#include "watchdog/rule.hpp"\nSlot decide(Slot slot) { return slot; }\n',
    "src/device/device.hpp": '#pragma once\n#include "watchdog/rule.hpp"\nstruct Device {};\n',
    "src/device/replay/replay.hpp": '#pragma once\n#include "device/device.hpp"\nstruct Replay : Device {};\n',
    "src/codec/json.cpp": '#include <nlohmann/json.hpp>\n#include "watchdog/rule.hpp"\n',
    "tests/watchdog/rule_test.cpp": "// no waiting here\n",
    "scenarios/deep/storm.toml": 'name = "storm"\n[[expect]]\nkind = "drops"\nframes = 0\n',
    "mutants/decides-nothing.patch": "breaks: Nothing is decided.\nstands for: a law\ntests: watchdog\n\n"
    "--- a/src/watchdog/rule.cpp\n+++ b/src/watchdog/rule.cpp\n@@ -2 +2 @@\n"
    "-Slot decide(Slot slot) { return slot; }\n+Slot decide(Slot) { return 0; }\n",
    "scenarios/defaults/small.toml": '[topology]\nkind = "single-switch"\n',
}


class SmallTree(unittest.TestCase):
    def setUp(self):
        self.root = Path(tempfile.mkdtemp(prefix="petrel rules "))
        self.addCleanup(shutil.rmtree, self.root)
        for name, content in FILES.items():
            self.write(name, content)

    def write(self, name, content):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)

    def append(self, name, content):
        self.write(name, (self.root / name).read_text() + content)

    def cmake(self, *arguments):
        command = ["cmake", *arguments]
        return subprocess.run(command, cwd=self.root, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def configure(self):
        return self.cmake("-S", ".", "-B", "build", "-G", "Ninja", f"-DCMAKE_MODULE_PATH={PROJECT}/cmake")

    def build(self, target):
        configured = self.configure()
        self.assertEqual(configured.returncode, 0, configured.stdout)
        return self.cmake("--build", "build", "--target", target)

    def check(self, rule):
        layers = self.root / "build/layers.json"
        if not layers.exists():
            self.configure()
        return list(rules.RULES[rule](rules.Tree(self.root, layers)))

    def assert_violation(self, rule, *words):
        violations = self.check(rule)
        self.assertEqual(len(violations), 1, violations)
        for word in words:
            self.assertIn(word, violations[0])


class TreeThatKeepsTheRules(SmallTree):
    def test_has_no_violation(self):
        for target in ("petrel_watchdog", "headers_alone"):
            built = self.build(target)
            self.assertEqual(built.returncode, 0, built.stdout)
        for rule in rules.RULES:
            self.assertEqual(self.check(rule), [], rule)


class PlantedViolation(SmallTree):
    def test_edge_outside_the_table(self):
        self.append("src/watchdog/rule.cpp", '#include "device/device.hpp"\n')
        self.assert_violation("layers", "src/watchdog/rule.cpp", "watchdog depend on device,")

    def test_edge_to_a_module_in_a_subfolder(self):
        self.append("src/device/device.hpp", '#include "device/replay/replay.hpp"\n')
        violations = self.check("layers")
        self.assertTrue(any("device depend on device_replay" in violation for violation in violations), violations)

    def test_cycle_of_headers(self):
        self.write("src/base/a.hpp", '#pragma once\n#include "base/b.hpp"\n')
        self.write("src/base/b.hpp", '#pragma once\n#include "base/a.hpp"\n')
        self.assert_violation("layers", "include cycle src/base/a.hpp -> src/base/b.hpp -> src/base/a.hpp")

    def test_cycle_in_the_table(self):
        self.configure()
        layers = self.root / "build/layers.json"
        layers.write_text(layers.read_text().replace('"deps": ""', '"deps": "watchdog"'))
        self.assert_violation("layers", "module table: cycle base -> watchdog -> base")

    def test_dependency_that_is_not_declared_before(self):
        self.append("CMakeLists.txt", "petrel_module(link DEPS fabric)\n")
        configured = self.configure()
        self.assertNotEqual(configured.returncode, 0)
        self.assertIn("module link depends on fabric", configured.stdout)

    def test_folder_without_a_row(self):
        self.write("src/gadget/gadget.hpp", "#pragma once\n")
        self.assert_violation("layers", "src/gadget/gadget.hpp", "in no module's folder")

    def test_include_that_is_not_relative_to_src(self):
        self.append("src/watchdog/rule.cpp", '#include "rule.hpp"\n')
        self.assert_violation("layers", '"rule.hpp" is no file below src/')

    def test_library_of_another_module(self):
        self.append("src/device/device.hpp", "#include <nlohmann/json.hpp>\n")
        self.assert_violation("layers", "src/device/device.hpp", "nlohmann_json::nlohmann_json")

    def test_impure_header(self):
        for header in ("thread", "fstream", "cstdio", "ctime", "sys/socket.h", "spdlog/spdlog.h"):
            self.write("src/watchdog/planted.hpp", f"#pragma once\n#include <{header}>\n")
            self.assert_violation("pure", "src/watchdog/planted.hpp", header)

    def test_impure_header_through_another_module(self):
        self.append("src/base/ids.hpp", "#include <iostream>\n")
        violations = self.check("pure")
        self.assertIn("src/watchdog/rule.cpp: module watchdog is pure and includes iostream (through src/base/ids.hpp)",
                      violations)

    def test_reading_the_clock(self):
        self.append("src/watchdog/rule.cpp", "auto started = std::chrono::steady_clock::now();\n")
        self.assert_violation("pure", "src/watchdog/rule.cpp:3", "steady_clock::now()")

    def test_impure_symbol(self):
        self.append("src/watchdog/rule.cpp", 'extern "C" long time(long*);\nlong late() { return time(nullptr); }\n')
        built = self.build("petrel_watchdog")
        self.assertEqual(built.returncode, 0, built.stdout)
        self.assert_violation("symbols", "module watchdog is pure and uses time")

    def build_module(self, name, source):
        self.write(f"src/{name}/{name}.cpp", source)
        rows = f"petrel_module({name} DEPS base)\n"
        self.write("CMakeLists.txt", CMAKE_LISTS.replace("petrel_write_layers()", rows + "petrel_write_layers()"))
        built = self.build(f"petrel_{name}")
        self.assertEqual(built.returncode, 0, built.stdout)

    def test_module_that_drives_an_agent_itself(self):
        self.build_module("fabric", """
namespace petrel::agent { struct Agent { void step(int); }; }
void drive(petrel::agent::Agent& agent) { agent.step(1); }
""")
        self.assert_violation("one_runner", "module fabric calls petrel::agent::Agent::step itself")

    def test_module_with_a_runner_of_its_own(self):
        self.build_module("fabric", """
namespace petrel::runner { struct DeviceRunner { void step(); }; void DeviceRunner::step() {} }
""")
        self.assert_violation("one_runner", "module fabric has petrel::runner::DeviceRunner::step() of its own")

    def test_lab_without_the_runner(self):
        self.build_module("lab", "int experiment() { return 0; }\n")
        self.assert_violation("one_runner", "module lab does not run its devices with petrel::runner::DeviceRunner")

    def test_program_that_needs_mpi(self):
        self.write("other/mpi.cpp", "int MPI_Finalize() { return 0; }\n")
        self.write("other/main.cpp", "int MPI_Finalize();\nint main() { return MPI_Finalize(); }\n")
        self.append("CMakeLists.txt", """
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
add_library(mpi SHARED other/mpi.cpp)
foreach(program petrel petrel-mpi)
    add_executable(${program} other/main.cpp)
    target_link_libraries(${program} PRIVATE mpi)
endforeach()
""")
        built = self.build("all")
        self.assertEqual(built.returncode, 0, built.stdout)
        self.assert_violation("mpi", "petrel needs libmpi.so")

    def test_module_of_one_program(self):
        self.write("src/wire/wire.cpp", "int wire() { return 0; }\n")
        self.write("src/apps/with_wire.cpp", "int wire();\nint main() { return wire(); }\n")
        self.write("src/apps/without.cpp", "int wire();\nint main() { return wire(); }\n")
        self.append("CMakeLists.txt", "petrel_module(wire ONLY_FOR with-wire)\npetrel_programs(apps)\n")
        self.assertEqual(self.build("with-wire").returncode, 0)
        self.assertNotEqual(self.build("without").returncode, 0)

    def test_module_whose_package_is_not_installed(self):
        self.write("src/wire/wire.cpp", "int wire() { return 0; }\n")
        self.write("src/apps/with_wire.cpp", "int wire();\nint main() { return wire(); }\n")
        rows = "petrel_module(wire ONLY_FOR with-wire IF HAVE_WIRE)\npetrel_programs(apps DEPS wire)\n"
        self.write("CMakeLists.txt", CMAKE_LISTS.replace("petrel_write_layers()", rows + "petrel_write_layers()"))
        configured = self.configure()
        self.assertIn("with-wire is not built", configured.stdout)
        self.assertNotEqual(self.build("with-wire").returncode, 0)
        self.assertEqual(self.check("layers"), [])

    def test_header_that_does_not_compile_alone(self):
        self.write("src/base/leaning.hpp", "#pragma once\ninline Slot next(Slot slot) { return slot + 1; }\n")
        built = self.build("headers_alone")
        self.assertNotEqual(built.returncode, 0)
        self.assertIn("leaning.hpp", built.stdout)

    def test_source_that_does_not_compile_alone(self):
        self.write("src/watchdog/leaning.cpp", "Slot next(Slot slot) { return slot + 1; }\n")
        for unity in ("ON", "OFF"):
            configured = self.cmake("-S", ".", "-B", "build", "-G", "Ninja", f"-DCMAKE_MODULE_PATH={PROJECT}/cmake",
                                    "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", f"-DCMAKE_UNITY_BUILD={unity}")
            self.assertEqual(configured.returncode, 0, configured.stdout)
        alone = subprocess.run([sys.executable, "-B", PROJECT / "tests/rules/compile_alone.py", self.root / "build", "src"],
                               text=True, capture_output=True)
        self.assertEqual(alone.returncode, 1, alone.stdout)
        self.assertIn("src/watchdog/leaning.cpp does not compile by itself", alone.stdout)
        self.assertIn("2 of 3 sources compile by themselves", alone.stdout)

    def test_sleep_in_a_test(self):
        for sleep in ("std::this_thread::sleep_for(1s);", "usleep(10);"):
            self.write("tests/watchdog/rule_test.cpp", sleep)
            self.assert_violation("no_sleep", "tests/watchdog/rule_test.cpp")

    def test_scenario_that_expects_nothing(self):
        self.write("scenarios/deep/storm.toml", 'name = "storm"\n# [[expect]] is for later\n')
        self.assert_violation("scenarios", "scenarios/deep/storm.toml", "expects nothing")

    def test_scenario_with_another_name(self):
        self.write("scenarios/calm.toml", 'name = "storm"\nexpect = [{ kind = "drops", frames = 0 }]\n')
        self.assert_violation("scenarios", "scenarios/calm.toml", "is not calm")

    def test_fault_points_in_what_ships(self):
        shutil.copy(PROJECT / "src/base/fault_point.hpp", self.root / "src/base")
        self.write("src/watchdog/rule.cpp", '#define PETREL_FAULT_POINTS\n#include "base/fault_point.hpp"\n'
                   '#include "watchdog/rule.hpp"\nSlot decide(Slot slot) { return PETREL_FAULT_POINT(2) ? 0 : slot; }\n')
        self.assertEqual(self.build("petrel_watchdog").returncode, 0)
        self.assert_violation("fault_points", "module watchdog has fault points")

    def test_mutant_that_does_not_apply(self):
        self.write("src/watchdog/rule.cpp", '#include "watchdog/rule.hpp"\nSlot decide(Slot one) { return one; }\n')
        self.assert_violation("mutants", "mutants/decides-nothing.patch", "does not apply")

    def test_mutant_without_a_header(self):
        patch = FILES["mutants/decides-nothing.patch"]
        self.write("mutants/decides-nothing.patch", patch.replace("stands for", "is about"))
        self.assert_violation("mutants", "mutants/decides-nothing.patch", "has no header")

    def test_mutant_for_tests_that_do_not_exist(self):
        patch = FILES["mutants/decides-nothing.patch"]
        self.write("mutants/decides-nothing.patch", patch.replace("tests: watchdog", "tests: watchdog agent"))
        self.assert_violation("mutants", "mutants/decides-nothing.patch", "names the tests agent")

    def test_path_of_one_machine(self):
        self.write("docs/notes.md", "one\nsee /" + "root/notes\n")
        self.assert_violation("text", "docs/notes.md:2", "a path of one machine")

    def test_package_registry(self):
        self.write("web/package-lock.json", '{"resolved": "https://registry.' + 'npmjs.org/x.tgz"}\n')
        self.assert_violation("text", "web/package-lock.json:1", "a package registry")


if __name__ == "__main__":
    unittest.main()
