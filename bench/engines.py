#!/usr/bin/env python3
"""One evaluation as one process, and in parts on a pool, joblib, Ray and Dask: wall time, processor time, and whether the bytes are equal.

    PYTHONPATH=python ASSAY_LIBRARY=.../libassay.so.0.1 ASSAY_PROGRAM=.../assay \\
        bench/engines.py MODEL IMAGES [--preset NAME] [--copies N] [--parts N] [--workers N] [--rounds N]

Each engine has WORKERS workers with one thread each; the one process has as many threads. Ray's workers are nodes of a local cluster, and
Dask's are processes of a LocalCluster. In each round every engine runs once, in a new process. Its start (the cluster, its workers, and
their imports) is measured apart from its work, which is the predictions of all parts, and the join. The processor time covers all processes of
the engine, also those of Ray itself. Prints the least of the rounds, and its ratio to the one process. --copies repeats the images, because
a part of a few images is mostly the start of its process. Stops if two runs differ in a byte of their scores. Engines without their package are skipped.
"""
import argparse
import contextlib
import hashlib
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parent / "examples/python"
PACKAGES = {"one": None, "pool": None, "joblib": "joblib", "ray": "ray", "dask": "distributed"}
NAMES = {"one": "one process, {workers} threads", "pool": "{parts} parts, ProcessPoolExecutor", "joblib": "{parts} parts, joblib",
         "ray": "{parts} parts, Ray", "dask": "{parts} parts, Dask"}
MARK = "ASSAY_BENCH_ENGINE"  # in the environment of every process of an engine
BATCH = 8
TICK = os.sysconf("SC_CLK_TCK")


def processor_seconds():
    """Of all processes with this process's mark that live, and of their children that have ended."""
    mark, total = f"{MARK}={os.environ[MARK]}".encode(), 0
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if mark in (folder / "environ").read_bytes().split(b"\0"):
                fields = (folder / "stat").read_text().rpartition(") ")[2].split()
                total += sum(map(int, fields[11:15]))  # utime, stime, cutime, cstime
    return total / TICK


def ready(_=None):
    """What a worker does before its first part."""
    import ray_parts

    time.sleep(0.2)  # so that each worker gets one of these tasks
    return ray_parts.__name__


@contextlib.contextmanager
def by_one(workers):
    yield None


@contextlib.contextmanager
def by_pool(workers):
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        yield lambda function, tasks: list(pool.map(function, *zip(*tasks)))


@contextlib.contextmanager
def by_joblib(workers):
    import joblib

    with joblib.Parallel(n_jobs=workers, backend="loky") as parallel:
        yield lambda function, tasks: parallel(joblib.delayed(function)(*task) for task in tasks)


@contextlib.contextmanager
def by_ray(workers):
    import ray
    from ray.cluster_utils import Cluster

    memory = 80 * 2**20
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "object_store_memory": memory})
    for _ in range(workers):
        cluster.add_node(num_cpus=1, object_store_memory=memory)
    ray.init(address=cluster.address, log_to_driver=False)
    try:
        yield lambda function, tasks: ray.get([ray.remote(function).options(num_cpus=1).remote(*task) for task in tasks])
    finally:
        ray.shutdown()
        cluster.shutdown()


@contextlib.contextmanager
def by_dask(workers):
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None) as cluster, Client(cluster) as client:
        yield lambda function, tasks: client.gather([client.submit(function, *task, pure=False) for task in tasks])


ENGINES = {"one": by_one, "pool": by_pool, "joblib": by_joblib, "ray": by_ray, "dask": by_dask}


def predicted(run, given, out):
    """The folder of the whole store."""
    import assay
    import ray_parts

    options = {"batch_size": BATCH, "shard_rows": given["shard_rows"], **({"preset": given["preset"]} if given["preset"] else {})}
    if run is None:
        return assay.predict(given["model"], given["images"], out, threads=given["workers"], progress=False, **options)[0].path
    options["threads"] = 1
    tasks = [(k, given["parts"], given["model"], given["images"], out, options, 0) for k in range(1, given["parts"] + 1)]
    (store,) = set(run(ray_parts.one_part, tasks))
    assay.run("join", store)
    return store


def measured(engine, given):
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory() as out, ENGINES[engine](given["workers"]) as run:
        ready() if run is None else run(ready, [(k,) for k in range(2 * given["workers"])])
        start, used = time.perf_counter(), processor_seconds()
        store = predicted(run, given, out)
        found = {"start": start - begin, "wall": time.perf_counter() - start, "processor": processor_seconds() - used}
        digest = hashlib.sha256()
        for path in sorted(pathlib.Path(store, "shards").glob("*.npy")):
            digest.update(path.name.encode() + path.read_bytes())
        return {**found, "bytes": digest.hexdigest()}


def in_a_process(engine, given):
    """Standard output may hold lines of the engine, so the result is in the last one."""
    path = os.pathsep.join([str(EXAMPLES), str(HERE), os.environ.get("PYTHONPATH", "")])
    environment = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_worker_niceness": "0", **os.environ, "PYTHONPATH": path, MARK: f"{os.getpid()}-{engine}"}
    done = subprocess.run([sys.executable, __file__, "--one", engine, json.dumps(given)], env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{engine}: {done.stderr.strip()}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def copied(images, copies, folder):
    """A folder with each image `copies` times; the number of images."""
    count = 0
    for path in sorted(pathlib.Path(images).rglob("*")):
        if path.suffix.lower() in {".jpeg", ".jpg", ".png"}:
            there = folder / path.relative_to(images).parent
            there.mkdir(parents=True, exist_ok=True)
            for k in range(copies):
                shutil.copyfile(path, there / f"{k}-{path.name}")
                count += 1
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("images")
    parser.add_argument("--preset")
    for name, default in (("copies", 1), ("parts", 8), ("workers", 2), ("rounds", 3)):
        parser.add_argument(f"--{name}", type=int, default=default)
    given = vars(parser.parse_args())
    engines = [name for name, package in PACKAGES.items() if package is None or importlib.util.find_spec(package)]
    with tempfile.TemporaryDirectory() as scratch:
        images = pathlib.Path(scratch) / "images"
        count = copied(given["images"], given["copies"], images)
        shard_rows = BATCH * max(1, count // (4 * BATCH * given["parts"]))
        given = {**given, "model": str(pathlib.Path(given["model"]).resolve()), "images": str(images), "shard_rows": shard_rows}
        rounds = []
        for number in range(given["rounds"]):
            rounds.append({engine: in_a_process(engine, given) for engine in engines})
            print(f"round {number + 1}, load {os.getloadavg()[0]:.1f}:", *(f"{e} {f['wall']:.1f} s" for e, f in rounds[-1].items()), file=sys.stderr)
    different = {found["bytes"] for taken in rounds for found in taken.values()}
    if len(different) != 1:
        sys.exit("the scores of the engines differ")
    least = {engine: {name: min(taken[engine][name] for taken in rounds) for name in ("start", "wall", "processor")} for engine in engines}
    print(f"{count} images, {given['workers']} workers, least of {given['rounds']}; all wrote the same bytes")
    print(f"{'':36}{'start':>8}{'wall time':>20}{'processor time':>20}")
    for engine, found in least.items():
        cells = (f"{found[name]:8.2f} s ({found[name] / least['one'][name]:5.3f})" for name in ("wall", "processor"))
        print(f"{NAMES[engine].format(**given):36}{found['start']:6.1f} s", *cells)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        from engines import measured  # so that the workers find its functions by the name of a module

        print(json.dumps(measured(sys.argv[2], json.loads(sys.argv[3]))))
    else:
        main()
