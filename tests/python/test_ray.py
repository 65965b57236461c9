"""Parts that run as tasks of Ray on several nodes of this machine give the bytes of one process, even if a node is lost."""
import importlib.util
import os
import pathlib
import sys
import time
import unittest

import numpy as np

import assay
from common import InFolder, photos

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples/python"
sys.path.insert(0, str(EXAMPLES))
IMAGES, PARTS, SIDE, CLASSES = 40, 5, 8, 4
OPTIONS = {
    "settings": {"input_size": [3, SIDE, SIDE], "crop_mode": "none", "mean": [0.5] * 3, "std": [0.25] * 3},
    "identity": "linear", "batch": 2, "shard_rows": 2, "threads": 1,
}
WEIGHTS = np.random.default_rng(1).normal(size=(3 * SIDE * SIDE, CLASSES)).astype(np.float32)


def model_of(pause=0.0, begun=None):
    """A classifier that sleeps for each batch, and writes a file when it begins. Ray sends it to the nodes."""
    weights = WEIGHTS

    def linear(x):
        import pathlib
        import time

        if begun is not None:
            pathlib.Path(begun).touch()
        time.sleep(pause)
        return x.reshape(len(x), -1) @ weights

    return linear


def files_of(store):
    """The bytes of the scores."""
    return {path.name: path.read_bytes() for path in sorted((pathlib.Path(store) / "shards").glob("*.npy"))}


@unittest.skipUnless(importlib.util.find_spec("ray"), f"SKIPPED: {sys.executable} has no ray")
class Ray(InFolder):
    @classmethod
    def setUpClass(cls):
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        from ray.cluster_utils import Cluster

        # The first node has no core, so all tasks run on the two others. A node counts as lost if it does not answer for 4 s (by
        # default 15 s).
        health = {"health_check_period_ms": 1000, "health_check_timeout_ms": 2000, "health_check_failure_threshold": 4}
        cls.cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "object_store_memory": 80 * 2**20, "_system_config": health})
        cls.nodes = [cls.cluster.add_node(num_cpus=1, object_store_memory=80 * 2**20) for _ in range(2)]

    @classmethod
    def tearDownClass(cls):
        cls.cluster.shutdown()

    def setUp(self):
        super().setUp()
        import ray

        here = os.pathsep.join([str(EXAMPLES.parents[1] / "python"), str(EXAMPLES), os.path.dirname(os.path.abspath(__file__))])
        ray.init(address=self.cluster.address, log_to_driver=False, runtime_env={"env_vars": {
            "PYTHONPATH": here, **{name: os.environ[name] for name in ("ASSAY_LIBRARY", "ASSAY_PROGRAM")},
        }})
        self.addCleanup(ray.shutdown)
        photos(self.folder / "images", IMAGES, CLASSES, lambda i: (SIDE, SIDE), {})
        self.whole = assay.predict({"linear": model_of()}, self.folder / "images", self.folder / "whole", progress=False, **OPTIONS)[0]

    def joined(self, model):
        import ray_parts

        store = ray_parts.predict({"linear": model}, str(self.folder / "images"), str(self.folder / "parts"), parts=PARTS, **OPTIONS)
        self.assertEqual(files_of(store), files_of(self.whole.path))
        self.assertEqual(len(files_of(store)), IMAGES // 2)
        self.assertEqual(assay.score(store).to_json(), assay.score(self.whole).to_json())

    def test_1_parts_give_the_bytes_of_one_process(self):
        self.joined(model_of())

    def test_2_a_lost_node(self):
        import threading

        begun = self.folder / "begun"

        def lose():
            end = time.monotonic() + 60
            while not begun.exists() and time.monotonic() < end:
                time.sleep(0.05)
            time.sleep(0.5)  # the node is lost in the middle of a part
            self.cluster.remove_node(self.nodes[0], allow_graceful=False)
            self.lost = time.monotonic()

        thread = threading.Thread(target=lose)
        thread.start()
        self.joined(model_of(0.15, str(begun)))
        done = time.monotonic()
        thread.join()
        self.assertLess(self.lost, done, "the node was lost after the work: the test has shown nothing")

    def test_3_the_process_of_a_lost_task_may_still_write(self):
        import fcntl
        import threading

        from ray_parts import one_part

        part = self.folder / "parts/images/linear/parts/0001-of-0002"
        part.mkdir(parents=True)
        held = open(part / "lock", "w")
        fcntl.flock(held, fcntl.LOCK_EX)
        given = 1, 2, {"linear": model_of()}, str(self.folder / "images"), str(self.folder / "parts"), OPTIONS
        with self.assertRaises(assay.Error):
            one_part(*given, patience=0)
        threading.Timer(1.5, held.close).start()
        begin = time.monotonic()
        self.assertEqual(one_part(*given, patience=60), str(self.folder / "parts/images/linear"))
        self.assertGreater(time.monotonic() - begin, 1.4)

    def test_4_an_error_is_not_retried(self):
        import ray

        import ray_parts

        with self.assertRaises(ray.exceptions.RayTaskError) as caught:
            ray_parts.predict({"linear": model_of()}, str(self.folder / "nowhere"), str(self.folder / "parts"), parts=2, **OPTIONS)
        self.assertIn("nowhere", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
