"""A minimal version of the program's side of the protocol with a model in Python. The real one is in src/model/isolated."""
import array
import fcntl
import json
import mmap
import os
import socket
import struct
import subprocess
import sys
import threading

import numpy as np

READY, OPEN, OPENED, FAILED, ENDED, LANE, BATCH, DONE, MEASURE, COST, DESCRIBED, SAID, WANTED, NAMES = range(14)
CODES = ("usage", "bad_input", "io", "unreachable", "busy", "out_of_memory", "interrupted", "internal")


class Failed(Exception):
    """Returns a `failed` message."""

    def __init__(self, code, text):
        super().__init__(f"{code}: {text}")
        self.code = code
        self.text = text


def number(value):
    return struct.pack("<Q", value)


def text(value):
    return number(len(value.encode())) + value.encode()


class Fields:
    def __init__(self, message):
        self.kind, self.rest = message[0], message[1:]

    def number(self):
        (value,) = struct.unpack("<Q", self.rest[:8])
        self.rest = self.rest[8:]
        return value

    def text(self):
        size = self.number()
        value, self.rest = self.rest[:size].decode(), self.rest[size:]
        return value

    def texts(self):
        return [self.text() for _ in range(self.number())]


def received(end):
    """The fields of the next message and its descriptors. Raises Failed for a `failed` message."""
    message, descriptors, _, _ = socket.recv_fds(end, 60 << 10, 2)
    if not message:
        raise EOFError("the worker is gone")
    fields = Fields(message)
    if fields.kind == FAILED:
        code = CODES[fields.number()]
        raise Failed(code, fields.text())
    return fields, descriptors


class Lane:
    """A single channel for batches."""

    def __init__(self, peer):
        self.end, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        socket.send_fds(peer.control, [bytes([LANE])], [theirs.fileno()])
        theirs.close()
        assert received(self.end)[0].kind == READY
        self.buffer = None
        self.classes = peer.classes

    def _asked(self, images, loss, parts, floats):
        """Writes `parts` into the buffer, requests the batch and waits. Returns the floats of the buffer."""
        n = len(images)
        descriptors = []
        if self.buffer is None or len(self.buffer) < 4 * floats:
            descriptors.append(os.memfd_create("batch", os.MFD_ALLOW_SEALING))
            os.ftruncate(descriptors[0], 4 * floats + 4)
            fcntl.fcntl(descriptors[0], fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL)
            self.buffer = mmap.mmap(descriptors[0], 4 * floats + 4)
        for at, data in parts:
            self.buffer[4 * at:4 * at + len(data)] = data
        message = bytes([BATCH]) + number(n) + number(images.size) + number(n * self.classes) + number(0 if loss is None else 1 + loss)
        if descriptors:
            socket.send_fds(self.end, [message], descriptors)
            os.close(descriptors[0])
        else:
            self.end.send(message)
        assert received(self.end)[0].kind == DONE
        return np.frombuffer(self.buffer, np.float32, floats).copy()

    def scores(self, images):
        floats = self._asked(images, None, [(0, images.tobytes())], images.size + len(images) * self.classes)
        return floats[images.size:].reshape(len(images), self.classes)

    def gradients(self, images, loss, labels, targets=None):
        """Returns scores, losses (double) and the gradient."""
        n, scores_at = len(images), images.size
        gradient_at = scores_at + n * self.classes
        losses_at = gradient_at + images.size
        labels_at = losses_at + 2 * n
        targets_at = labels_at + n
        parts = [(0, images.tobytes()), (labels_at, np.asarray(labels, np.uint32).tobytes())]
        if targets is not None:
            parts.append((targets_at, np.asarray(targets, np.uint32).tobytes()))
        floats = self._asked(images, loss, parts, targets_at + (n if targets is not None else 0))
        losses = array.array("d", floats[losses_at:labels_at].tobytes())
        return (
            floats[scores_at:gradient_at].reshape(n, self.classes), np.array(losses), floats[gradient_at:losses_at].reshape(images.shape),
        )


