from __future__ import annotations

import json
import os
import re
import socket
import struct
import subprocess
import sys
from io import BytesIO
from pathlib import Path

import pytest

from footnote.doctor import examine
from footnote.errors import UnsupportedSettings
from footnote.ingestion.parsing.subprocess import ChildParser
from footnote.ingestion.sandbox import UNCONFINED, Confinement, SandboxMode, command, mechanisms
from footnote.ingestion.sandbox.seccomp import ARCHITECTURES, Architecture, program
from footnote.ingestion.sandbox.trial import require_sandbox, try_out
from footnote.settings import Settings
from tests.ingestion.confined_attempts import attempts
from tests.ingestion.test_child import children

ROOT = Path(__file__).parents[2]
WITHOUT_LANDLOCK = (sys.executable, "-m", "tests.ingestion.without_landlock")
confined = pytest.mark.skipif(
    not mechanisms().complete, reason="this kernel lacks Landlock or seccomp"
)
ALLOW, KILL, REFUSED = 0x7FFF0000, 0x80000000, 0x00050001

ATTEMPTS = sorted(attempts(Path("/own"), Path("/other"), ""))
ONLY_CONFINED = {
    "a raw socket", "io_uring", "ptrace", "a new namespace", "a mount", "moving another file",
    "the memory of its parent", "deleting another file",
}  # fmt: skip
"""What would do harm where it succeeds, or what some kernels refuse an unconfined process too."""


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'src'}"}


@pytest.fixture(scope="module")
def ends(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, str]]:
    """How each attempt ends, with and without a sandbox."""
    found: dict[str, dict[str, str]] = {}
    modes: tuple[SandboxMode, ...] = ("required", "off")
    for mode in modes:
        home = tmp_path_factory.mktemp("home")
        (home / "keys").write_text("secret")
        own = tmp_path_factory.mktemp("own")
        path = str(own / "socket")
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(path)
            server.listen()
            ran = subprocess.run(
                command(
                    Confinement(mode=mode, folder=str(own)), "tests.ingestion.confined_attempts"
                ),
                input=json.dumps(
                    [
                        str(own),
                        str(home / "keys"),
                        path,
                        sorted(ONLY_CONFINED if mode == "off" else ()),
                    ]
                ).encode(),
                capture_output=True,
                env=environment(),
                check=False,
            )
        assert ran.returncode == 0, ran.stderr.decode()
        found[mode] = json.loads(ran.stdout)
        found[mode]["the keys afterwards"] = (
            (home / "keys").read_text() if (home / "keys").exists() else "gone"
        )
    return found


@confined
@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_a_confined_process_is_refused(ends: dict[str, dict[str, str]], attempt: str) -> None:
    assert ends["required"][attempt] in ("EPERM", "EACCES")


@pytest.mark.parametrize("attempt", [each for each in ATTEMPTS if each not in ONLY_CONFINED])
def test_the_same_succeeds_without_a_sandbox(ends: dict[str, dict[str, str]], attempt: str) -> None:
    assert ends["off"][attempt] == "done"


@confined
def test_a_confined_process_writes_in_its_own_folder_and_changes_nothing_else(
    ends: dict[str, dict[str, str]],
) -> None:
    assert ends["required"]["its own folder"] == "written"
    assert ends["required"]["the keys afterwards"] == "secret"


def status_of(pid: int) -> dict[str, str]:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return dict(line.split(":\t", 1) for line in lines if ":\t" in line)


@confined
async def test_the_child_that_reads_files_is_confined() -> None:
    async with ChildParser() as parser:
        before = children()
        await parser(BytesIO(b"# ok"), "a.md")
        [pid] = children() - before
        said = status_of(pid)
    assert said["NoNewPrivs"] == "1"
    assert said["Seccomp"] == "2"
    assert int(said["CapEff"], 16) == int(said["CapPrm"], 16) == 0


@confined
async def test_a_child_may_be_left_unconfined() -> None:
    async with ChildParser(sandbox="off") as parser:
        before = children()
        await parser(BytesIO(b"# ok"), "a.md")
        [pid] = children() - before
        assert status_of(pid)["NoNewPrivs"] == "0"


@confined
@pytest.mark.parametrize(
    ("mode", "code"), [("required", UNCONFINED), ("auto", 0)], ids=["required", "auto"]
)
def test_a_kernel_without_landlock_ends_what_requires_it_alone(
    tmp_path: Path, mode: SandboxMode, code: int
) -> None:
    ran = subprocess.run(
        (*WITHOUT_LANDLOCK, *command(Confinement(mode=mode, folder=str(tmp_path)), "platform")),
        capture_output=True,
        env=environment(),
        check=False,
    )
    assert ran.returncode == code, ran.stderr.decode()
    assert (b"the kernel has no Landlock" in ran.stderr) == bool(code)


@confined
def test_without_landlock_sockets_and_signals_are_still_refused(tmp_path: Path) -> None:
    own, other = tmp_path / "own", tmp_path / "other"
    own.mkdir()
    other.mkdir()
    (other / "keys").write_text("secret")
    confinement = Confinement(mode="auto", folder=str(own))
    ran = subprocess.run(
        (*WITHOUT_LANDLOCK, *command(confinement, "tests.ingestion.confined_attempts")),
        input=json.dumps([str(own), str(other / "keys"), "", []]).encode(),
        capture_output=True,
        env=environment(),
        check=True,
    )
    found = json.loads(ran.stdout)
    assert found["reading another file"] == "done"
    kept = ("a TCP socket", "a UDP socket", "a signal to its parent", "a new namespace", "ptrace")
    assert {name: found[name] for name in kept} == dict.fromkeys(kept, "EPERM")


