#!/usr/bin/env python3
"""Runs commands of Assay while one of their system calls fails, or kills them at that call.

calls    Every scenario, every kind of fault and every k. The k-th call that the command makes on a file of its own inputs
         or results fails.

limits   Every scenario under limits of file size, open files and memory.

damage   Every byte of every file of a store is flipped in one bit, every file is cut, and files are swapped between two stores.
         Reading gives the correct numbers or ends with an error, and `verify` finds the damage.

resume   The same damage to a finished and an unfinished store. Files are also removed, or replaced by those of other stores.
         Then the command that makes the store is typed again. Status 0 means the store of an undisturbed run, which `verify`
         calls sound. Any other status means an error. After following its advice, the same command gives that store.

cuts     A few scenarios on a separate disk, if root may mount one. The disk loses power at each call that
         writes, and after the command has finished.

Calls, limits and cuts must meet these conditions:

  - the command ends by itself (unless it was killed), without status 70 ("internal error"), within a minute;
  - status 0 only with the results of an undisturbed run, byte for byte; any other status comes with "error:" on stderr;
  - the inputs are unchanged;
  - the same command, typed again, ends with 0 and with the results of an undisturbed run, and leaves no other files.

usage: campaign.py --program ASSAY --interposer LIBRARY --source ROOT [--parts calls,limits,damage,resume,cuts] [--slice N] [--only TEXT]

  --slice N   tries one of N faults, different ones in each scenario (default: all)

  --torch-slice N   the same for scenarios that load LibTorch, with N / 8 for the bytes of their stores.
                    Loading takes half a second per run. The default is --slice.

  --only T    runs the scenarios whose names contain T
"""

import argparse
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from power_cuts import Disk, why_not
from scenarios import make_inputs, scenarios

WRITES = ("open", "write", "fsync", "rename", "mkdir", "unlink", "ftruncate", "link", "fchmod", "flock")
# The calls to which each kind of fault applies.
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
# The limits to set, by resource.
LIMITS = {
    "file size": (resource.RLIMIT_FSIZE, (0, 1, 100, 300, 600, 1000, 2000, 5000, 20000)),
    "open files": (resource.RLIMIT_NOFILE, (3, 4, 5, 6, 7, 8, 10, 12, 16, 24)),
    "memory": (resource.RLIMIT_AS, tuple(mib << 20 for mib in (40, 60, 80, 90, 100, 110, 120, 140, 160, 200, 260, 400))),
}
TIMEOUT = 60


def tree(folder):
    """Bytes by relative path, without lock files, because these have a process id."""
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
        """The conditions that are violated after this fault, as sentences."""
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
        return wrong + self.typed_again(cut)

    def typed_again(self, cut=False):
        """The conditions that are violated when the same command is repeated."""
        wrong = []
        try:
            again = self.run(self.scenario.command)
        except subprocess.TimeoutExpired:
            return [*wrong, f"again: still running after {TIMEOUT} s"]
        if again.returncode != 0:
            if cut and not not_an_error(again):
                return wrong  # a result was truncated, and a message says so
            wrong.append(f"again: status {again.returncode}: {again.stderr.strip()[:200]}")
        else:
            now = tree(self.results)
            if now != self.expected:
                extra = sorted(set(now) - set(self.expected))
                other = sorted(name for name in self.expected if now.get(name) != self.expected[name])
                wrong.append(f"again: left behind {extra}, different {other}")
        return wrong


def not_an_error(done):
    """Why a run did not end with a named error, or "" if it did."""
    if done.returncode < 0:
        return [f"ended by signal {-done.returncode}"]
    if done.returncode == 70 or "internal error" in done.stderr:
        return [f"internal error: {done.stderr.strip()[:200]}"]
    # Status 3: an unreadable image is recorded, and it is read when the command is repeated.
    if "error" not in done.stderr and not (done.returncode == 3 and "warning" in done.stderr):
        return [f"status {done.returncode} and no error named: {done.stderr.strip()[:200]}"]
    return []


class Tally:
    """Counts tried and failed faults by kind, and lists the failures. Only one of `slice` faults is tried."""

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
                continue  # reading cannot fill a disk
            if kind == "cut" and str(runner.inputs) not in line:
                continue  # only the command itself writes its results
            if tally.takes():
                place = line.replace(str(runner.inputs.parent), "")
                tally.add(kind, f"{runner.scenario.name}, {kind} at call {place}", runner.fault(kind, at))


