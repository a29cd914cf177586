"""What a process that reads foreign files may still do: read programs, write in its own folder.

`confine` takes the rest away from the process it runs in, by Landlock and seccomp, as far as the
kernel has them; it cannot be undone, and holds for all that is started from there.
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
"""Confine as far as the kernel can, refuse to work without, or leave it."""

UNCONFINED = 78
"""The exit code of a child that may not work without being confined (EX_CONFIG of sysexits.h)."""
_PROGRAMS = ("tesseract", "soffice", "libreoffice", "ffmpeg")
_LOADERS = ("/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1")
_MUSL_LOADERS = ("/lib/ld-musl-x86_64.so.1", "/lib/ld-musl-aarch64.so.1")
_SYSTEM = (
    "/usr /lib /lib64 /bin /sbin /nix/store /proc /sys/devices/system/cpu /sys/fs/cgroup "
    "/dev/null /dev/zero /dev/random /dev/urandom /var/cache/fontconfig /var/lib/libreoffice "
    "/var/spool/libreoffice /etc/alternatives /etc/fonts /etc/group /etc/hosts /etc/ld.so.cache "
    "/etc/ld.so.conf /etc/ld.so.conf.d /etc/libreoffice /etc/locale.alias /etc/localtime "
    "/etc/mime.types /etc/nsswitch.conf /etc/os-release /etc/papersize /etc/passwd /etc/timezone"
).split()
"""Programs, fonts, and what libraries ask of a system; no secret is kept in any of these."""
_WRITABLE_DEVICES = ("/dev/null",)


@dataclass(frozen=True, slots=True)
class Mechanisms:
    """What the kernel has of both; or what holds for a process."""

    landlock: int
    """The version of Landlock, 0 without."""
    seccomp: bool

    @property
    def complete(self) -> bool:
        """Whether sockets are refused, and files outside."""
        return self.landlock > 0 and self.seccomp


@dataclass(frozen=True, slots=True, kw_only=True)
class Confinement:
    """What one process is left."""

    mode: SandboxMode
    folder: str
    """The one it may write in."""
    readable: tuple[str, ...] = ()
    """Files and folders beside programs and libraries."""
    writable: tuple[str, ...] = ()
    """Folders beside its own."""


class NotConfined(Exception):
    """The kernel lacks what confines, and the installation requires it."""


def mechanisms() -> Mechanisms:
    """What the kernel has."""
    return Mechanisms(landlock=landlock.version(), seccomp=seccomp.is_there())


def command(confinement: Confinement, module: str) -> tuple[str, ...]:
    """The command that runs a module confined from its first import on."""
    told = json.dumps(asdict(confinement))
    return (sys.executable, "-P", "-m", __name__, told, module)


def confine(confinement: Confinement) -> Mechanisms:
    """Confine this process, which has one thread yet. Raises NotConfined where that is required.

    Landlock binds the calling thread and what it starts: a thread that a library started before
    would stay free, and hostile code could make it do its work.
    """
    if confinement.mode == "off":
        return Mechanisms(landlock=0, seccomp=False)
    there, held = mechanisms(), Mechanisms(landlock=0, seccomp=False)
    try:
        if there.landlock or there.seccomp:
            landlock.give_up_privileges()
        version = landlock.restrict(_rules(confinement)) if there.landlock else 0
        held = Mechanisms(landlock=version, seccomp=False)
        if there.seccomp:
            seccomp.install(keep_signals=version < landlock.SIGNALS_SINCE)
            held = Mechanisms(landlock=version, seccomp=True)
    except OSError as error:
        if confinement.mode == "required":
            raise NotConfined(str(error)) from error
    if confinement.mode == "required" and not held.complete:
        has = {"Landlock": held.landlock > 0, "seccomp": held.seccomp}
        lacking = " and no ".join(name for name, there in has.items() if not there)
        raise NotConfined(f"the kernel has no {lacking} for this process")
    return held


def _rules(confinement: Confinement) -> dict[str, Access]:
    """What each path may be used for. A rule of a folder adds to those of the folders above it."""
    # Folders of libraries and of Tesseract's models that the environment names.
    named = os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)
    libraries = (
        *sys.path,
        sys.prefix,
        sys.base_prefix,
        *site.getsitepackages(),
        *[path for path in (*named, os.environ.get("TESSDATA_PREFIX", "")) if path],
    )
    rules = dict.fromkeys(existing((*_SYSTEM, *libraries, *confinement.readable)), Access.READ)
    for program in programs():
        # A program reads what lies around it, wherever it is installed.
        folder = str(Path(program).parent)
        rules[folder] = rules.get(folder, Access.READ)
        rules[program] = rules.get(program, Access.READ) | Access.EXECUTE
    for path in existing(_WRITABLE_DEVICES):
        rules[path] |= Access.WRITE_FILE
    for path in existing((confinement.folder, *confinement.writable)):
        rules[path] = Access.READ | Access.CHANGE
    return rules


def programs() -> tuple[str, ...]:
    """What may be run, a shell only where LibreOffice is nothing but a script of one."""
    found = existing(path for name in _PROGRAMS if (path := shutil.which(name)))
    allowed = [path for path in found if not _is_script(path)]
    for script in filter(_is_script, found):
        started = existing(office_programs(script))
        allowed += started or (script, *existing(("/bin", "/usr/bin")))
    return tuple(dict.fromkeys((*allowed, *existing((*_LOADERS, *_MUSL_LOADERS)))))


def office_programs(script: str) -> tuple[str, ...]:
    """What the script `soffice` runs: both stand beside it, in an installation of LibreOffice."""
    folder = Path(script).resolve().parent
    both = (folder / "oosplash", folder / "soffice.bin")
    return tuple(map(str, both)) if all(path.exists() for path in both) else ()


def _is_script(path: str) -> bool:
    with Path(path).open("rb") as file:
        return file.read(2) == b"#!"
