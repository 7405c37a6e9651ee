"""Object code of LLVM text. As a script: a child process that makes it for its parent.

LLVM is called under one lock in a process, so several cores need several processes. A child reads
tasks from its standard input and writes object code to its standard output until the input ends,
as it does when the parent does. It is started by path and imports nothing but llvmlite, which is
found where the parent finds it: the arguments are the parent's `sys.path`.

A message is `HEAD`, its length and its checksum, and the bytes. A task is a line of JSON and the
text of a module; an answer is object code, or nothing when LLVM does not accept the text.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import struct
import sys
import threading
import zlib
from collections.abc import Callable
from typing import Any

HEAD = struct.Struct("<4sQI")
MAGIC = b"arth"
LONGEST = 1 << 32
"""Messages are shorter than this; what claims to be longer is no message."""
OPT = 1
"""How hard LLVM's code generator tries: more takes longer, and the code is no faster."""


def object_code(text: str, triple: str, cpu: str, features: str, *, reloc: str = "pic") -> bytes:
    """Object code of a module; RuntimeError when LLVM does not accept it.

    Of LLVM's optimiser there is the pass that combines instructions: conditions are numbers in our
    text, and loops, which are full of them, take a tenth less time with it.
    """
    import llvmlite.binding as llvm  # here, so that a child reads its first task meanwhile

    module = llvm.parse_assembly(text, llvm.create_context())
    module.triple = triple
    module.verify()
    generator = llvm.Target.from_triple(triple).create_target_machine(
        cpu=cpu, features=features, opt=OPT, reloc=reloc, codemodel="jitdefault"
    )
    module.data_layout = str(generator.target_data)
    passes = llvm.create_new_module_pass_manager()
    passes.add_instruction_combine_pass()
    passes.run(module, llvm.create_pass_builder(generator, llvm.create_pipeline_tuning_options()))
    return generator.emit_object(module)


def task(text: str, triple: str, cpu: str, features: str) -> bytes:
    """The message that asks for object code."""
    head = json.dumps({"triple": triple, "cpu": cpu, "features": features})
    return message(f"{head}\n{text}".encode())


def message(body: bytes) -> bytes:
    """Bytes with their head in front."""
    return HEAD.pack(MAGIC, len(body), zlib.crc32(body)) + body


def body(read: Callable[[int], bytes]) -> bytes | None:
    """The next message, or None when there is none, or something else."""
    head = read(HEAD.size)
    if len(head) < HEAD.size:
        return None
    magic, size, check = HEAD.unpack(head)
    if magic != MAGIC or size > LONGEST:
        return None
    content = read(size)
    return content if zlib.crc32(content) == check and len(content) == size else None


def serve() -> None:
    """Answer tasks until standard input ends; then stop at once, even in the middle of one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent
    sys.path.extend(sys.argv[1:])
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what anybody prints is no answer
    tasks: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_work, args=(tasks, answers), daemon=True).start()
    while (content := body(sys.stdin.buffer.read)) is not None:
        tasks.put(content)
    os._exit(0)


def _work(tasks: queue.SimpleQueue[bytes], answers: Any) -> None:
    try:
        import llvmlite.binding as llvm

        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        while True:
            head, _, text = tasks.get().decode().partition("\n")
            try:
                code = object_code(text, **json.loads(head))
            except RuntimeError:
                code = b""
            answers.write(message(code))
            answers.flush()
    finally:
        os._exit(1)


if __name__ == "__main__":
    serve()
