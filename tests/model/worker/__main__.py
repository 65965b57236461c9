"""A linear model that speaks the protocol of docs/formats.md, with only the standard library.

It is the second implementation of that protocol, written from the document. So it shows what the document does not define.
The name in the source selects a fault: `timm:linear` has no fault, `timm:exit_at_batch` exits in a batch.
"""

import array
import ctypes
import fcntl
import fnmatch
import hashlib
import json
import math
import mmap
import os
import signal
import socket
import struct
import sys
import threading
import time

CONTROL = 3
READY, OPEN, OPENED, FAILED, _ENDED, LANE, BATCH, DONE, MEASURE, COST, DESCRIBED, SAID, WANTED, NAMES = range(14)
USAGE, BAD_INPUT, OUT_OF_MEMORY = 0, 1, 5
CROSS_ENTROPY = 0
SEALS = 2 | 4 | 8  # access modes: shrink, grow, write

# A score is a weighted sum of the means of the three channels.
WEIGHTS = [[1.0, -0.5, 0.25], [-1.0, 0.75, 0.5], [0.5, 0.5, -1.0], [0.25, -1.0, 0.5], [-0.5, 0.25, 1.0],
           [0.0, 1.0, -0.25]]
CLASSES = len(WEIGHTS)


def number(value):
    return struct.pack("<Q", value)


def text(value):
    data = value.encode()
    return number(len(data)) + data


def texts(values):
    return number(len(values)) + b"".join(text(value) for value in values)


def message(kind, *fields):
    return bytes([kind]) + b"".join(fields)


def failed(code, words):
    return message(FAILED, number(code), text(words), texts([]))


class Fields:
    def __init__(self, data):
        self.data, self.at = data, 1

    def number(self):
        self.at += 8
        return struct.unpack_from("<Q", self.data, self.at - 8)[0]

    def real(self):
        self.at += 8
        return struct.unpack_from("<d", self.data, self.at - 8)[0]

    def text(self):
        size = self.number()
        self.at += size
        return self.data[self.at - size : self.at].decode()


def open_request(data):
    fields = Fields(data)
    request = {"name": fields.text(), "path": fields.text(), "format": fields.number()}
    request["height"], request["width"] = fields.number(), fields.number()
    request["scale"] = fields.real()
    request["mean"] = [fields.real() for _ in range(3)]
    request["std"] = [fields.real() for _ in range(3)]
    request["num_classes"] = fields.number()  # the value plus 1, or 0 if not given
    request["output"] = fields.text()
    request["layout"], request["input_type"], request["classes"] = fields.number(), fields.number(), fields.number()
    request["device"] = fields.text()
    assert fields.number() < fields.number()  # number of this process among those of the machine
    assert fields.number() == 0  # the precision fp32
    fields.number()  # the threads are limited
    assert fields.at == len(data) and request["format"] in (1, 3)
    return request


