#!/usr/bin/env python3
"""The rules of the source tree that matter enough to be tests.

usage: rules.py RULE --root SOURCE_TREE --layers LAYERS_JSON

Prints one line per violation and exits 1 if there is any. LAYERS_JSON is the module table as CMake wrote it.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

# Which library of the module table a header belongs to.
LIBRARY_OF_HEADER = {
    "fmt/": "fmt::fmt",
    "tl/": "tl::expected",
    "nlohmann/": "nlohmann_json::nlohmann_json",
    "toml++/": "tomlplusplus::tomlplusplus",
    "CLI/": "CLI11::CLI11",
    "spdlog/": "spdlog::spdlog",
    "microhttpd.h": "PkgConfig::LIBMICROHTTPD",
    "httplib.h": "PkgConfig::CPP_HTTPLIB",
    "mpi.h": "MPI::MPI_CXX",
    "nats/": "PkgConfig::NATS",
}

# Headers that a pure module must not include, neither directly nor through one of our headers. <chrono> is allowed,
# now() is not.
IMPURE_HEADER = re.compile(
    r"thread|mutex|shared_mutex|condition_variable|future|stop_token|semaphore|latch|barrier|pthread\.h|sched\.h"
    r"|iostream|istream|ostream|fstream|syncstream|cstdio|stdio\.h|filesystem|ctime|time\.h|unistd\.h|fcntl\.h|poll\.h"
    r"|netdb\.h|(sys|net|netinet|arpa|linux)/.*|(spdlog|nlohmann|toml\+\+|CLI)/.*|fmt/(os|ostream|printf|std)\.h"
)
IMPURE_TEXT = re.compile(r"::now\s*\(|\brandom_device\b|\bgetenv\s*\(")
IMPURE_SYMBOL = re.compile(
    r"pthread_\w+|socket|connect|bind|listen|accept4?|send(to|msg)?|recv(from|msg)?|e?poll\w*|select|ioctl"
    r"|open(at)?(64)?|creat(64)?|read|write|f(re)?open(64)?|f(read|write|puts|putc|printf|flush)|v?f?printf|puts|putchar"
    r"|__v?f?printf_chk|time|gettimeofday|clock\w*|(nano|u)?sleep|(secure_)?getenv|system|popen|fork|syslog"
    r"|std::chrono::.*::now\(\)|std::(thread|jthread|condition_variable|random_device|filesystem)\b.*|std::this_thread::.*"
    r"|std::basic_(i|o)?f(stream|ilebuf)\b.*|std::basic_filebuf\b.*|std::(cout|cerr|clog|cin)|std::ios_base::Init::.*"
    r"|fmt::v\d+::v?print\b.*|(spdlog|nlohmann|toml|CLI)::.*"
)

# The modules that may drive an agent and carry out commands. Replay has no device; release-all works without an agent.
RUNNER = "petrel::runner::DeviceRunner"
RUNNERS_PART = {
    "petrel::agent::Agent::step": ("runner", "runtime"),
    "petrel::device::carry_out": ("runner", "daemon"),
}
RUN_DEVICES = ("daemon", "lab")

SLEEP = re.compile(r"\b(sleep_for|sleep_until|usleep|nanosleep|sleep)\s*\(|^\s*sleep\s+[\d.$]", re.MULTILINE)

EXPECTS = re.compile(r"^(\[\[expect\]\]|expect = \[)", re.MULTILINE)

FAULT_POINTS = b"6petrel12fault_points"  # the namespace, as the compiler writes it

MUTANT_HEADER = re.compile(r"breaks: .+\nstands for: .+\ntests: (.+)\n\n--- a/")

MACHINE_PATH = re.compile(r"(?<![\w.~-])/(work|root|farm)/")
REGISTRY_HOST = re.compile(
    r"registry\.npmjs\.org|registry\.yarnpkg\.com|pypi\.org|files\.pythonhosted\.org|(static\.|index\.)?crates\.io"
    r"|proxy\.golang\.org|rubygems\.org|repo1?\.maven\.org|(deb|security|snapshot)\.debian\.org|ghcr\.io|docker\.io"
)


@dataclass
class Module:
    name: str
    folder: str
    deps: list
    libs: list
    private_libs: list
    pure: bool
    archive: str


class Tree:
    """The sources below src/, each with its module and the headers it includes."""

    INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)

    def __init__(self, root, layers):
        self.root = root
        self.build = layers.parent
        self.modules = {}
        for row in json.loads(layers.read_text()):
            for key in ("deps", "libs", "private_libs"):
                row[key] = row[key].split()
            self.modules[row["name"]] = Module(**row)
        self.sources = sorted(path for path in (root / "src").rglob("*") if path.suffix in (".h", ".hpp", ".cpp"))
        self.includes = {path: self._includes_of(path) for path in self.sources}

    def name(self, path):
        return path.relative_to(self.root).as_posix()

    def module_of(self, path):
        by_folder = {module.folder: module for module in self.modules.values()}
        return by_folder.get(path.parent.relative_to(self.root).as_posix())

    def ours(self, path):
        """The files of the tree that path includes."""
        return [self.root / "src" / text for quoted, text in self.includes[path] if quoted and self._is_source(text)]

    def _is_source(self, text):
        return self.root / "src" / text in self.includes

    def _includes_of(self, path):
        return [(mark == '"', text) for mark, text in self.INCLUDE.findall(path.read_text())]


def layers(tree):
    """Every #include follows the module table; neither the table nor the headers form a cycle."""
    for cycle in cycles({name: module.deps for name, module in tree.modules.items()}):
        yield f"module table: cycle {' -> '.join(cycle)}"
    for cycle in cycles({path: tree.ours(path) for path in tree.sources}):
        yield f"{tree.name(cycle[0])}: include cycle {' -> '.join(tree.name(path) for path in cycle)}"
    for path in tree.sources:
        module = tree.module_of(path)
        if module is None:
            yield f"{tree.name(path)}: in no module's folder; add a row to src/CMakeLists.txt"
            continue
        for quoted, text in tree.includes[path]:
            yield from edge_violations(tree, path, module, quoted, text)


