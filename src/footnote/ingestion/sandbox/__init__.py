"""Sandbox a process that parses untrusted files: it reads programs and writes in its own folder.

`confine` revokes all other rights of the calling process by Landlock and seccomp, as far as the
kernel supports them. It cannot be undone and is inherited by child processes.
"""

from __future__ import annotations

import json
import os
import shutil
import site
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from footnote.ingestion.sandbox import landlock, seccomp
from footnote.ingestion.sandbox.landlock import Access, existing

SandboxMode = Literal["auto", "required", "off"]
"""Confine as far as the kernel supports it, fail without complete confinement, or do not
confine."""

UNCONFINED = 78
"""Exit code of a child that could not be confined as required (EX_CONFIG of sysexits.h)."""
_PROGRAMS = ("tesseract", "soffice", "libreoffice", "ffmpeg")
_LOADERS = ("/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1")
_MUSL_LOADERS = ("/lib/ld-musl-x86_64.so.1", "/lib/ld-musl-aarch64.so.1")
_SYSTEM_PATHS = (
    "/usr /lib /lib64 /bin /sbin /nix/store /proc /sys/devices/system/cpu /sys/fs/cgroup "
    "/dev/null /dev/zero /dev/random /dev/urandom /var/cache/fontconfig /var/lib/libreoffice "
    "/var/spool/libreoffice /etc/alternatives /etc/fonts /etc/group /etc/hosts /etc/ld.so.cache "
    "/etc/ld.so.conf /etc/ld.so.conf.d /etc/libreoffice /etc/locale.alias /etc/localtime "
    "/etc/mime.types /etc/nsswitch.conf /etc/os-release /etc/papersize /etc/passwd /etc/timezone"
).split()
"""Readable system paths: programs, fonts and what libraries look up; none contains secrets."""
_WRITABLE_DEVICES = ("/dev/null",)


@dataclass(frozen=True, slots=True)
class Mechanisms:
    """What the kernel supports of Landlock and seccomp, or what is in force for a process."""

    landlock: int
    """The version of Landlock, 0 without."""
    seccomp: bool

    @property
    def complete(self) -> bool:
        """Whether both are in force, so that sockets and files outside the rules are refused."""
        return self.landlock > 0 and self.seccomp


@dataclass(frozen=True, slots=True, kw_only=True)
class Confinement:
    """The rights that a confined process keeps."""

    mode: SandboxMode
    folder: str
    """Its own folder, which it may read and write."""
    readable: tuple[str, ...] = ()
    """Files and folders it may read, in addition to programs and libraries."""
    writable: tuple[str, ...] = ()
    """Folders it may write in, in addition to its own."""


class NotConfined(Exception):
    """The kernel cannot confine the process as the installation requires."""


def mechanisms() -> Mechanisms:
    """Return what the kernel supports."""
    return Mechanisms(landlock=landlock.version(), seccomp=seccomp.is_supported())


def command(confinement: Confinement, module: str) -> tuple[str, ...]:
    """The command that runs a module confined from its first import on."""
    encoded = json.dumps(asdict(confinement))
    return (sys.executable, "-P", "-m", __name__, encoded, module)


def confine(confinement: Confinement) -> Mechanisms:
    """Confine this process, which must still be single-threaded; return what is in force.

    Raises NotConfined where confinement is required but incomplete. Landlock binds the calling
    thread and its children: a thread that a library started before would stay unconfined, and
    hostile code could use it.
    """
    if confinement.mode == "off":
        return Mechanisms(landlock=0, seccomp=False)
    supported, in_force = mechanisms(), Mechanisms(landlock=0, seccomp=False)
    try:
        if supported.landlock or supported.seccomp:
            landlock.give_up_privileges()
        version = landlock.restrict(_rules(confinement)) if supported.landlock else 0
        in_force = Mechanisms(landlock=version, seccomp=False)
        if supported.seccomp:
            seccomp.install(keep_signals=version < landlock.SIGNALS_SINCE)
            in_force = Mechanisms(landlock=version, seccomp=True)
    except OSError as error:
        if confinement.mode == "required":
            raise NotConfined(str(error)) from error
    if confinement.mode == "required" and not in_force.complete:
        active = {"Landlock": in_force.landlock > 0, "seccomp": in_force.seccomp}
        missing = " and no ".join(name for name, is_active in active.items() if not is_active)
        raise NotConfined(f"the kernel has no {missing} for this process")
    return in_force


def _rules(confinement: Confinement) -> dict[str, Access]:
    """Map each path to its access rights, which add to those of its parent folders."""
    # Folders of libraries and of Tesseract's models that the environment names.
    library_paths = os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)
    libraries = (
        *sys.path,
        sys.prefix,
        sys.base_prefix,
        *site.getsitepackages(),
        *[path for path in (*library_paths, os.environ.get("TESSDATA_PREFIX", "")) if path],
    )
    rules = dict.fromkeys(
        existing((*_SYSTEM_PATHS, *libraries, *confinement.readable)), Access.READ
    )
    for program in programs():
        # A program reads files next to it, wherever it is installed.
        folder = str(Path(program).parent)
        rules[folder] = rules.get(folder, Access.READ)
        rules[program] = rules.get(program, Access.READ) | Access.EXECUTE
    for path in existing(_WRITABLE_DEVICES):
        rules[path] |= Access.WRITE_FILE
    for path in existing((confinement.folder, *confinement.writable)):
        rules[path] = Access.READ | Access.CHANGE
    return rules


def programs() -> tuple[str, ...]:
    """Return the executables that may be run; a shell only if LibreOffice is just a shell
    script."""
    executables = existing(path for name in _PROGRAMS if (path := shutil.which(name)))
    allowed = [path for path in executables if not _is_script(path)]
    for script in filter(_is_script, executables):
        binaries = existing(office_programs(script))
        allowed += binaries or (script, *existing(("/bin", "/usr/bin")))
    return tuple(dict.fromkeys((*allowed, *existing((*_LOADERS, *_MUSL_LOADERS)))))


def office_programs(script: str) -> tuple[str, ...]:
    """Return the executables that the script `soffice` runs, which LibreOffice installs next to
    it."""
    folder = Path(script).resolve().parent
    executables = (folder / "oosplash", folder / "soffice.bin")
    return tuple(map(str, executables)) if all(path.exists() for path in executables) else ()


def _is_script(path: str) -> bool:
    with Path(path).open("rb") as file:
        return file.read(2) == b"#!"
