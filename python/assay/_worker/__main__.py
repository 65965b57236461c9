"""Answers the program over descriptor 3 for the model that a text names: the program starts it as main([SOURCE]) or main([SOURCE, CHECKPOINT]).

main(["--plugin"]) runs the functions of a plug-in (plugins.py), main(["--names", PATTERN]) lists the models that match a pattern
(patterns.py).
"""

from __future__ import annotations

import signal
import socket

from . import wire
from .memory import tune_allocator
from .offline import close_network, is_offline
from .serve import Server, failure_of, send_description

CONTROL = 3
PLUGIN = "--plugin"
NAMES = "--names"


def main(arguments: "list[str]") -> int:
    """Runs until the program closes the control channel. Returns the exit status."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the program decides when to stop
    control = socket.socket(fileno=CONTROL)
    if is_offline():
        close_network()
    tune_allocator()
    if arguments == [PLUGIN]:
        from .plugins import Worker

        Worker(control).run()
        return 0

    if arguments[0] == NAMES:
        return tell_names(control, arguments[1])

    def say(text: str) -> None:
        wire.send(control, wire.said(text))

    try:
        from .hubs import open_source

        source = arguments[0]
        checkpoint = arguments[1] if len(arguments) > 1 else None
        model = open_source(source, checkpoint, say, lambda: wire.asked_names(control))
        compute_in_float32()
    except BaseException as error:  # the program shows every error
        wire.send(control, failure_of(error))
        return 1
    model.__enter__()  # this context is never left, because a thread may still compute after the program has ended
    Server(model, control).run()
    return 0


def tell_names(control: socket.socket, pattern: str) -> int:
    """Sends the models that match a pattern, in the form of a description."""
    try:
        from .patterns import matches_of

        send_description(control, "names", matches_of(pattern))
    except BaseException as error:
        wire.send(control, failure_of(error))
        return 1
    return 0


def compute_in_float32() -> None:
    """Disables TF32 for float32 products, and makes convolutions on a CUDA device deterministic."""
    import sys

    torch = sys.modules.get("torch")
    if torch is not None:
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = torch.backends.cudnn.benchmark = False
        torch.backends.cudnn.deterministic = True


if __name__ == "__main__":
    import os
    import sys

    status = main(sys.argv[1:])
    sys.stderr.flush()
    os._exit(status)  # threads may still compute, and nothing needs to be cleaned up
