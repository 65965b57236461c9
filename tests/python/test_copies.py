"""Objects of the library can be copied and pickled, or raise an error that says why not. They are freed without messages, also in a
forked child."""
import copy
import gc
import multiprocessing
import os
import pickle
import subprocess
import sys

import numpy as np

import assay
from common import CLASSES, InFolder, made

SUMS = "top1,nll,ece,balanced"


def in_python(script, *arguments, data=b""):
    """Runs a script in a new interpreter, and returns (status, stdout, stderr)."""
    done = subprocess.run([sys.executable, "-c", script, *map(str, arguments)], capture_output=True, input=data, timeout=120)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def computed(metrics):
    """A worker process runs this on the metrics that it receives."""
    scores, labels = made(300, seed=9)
    metrics.update(scores, labels)
    return metrics


PRELUDE = """
import copy, gc, os, pickle, sys
sys.path.insert(0, %r)
import assay
from common import made
scores, labels = made(300)
metrics = assay.Metrics("top1,nll")
metrics.update(scores, labels)
""" % os.path.dirname(os.path.abspath(__file__))


class Quiet(InFolder):
    """Checks for status 0 and an empty stderr, in a separate process, because a fault would crash it."""

    def quiet(self, script, *arguments, expected=""):
        self.assertEqual(in_python(PRELUDE + script, *arguments), (0, expected, ""))

    def test_deep_copies_of_metrics_die_apart(self):
        self.quiet("other = copy.deepcopy(metrics); del metrics; gc.collect(); print(len(other)); del other", expected="300\n")
        self.quiet("other = copy.copy(metrics); del other; gc.collect(); print(len(metrics))", expected="300\n")

    def test_a_writer_is_not_copied(self):
        script = """
writer = assay.StoreWriter(sys.argv[1], dataset="d", model="m", ids=range(300), labels=labels, num_classes=7)
for attempt in (copy.copy, copy.deepcopy, pickle.dumps):
    try:
        attempt(writer)
    except TypeError as error:
        print("the same arguments resume" in str(error))
writer.append(scores)
print(len(writer.finish()))
"""
        self.quiet(script, self.folder / "runs", expected="True\nTrue\nTrue\n300\n")

    def test_another_process_takes_over(self):
        scores, labels = made(300, seed=9)
        metrics = assay.Metrics("top1,nll")
        metrics.update(scores, labels)
        script = """
other = pickle.loads(sys.stdin.buffer.read())
other.update(scores, labels)
sys.stdout.write(other.compute().to_json())
"""
        status, text, errors = in_python(PRELUDE + script, data=pickle.dumps(metrics))
        self.assertEqual((status, errors), (0, ""))
        metrics.update(*made(300))
        self.assertEqual(text, metrics.compute().to_json())

    def test_a_forked_child_dies_quietly(self):
        script = """
store = assay.Store.of(scores, labels)
report = assay.score(store, metrics="top1")
writer = assay.StoreWriter(sys.argv[1], dataset="d", model="m", ids=range(300), labels=labels, num_classes=7)
writer.write(0, scores[:100])
child = os.fork()
if child == 0:
    metrics.update(scores, labels)
    assert len(metrics) == 600
    try:
        writer.write(100, scores[100:])
    except assay.Error as error:
        assert "forked" in str(error), error
    else:
        assert False
    writer.close()
    writer.close()
    del metrics, report, store, writer
    gc.collect()
    sys.exit(0)
print(os.waitpid(child, 0)[1])
writer.write(100, scores[100:])
print(len(writer.finish()), len(metrics))
"""
        self.quiet(script, self.folder / "runs", expected="0\n300 300\n")

    def test_forks_after_and_during_work_in_threads(self):
        script = """
import threading, warnings
warnings.filterwarnings("ignore", ".*multi-threaded", DeprecationWarning)  # Python 3.12 and newer say so of any fork next to a thread
expected = assay.score(scores, labels, threads=4).to_json()
def child():
    same = assay.score(scores, labels, threads=4).to_json() == expected
    os._exit(0 if same else 3)
def forked():
    pid = os.fork()
    if pid == 0:
        child()
    return os.waitpid(pid, 0)[1]
print(forked())
many = made(60_000, 100)
started = threading.Event()
def work():
    assay.score(*many, threads=2, progress=lambda *step: started.set())
thread = threading.Thread(target=work)
thread.start()
started.wait(30)
print(thread.is_alive(), forked())
thread.join()
"""
        self.quiet(script, expected="0\nTrue 0\n")

    def test_the_interpreter_ends_while_a_thread_computes(self):
        script = """
import threading
many = made(60_000, 100)
started = threading.Event()
def work():
    while True:
        assay.score(*many, threads=2, progress=lambda *step: started.set())
threading.Thread(target=work, daemon=True).start()
print(started.wait(30))
class Last:
    def __init__(self):
        self.metrics = copy.copy(metrics)
    def __del__(self):
        self.metrics.reset()
import builtins; builtins.last = Last()
"""
        self.quiet(script, expected="True\n")

    def test_a_function_of_atexit_computes(self):
        # The function was registered before the first call with progress, so it runs after calls in other threads have been stopped.
        script = """
import atexit
def last():
    print(assay.score(scores, labels, "top1", progress=lambda *step: None).to_json() == expected)
atexit.register(last)
expected = assay.score(scores, labels, "top1", progress=lambda *step: None).to_json()
"""
        self.quiet(script, expected="True\n")

    def test_signals_end_a_call_before_its_memory_is_freed(self):
        script = """
import signal, threading
many = made(60_000, 100)
class Stop(Exception): pass
raised = 0
def handler(*_):
    global raised
    raised += 1
    if raised < 4:
        signal.setitimer(signal.ITIMER_REAL, 0.0005)
    raise Stop
signal.signal(signal.SIGALRM, handler)
armed = []
def told(*step):
    if not armed:
        armed.append(signal.setitimer(signal.ITIMER_REAL, 0.001))
for attempt in range(5):
    raised = 0
    armed.clear()
    try:
        assay.score(*many, threads=2, progress=told)
    except Stop:
        pass
    while raised < 4:  # the call may end before the last signal
        try:
            signal.pause()
        except Stop:
            pass
print(float(assay.score(*many, "top1")["top1"]) > 0)
"""
        status, text, errors = in_python(PRELUDE + script)
        self.assertEqual((status, text), (0, "True\n"), errors)  # an exception inside a __del__ is printed

    def test_what_lives_until_the_end(self):
        # References to each object are in a global, in a cycle, in a module that is deleted late, and in sys.
        script = """
store = assay.Store.of(scores, labels)
report = assay.score(store, metrics="top1")
writer = assay.StoreWriter(sys.argv[1], dataset="d", model="m", ids=range(300), labels=labels, num_classes=7)
writer.write(0, scores[:100])
capsule = store.__arrow_c_stream__()
class Cycle: pass
cycle = Cycle(); cycle.me = cycle; cycle.all = [metrics, store, report, writer, capsule, copy.deepcopy(metrics)]
sys.kept = [cycle, capsule, store.__arrow_c_stream__()]
os.kept = [assay.Metrics("top1"), store.__arrow_c_stream__()]
import builtins; builtins.kept = [assay.Metrics("top1"), store.__arrow_c_stream__(), writer]
gc.disable()
"""
        self.quiet(script, self.folder / "runs")

    def test_constructors_that_fail(self):
        script = """
import ctypes
for make in (
    lambda: assay.Metrics("nothing"), lambda: assay.Store("/nowhere"), lambda: assay.Store.of([[1.0, 2.0]], [0, 1]),
    lambda: assay.StoreWriter("/proc/nowhere", dataset="d", model="m", ids=[1], num_classes=2),
    lambda: assay.score([[0.5, 0.5]], [0], "nothing"), lambda: assay.score(object(), [0]),
):
    try:
        make()
    except assay.Error:
        pass
    else:
        raise AssertionError(make)
class Own(assay.Metrics):
    def __init__(self):
        raise ValueError
try:
    Own()
except ValueError:
    pass
assay.Metrics.__new__(assay.Metrics); assay.Store.__new__(assay.Store); assay.StoreWriter.__new__(assay.StoreWriter)
gc.collect()
"""
        self.quiet(script)

    def test_closing_twice(self):
        script = """
writer = assay.StoreWriter(sys.argv[1], dataset="d", model="m", ids=range(300), labels=labels, num_classes=7)
writer.append(scores)
writer.finish()
writer.close()
writer.close()
writer.__exit__(None, None, None)
try:
    writer.append(scores)
except assay.Error as error:
    print(error)
"""
        self.quiet(script, self.folder / "runs", expected="the writer is closed\n")


