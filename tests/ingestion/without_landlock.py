"""Runs a command on a kernel that has no Landlock, as far as the command can tell."""

from __future__ import annotations

import ctypes
import os
import struct
import sys

from footnote.ingestion.sandbox.landlock import give_up_privileges

LANDLOCK_CREATE_RULESET, ENOSYS = 444, 38

if __name__ == "__main__":
    instructions = (
        (0x20, 0, 0, 0),  # Load the number of the call.
        (0x15, 0, 1, LANDLOCK_CREATE_RULESET),
        (0x06, 0, 0, 0x00050000 | ENOSYS),
        (0x06, 0, 0, 0x7FFF0000),
    )
    program = b"".join(struct.pack("=HBBI", *each) for each in instructions)
    held = ctypes.create_string_buffer(program, len(program))
    give_up_privileges()
    filtered = struct.pack("@HP", len(instructions), ctypes.addressof(held))
    assert ctypes.CDLL(None).prctl(22, 2, filtered, 0, 0) == 0  # PR_SET_SECCOMP
    os.execv(sys.argv[1], sys.argv[1:])
