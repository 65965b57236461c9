"""Metrics of several processes of torch.distributed, joined at the end."""

from __future__ import annotations

import json
import os
import pickle
import sys
from typing import TYPE_CHECKING, Any

from ._library import Error

if TYPE_CHECKING:
    from .streaming import Metrics


def group_of(distributed: Any) -> Any:
    """The process group over which rows are collected; None if there is only this process."""
    if distributed is False:
        return None
    torch = sys.modules.get("torch")
    group = getattr(torch, "distributed", None)
    if group is None or not group.is_available() or not group.is_initialized():
        size = os.environ.get("WORLD_SIZE", "")
        if distributed is None and "RANK" in os.environ and size.isdigit() and int(size) > 1:
            raise Error(
                f"this is one of WORLD_SIZE={size} processes, but torch.distributed is not running: call "
                'torch.distributed.init_process_group("gloo") first, or assay.Metrics(..., distributed=False) for the rows of this process'
            )
        if distributed is None:
            return None
        raise Error(f"distributed={distributed!r}, but torch.distributed is not running: call "
            f"torch.distributed.init_process_group(\"gloo\") first")
    chosen = group.group.WORLD if distributed is None or distributed is True else distributed
    return chosen if group.get_world_size(chosen) > 1 else None


def joined(metrics: "Metrics", group: Any) -> "Metrics":
    """The rows of every process, in the order of the ranks. Collective: each process of the group gets all of them, or the same error."""
    import torch.distributed as distributed

    from .streaming import _made

    parts: "list[Any]" = [None] * distributed.get_world_size(group)
    gather: Any = distributed.all_gather_object  # PyTorch does not type it
    gather(parts, (json.dumps(metrics._options, sort_keys=True), pickle.dumps(metrics._pieces())), group=group)
    for rank, (options, _) in enumerate(parts):
        if options != parts[0][0]:
            raise Error(f"the metrics of rank {rank} have different options than those of rank 0: {options}, {parts[0][0]}")
    made: "list[Metrics]" = [_made(pickle.loads(part), False) for _, part in parts]
    whole = made[0]
    try:
        for other in made[1:]:
            whole.merge(other)
    except Error as error:
        if error.code != "bad_input":  # for a row that two processes have; other errors are usage errors
            raise
        raise Error(
            f"{error.message}. A DistributedSampler repeats rows to give every process the same number: use DataLoader(data, "
            f"sampler=range(rank, len(data), world_size))", error.code, error.notes
        ) from None
    return whole


__all__ = ["group_of", "joined"]