class Worker:
    def __init__(self, source, checkpoint, control=None):
        if source == "onnxruntime":
            source = "onnx:" + os.path.splitext(os.path.basename(checkpoint))[0]
        self.kind, self.name = source.split(":", 1)
        if self.kind == "python":
            self.name = self.name.rsplit(":", 1)[1]
        self.checkpoint = checkpoint
        self.control = control or socket.socket(fileno=CONTROL)
        self.batches = self.lanes = 0
        self.lock = threading.Lock()
        self.weights = WEIGHTS

    def is_to(self, fault):
        return self.name.replace("unnamed_", "") == fault

    def at_stage(self, stage):
        if self.is_to("exit_at_" + stage):
            sys.stderr.write("a first line\nno such luck\n")
            sys.stderr.flush()
            os._exit(9)
        for end, number in (("killed_at_", signal.SIGKILL), ("crash_at_", signal.SIGSEGV)):
            if self.is_to(end + stage):
                os.kill(os.getpid(), number)
                time.sleep(3600)  # another thread may receive the message
        if self.is_to("hang_at_" + stage):
            if "ASSAY_TEST_HANGS" in os.environ:  # one byte for each occurrence of a fault
                with open(os.environ["ASSAY_TEST_HANGS"], "a") as file:
                    file.write("x")
            # Sleeps without releasing the interpreter's lock, as C code may do.
            ctypes.PyDLL(None).sleep(3600)
        if self.is_to("close_at_" + stage):
            self.control.shutdown(socket.SHUT_RDWR)
            time.sleep(3600)
        if self.is_to("fork_at_" + stage) and os.fork() == 0:
            time.sleep(3600)  # the process keeps the channels open
        if self.is_to("fork_at_" + stage):
            os._exit(4)

    def ask_for_names(self):
        """The classes come from the program. The first six are the usual classes."""
        self.control.send(message(WANTED))
        data, descriptors, _flags, _address = socket.recv_fds(self.control, 1 << 16, 2)
        if not data:
            return False
        fields = Fields(data)
        assert data[0] == NAMES
        self.told = os.pread(descriptors[0], fields.number(), 0).decode()
        assert fields.at == len(data)
        os.close(descriptors[0])
        names = json.loads(self.told)
        assert len(names["imagenet"]) == len(names["classes"])
        self.weights = [WEIGHTS[c % CLASSES] for c in range(len(names["classes"]))]
        return True

    def description(self):
        settings = {"input_size": [3, 8, 8], "mean": [0.5, 0.5, 0.5], "std": [0.5, 0.5, 0.5], "num_classes": CLASSES,
                    "outputs": "logits", "classes": ["circle", "cross", "ring", "square", "stripes", "triangle"], "first_conv": "conv1"}
        about = {"name": self.name + ".v1", "identity": "0123456789abcdef" * 2, "settings": settings, "notes": ["a note of the model"],
                 "format": self.kind}
        if self.checkpoint:
            about["identity"] = "f" * 32
        if self.is_to("by_names"):
            about["notes"] = [self.told]
            about["identity"] = hashlib.md5(self.told.encode()).hexdigest()
            del settings["classes"], settings["num_classes"]
        if self.is_to("slash/name@x"):
            about["name"] = "../" + self.name
        if self.is_to("no_settings"):
            about["settings"] = {}
        if self.is_to("image_processor"):
            about["image_processor"] = {"image_processor_type": "ViTImageProcessor", "size": {"height": 16, "width": 16}, "do_resize": True,
                                        "do_rescale": True, "do_normalize": True, "image_mean": [0.1, 0.2, 0.3], "image_std": [1, 1, 1],
                                        "resample": 2}
            about["settings"] = {"std": [0.25, 0.25, 0.25]}
        if self.is_to("odd_processor"):
            about["image_processor"] = {"image_processor_type": "NoSuchImageProcessor", "size": 16}
            about["settings"] = {"num_classes": CLASSES}
        if self.is_to("no_identity") or self.name.startswith("unnamed_"):
            about["identity"] = ""
        if self.is_to("short_identity"):
            about["identity"] = "12"
        if self.is_to("class_path"):
            settings["classes"] = "/etc/passwd"
        if self.is_to("two_std"):
            settings["std"] = [1, 2]
        if self.is_to("numbers"):
            about["name"] = 5
        if self.is_to("many_notes"):
            about["notes"] = ["a note"] * 17
        if self.is_to("outside_file"):
            about["data_files"] = ["../weights.bin"]
        if self.is_to("processor_list"):
            about["image_processor"] = []
        data = json.dumps(about).encode()
        if self.is_to("bad_json"):
            data = data[:-1]
        if self.is_to("deep_json"):
            data = b"[" * 1000 + b"]" * 1000
        return data

    def describe(self):
        self.at_stage("start")
        self.control.send(message(SAID, text("loading " + self.name)))
        if self.is_to("tells_offline"):
            told = [os.environ.get(name) for name in ("ASSAY_OFFLINE", "HF_HUB_OFFLINE")]
            self.control.send(message(SAID, text("offline: %s %s" % tuple(told))))
        if self.is_to("by_names") and not self.ask_for_names():
            return False
        if self.is_to("asks_twice"):
            self.control.send(message(WANTED))
            self.control.send(message(WANTED))
        if self.is_to("asks_for_more"):
            self.control.send(message(WANTED, number(1)))
        if self.is_to("no_package"):
            self.control.send(failed(USAGE, sys.executable + " has no package timm"))
            return False
        if self.is_to("nonsense_first"):
            self.control.send(b"\xff hello")
        if self.is_to("another_first"):
            self.control.send(message(READY))
        if self.is_to("too_long"):
            self.control.send(message(SAID, text("x" * 70_000)))
        if self.is_to("long_note"):
            self.control.send(message(SAID, text("x" * 5_000)))
        data = self.description()
        memory = os.memfd_create("description", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.write(memory, data)
        if not self.is_to("unsealed"):
            fcntl.fcntl(memory, fcntl.F_ADD_SEALS, SEALS)
        length = len(data)
        if self.is_to("longer_than_it_is"):
            length += 1
        if self.is_to("huge"):
            length = 1 << 40
        first = message(DESCRIBED, number(2 if self.is_to("version_2") else 1), text("Pure Python"), number(length))
        if self.is_to("cut"):
            first = first[:-3]
        if self.is_to("without_text"):
            self.control.send(first)
        else:
            socket.send_fds(self.control, [first], [memory])
        os.close(memory)
        return True

    def opened(self, request):
        if self.is_to("fails_to_open"):
            return failed(BAD_INPUT, "it takes no images of %d x %d" % (request["height"], request["width"]))
        if self.is_to("small_only") and request["height"] > 8:
            return failed(BAD_INPUT, "it takes images of 8 x 8")
        classes = {"seven_classes": 7, "no_classes": 0}.get(self.name, len(self.weights))
        return message(OPENED, number(classes), number(18), number(0), text("cpu"), number(1), number(0), number(0),
                       text("Pure Python"), text("contiguous"), texts(["computed in double precision"]), texts([]))

    def serve(self):
        if not self.describe():
            return 0
        self.at_stage("described")
        while True:
            data, descriptors, _flags, _address = socket.recv_fds(self.control, 1 << 16, 2)
            if not data:
                return 0
            if data[0] == OPEN:
                self.at_stage("open")
                if self.is_to("nonsense_opened"):
                    self.control.send(message(OPENED, number(1)))
                else:
                    self.control.send(self.opened(open_request(data)))
            elif data[0] == LANE:
                self.at_stage("lane")
                self.lanes += 1
                if self.is_to("one_lane") and self.lanes > 1:
                    os.close(descriptors[0])
                    continue
                threading.Thread(target=self.serve_lane, args=(socket.socket(fileno=descriptors[0]),), daemon=True).start()

    def serve_lane(self, lane):
        lane.send(message(READY))
        buffer = None
        while True:
            data, descriptors, _flags, _address = socket.recv_fds(lane, 1 << 16, 2)
            if not data:
                return
            if data[0] == MEASURE:
                self.measure(lane, data)
                continue
            if descriptors:
                buffer = mmap.mmap(descriptors[0], 0)
                os.close(descriptors[0])
            with self.lock:
                self.batches += 1
                batches = self.batches
            self.at_stage("batch")
            if self.is_to("one_lane") and batches > 20:
                os._exit(9)
            if batches > 3:
                self.at_stage("fourth_batch")
            fields = Fields(data)
            images, input_size, output_size, loss = (fields.number() for _ in range(4))
            white = self.has_white_image(buffer, images, input_size)
            if white:
                self.at_stage("image")
            if self.is_to("raises_at_image") and white:
                lane.send(failed(BAD_INPUT, "ValueError: an image is white"))
            elif self.is_to("checks_range") and self.is_out_of_range(buffer, input_size):
                lane.send(failed(BAD_INPUT, "AssertionError: the input is out of range"))
            elif self.is_to("raises"):
                lane.send(failed(BAD_INPUT, "RuntimeError: shapes do not fit (model.py:12)"))
            elif self.is_to("one_image_only") and images > 1:
                lane.send(failed(OUT_OF_MEMORY, "out of memory"))
            elif self.is_to("nonsense_batch"):
                lane.send(b"\xff" if batches % 2 else message(OPENED))
            elif self.is_to("close_lane"):
                lane.shutdown(socket.SHUT_RDWR)
                time.sleep(3600)
            elif loss > 1 + CROSS_ENTROPY:
                lane.send(failed(BAD_INPUT, "cross-entropy is the only loss here"))
            else:
                self.compute(buffer, images, input_size, output_size, loss)
                lane.send(message(DONE))

    def measure(self, lane, data):
        if self.is_to("no_cost"):
            lane.send(failed(USAGE, "nobody knows what this model costs"))
            return
        self.at_stage("cost")
        fields = Fields(data)
        batch, _threads, _warmup, runs = (fields.number() for _ in range(4))
        reason = "a linear model keeps it to itself" if self.is_to("not_counted") else ""
        product = text("toy::product") + b"".join(map(number, (0, 0, 1, 18 * batch, 0, 0)))
        node = text("head") + text("Product") + text("%d x 6" % batch) + number(18 * batch) + number(24 * batch)
        counted = number(0) + number(0) if reason else number(1) + product + number(1) + node
        body = b"".join(map(number, (batch, 18, 2, 80))) + counted + number(1) + number(24 * batch) + text("node 1: Product")
        body += texts(["a note of the cost"]) + text(reason) + text(reason) + number(0) + number(runs)
        body += b"".join(struct.pack("<d", 0.25 + i) for i in range(runs))
        half = len(body) // 2  # the answer comes in two messages
        lane.send(bytes([COST, 0]) + body[:half])
        lane.send(bytes([COST, 1]) + (body[half:-1] if self.is_to("cut_cost") else body[half:]))

    def has_white_image(self, buffer, images, input_size):
        """The image that causes a fault: each of its pixels is 1, which is byte 255 for this model."""
        size = input_size // images
        pixels = memoryview(buffer).cast("f")
        return any(all(value == 1.0 for value in pixels[i * size : (i + 1) * size]) for i in range(images))

    def is_out_of_range(self, buffer, input_size):
        return any(abs(value) > 8 for value in memoryview(buffer).cast("f")[:input_size])

    def compute(self, buffer, images, input_size, output_size, loss):
        def part(begin, count):
            return memoryview(buffer).cast("f")[begin : begin + count]

        plane = input_size // images // 3
        pixels, scores = part(0, input_size), part(input_size, output_size)
        at = input_size + output_size
        for i in range(images):
            means = [sum(pixels[(3 * i + c) * plane : (3 * i + c + 1) * plane]) / plane for c in range(3)]
            for c, weights in enumerate(self.weights):
                scores[i * len(self.weights) + c] = sum(w * m for w, m in zip(weights, means))
            if self.is_to("nan"):
                scores[i * len(self.weights)] = math.nan
            if loss == 0:
                continue
            row = [scores[i * len(self.weights) + c] for c in range(len(self.weights))]
            largest = max(row)
            exponentials = [math.exp(z - largest) for z in row]
            total = sum(exponentials)
            label = struct.unpack_from("<I", buffer, 4 * (at + input_size + 2 * images + i))[0]
            value = math.log(total) + largest - row[label]
            struct.pack_into("<d", buffer, 4 * (at + input_size) + 8 * i, value)
            for c in range(3):
                slope = sum((e / total - (k == label)) * self.weights[k][c] for k, e in enumerate(exponentials)) / plane
                part(at + (3 * i + c) * plane, plane)[:] = memoryview(array.array("f", [slope]) * plane)


def tell_names(pattern):
    """Which of ten models match a pattern. Those of torchvision have accuracies. The last model has the lowest."""
    control = socket.socket(fileno=CONTROL)
    prefix = pattern.partition(":")[0]
    if prefix == "open_clip":
        control.send(failed(USAGE, "no list here"))
        return 1
    names = [f"{prefix}:drawn{i}" for i in range(10)]
    accuracies = [0.9 - i / 20 if prefix == "torchvision" else None for i in range(10)]
    found = [[name, accuracy] for name, accuracy in zip(names, accuracies) if fnmatch.fnmatchcase(name, pattern)]
    data = json.dumps({"library": "library 1", "left_out": 3, "names": found}).encode()
    memory = os.memfd_create("names", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.write(memory, data)
    fcntl.fcntl(memory, fcntl.F_ADD_SEALS, SEALS)
    socket.send_fds(control, [message(DESCRIBED, number(1), text("names"), number(len(data)))], [memory])
    return 0


def main(arguments):
    if arguments[0] == "--names":
        return tell_names(arguments[1])
    return Worker(arguments[0], arguments[1] if len(arguments) > 1 else "").serve()
