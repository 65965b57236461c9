#!/usr/bin/env python3
"""Runs commands of Assay while one of their calls to the system fails, or while they are killed there.

calls    every scenario, every kind of fault and every k: the k-th call that the command makes about a file of its own inputs
         or results goes wrong
limits   every scenario under limits of file size, open files and memory
damage   every byte of every file of a store flipped in one bit, every file cut, files swapped between two stores: reading
         gives the right numbers or ends with an error, and `verify` finds it

Of calls and limits these must hold:

  - the command ends by itself (unless it was killed), not with 70 ("internal error"), and within a minute;
  - status 0 only with the results of an undisturbed run, byte for byte; any other with "error:" on stderr;
  - the inputs are as they were;
  - the same command, typed again, ends with 0 and with the results of an undisturbed run, and leaves nothing else behind.

usage: campaign.py --program ASSAY --interposer LIBRARY --source ROOT [--parts calls,limits,damage] [--slice N] [--only TEXT]
  --slice N   one of N faults only, other ones of each scenario; default: all
  --only T    scenarios whose names hold T
"""

import argparse
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from scenarios import make_inputs, scenarios

WRITES = ("open", "write", "fsync", "rename", "mkdir", "unlink", "ftruncate", "link", "fchmod", "flock")
# Which calls a kind of fault makes sense for.
KINDS = {
    "error:EIO": None,
    "once:EIO": None,
    "once:EINTR": ("open", "read", "write", "fsync", "ftruncate", "flock"),
    "error:ENOSPC": ("write", "fsync", "ftruncate", "mkdir"),
    "error:EDQUOT": ("write", "open", "mkdir"),
    "error:EMFILE": ("open", "opendir"),
    "error:ENOMEM": ("mmap",),
    "error:EAGAIN": ("pthread_create",),
    "short": ("read", "write"),
    "cut": ("mmap",),
    "kill": WRITES,
    "killed": WRITES,
    "power": WRITES,
    "process 1": ("open", "write", "rename"),
}
FULL = ("error:ENOSPC", "error:EDQUOT")
# By resource: limits as they are set.
LIMITS = {
    "file size": (resource.RLIMIT_FSIZE, (0, 1, 100, 300, 600, 1000, 2000, 5000, 20000)),
    "open files": (resource.RLIMIT_NOFILE, (3, 4, 5, 6, 7, 8, 10, 12, 16, 24)),
    "memory": (resource.RLIMIT_AS, tuple(mib << 20 for mib in (40, 60, 80, 90, 100, 110, 120, 140, 160, 200, 260, 400))),
}
TIMEOUT = 60


