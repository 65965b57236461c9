"""Evaluates a classifier with Ray: each part of the images is a task, and a task that is lost is run again.

    python ray_parts.py resnet50.onnx imagenet/val runs --parts 32 --preset torchvision    # starts Ray here, or uses RAY_ADDRESS

Every node must see the model, the images and RUNS at the same paths (a shared disk), and needs Ray and Assay.
The stored bytes are those of one process, for any number of parts and nodes, even if nodes are lost.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import assay


def one_part(number: int, parts: int, model: Any, images: Any, runs: str, options: "dict[str, Any]", patience: float) -> str:
    """Runs on any node. If another task began the part, it resumes at the last shard."""
    begin = time.monotonic()
    while True:
        try:
            return str(assay.predict(model, images, runs, part=f"{number}/{parts}", progress=False, **options)[0].path)
        except assay.Error as error:
            # The process of a lost task may live for some seconds, and only one process writes a part.
            if error.code != "busy" or time.monotonic() - begin > patience:
                raise
            time.sleep(1)


def predict(model: Any, images: Any, runs: str, *, parts: int, cpus: float = 1, retries: int = 5, patience: float = 120, **options: Any) -> str:
    """The folder of the joined store. Call ray.init() first.

    model, images, options: as for assay.predict(). A function or a module is sent to the nodes.
    cpus: number of cores that Ray reserves for a task; pass threads= as well, otherwise each task uses all cores of its node.
    retries: how often a part is repeated if its node or process is lost. An error of Assay is not retried.
    """
    import ray

    task = ray.remote(one_part).options(num_cpus=cpus, max_retries=retries)
    arguments = parts, model, images, runs, options, patience
    stores = set(ray.get([task.remote(number, *arguments) for number in range(1, parts + 1)]))
    (store,) = stores  # the parts of the store
    assay.run("join", store)
    return str(store)


def main() -> None:
    parser = argparse.ArgumentParser(description="assay predict as tasks of Ray, then assay score")
    parser.add_argument("model")
    parser.add_argument("images")
    parser.add_argument("runs")
    parser.add_argument("--parts", type=int, default=8)
    parser.add_argument("--cpus", type=int, default=1, help="cores for each part")
    parser.add_argument("--preset", help="preprocessing, as for assay predict")
    given = parser.parse_args()
    import ray

    ray.init(ignore_reinit_error=True)
    options = {"preset": given.preset} if given.preset else {}
    store = predict(given.model, given.images, given.runs, parts=given.parts, cpus=given.cpus, threads=given.cpus, **options)
    print(assay.score(store))


if __name__ == "__main__":
    main()
