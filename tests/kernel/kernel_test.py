#!/usr/bin/env python3
"""Runs petrel-host on a real kernel: Debian's, under qemu, with interfaces of our own module (README.md).

usage: kernel_test.py PETREL_HOST WORK_FOLDER

Prints the result of each case. The exit code is 0, 1 if a case failed, or 77 if this machine lacks what is needed;
with REQUIRE_KERNEL_TEST=1 in the environment that is a failure.
"""

import base64
import io
import lzma
import os
import re
import shutil
import subprocess
import sys
import tarfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
HANG_GUARD_S = 240  # of one boot; it does not check speed
BUSYBOX = Path("/bin/busybox")
# Of the kernel's package: RDMA in software, the checksum that it asks for at run time (newer kernels have it built in),
# and bonds.
KERNEL_MODULES = ("crc32_generic", "rdma_rxe", "bonding")
MARK = "kernel test: "

SKIPPED = 77


class Missing(Exception):
    pass


def needed(what, present):
    if not present:
        raise Missing(what)
    return present


def newest_kernel():
    """The newest kernel whose headers are installed."""
    kernels = [path for path in Path("/boot").glob("vmlinuz-*") if headers_of(path).is_dir()]
    return max(kernels, key=lambda path: [int(number) for number in re.findall(r"\d+", path.name)], default=None)


def headers_of(kernel):
    return Path("/lib/modules") / kernel.name.removeprefix("vmlinuz-") / "build"


class Archive:
    """An initramfs: a cpio archive in the "newc" format."""

    def __init__(self):
        self.bytes = bytearray()
        self.entries = 0

    def add(self, name, mode, data=b"", device=(0, 0)):
        self.entries += 1
        path = name.encode() + b"\0"
        numbers = (self.entries, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(path), 0)
        self.pad(b"070701" + b"".join(b"%08x" % number for number in numbers) + path)
        self.pad(data)

    def pad(self, part):
        self.bytes += part
        self.bytes += b"\0" * (-len(self.bytes) % 4)

    def folder(self, name, mode=0o755):
        self.add(name, 0o40000 | mode)

    def file(self, name, data, mode=0o755):
        self.add(name, 0o100000 | mode, data)

    def finish(self):
        self.add("TRAILER!!!", 0)
        return bytes(self.bytes)


def kernel_module(kernel, name):
    """A module of the kernel and those that it needs, in the order in which they are loaded; none: no such module."""
    release = kernel.name.removeprefix("vmlinuz-")
    shown = subprocess.run(["modprobe", "-S", release, "--show-depends", name], capture_output=True, text=True)
    return [Path(line.split()[1]) for line in shown.stdout.splitlines() if line.startswith("insmod ")]


def module_file(path):
    data = path.read_bytes()
    return lzma.decompress(data) if path.suffix == ".xz" else data


def shared_libraries(program):
    listed = subprocess.run(["ldd", program], check=True, capture_output=True, text=True).stdout
    return [Path(path) for path in re.findall(r"(/\S+) \(0x", listed)]


def initramfs(petrel_host, module, rdma, kernel, cases, state):
    archive = Archive()
    for folder in ("bin", "dev", "etc", "lib", "lib/x86_64-linux-gnu", "lib64", "modules", "proc", "run", "sys", "tmp"):
        archive.folder(folder, 0o777 if folder == "tmp" else 0o755)
    archive.add("dev/console", 0o20600, device=(5, 1))
    archive.file("etc/passwd", b"root:x:0:0::/:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n", 0o644)
    archive.file("etc/group", b"root:x:0:\nnogroup:x:65534:\n", 0o644)
    archive.file("bin/busybox", BUSYBOX.read_bytes())
    archive.file("bin/petrel-host", petrel_host)
    archive.file("bin/rdma", Path(rdma).read_bytes())
    for library in shared_libraries(rdma):
        archive.file(str(library).lstrip("/"), library.read_bytes())
    archive.file("petrel_nic.ko", module)
    for name in KERNEL_MODULES:
        archive.folder(f"modules/{name}")
        for place, path in enumerate(kernel_module(kernel, name)):
            archive.file(f"modules/{name}/{place}.ko", module_file(path))
    archive.file("init", (HERE / "guest/init").read_bytes())
    archive.file("lib.sh", (HERE / "guest/lib.sh").read_bytes())
    archive.file("cases.sh", (HERE / "guest" / cases).read_bytes())
    if state:
        add_state(archive, state)
    return archive.finish()