def edge_violations(tree, path, module, quoted, text):
    if not quoted:
        library = next((lib for prefix, lib in LIBRARY_OF_HEADER.items() if text.startswith(prefix)), None)
        if library and library not in module.private_libs + public_libs(tree, module):
            yield f"{tree.name(path)}: <{text}> needs {library}, which module {module.name} may not use"
        return
    target = tree.root / "src" / text
    if target not in tree.includes:
        yield f'{tree.name(path)}: "{text}" is no file below src/'
        return
    other = tree.module_of(target)
    if other and other is not module and other.name not in module.deps:
        yield f'{tree.name(path)}: "{text}" makes {module.name} depend on {other.name}, which the table does not allow'


def public_libs(tree, module):
    """The public libraries of a module and of the modules that it depends on."""
    return module.libs + [lib for dep in module.deps for lib in tree.modules[dep].libs]


def cycles(graph):
    """Yields at least one cycle of each strongly connected component, not all of them."""
    done, path = set(), []

    def walk(node):
        if node in path:
            yield path[path.index(node):] + [node]
        elif node not in done:
            path.append(node)
            for following in graph.get(node, ()):
                yield from walk(following)
            path.pop()
            done.add(node)

    for node in graph:
        yield from walk(node)


def pure(tree):
    """Pure modules include no header of thread, socket, file, clock, log or JSON, and do not read the time."""
    for path in tree.sources:
        module = tree.module_of(path)
        if not module or not module.pure:
            continue
        for via in reachable(tree, path):
            for _, text in tree.includes[via]:
                if IMPURE_HEADER.fullmatch(text) or re.fullmatch(r"base/(log|clock)\.hpp", text):
                    by = "" if via == path else f" (through {tree.name(via)})"
                    yield f"{tree.name(path)}: module {module.name} is pure and includes {text}{by}"
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if IMPURE_TEXT.search(line.split("//")[0]):
                yield f"{tree.name(path)}:{number}: module {module.name} is pure: {line.strip()}"


def reachable(tree, start):
    seen, todo = [], [start]
    while todo:
        path = todo.pop()
        if path not in seen:
            seen.append(path)
            todo += tree.ours(path)
    return seen


def symbols(tree):
    """The archives of pure modules refer to no thread, socket, file, clock or log function."""
    for module in tree.modules.values():
        if not module.pure or not module.archive:
            continue
        listing = subprocess.run(["nm", "-uC", module.archive], check=True, capture_output=True, text=True).stdout
        for name in sorted(set(re.findall(r"^\s+[Uw] (.*)$", listing, re.MULTILINE))):
            if IMPURE_SYMBOL.fullmatch(name.split("@")[0]):
                yield f"{module.folder}: module {module.name} is pure and uses {name}"


def one_runner(tree):
    """The lab and the service run devices with the object files of the runner. No other module has a copy of them."""
    for module in tree.modules.values():
        if not module.archive or not Path(module.archive).exists():
            continue
        wanted = linked_names(module, "U")
        for function, callers in RUNNERS_PART.items():
            if module.name not in callers and any(name.startswith(function + "(") for name in wanted):
                yield f"{module.folder}: module {module.name} calls {function} itself, which is the runner's part"
        if module.name in RUN_DEVICES and not any(name.startswith(f"{RUNNER}::DeviceRunner(") for name in wanted):
            yield f"{module.folder}: module {module.name} does not run its devices with {RUNNER}"
        if module.name != "runner":
            for name in linked_names(module, "T"):
                if name.startswith(f"{RUNNER}::"):
                    yield f"{module.folder}: module {module.name} has {name} of its own"