def tree(folder):
    """Bytes by relative path; locks hold a process's number."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
        if path.name not in (".lock", "lock")
    }


def can_be_process_1():
    try:
        return subprocess.run(["unshare", "--pid", "--fork", "true"], capture_output=True, timeout=10).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


class Runner:
    def __init__(self, scenario, folder, options):
        self.scenario, self.options = scenario, options
        self.inputs, self.kept, self.results = folder / "in", folder / "kept", folder / "out"
        self.calls = folder / "calls"
        self.kept.mkdir(parents=True)
        make_inputs(self.kept)
        self.restore()
        self.results.mkdir()
        for command in scenario.before:
            done = self.run(command, out=self.inputs)
            if done.returncode != 0:
                raise RuntimeError(f"{scenario.name}: {command} failed: {done.stderr}")
        shutil.rmtree(self.kept)
        shutil.copytree(self.inputs, self.kept)
        self.untouched = tree(self.kept)
        done = self.run(scenario.command, env={"ASSAY_FAULT_COUNT": str(self.calls)})
        if done.returncode != 0:
            raise RuntimeError(f"{scenario.name}: {done.stderr}")
        if not self.calls.exists():
            raise RuntimeError(f"{scenario.name}: the interposer saw no call")
        self.expected, self.printed = tree(self.results), done.stdout
        self.names = [line.split(" ")[1] for line in self.calls.read_text().splitlines()]

    def restore(self):
        shutil.rmtree(self.inputs, ignore_errors=True)
        shutil.copytree(self.kept, self.inputs)

    def clear(self):
        shutil.rmtree(self.results, ignore_errors=True)
        self.results.mkdir()

    def run(self, command, out=None, env=None, process_1=False, limit=None):
        words = [str(self.options.program), *command]
        words = [w.replace("IN/", f"{self.inputs}/").replace("OUT/", f"{out or self.results}/") for w in words]
        if command[0] not in ("export", "verify"):
            words += ["--threads", "1"]
        if process_1:
            words = ["unshare", "--pid", "--fork", "--kill-child", *words]
        environment = {**os.environ, **(env or {})}
        if env is not None:
            environment["LD_PRELOAD"] = str(self.options.interposer)
            environment["ASSAY_FAULT_BELOW"] = f"{self.inputs}:{self.results}:/thread"
        bound = (lambda: resource.setrlimit(limit[0], (limit[1], limit[1]))) if limit else None
        return subprocess.run(words, capture_output=True, text=True, errors="replace", env=environment, timeout=TIMEOUT, preexec_fn=bound)

    def fault(self, kind, at):
        """What does not hold after this fault: sentences."""
        how = "kill" if kind == "process 1" else kind
        return self.disturbed(
            lambda: self.run(self.scenario.command, env={"ASSAY_FAULT_AT": str(at), "ASSAY_FAULT_AS": how}, process_1=kind == "process 1"),
            killed=how in ("kill", "killed", "power"),
            cut=kind == "cut",
        )

    def limited(self, limit):
        return self.disturbed(lambda: self.run(self.scenario.command, limit=limit))

    def disturbed(self, run, killed=False, cut=False):
        self.clear()
        wrong = []
        try:
            done = run()
        except subprocess.TimeoutExpired:
            return [f"still running after {TIMEOUT} s"]
        left = tree(self.results)
        if killed:
            if done.returncode not in (-signal.SIGKILL, 128 + signal.SIGKILL, 0):
                wrong.append(f"killed, and the status is {done.returncode}")
        elif done.returncode == 0:
            if left != self.expected or done.stdout != self.printed:
                wrong.append("status 0 with other results than without the fault")
        else:
            wrong += not_an_error(done)
        if cut:
            self.restore()
        elif tree(self.inputs) != self.untouched:
            wrong.append("an input was changed")
            self.restore()
        try:
            again = self.run(self.scenario.command)
        except subprocess.TimeoutExpired:
            return [*wrong, f"again: still running after {TIMEOUT} s"]
        if again.returncode != 0:
            if cut and not not_an_error(again):
                return wrong  # a result was cut, and that is said
            wrong.append(f"again: status {again.returncode}: {again.stderr.strip()[:200]}")
        else:
            now = tree(self.results)
            if now != self.expected:
                extra = sorted(set(now) - set(self.expected))
                other = sorted(name for name in self.expected if now.get(name) != self.expected[name])
                wrong.append(f"again: left behind {extra}, different {other}")
        return wrong


def not_an_error(done):
    """Why the end of a run is not a named error."""
    if done.returncode < 0:
        return [f"ended by signal {-done.returncode}"]
    if done.returncode == 70 or "internal error" in done.stderr:
        return [f"internal error: {done.stderr.strip()[:200]}"]
    if "error" not in done.stderr:
        return [f"status {done.returncode} and no error named: {done.stderr.strip()[:200]}"]
    return []


class Tally:
    """Tried and failed, by kind; what went wrong. One of `slice` faults is taken."""

    def __init__(self, offset, slice):
        self.number, self.slice = offset, slice
        self.kinds, self.failures = {}, []

    def takes(self):
        self.number += 1
        return self.number % self.slice == 0

    def add(self, kind, where, wrong):
        cell = self.kinds.setdefault(kind, [0, 0])
        cell[0] += 1
        cell[1] += 1 if wrong else 0
        if wrong:
            self.failures.append(f"{where}: " + "; ".join(wrong))


def try_calls(runner, tally, options):
    lines = runner.calls.read_text().splitlines()
    for kind, calls in KINDS.items():
        if kind == "process 1" and not options.process_1:
            continue
        for at, line in enumerate(lines, start=1):
            if calls is not None and line.split(" ")[1] not in calls:
                continue
            if kind in FULL and str(runner.inputs) in line:
                continue  # reading fills no disk
            if kind == "cut" and str(runner.inputs) not in line:
                continue  # nobody but the command has a hand in its results
            if tally.takes():
                place = line.replace(str(runner.inputs.parent), "")
                tally.add(kind, f"{runner.scenario.name}, {kind} at call {place}", runner.fault(kind, at))


def try_limits(runner, tally, options):
    for name, (which, values) in LIMITS.items():
        for value in values:
            if tally.takes():
                tally.add(name, f"{runner.scenario.name}, {name} limited to {value}", runner.limited((which, value)))


def try_damage(runner, tally, options):
    """The scenario reads IN/runs: what does it say of damaged stores?"""
    store = runner.inputs / "runs"
    files = [path for path in sorted(store.rglob("*")) if path.is_file() and path.name not in (".lock", "lock")]

    if (sound := runner.run(["verify", "IN/runs"])).returncode != 0:
        raise RuntimeError(f"verify refuses what is sound: {sound.stderr}")

    def judge(kind, where):
        runner.clear()
        wrong = []
        done = runner.run(runner.scenario.command)
        if done.returncode != 0:
            wrong += not_an_error(done)
        elif tree(runner.results) != runner.expected:
            wrong.append("status 0 and other numbers")
        verified = runner.run(["verify", "IN/runs"])
        if verified.returncode == 0:
            wrong.append("verify calls it sound")
        elif not_an_error(verified) and "damaged" not in verified.stdout:
            wrong += not_an_error(verified)
        tally.add(kind, f"{runner.scenario.name}, {where}", wrong)

    for path in files:
        sound = path.read_bytes()
        name = path.relative_to(store)
        for at in range(len(sound)):
            if tally.takes():
                path.write_bytes(sound[:at] + bytes([sound[at] ^ (1 << at % 8)]) + sound[at + 1 :])
                judge("flipped", f"byte {at} of {name} flipped")
        for size in range(0, len(sound), max(1, len(sound) // 64)):
            if tally.takes():
                path.write_bytes(sound[:size])
                judge("cut", f"{name} cut to {size} bytes")
        if tally.takes():
            path.write_bytes(sound + b"\n ")
            judge("longer", f"{name} with more at its end")
        path.write_bytes(sound)
    # Files of one name in two stores that hold different bytes.
    for one in files:
        for two in files:
            if one < two and one.name == two.name and one.read_bytes() != two.read_bytes() and tally.takes():
                first, second = one.read_bytes(), two.read_bytes()
                one.write_bytes(second)
                judge("foreign", f"{one.relative_to(store)} taken from {two.relative_to(store)}")
                two.write_bytes(first)
                judge("swapped", f"{one.relative_to(store)} and {two.relative_to(store)} swapped")
                one.write_bytes(first)
                two.write_bytes(second)


PARTS = {"calls": try_calls, "limits": try_limits, "damage": try_damage}
# Damage is tried on stores, by a command that reads all of theirs.
READS_STORES = ("score",)


def work(scenario, options, offset):
    tallies = {}
    with tempfile.TemporaryDirectory(prefix="assay-faults-") as folder:
        runner = Runner(scenario, Path(folder), options)
        for part in options.parts:
            if part == "damage" and scenario.name not in READS_STORES:
                continue
            tallies[part] = Tally(offset, options.slice)
            PARTS[part](runner, tallies[part], options)
    return scenario.name, tallies


def print_table(part, done):
    rows = [(name, tallies[part]) for name, tallies in done if part in tallies]
    kinds = list(dict.fromkeys(kind for _, tally in rows for kind in tally.kinds))
    print(f"| {part} | " + " | ".join(kinds) + " |")
    print("|" + "---|" * (len(kinds) + 1))
    for name, tally in rows:
        print(f"| {name} | " + " | ".join(" of ".join(map(str, reversed(tally.kinds[k]))) if k in tally.kinds else "" for k in kinds) + " |")
    print()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, required=True)
    parser.add_argument("--interposer", type=Path, required=True)
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--parts", default="calls,limits,damage", type=lambda text: text.split(","))
    parser.add_argument("--slice", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--no-torch", action="store_true", help="leave out what loads LibTorch")
    options = parser.parse_args()
    for name in ("program", "interposer", "source"):
        path = getattr(options, name).resolve()
        if not path.exists():
            parser.error(f"--{name}: there is no {path}")
        setattr(options, name, path)
    options.process_1 = can_be_process_1()
    if not options.process_1:
        print("SKIPPED: no process namespaces here, so nothing is killed as process 1", file=sys.stderr)
    chosen = [s for s in scenarios(options.source) if options.only in s.name and not (s.torch and options.no_torch)]
    begin = time.monotonic()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        done = list(pool.map(lambda pair: work(pair[1], options, pair[0]), enumerate(chosen)))
    for part in options.parts:
        print_table(part, done)
    all_of_them = [tally for _, tallies in done for tally in tallies.values()]
    tried = sum(cell[0] for tally in all_of_them for cell in tally.kinds.values())
    failures = [line for tally in all_of_them for line in tally.failures]
    print(f"{tried} faults tried, {len(failures)} of them badly met (cells: badly met of tried), {time.monotonic() - begin:.0f} s")
    for line in failures:
        print(line, file=sys.stderr)
    if tried == 0:
        print("error: nothing was tried", file=sys.stderr)
        return 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