def add_state(archive, state):
    with tarfile.open(fileobj=io.BytesIO(state)) as tar:
        for member in tar.getmembers():
            if member.isdir():
                archive.folder(member.name, member.mode)
            elif member.isfile():
                archive.file(member.name, tar.extractfile(member).read(), member.mode)


def build_module(work, headers):
    folder = work / "module"
    shutil.copytree(HERE / "module", folder, dirs_exist_ok=True)
    # The test needs no type information, which newer kernels make with another program.
    subprocess.run(["make", "-s", "-C", headers, f"M={folder}", "CONFIG_DEBUG_INFO_BTF_MODULES=", "modules"], check=True)
    return (folder / "petrel_nic.ko").read_bytes()


def boot(qemu, kernel, initrd):
    """Runs the guest until it powers off; returns what it wrote to its console."""
    command = [qemu, "-accel", "tcg,thread=multi", "-smp", "2", "-m", "256", "-display", "none", "-monitor", "none",
               "-nic", "none", "-no-reboot", "-serial", "stdio", "-kernel", kernel, "-initrd", initrd,
               "-append", "console=ttyS0 loglevel=4 panic=-1 mitigations=off no_timer_check"]
    try:
        ran = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=HANG_GUARD_S)
        output = ran.stdout
    except subprocess.TimeoutExpired as hung:
        output = hung.stdout or b""
    return output.decode(errors="replace").replace("\r", "")


def said(console):
    """What the cases wrote, line by line."""
    return [line.split(MARK, 1)[1] for line in console.splitlines() if MARK in line]


def run(petrel_host, work):
    qemu = needed("qemu-system-x86_64 (package qemu-system-x86)", shutil.which("qemu-system-x86_64"))
    kernel = needed("a kernel with its headers (packages linux-image-amd64, linux-headers-amd64)", newest_kernel())
    needed("a static busybox (package busybox-static)", BUSYBOX.exists())
    rdma = needed("rdma (package iproute2)", shutil.which("rdma"))
    work.mkdir(parents=True, exist_ok=True)
    module = build_module(work, headers_of(kernel))
    failed = False
    state = None
    for cases in ("cases.sh", "cases_after_reboot.sh"):
        initrd = work / "initrd"
        initrd.write_bytes(initramfs(petrel_host.read_bytes(), module, rdma, kernel, cases, state))
        begin = time.monotonic()
        console = boot(qemu, kernel, initrd)
        lines = said(console)
        for line in lines:
            if line.startswith("state "):
                state = base64.b64decode(line.removeprefix("state "))
            else:
                print(line, flush=True)
        print(f"{cases}: {time.monotonic() - begin:.0f} s on {kernel.name.removeprefix('vmlinuz-')}", flush=True)
        bad = [line for line in lines if line.startswith(("FAILED", "wrong"))]
        if bad or "end" not in lines or not any(line.startswith("ok: ") for line in lines):
            failed = True
        if "end" not in lines:
            print(f"the guest did not reach its end; the last lines of its console:\n{console[-3000:]}")
            break
    return 1 if failed else 0


def main():
    try:
        return run(Path(sys.argv[1]), Path(sys.argv[2]))
    except Missing as missing:
        print(f"skipped: this machine has no {missing}")
        return 1 if os.environ.get("REQUIRE_KERNEL_TEST") else SKIPPED


if __name__ == "__main__":
    sys.exit(main())