def linked_names(module, kind):
    """Names of one kind of nm: U is used and not defined, T is defined in this module; inline functions are neither."""
    listing = subprocess.run(["nm", "-C", module.archive], check=True, capture_output=True, text=True).stdout
    return sorted(set(re.findall(rf"^[0-9a-f]*\s+{kind} (.*)$", listing, re.MULTILINE)))


def mpi(tree):
    """Only petrel-mpi needs MPI to run, so that the other programs can be installed without MPI."""
    for program in sorted((tree.build / "bin").glob("*")):
        if program.name == "petrel-mpi" or not program.is_file():
            continue
        listing = subprocess.run(["readelf", "-d", program], capture_output=True, text=True).stdout
        for library in re.findall(r"\(NEEDED\).*\[(lib(?:mpi|open-(?:rte|pal))\b[^]]*)\]", listing):
            yield f"{program.name} needs {library}, which only petrel-mpi may"


def no_sleep(tree):
    """A test waits for an event or moves a fake clock; it never sleeps."""
    for path in sorted((tree.root / "tests").rglob("*")):
        if path.suffix not in (".cpp", ".hpp", ".py", ".sh") or path.is_relative_to(tree.root / "tests/rules"):
            continue
        for match in SLEEP.finditer(path.read_text()):
            yield f"{tree.name(path)}: sleeps ({match.group().strip()})"


def scenarios(tree):
    """A scenario has the name of its file and at least one expectation: every scenario is a test.

    A folder `defaults` holds tables that scenarios share, no scenarios.
    """
    for path in sorted((tree.root / "scenarios").rglob("*.toml")):
        if path.parent.name == "defaults":
            continue
        content = path.read_text()
        if f'name = "{path.stem}"' not in content.splitlines():
            yield f"{tree.name(path)}: its name is not {path.stem}"
        if not EXPECTS.search(content):
            yield f"{tree.name(path)}: expects nothing"


def fault_points(tree):
    """What ships has no fault points: no archive defines or uses one."""
    for module in tree.modules.values():
        if module.archive and Path(module.archive).exists() and FAULT_POINTS in Path(module.archive).read_bytes():
            yield f"{module.folder}: module {module.name} has fault points in this build"


def mutants(tree):
    """Every mutant says what it breaks, and its patch applies to the tree."""
    for patch in sorted((tree.root / "mutants").glob("*.patch")):
        header = MUTANT_HEADER.match(patch.read_text())
        if not header:
            yield f"{tree.name(patch)}: has no header with breaks, stands for and tests"
            continue
        for folder in header[1].split():
            if not any((tree.root / "tests" / folder).glob("*_test.cpp")):
                yield f"{tree.name(patch)}: names the tests {folder}, which do not exist"
        applied = subprocess.run(["git", "apply", "--check", patch], cwd=tree.root, capture_output=True, text=True)
        if applied.returncode != 0:
            yield f"{tree.name(patch)}: does not apply: {applied.stderr.strip()}"


def text(tree):
    """No tracked file contains a path of one machine or the host of a package registry."""
    for path in tracked_files(tree.root):
        content = path.read_text(errors="replace")
        for pattern, what in ((MACHINE_PATH, "a path of one machine"), (REGISTRY_HOST, "a package registry")):
            for match in pattern.finditer(content):
                line = content.count("\n", 0, match.start()) + 1
                yield f"{tree.name(path)}:{line}: names {what} ({match.group()})"


def tracked_files(root):
    names = ""
    if shutil.which("git"):
        names = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True, text=True).stdout
    if names:
        files = (root / name for name in names.split("\0") if name)
    else:  # an unpacked archive
        files = (path for path in root.rglob("*") if not {"build", ".git"} & set(path.relative_to(root).parts))
    return sorted(path for path in files if path.is_file() and not path.is_symlink())


RULES = {rule.__name__: rule for rule in (layers, pure, symbols, one_runner, mpi, no_sleep, scenarios, fault_points, mutants, text)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rule", choices=RULES)
    parser.add_argument("--root", type=Path, required=True)
    parser.add_argument("--layers", type=Path, required=True)
    arguments = parser.parse_args()
    violations = list(RULES[arguments.rule](Tree(arguments.root, arguments.layers)))
    for violation in violations:
        print(violation)
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
