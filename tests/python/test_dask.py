"""Parts that run as tasks of Dask give the bytes of one process, even if a worker is lost."""
import importlib.util
import os
import signal
import sys
import time
import unittest

import assay
from common import InFolder, photos
from test_ray import CLASSES, EXAMPLES, IMAGES, OPTIONS, PARTS, SIDE, files_of, model_of


@unittest.skipUnless(importlib.util.find_spec("distributed"), f"SKIPPED: {sys.executable} has no dask.distributed")
class Dask(InFolder):
    def setUp(self):
        super().setUp()
        from distributed import Client, LocalCluster

        here = os.pathsep.join([str(EXAMPLES.parents[1] / "python"), str(EXAMPLES), os.path.dirname(os.path.abspath(__file__))])
        os.environ["PYTHONPATH"] = here
        self.cluster = LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, local_directory=str(self.folder / "dask"))
        self.addCleanup(self.cluster.close)
        self.client = Client(self.cluster)
        self.addCleanup(self.client.close)
        photos(self.folder / "images", IMAGES, CLASSES, lambda i: (SIDE, SIDE), {})
        self.whole = assay.predict({"linear": model_of()}, self.folder / "images", self.folder / "whole", progress=False, **OPTIONS)[0]

    def submitted(self, model):
        import ray_parts

        given = {"linear": model}, str(self.folder / "images"), str(self.folder / "parts"), OPTIONS, 120
        return [self.client.submit(ray_parts.one_part, k, PARTS, *given, retries=5, pure=False) for k in range(1, PARTS + 1)]

    def check_joined(self, futures):
        (store,) = set(self.client.gather(futures))
        assay.run("join", store)
        self.assertEqual(files_of(store), files_of(self.whole.path))
        self.assertEqual(len(files_of(store)), IMAGES // 2)
        self.assertEqual(assay.score(store).to_json(), assay.score(self.whole).to_json())

    def test_parts_give_the_bytes_of_one_process(self):
        self.check_joined(self.submitted(model_of()))

    def test_a_lost_worker(self):
        begun = self.folder / "begun"
        processes = self.client.run(os.getpid)
        futures = self.submitted(model_of(0.15, str(begun)))
        end = time.monotonic() + 60
        while not begun.exists() and time.monotonic() < end:
            time.sleep(0.05)
        self.assertTrue(begun.exists(), "no worker has begun a part within 60 s")
        time.sleep(0.5)  # the worker is lost in the middle of a part
        os.kill(next(iter(processes.values())), signal.SIGKILL)
        self.assertFalse(all(future.done() for future in futures), "the worker was lost after the work: the test has shown nothing")
        self.check_joined(futures)


if __name__ == "__main__":
    unittest.main()