def try_limits(runner, tally, options):
    for name, (which, values) in LIMITS.items():
        for value in values:
            if tally.takes():
                tally.add(name, f"{runner.scenario.name}, {name} limited to {value}", runner.limited((which, value)))


def flipped(content, at):
    return content[:at] + bytes([content[at] ^ (1 << at % 8)]) + content[at + 1 :]


def try_damage(runner, tally, options):
    """The scenario reads IN/runs. Checks its results on damaged stores."""
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
                path.write_bytes(flipped(sound, at))
                judge("flipped", f"byte {at} of {name} flipped")
        for size in range(0, len(sound), max(1, len(sound) // 64)):
            if tally.takes():
                path.write_bytes(sound[:size])
                judge("cut", f"{name} cut to {size} bytes")
        if tally.takes():
            path.write_bytes(sound + b"\n ")
            judge("longer", f"{name} with more at its end")
        path.write_bytes(sound)
    # There are files with the same name in two stores and different bytes.
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


def unfinished(runner):
    """The store that a run leaves if it is killed in the middle of its shards."""
    lines = runner.calls.read_text().splitlines()
    records = [at for at, line in enumerate(lines, start=1) if line.split(" ")[1] == "rename" and "/shards/" in line]
    runner.clear()
    runner.run(runner.scenario.command, env={"ASSAY_FAULT_AT": str(records[len(records) // 2]), "ASSAY_FAULT_AS": "kill"})
    if tree(runner.results) == runner.expected:
        raise RuntimeError(f"{runner.scenario.name}: nothing was left unfinished")


def removed_as_advised(message, folder):
    """Whether the error says to remove something from the results. If so, it is removed."""
    for path in re.findall(r"[Rr]emove `([^`]+)`", message):
        path = Path(path)
        if folder in path.parents and path.exists():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
            return True
    return False


def try_resume(runner, tally, options):
    """The scenario writes OUT/runs. Checks how it handles damage to them."""
    others = [path for path in sorted((runner.inputs / "others").rglob("*")) if path.is_file()]

    def again(kind, state, kept, name, damage):
        shutil.rmtree(runner.results)
        shutil.copytree(kept, runner.results)
        path = runner.results / name
        damage(path)
        wrong, advised = [], set()
        for _ in range(8):
            done = runner.run(runner.scenario.command)
            if done.returncode == 0:
                break
            wrong += not_an_error(done)
            if removed_as_advised(done.stderr, runner.results):
                continue
            if "put " in done.stderr and path.name in done.stderr and "back" not in advised:
                advised.add("back")
                shutil.copyfile(kept / name, path)
            elif "another --out" in done.stderr and "elsewhere" not in advised:
                advised.add("elsewhere")
                runner.clear()  # the folder is equivalent to another one, and the recorded command does not change
            else:
                break
        if done.returncode != 0:
            wrong.append(f"no way on: {done.stderr.strip()[:300]}")
        else:
            now = tree(runner.results)
            wrong += [f"status 0 and another {n}" for n in sorted(runner.expected.keys() | now.keys()) if now.get(n) != runner.expected.get(n)]
            if (verified := runner.run(["verify", "OUT/runs"])).returncode != 0:
                wrong.append(f"status 0, and verify finds: {verified.stdout.strip()[:200]}")
        tally.add(kind, f"{runner.scenario.name}, {state} store, {name}", wrong)

    for state, make in (("finished", lambda: None), ("unfinished", lambda: unfinished(runner))):
        make()
        kept = runner.kept.parent / state
        shutil.copytree(runner.results, kept)
        for file in sorted(path for path in kept.rglob("*") if path.is_file() and path.name not in (".lock", "lock")):
            name, content = str(file.relative_to(kept)), file.read_bytes()
            for at in range(len(content)):
                if tally.takes():
                    again("flipped", state, kept, name, lambda p: p.write_bytes(flipped(content, at)))
            for size in range(0, len(content), max(1, len(content) // 64)):
                if tally.takes():
                    again("cut", state, kept, name, lambda p: p.write_bytes(content[:size]))
            if tally.takes():
                again("longer", state, kept, name, lambda p: p.write_bytes(content + b"\n "))
            if tally.takes():
                again("removed", state, kept, name, lambda p: p.unlink())
            for other in others:
                if other.name == file.name and other.read_bytes() != content and tally.takes():
                    again("foreign", state, kept, name, lambda p: shutil.copyfile(other, p))
        for folder in sorted(path for path in kept.rglob("*") if path.is_dir()):
            if tally.takes():
                again("folder removed", state, kept, str(folder.relative_to(kept)), shutil.rmtree)


def try_cuts(runner, tally, options, disk):
    runner.clear()
    disk.keep()

    def cut(kind, at, how):
        what = f"{runner.scenario.name}, power cut {kind} {at}"
        try:
            tally.add(kind, what, cut_wrongs(at, how))
        except (subprocess.SubprocessError, OSError) as error:
            tally.add(kind, what, [str(error)])

    def cut_wrongs(at, how):
        disk.restore()
        wrong = []
        done = runner.run(runner.scenario.command, env={"ASSAY_FAULT_AT": str(at), "ASSAY_FAULT_AS": how})
        disk.cut_power()
        if tree(runner.inputs) != runner.untouched:
            wrong.append("an input was changed")
        if done.returncode == 0 and tree(runner.results) != runner.expected:
            wrong.append("status 0, and the results are lost")
        if done.returncode not in (0, -signal.SIGKILL):
            wrong.append(f"killed, and the status is {done.returncode}")
        wrong += finished_and_damaged(runner)
        return wrong + runner.typed_again()

    for at, name in enumerate(runner.names, start=1):
        if name in WRITES and tally.takes():
            cut("before call", at, "kill")
        if name in WRITES and tally.takes():
            cut("after call", at, "killed")
    cut("when done", 0, "kill")


def finished_and_damaged(runner):
    """Checks that files with final names are complete: results equal those of an undisturbed run, and stores are sound."""
    wrong = []
    for name, content in tree(runner.results).items():
        if content is not None and name in runner.expected and "/" not in name and content != runner.expected[name]:
            wrong.append(f"{name} is there and not whole")
    if any(path.name == "manifest.json" for path in runner.results.rglob("manifest.json")):
        verified = runner.run(["verify", "OUT/runs"])
        if verified.returncode not in (0, 3):
            wrong.append(f"verify: {verified.stdout.strip()[:200]} {verified.stderr.strip()[:200]}")
    return wrong


PARTS = {"calls": try_calls, "limits": try_limits, "damage": try_damage, "resume": try_resume, "cuts": try_cuts}


def slice_of(scenario, part, options):
    if not scenario.torch or options.torch_slice is None:
        return options.slice
    # Only some bytes, because a store has thousands, and other scenarios flip those of their stores.
    return options.torch_slice * (8 if part == "resume" else 1)


def work(scenario, options, offset):
    tallies = {}
    parts = [part for part in options.parts if part in scenario.parts]
    if not parts:
        return scenario.name, tallies
    for part in parts:
        tallies[part] = Tally(offset, slice_of(scenario, part, options))
        with tempfile.TemporaryDirectory(prefix="assay-faults-") as folder:
            if part == "cuts":
                with Disk(Path(folder)) as disk:
                    try_cuts(Runner(scenario, disk.place, options), tallies[part], options, disk)
            else:
                PARTS[part](Runner(scenario, Path(folder), options), tallies[part], options)
        tried = sum(cell[0] for cell in tallies[part].kinds.values())
        print(f"{scenario.name}, {part}: {tried} tried, {len(tallies[part].failures)} badly met", file=sys.stderr, flush=True)
    return scenario.name, tallies


def print_table(part, done):
    rows = [(name, tallies[part]) for name, tallies in done if part in tallies]
    kinds = list(dict.fromkeys(kind for _, tally in rows for kind in tally.kinds))
    if not kinds:
        return
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
    parser.add_argument("--parts", default="calls,limits,damage,resume,cuts", type=lambda text: text.split(","))
    parser.add_argument("--slice", type=int, default=1)
    parser.add_argument("--torch-slice", type=int)
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
    if "cuts" in options.parts:
        with tempfile.TemporaryDirectory(prefix="assay-faults-") as folder:
            reason = why_not(Path(folder))
        if reason:
            print(f"SKIPPED: no power cuts are tried: {reason}", file=sys.stderr)
            options.parts.remove("cuts")
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
