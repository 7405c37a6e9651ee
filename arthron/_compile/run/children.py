"""Child processes that make object code, so that a long program is compiled on all cores.

Children only save time: where one cannot be started, has died, or answers anything but object
code, its part is made in this process. One is started when the first compilation begins, to be
ready when the page has been traced; they are kept for later ones, and end with this process.
"""

from __future__ import annotations

import atexit
import collections
import os
import re
import select
import subprocess
import sys
import threading
import time
from collections.abc import Iterable
from pathlib import Path

from ..render.machine import Machine
from . import assembler
from .cores import cores

MOST = 8
"""Processes that share a program, at most."""
PATIENCE = 30.0
"""Seconds to wait for a child, which takes a fraction of one for a module."""


def executable() -> str | None:
    """The interpreter that children run in; None inside another application."""
    name = sys.executable or ""
    known = re.fullmatch(r"(python|pypy)[\d.]*\w?(\.exe)?", Path(name).name, re.IGNORECASE)
    return name if known and not getattr(sys, "frozen", False) else None


class Child:
    """A process that makes object code, one module at a time."""

    def __init__(self, python: str) -> None:
        found = [entry for entry in sys.path if entry]
        self.process = subprocess.Popen(
            [python, "-I", "-S", assembler.__file__, *found],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            process_group=0,  # Ctrl-C in the terminal is for this process alone
        )

    def ask(self, message: bytes) -> bool:
        """Hand over a task; whether the child is there to take it."""
        assert self.process.stdin is not None
        view = memoryview(message)
        try:
            while view:
                view = view[self.process.stdin.write(view) :]
        except OSError:
            return False
        return True

    def answer(self) -> bytes | None:
        """Object code, or None when there is none."""
        assert self.process.stdout is not None
        pipe, deadline = self.process.stdout, time.monotonic() + PATIENCE

        def read(size: int) -> bytes:
            got = bytearray()
            while len(got) < size:
                ready, _, _ = select.select([pipe], [], [], max(0.0, deadline - time.monotonic()))
                more = pipe.read(min(size - len(got), 1 << 20)) if ready else b""
                if not more:
                    break
                got += more
            return bytes(got)

        return assembler.body(read) or None

    def end(self) -> None:
        """Stop the process."""
        self.process.kill()
        self.process.wait()
        self.forget()

    def forget(self) -> None:
        """Close this process's ends of the pipes."""
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()


class Children:
    """Child processes that are waiting for work, and this one, which works beside them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._all: set[Child] = set()
        self._idle: list[Child] = []
        os.register_at_fork(after_in_child=self._after_fork)
        atexit.register(self._end_all)

    def prepare(self, count: int = 1) -> None:
        """Start children until there are `count`, as far as there are cores for them."""
        python = executable()
        with self._lock:
            while python is not None and len(self._all) < min(count, MOST - 1, cores() - 1):
                try:
                    child = Child(python)
                except OSError:
                    return
                self._all.add(child)
                self._idle.append(child)

    def assemble(self, texts: Iterable[str], machine: Machine) -> list[bytes]:
        """Object code of modules; later ones are written while children are at the first."""
        given = machine.triple, machine.cpu, machine.features
        tasks, codes, helpers = _Tasks(), dict[int, bytes](), list[tuple[Child, threading.Thread]]()

        def help_out(child: Child) -> None:
            while (task := tasks.take()) is not None:
                k, text = task
                code = child.answer() if child.ask(assembler.task(text, *given)) else None
                if code is None:
                    self._drop(child)
                    tasks.put(task)  # for others, or for this process when all else is done
                    return
                codes[k] = code
            self._give(child)

        try:
            for task in enumerate(texts):
                tasks.put(task)
                child = self._take(task[0])
                if child is not None:
                    helpers.append((child, threading.Thread(target=help_out, args=(child,))))
                    helpers[-1][1].start()
            tasks.close()
            while (task := tasks.take()) is not None:
                codes[task[0]] = assembler.object_code(task[1], *given)
        except BaseException:  # somebody pressed Ctrl-C: what children answer now is for nobody
            tasks.abandon()
            for child, _ in helpers:
                child.process.kill()
            raise
        finally:
            for _, helper in helpers:
                helper.join()
        while (task := tasks.take()) is not None:  # of children that failed
            codes[task[0]] = assembler.object_code(task[1], *given)
        return [codes[k] for k in range(len(codes))]

    def _take(self, count: int) -> Child | None:
        """An idle child, if there is one or there are fewer than `count` of them."""
        self.prepare(count)
        with self._lock:
            return self._idle.pop() if count and self._idle else None

    def _give(self, child: Child) -> None:
        with self._lock:
            self._idle.append(child)

    def _drop(self, child: Child) -> None:
        with self._lock:
            self._all.discard(child)
        child.end()

    def _end_all(self) -> None:
        for child in list(self._all):
            self._drop(child)
        self._idle.clear()

    def _after_fork(self) -> None:
        """In the child of a fork: these are its parent's, which must see them end with it."""
        for child in self._all:
            child.forget()
            child.process.returncode = 0  # not ours to wait for
        self._lock, self._all, self._idle = threading.Lock(), set(), []


class _Tasks:
    """Modules that wait for somebody to take them."""

    def __init__(self) -> None:
        self._waiting: collections.deque[tuple[int, str]] = collections.deque()
        self._changed, self._open = threading.Condition(), True

    def put(self, task: tuple[int, str]) -> None:
        with self._changed:
            self._waiting.append(task)
            self._changed.notify()

    def take(self) -> tuple[int, str] | None:
        """The next one, waited for while there may be more; None when there is none."""
        with self._changed:
            while self._open and not self._waiting:
                self._changed.wait()
            return self._waiting.popleft() if self._waiting else None

    def close(self) -> None:
        """There are no more."""
        with self._changed:
            self._open = False
            self._changed.notify_all()

    def abandon(self) -> None:
        """Nobody shall take any."""
        self._waiting.clear()
        self.close()


CHILDREN = Children()
"""Those of this process."""