class Peer:
    """A program that talks to a worker over `control`."""

    def __init__(self, control):
        self.control = control
        self.names = None  # the answer to a model that requests class names
        self.said = []
        self.lanes = []
        self.description = None
        self.classes = None

    def described(self):
        """Returns the JSON of `described`. Earlier messages are added to `said`."""
        while True:
            fields, descriptors = received(self.control)
            if fields.kind == SAID:
                self.said.append(fields.text())
                continue
            if fields.kind == WANTED:
                data = json.dumps(self.names).encode()
                memory = os.memfd_create("names")
                os.write(memory, data)
                socket.send_fds(self.control, [bytes([NAMES]) + number(len(data))], [memory])
                os.close(memory)
                continue
            assert fields.kind == DESCRIBED
            assert fields.number() == 1
            self.framework, size = fields.text(), fields.number()
            seals = fcntl.fcntl(descriptors[0], fcntl.F_GET_SEALS)
            assert seals & fcntl.F_SEAL_WRITE and seals & fcntl.F_SEAL_SHRINK, seals
            with mmap.mmap(descriptors[0], size, prot=mmap.PROT_READ, flags=mmap.MAP_SHARED) as memory:
                self.description = json.loads(memory[:size].decode())
            os.close(descriptors[0])
            return self.description

    def open(self, height=32, width=None, output="", device="auto", num_classes=None, precision=0, layout=0, input_type=0, gray=False):
        message = bytes([OPEN]) + text("name") + text("path") + number(3) + number(height) + number(width or height)
        message += struct.pack("<7d", 1 / 255, 0, 0, 0, 1, 1, 1)
        message += number(0 if num_classes is None else 1 + num_classes) + text(output) + number(layout) + number(input_type)
        message += number(0) + text(device) + number(0) + number(1) + number(precision) + number(2 if gray else 0)
        self.control.send(message)
        fields = received(self.control)[0]
        assert fields.kind == OPENED
        facts = {"classes": fields.number(), "parameters": fields.number(), "fixed_batch": fields.number(), "device": fields.text()}
        facts.update(devices=fields.number(), lanes=fields.number(), precision=fields.number(), framework=fields.text())
        facts.update(memory_format=fields.text(), notes=fields.texts(), missing=fields.texts())
        assert not fields.rest
        self.classes = facts["classes"]
        return facts

    def lane(self):
        self.lanes.append(Lane(self))
        return self.lanes[-1]

    def close(self):
        for lane in self.lanes:
            lane.end.close()
        self.control.close()


class InThread(Peer):
    """A worker that serves a model of this process, on a thread."""

    def __init__(self, model):
        from assay._worker.serve import Server

        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        super().__init__(ours)
        self.server = Server(model, theirs)
        self.thread = threading.Thread(target=self.server.run, daemon=True)
        self.thread.start()

    def close(self):
        super().close()
        self.thread.join(20)
        assert not self.thread.is_alive()
        self.server.stop()


class InProcess(Peer):
    """A worker in a separate process, started as the program does: `python FOLDER SOURCE`."""

    def __init__(self, *arguments, python=sys.executable, environment=None):
        import assay._worker

        folder = os.path.dirname(assay._worker.__file__)
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        start = (
            "import importlib.util, sys, os\n"
            f"os.dup2({theirs.fileno()}, 3)\n"
            f"spec = importlib.util.spec_from_file_location('assay_worker', {folder!r} + '/__init__.py', submodule_search_locations=[{folder!r}])\n"
            "sys.modules['assay_worker'] = importlib.util.module_from_spec(spec)\n"
            "import assay_worker.__main__ as worker\n"
            "os._exit(worker.main(sys.argv[1:]))\n"
        )
        super().__init__(ours)
        self.process = subprocess.Popen(
            [python, "-c", start, *map(str, arguments)],
            pass_fds=[theirs.fileno()], env={**os.environ, **(environment or {})}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )
        theirs.close()

    def close(self):
        super().close()
        self.process.communicate(timeout=60)
        return self.process.returncode