@confined
def test_a_trial_finds_whether_it_is_confined() -> None:
    trial = try_out("auto")
    assert trial is not None
    assert trial.all_refused
    free = try_out("off")
    assert free is not None
    assert (free.network, free.writing, free.reading) == (False, False, False)
    require_sandbox()


@confined
def test_requiring_a_sandbox_where_there_is_none_names_the_setting() -> None:
    script = "from footnote.ingestion.sandbox.trial import require_sandbox; require_sandbox()"
    ran = subprocess.run(
        (*WITHOUT_LANDLOCK, sys.executable, "-c", script),
        capture_output=True,
        text=True,
        env=environment(),
        check=False,
    )
    assert UnsupportedSettings.__name__ in ran.stderr
    assert "FOOTNOTE_PARSER_SANDBOX" in ran.stderr


@confined
async def test_the_doctor_says_what_confines(tmp_path: Path) -> None:
    # A home that is refused spares the test a database: the sandbox is looked at all the same.
    (tmp_path / "file").write_text("")
    settings = Settings(home=tmp_path / "file", parser_sandbox="auto")
    [check] = [each for each in (await examine(settings)).checks if each.name == "parser sandbox"]
    assert check.ok
    assert check.detail.startswith(f"Landlock {mechanisms().landlock} and seccomp: ")
    off = settings.model_copy(update={"parser_sandbox": "off"})
    [check] = [each for each in (await examine(off)).checks if each.name == "parser sandbox"]
    assert not check.ok
    assert "switched off" in check.detail


def verdict(filtered: bytes, audit: int, number: int, *arguments: int) -> int:
    """What a filter says of a call: classic BPF over struct seccomp_data, as the kernel runs it."""
    words = struct.pack("<IIQ6Q", number, audit, 0, *arguments, *[0] * (6 - len(arguments)))
    accumulator = place = 0
    while True:
        code, then, otherwise, value = struct.unpack_from("=HBBI", filtered, 8 * place)
        place += 1
        if code == 0x06:
            return int(value)
        if code == 0x20:
            [accumulator] = struct.unpack_from("<I", words, value)
        elif code == 0x54:
            accumulator &= value
        else:
            holds = {
                0x15: accumulator == value,
                0x35: accumulator >= value,
                0x45: bool(accumulator & value),
            }[code]
            place += then if holds else otherwise


@pytest.mark.parametrize("name", sorted(ARCHITECTURES))
class TestFilter:
    def architecture(self, name: str) -> Architecture:
        return ARCHITECTURES[name]

    def test_calls_that_reach_out_are_refused_and_others_pass(self, name: str) -> None:
        here = self.architecture(name)
        filtered = program(here)
        judged = {
            call: verdict(filtered, here.audit, number, 1, 1) for call, number in here.calls.items()
        }
        told_yes = {"bind", "listen"}
        passing = {"clone", "socket", "kill", "tkill", "tgkill", "rt_sigqueueinfo",
                   "rt_tgsigqueueinfo"}  # fmt: skip
        assert {call for call, said in judged.items() if said == ALLOW} == passing
        assert {call for call, said in judged.items() if said == 0x00050000} == told_yes
        assert judged["clone3"] == 0x00050000 | 38
        assert verdict(filtered, here.audit, 0) == ALLOW

    @pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6, 16, 17, 38, 40])
    def test_no_socket_of_a_network_is_opened(self, name: str, family: int) -> None:
        here = self.architecture(name)
        said = verdict(program(here), here.audit, here.calls["socket"], family, 1 | 0o2004000)
        assert said == REFUSED

    def test_signals_go_to_the_process_itself_alone(self, name: str) -> None:
        here = self.architecture(name)
        filtered = program(here, pid=77)
        assert verdict(filtered, here.audit, here.calls["tgkill"], 77, 78, 6) == ALLOW
        assert verdict(filtered, here.audit, here.calls["tgkill"], 76, 76, 9) == REFUSED
        assert verdict(filtered, here.audit, here.calls["kill"], 76, 9) == REFUSED

    def test_new_namespaces_and_foreign_limits_are_refused(self, name: str) -> None:
        here = self.architecture(name)
        filtered, clone, limit = program(here), here.calls["clone"], here.calls["prlimit64"]
        assert verdict(filtered, here.audit, clone, 0x3D0F00) == ALLOW
        assert verdict(filtered, here.audit, clone, 0x40000000 | 17) == REFUSED
        assert verdict(filtered, here.audit, limit, 0) == ALLOW
        assert verdict(filtered, here.audit, limit, 1) == REFUSED

    def test_another_architecture_ends_the_process(self, name: str) -> None:
        here = self.architecture(name)
        [other] = (each for each in ARCHITECTURES.values() if each is not here)
        assert verdict(program(here), other.audit, 0) == KILL
        assert (verdict(program(here), here.audit, 0x40000000 | 41) == REFUSED) == here.has_x32

    def test_the_numbers_are_those_of_the_kernel(self, name: str) -> None:
        header = {
            "x86_64": "/usr/include/x86_64-linux-gnu/asm/unistd_64.h",
            "aarch64": "/usr/include/asm-generic/unistd.h",
        }[name]
        if not Path(header).exists():
            pytest.skip("the kernel's headers (linux-libc-dev) are not here")
        lines = Path(header).read_text().splitlines()
        named = (re.match(r"#define __NR(?:3264)?_(\w+)\s+(\d+)$", line) for line in lines)
        numbers = {found[1]: int(found[2]) for found in named if found}
        calls = self.architecture(name).calls
        assert {call: numbers.get(call) for call in calls} == calls
