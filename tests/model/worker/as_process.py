"""Runs a command with this process as its model: as_process.py PROGRAM ARGUMENTS... The argument `process` is replaced by
`process:DESCRIPTOR`."""

import importlib.util
import os
import socket
import subprocess
import sys
import threading

folder = os.path.dirname(os.path.abspath(__file__))
spec = importlib.util.spec_from_file_location("worker", os.path.join(folder, "__main__.py"))
worker = importlib.util.module_from_spec(spec)
spec.loader.exec_module(worker)

ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)


def serve():
    # If a thread raises an exception, the program must not wait for its answer.
    with ours:
        worker.Worker("process:" + os.environ.get("ASSAY_TEST_MODEL", "here"), "", ours).serve()


threading.Thread(target=serve, daemon=True).start()
words = ["process:%d" % theirs.fileno() if word == "process" else word for word in sys.argv[1:]]
child = subprocess.Popen(words, pass_fds=[theirs.fileno()])
theirs.close()
sys.exit(child.wait())