class Copies(InFolder):
    def test_every_way_gives_the_same_bits(self):
        scores, labels = made(5000)
        sets = [[i % CLASSES, (i + 1) % CLASSES][: 1 + i % 2] for i in range(5000)]
        for names, given, options in (
            (SUMS, {}, {"reliability": True, "confusions": 9, "per_class": True}),
            ("top1,real,asma:subgroups=1-2", {"label_sets": sets}, {"classes": [f"class {c}" for c in range(CLASSES)]}),
            (None, {}, {"level": 0.9}),
        ):
            def batch(metrics, begin, end):
                more = {name: value[begin:end] for name, value in given.items()}
                metrics.update(scores[begin:end], labels[begin:end], **more)

            for cut in (0, 1, 2047, 2048, 3000, 5000):  # rows are added in groups of 2,048
                whole, first = assay.Metrics(names, **options), assay.Metrics(names, **options)
                batch(whole, 0, 5000)
                if cut:
                    batch(first, 0, cut)
                copies = [copy.copy(first), copy.deepcopy(first), *(
                    pickle.loads(pickle.dumps(first, protocol)) for protocol in range(pickle.HIGHEST_PROTOCOL + 1)
                )]
                for made_ in copies:
                    self.assertEqual(len(made_), cut)
                    if cut:
                        self.assertEqual(made_.compute().to_json(), first.compute().to_json())
                    if cut < 5000:
                        batch(made_, cut, 5000)
                    self.assertEqual(made_.compute().to_json(), whole.compute().to_json())
                self.assertEqual(len(first), cut)  # copies share no state
                self.assertEqual(pickle.dumps(first), pickle.dumps(copies[0] if cut == 5000 else copy.copy(first)))

    def test_predicted_classes_and_reset(self):
        _, labels = made(500)
        predicted = (labels + (np.arange(500) % 3 == 0)) % CLASSES
        metrics = assay.Metrics("top1", num_classes=CLASSES)
        metrics.update(predicted, labels)
        other = pickle.loads(pickle.dumps(metrics))
        self.assertEqual(other.compute().to_json(), metrics.compute().to_json())
        other.reset()
        other.update(predicted, labels)
        self.assertEqual(other.compute().to_json(), metrics.compute().to_json())

    def test_a_class_list_need_not_be_there_any_more(self):
        scores, labels = made(100)
        path = self.folder / "classes.txt"
        path.write_text("".join(f"kind {c}\n" for c in range(CLASSES)))
        metrics = assay.Metrics("top1", classes=str(path), per_class=True)
        empty = pickle.dumps(metrics)
        metrics.update(scores, labels)
        whole = pickle.dumps(metrics)
        path.unlink()
        other = pickle.loads(whole)
        self.assertEqual(other.compute().to_json(), metrics.compute().to_json())
        for again in (other, pickle.loads(empty)):
            again.reset()
            again.update(scores, labels)
            self.assertEqual(again.compute().to_json(), metrics.compute().to_json())

    def test_copies_merge(self):
        scores, labels = made(900)
        parts = []
        for begin in (0, 300, 600):
            part = assay.Metrics(SUMS)
            part.update(scores[begin:begin + 300], labels[begin:begin + 300])
            parts.append(pickle.loads(pickle.dumps(part)))
        merged = parts[0].merge(parts[1]).merge(parts[2])
        whole = assay.score(scores, labels, SUMS)
        for measured in whole.measurements:
            self.assertEqual(merged.compute()[measured.metric].value, measured.value)

    def test_a_subclass_keeps_what_is_its_own(self):
        metrics = Named("top1")
        metrics.update(*made(50))
        metrics.epoch = [3]
        other = copy.deepcopy(metrics)
        self.assertIs(type(other), Named)
        self.assertEqual((other.epoch, len(other)), ([3], 50))
        self.assertIsNot(other.epoch, metrics.epoch)

    def test_pickles_need_no_version_of_numpy(self):
        """Arrays that NumPy 2 has pickled cannot be read by NumPy 1."""
        scores, labels = made(300)
        names = np.array(["ant", "bee", "cat", "dog", "elk", "fox", "gnu"])[:CLASSES]
        empty = assay.Metrics("top1,auroc", keep=True)
        kept = assay.Metrics("top1,auroc", keep=True, classes=names)
        weighted = assay.Metrics("top1", keep=True)
        streamed = assay.Metrics("top1,nll", classes=names)
        mapped = assay.Metrics("top1", classes={np.int64(i): name for i, name in enumerate(names)})
        mapped.update(scores, labels)
        kept.update(scores, labels, rows=np.arange(300))
        kept.update(scores[:5].astype(np.float64), labels[:5], rows=np.arange(300, 305))
        weighted.update(scores, labels, sample_weight=np.linspace(1, 2, 300))
        streamed.update(scores, labels, rows=np.arange(300))
        report = assay.score(scores, labels, reliability=True, per_class=True, classes=names)
        comparison = assay.compare(scores, scores[:, ::-1].copy(), labels, "top1")
        for made_ in (empty, kept, weighted, streamed, mapped, report, comparison):
            for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
                state = pickle.dumps(made_, protocol)
                self.assertNotIn(b"numpy", state)
                other = pickle.loads(state)
                if made_ is empty:
                    other.update(scores, labels, rows=np.arange(300))
                    self.assertEqual(dict(other.compute()), dict(assay.score(scores, labels, "top1,auroc")))
                else:
                    results = [one.compute() if isinstance(one, assay.Metrics) else one for one in (made_, other)]
                    self.assertEqual(results[0].to_json(), results[1].to_json())

    def test_damaged_states_are_refused(self):
        metrics = assay.Metrics("top1", reliability=True)
        metrics.update(*made(3000))
        make, (cls, options, classes, state, keep) = metrics.__reduce__()[:2]
        self.assertLess(len(state), 200_000)
        for at in (*range(0, 120), len(state) // 2, len(state) - 1):
            damaged = bytearray(state)
            damaged[at] ^= 0x40
            self.refused(lambda: make(cls, options, classes, bytes(damaged), keep), "bad_input", "the state of these metrics cannot be read")
        for cut in (0, 1, 8, 100, len(state) - 1):
            self.refused(lambda: make(cls, options, classes, state[:cut], keep), "bad_input", "cannot be read")
        self.refused(lambda: make(cls, options, classes, state + b"\0", keep), "bad_input", "more data after its end")
        newer = state.replace(b"assay.stream/2", b"assay.stream/3")
        self.refused(lambda: make(cls, options, classes, newer, keep), "bad_input", "assay.stream/2")
        for others in ({"metrics": ["nll"]}, {"reliability": False}, {"metrics": []}):
            self.refused(lambda: make(cls, {**options, **others}, classes, state, keep), "bad_input", "belongs to")

    def test_spawned_workers(self):
        metrics = assay.Metrics(SUMS)
        metrics.update(*made(300))
        with multiprocessing.get_context("spawn").Pool(2) as pool:
            found = pool.map(computed, [metrics, metrics])
        expected = computed(copy.deepcopy(metrics)).compute().to_json()
        self.assertEqual([part.compute().to_json() for part in found], [expected, expected])

    def test_joblib_and_torch_where_they_are(self):
        metrics = assay.Metrics(SUMS)
        metrics.update(*made(300))
        try:
            import joblib
        except ImportError:
            self.skipTest("SKIPPED: joblib is not here")
        found = joblib.Parallel(n_jobs=2, backend="loky")(joblib.delayed(computed)(metrics) for _ in range(2))
        expected = computed(copy.deepcopy(metrics)).compute().to_json()
        self.assertEqual([part.compute().to_json() for part in found], [expected, expected])


class Named(assay.Metrics):
    pass


class Others(InFolder):
    def test_stores(self):
        scores, labels = made(300)
        stored = assay.Store(self.imported(scores, labels))
        for other in (copy.copy(stored), copy.deepcopy(stored), pickle.loads(pickle.dumps(stored))):
            np.testing.assert_array_equal(np.asarray(other.scores()), scores)
        rows = stored.scores()
        self.assertEqual(rows[5].tolist(), scores[5].tolist())
        for other in (copy.deepcopy(rows), pickle.loads(pickle.dumps(rows))):
            np.testing.assert_array_equal(np.asarray(other), scores)
        here = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, here)
        relative = pickle.dumps(assay.Store("runs/data/model"))
        os.chdir(here)
        self.assertEqual(len(pickle.loads(relative)), 300)
        memory = assay.Store.of(scores, labels)
        self.assertEqual(copy.deepcopy(memory).labels().tolist(), memory.labels().tolist())
        for attempt in (lambda: pickle.dumps(memory), lambda: pickle.dumps(memory.scores())):
            with self.assertRaisesRegex(TypeError, "Store.of"):
                attempt()

    def test_results_keep_every_form(self):
        scores, labels = made(300)
        report = assay.score(scores, labels, "top1,ece", reliability=True)
        comparison = assay.compare(scores, scores[:, ::-1].copy(), labels, "top1")
        self.imported(scores, labels)
        self.imported(scores, labels, dataset="other")
        gap = assay.gap(self.folder / "runs/data", self.folder / "runs/other")
        for result in (report, comparison, gap):
            for other in (copy.copy(result), copy.deepcopy(result), pickle.loads(pickle.dumps(result))):
                self.assertIs(type(other), type(result))
                for form in ("to_json", "to_csv", "to_markdown", "to_latex", "__str__", "to_dict", "records"):
                    self.assertEqual(getattr(other, form)(), getattr(result, form)())
                self.assertEqual((other.status, other.warnings), (result.status, result.warnings))
        other = pickle.loads(pickle.dumps(report))
        self.assertEqual(other["top1"].interval, report["top1"].interval)
        self.assertEqual(other.plot("reliability"), report.plot("reliability"))

    def test_every_class_is_looked_at(self):
        """Every class that holds an object of the library holds it in a Handle, which cannot be copied."""
        import inspect
        from pathlib import Path

        from assay._library import Handle

        folder = Path(inspect.getfile(assay)).parent
        for path in folder.glob("*.py"):
            for line in path.read_text().splitlines():
                self.assertNotRegex(line, r"library\(\)\.assay_(store|shard|result|metrics|writer)_free", path.name)
        handle = assay.Metrics("top1")._handle
        self.assertIsInstance(handle, Handle)
        for attempt in (copy.copy, copy.deepcopy, pickle.dumps):
            with self.assertRaisesRegex(TypeError, "cannot be copied or pickled"):
                attempt(handle)
        gc.collect()


if __name__ == "__main__":
    import unittest

    unittest.main()
