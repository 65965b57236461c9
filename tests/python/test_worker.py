"""Models in Python over the worker protocol. Tests modules and functions, their settings, scores, gradients and errors."""
import functools
import pathlib
import sys
import tempfile
import threading
import unittest
import zipfile
from unittest import mock

import numpy as np

try:
    import torch
except ImportError:
    torch = None

from assay._objects import Served
from assay._worker import losses
from assay._worker.checkpoints import read_state
from assay._worker.objects import Given, model_of
from assay._worker.wire import Refused
from worker_peer import Failed, InProcess, InThread

needs_torch = unittest.skipIf(torch is None, f"SKIPPED: {sys.executable} has no torch")
SIDE, CLASSES = 8, 5


def network(seed=0):
    torch.manual_seed(seed)
    return torch.nn.Sequential(
        torch.nn.Conv2d(3, 4, 3, padding=1), torch.nn.BatchNorm2d(4), torch.nn.ReLU(), torch.nn.Dropout(0.5),
        torch.nn.AdaptiveAvgPool2d(2), torch.nn.Flatten(), torch.nn.Linear(16, CLASSES),
    )


def images(n, seed=1):
    return np.random.default_rng(seed).normal(size=(n, 3, SIDE, SIDE)).astype(np.float32)


class Wraps(torch.nn.Module if torch else object):
    """A module that returns shape(scores)."""

    def __init__(self, shape):
        super().__init__()
        self.net = network()
        self.shape = shape

    def forward(self, x):
        return self.shape(self.net(x))


class Serves(unittest.TestCase):
    def peer(self, model, **given):
        served = model_of(model, given=Given(given))
        served.__enter__()
        peer = InThread(served)
        self.addCleanup(served.__exit__)
        self.addCleanup(peer.close)
        return peer

    def opened(self, model, **given):
        peer = self.peer(model, **given)
        peer.described()
        peer.open(SIDE)
        return peer

    def failed(self, call, code, *texts):
        with self.assertRaises(Failed) as caught:
            call()
        self.assertEqual(caught.exception.code, code, caught.exception.text)
        for text in texts:
            self.assertIn(text, caught.exception.text)


@needs_torch
class Modules(Serves):
    def test_scores_are_those_of_the_module_in_evaluation_mode(self):
        net = network()
        wanted = network()
        wanted.eval()
        peer = self.peer(net)
        self.assertEqual(peer.described()["name"], "Sequential")
        self.assertRegex(peer.description["identity"], "^[0-9a-f]{32}$")
        self.assertIn("PyTorch", peer.framework)
        facts = peer.open(SIDE)
        self.assertEqual((facts["classes"], facts["device"], facts["lanes"], facts["memory_format"]), (CLASSES, "cpu", 0, "channels_last"))
        self.assertEqual(facts["parameters"], sum(p.numel() for p in net.parameters()))
        lane, x = peer.lane(), images(6)
        with torch.no_grad():
            expected = wanted(torch.from_numpy(x)).numpy()
        np.testing.assert_allclose(lane.scores(x), expected, rtol=1e-5, atol=1e-6)
        # The kernels for the newest processors (AVX-512 FP16) round the last digit by the size of the batch.
        np.testing.assert_allclose(lane.scores(x[:2]), lane.scores(x)[:2], rtol=1e-6, atol=1e-7)
        np.testing.assert_array_equal(peer.lane().scores(x), lane.scores(x))  # another thread gives the same bits

    def test_a_module_is_afterwards_as_it_was(self):
        net = network().train()
        net[1].eval()  # this batch norm has frozen statistics
        net[6].bias.requires_grad_(False)
        self.addCleanup(torch.set_num_threads, torch.get_num_threads())
        torch.set_num_threads(2)
        before = {name: value.clone() for name, value in net.state_dict().items()}
        served = model_of(net)
        with served:
            peer = InThread(served)
            peer.described()
            peer.open(SIDE)
            peer.lane().gradients(images(2), 0, [1, 2])
            self.assertFalse(net.training)
            peer.close()
        self.assertEqual([one.training for one in net], [True, False, True, True, True, True, True])
        self.assertEqual([p.requires_grad for p in net.parameters()], [True, True, True, True, True, False])
        self.assertTrue(all(p.grad is None for p in net.parameters()))
        self.assertTrue(net[0].weight.is_contiguous())
        threads = []
        other = threading.Thread(target=lambda: threads.append(torch.get_num_threads()))
        other.start()
        other.join()
        self.assertEqual((torch.get_num_threads(), threads), (2, [2]))
        for name, value in net.state_dict().items():
            self.assertTrue(torch.equal(value, before[name]), name)

    def test_losses_and_gradients(self):
        net, x, labels, targets = network(), images(7), [0, 1, 2, 3, 4, 0, 1], [1, 2, 3, 4, 0, 2, 3]
        lane = self.opened(net).lane()
        reference = network().eval().double()
        for kind, name in enumerate(losses.NAMES):
            with self.subTest(loss=name):
                leaf = torch.from_numpy(x).double().requires_grad_()
                z = reference(leaf)
                y, t = torch.tensor(labels).unsqueeze(1), torch.tensor(targets).unsqueeze(1)
                of_label, of_target = z.gather(1, y).squeeze(1), z.gather(1, t).squeeze(1)
                others = z.scatter(1, y, float("-inf")).max(1).values
                ordered = z.sort(1, descending=True).values
                wanted = [
                    lambda: torch.nn.functional.cross_entropy(z, y.squeeze(1), reduction="none"), lambda: others - of_label,
                    lambda: of_target - of_label, lambda: -(of_label - others) / (ordered[:, 0] - ordered[:, 2] + 1e-12),
                    lambda: -(of_label - of_target) / (ordered[:, 0] - (ordered[:, 2] + ordered[:, 3]) / 2 + 1e-12),
                ][kind]()
                (gradient,) = torch.autograd.grad(wanted.sum(), leaf)
                with_target = targets if kind in (2, 4) else None
                scores, values, found = lane.gradients(x, kind, labels, with_target)
                np.testing.assert_allclose(scores, z.detach().numpy(), rtol=1e-4, atol=1e-5)
                np.testing.assert_allclose(values, wanted.detach().numpy(), rtol=1e-4, atol=1e-5)
                np.testing.assert_allclose(found, gradient.numpy(), rtol=2e-3, atol=1e-5)

    def test_outputs_of_several_parts(self):
        class Output(dict):
            logits = property(lambda self: self["logits"])

        for shape, output in (
            (lambda z: {"features": z * 2, "logits": z}, ""), (lambda z: (z,), ""), (lambda z: (z * 2, z), "1"),
            (lambda z: {"a": z, "b": z * 2}, "a"), (lambda z: Output(loss=None, logits=z), ""),
        ):
            peer = self.peer(Wraps(shape))
            peer.described()
            peer.open(SIDE, output=output)
            expected = self.opened(network()).lane().scores(images(3))
            np.testing.assert_array_equal(peer.lane().scores(images(3)), expected)
        peer = self.peer(Wraps(lambda z: (z, z * 2)))
        peer.described()
        self.failed(lambda: peer.open(SIDE), "bad_input", "several outputs", "0 (Tensor 1 x 5), 1 (Tensor 1 x 5)")
        self.failed(lambda: peer.open(SIDE, output="2"), "bad_input", "'2'")
        peer.open(SIDE, output="0")  # after a refused `open`, the next one works

    def test_one_score_for_each_image(self):
        for shape in (lambda z: z[:, 1:2], lambda z: z[:, 1], lambda z: z[:, 1].squeeze()):
            peer = self.peer(Wraps(shape))
            peer.described()
            self.assertEqual(peer.open(SIDE, num_classes=2)["classes"], 1)  # the program converts this to two scores
            lane, x = peer.lane(), images(4)
            net = network().eval()
            leaf = torch.from_numpy(x).requires_grad_()
            wanted = net(leaf)[:, 1]
            (slope,) = torch.autograd.grad(wanted.sum(), leaf)
            for some in (x, x[:1]):
                np.testing.assert_allclose(lane.scores(some)[:, 0], wanted.detach().numpy()[:len(some)], rtol=1e-5, atol=1e-6)
            scores, values, found = lane.gradients(x, 0, [0] * 4)
            np.testing.assert_allclose(values, scores[:, 0], rtol=1e-6)  # for one score, the loss is that score
            np.testing.assert_allclose(found, slope.numpy(), rtol=2e-3, atol=1e-6)
        peer = self.peer(Wraps(lambda z: z[:, 1]))
        peer.described()
        self.failed(lambda: peer.open(SIDE, num_classes=3), "bad_input", "1 scores", "3")

    def test_one_channel_is_the_first_of_three(self):
        torch.manual_seed(0)
        net = torch.nn.Sequential(torch.nn.Conv2d(1, 4, 3), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(4, CLASSES))
        peer = self.peer(net)
        peer.described()
        self.failed(lambda: peer.open(SIDE), "bad_input", 'Pass channel_order="gray"', "begins with Grayscale()")
        self.assertEqual(peer.open(SIDE, gray=True)["classes"], CLASSES)
        lane, x = peer.lane(), images(3)
        with torch.no_grad():
            np.testing.assert_allclose(lane.scores(x), net(torch.from_numpy(x[:, :1])).numpy(), rtol=1e-5, atol=1e-6)
        _, _, found = lane.gradients(x, 0, [0, 1, 2])
        self.assertTrue(found[:, 0].any())
        self.assertFalse(found[:, 1:].any())

    def test_what_no_classifier_returns(self):
        for shape, text in (
            (lambda z: z.unsqueeze(2), "(1, 5, 1)"), (lambda z: z.argmax(1, keepdim=True), "int64"), (lambda z: z[0], "(5)"),
            (lambda z: "text", "str"), (lambda z: None, "NoneType"),
        ):
            peer = self.peer(Wraps(shape))
            peer.described()
            self.failed(lambda: peer.open(SIDE), "bad_input", text)
        peer = self.peer(network())
        peer.described()
        self.failed(lambda: peer.open(SIDE, num_classes=7), "bad_input", "5 scores", "7")
        self.failed(lambda: peer.open(SIDE, precision=2), "usage", "precision")
        self.failed(lambda: peer.open(SIDE, input_type=2), "usage", "uint8")
        self.failed(lambda: peer.open(SIDE, device="cuda:0"), "usage", "cpu")

    def test_what_a_model_raises_is_told_and_the_next_batch_works(self):
        class Picky(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.net = network()

            def forward(self, x):
                if len(x) == 3:
                    raise ValueError("three are a crowd")
                if len(x) == 4:
                    raise SystemExit(5)
                if len(x) == 5:
                    raise MemoryError("no room")
                return self.net(x)[:2] if len(x) == 6 else self.net(x)

        peer = self.opened(Picky())
        lane = peer.lane()
        self.failed(lambda: lane.scores(images(3)), "bad_input", "ValueError: three are a crowd", "in forward", "test_worker.py:")
        self.failed(lambda: lane.scores(images(4)), "bad_input", "SystemExit")
        self.failed(lambda: lane.scores(images(5)), "out_of_memory", "no room")
        self.failed(lambda: lane.scores(images(6)), "bad_input", "(2, 5) for 6 images")
        self.assertEqual(lane.scores(images(2)).shape, (2, CLASSES))
        self.assertIsInstance(peer.server.error, ValueError)

    def test_no_gradient(self):
        lane = self.opened(Wraps(lambda z: z.detach())).lane()
        self.failed(lambda: lane.gradients(images(2), 0, [0, 1]), "bad_input", "no gradient")
        self.failed(lambda: self.opened(network()).lane().gradients(images(1), 0, [9]), "internal", "outside")

    def test_several_sizes_at_once(self):
        peer = self.opened(network())
        small = peer.lane()
        peer.open(2 * SIDE, SIDE)
        tall = peer.lane()
        x = np.zeros((2, 3, 2 * SIDE, SIDE), np.float32)
        self.assertEqual(tall.scores(x).shape, (2, CLASSES))
        self.failed(lambda: peer.open(SIDE, 2 * SIDE), "usage", "the same number of pixels")
        self.failed(lambda: peer.open(SIDE, output="other"), "usage", "another output")
        self.assertEqual(small.scores(images(2)).shape, (2, CLASSES))
        self.failed(lambda: small.scores(np.zeros((1, 3, 5, 5), np.float32)), "internal", "different sizes")

    def test_a_model_may_write_into_its_input(self):
        class Writes(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.net = network()

            def forward(self, x):
                return self.net(x.mul_(2))

        lane = self.opened(Writes()).lane()
        np.testing.assert_array_equal(lane.gradients(images(3), 0, [0, 1, 2])[0], lane.scores(images(3)))

    def test_other_types_than_float32(self):
        wanted = self.opened(network()).lane().scores(images(3))
        for dtype, error in ((torch.bfloat16, 0.1), (torch.float64, 1e-5)):
            lane = self.opened(network().to(dtype)).lane()
            np.testing.assert_allclose(lane.scores(images(3)), wanted, atol=error)
            self.assertEqual(lane.gradients(images(2), 0, [0, 1])[2].shape, (2, 3, SIDE, SIDE))

    def test_memory_that_others_see_stays_where_it_is(self):
        shared, view = network().share_memory(), network()
        view[0].weight.data = torch.zeros(2, *view[0].weight.shape)[0]
        for net in (shared, view):
            place = net[0].weight.data_ptr()
            peer = self.peer(net)
            peer.described()
            self.assertEqual(peer.open(SIDE)["memory_format"], "contiguous")
            self.assertEqual(net[0].weight.data_ptr(), place)

    def test_a_module_that_computes_on_is_left_alone(self):
        entered, go_on = threading.Event(), threading.Event()

        def slow(z):
            if len(z) > 1:
                entered.set()
                go_on.wait()
            return z

        net = Wraps(slow)
        served = model_of(net)
        served.__enter__()
        peer = InThread(served)
        peer.described()
        peer.open(SIDE)
        lane = peer.lane()
        asks = threading.Thread(target=lambda: self.assertRaises((OSError, EOFError), lane.scores, images(2)))
        asks.start()
        entered.wait()
        peer.server.stop(0)
        call = Served([net], {})
        call._servers = [peer.server]
        with mock.patch.object(peer.server, "stop"), self.assertWarnsRegex(RuntimeWarning, "evaluation mode"):
            call.__exit__()
        self.assertFalse(net.training)
        go_on.set()
        asks.join()
        for thread in peer.server._threads:
            thread.join()
        self.assertTrue(peer.server.idle())
        served.__exit__()
        self.assertTrue(net.training)


class Functions(Serves):
    def test_of_arrays(self):
        weights = np.random.default_rng(3).normal(size=(3 * SIDE * SIDE, CLASSES)).astype(np.float32)

        def linear(x):
            return x.reshape(len(x), -1) @ weights

        peer = self.peer(linear)
        self.assertEqual(peer.described()["name"], "linear")
        self.assertIn("NumPy arrays", peer.description["notes"][0])
        self.assertEqual(len(peer.description["identity"]), 32)
        peer.open(SIDE)
        lane = peer.lane()
        np.testing.assert_allclose(lane.scores(images(4)), linear(images(4)), rtol=1e-6)
        self.failed(lambda: lane.gradients(images(1), 0, [0]), "bad_input", "no gradients")

    def test_float64_and_lists_of_parts(self):
        peer = self.opened(lambda x: {"logits": x.mean((2, 3), dtype=np.float64), "other": x})
        self.assertEqual(peer.classes, 3)
        np.testing.assert_allclose(peer.lane().scores(images(2)), images(2).mean((2, 3)), atol=1e-6)

    def test_what_is_none(self):
        for value in (3, "text", object()):
            with self.assertRaisesRegex(Refused, "not a model"):
                model_of(value)
        peer = self.peer(lambda x: x.argmax(1))
        peer.described()
        self.failed(lambda: peer.open(SIDE), "bad_input", "int64")

    @needs_torch
    def test_of_tensors(self):
        net = network().train()

        def doubled(x):
            return 2 * net(x)

        peer = self.peer(doubled)
        self.assertIn("torch tensors", peer.described()["notes"][0])
        peer.open(SIDE)
        self.assertFalse(net.training)  # the module that the function uses is in evaluation mode, too
        lane, plain = peer.lane(), self.opened(network()).lane()
        np.testing.assert_allclose(lane.scores(images(4)), 2 * plain.scores(images(4)), rtol=1e-5)
        self.assertEqual(lane.gradients(images(2), 0, [0, 1])[2].shape, (2, 3, SIDE, SIDE))

    @needs_torch
    def test_every_module_of_a_function_is_in_evaluation_mode(self):
        nets = [network().train() for _ in range(3)]
        model = model_of(functools.partial(lambda parts, x: sum(net(x) for net in parts[0]) + parts[1]["last"](x), [nets[:2], {"last": nets[2]}]))
        with model:
            self.assertFalse(any(net.training for net in nets))
        self.assertTrue(all(net.training for net in nets))

    def test_devices(self):
        for batches in ("numpy", *(["torch"] if torch else [])):
            peer = self.peer(lambda x: x.mean((2, 3)), batches=batches)
            peer.described()
            self.failed(lambda: peer.open(SIDE, device="cuda"), "usage", "device=cuda")
            self.assertEqual(peer.open(SIDE, device="cpu")["classes"], 3)

    @needs_torch
    def test_the_kind_of_batches_can_be_said(self):
        peer = self.opened(lambda x: x.mean(dim=(2, 3)), batches="torch")
        self.assertEqual(peer.lane().scores(images(2)).shape, (2, 3))
        with self.assertRaisesRegex(Refused, "jax"):
            Given({"batches": "jax"})


SOURCE = """
import numpy as np
SIDE = 8
def linear(x):
    return x.mean((2, 3))
def broken():
    raise RuntimeError("no weights here")
def model():
    import torch
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Conv2d(3, 5, 8), torch.nn.Flatten())
model.assay_settings = {"input_size": [3, 8, 8], "mean": [0, 0, 0], "std": [1, 1, 1]}
"""


class Files(unittest.TestCase):
    """Workers in separate processes, started as the program starts them."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="assay-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.file = self.folder / "net.py"
        self.file.write_text(SOURCE)

    def refused(self, code, *texts, arguments):
        peer = InProcess(*arguments)
        with self.assertRaises(Failed) as caught:
            peer.described()
        self.assertEqual(caught.exception.code, code, caught.exception.text)
        for text in texts:
            self.assertIn(text, caught.exception.text)
        self.assertEqual(peer.close(), 1)

    def test_a_function_of_arrays(self):
        peer = InProcess(f"python:{self.file}:linear")
        self.assertEqual(peer.described()["name"], "linear")
        peer.open(SIDE)
        np.testing.assert_allclose(peer.lane().scores(images(3)), images(3).mean((2, 3)), atol=1e-6)
        self.assertEqual(peer.close(), 0)

    @needs_torch
    def test_a_function_that_makes_a_module(self):
        peer = InProcess(f"python:{self.file}:model")
        self.assertEqual(peer.described()["settings"]["input_size"], [3, 8, 8])
        peer.open(SIDE)
        self.assertEqual(peer.lane().scores(images(3)).shape, (3, 5))
        self.assertEqual(peer.close(), 0)

    def test_bad_names(self):
        self.refused("bad_input", "RuntimeError: no weights here", "in broken", "net.py:7", arguments=[f"python:{self.file}:broken"])
        self.refused("bad_input", "has no lineer", "did you mean linear", arguments=[f"python:{self.file}:lineer"])
        self.refused("bad_input", "no file", arguments=[f"python:{self.folder}/none.py:x"])
        self.refused("usage", "python:FILE.py:NAME", arguments=["python:net.py"])
        self.refused("usage", "timm:NAME", arguments=["tim:resnet18"])
        self.refused("usage", "is followed by a name", arguments=["timm:"])

    @needs_torch
    def test_a_checkpoint_without_checksums_is_read_and_said(self):
        # Imitates torch.serialization.set_crc32_options(False), which writes 0 in the directory and after the bytes of each entry.
        torch.save(torch.nn.Sequential(torch.nn.Conv2d(3, 5, 8)).state_dict(), self.folder / "known.pth")
        data = bytearray((self.folder / "known.pth").read_bytes())
        with zipfile.ZipFile(self.folder / "known.pth") as archive:
            entries = archive.infolist()
        marked = any(entry.filename.endswith("/.data/serialization_id") for entry in entries)
        for entry in entries:
            crc = entry.CRC.to_bytes(4, "little")
            for mark, offset in ((b"PK\x07\x08", 4), (b"PK\x01\x02", 16)):
                at = data.find(mark)
                while at >= 0:
                    if data[at + offset:at + offset + 4] == crc:
                        data[at + offset:at + offset + 4] = bytes(4)
                    at = data.find(mark, at + 1)
        (self.folder / "unknown.pth").write_bytes(data)
        notes = []
        if not marked:  # PyTorch before 2.1 always computes checksums
            with self.assertRaisesRegex(Refused, "damaged"):
                read_state(str(self.folder / "unknown.pth"), notes)
            return
        self.assertEqual(set(read_state(str(self.folder / "unknown.pth"), notes)), {"0.weight", "0.bias"})
        self.assertIn("saved without checksums", notes[0])
        read_state(str(self.folder / "known.pth"), notes)
        self.assertEqual(len(notes), 1)

    @needs_torch
    def test_checkpoints(self):
        torch.manual_seed(1)
        other = torch.nn.Sequential(torch.nn.Conv2d(3, 5, 8), torch.nn.Flatten())
        arch = f"python:{self.file}:model"
        wrapped = {"epoch": 3, "state_dict": {f"module.{name}": value for name, value in other.state_dict().items()}}
        torch.save(wrapped, self.folder / "good.pth")
        peer = InProcess(arch, self.folder / "good.pth")
        self.assertEqual(peer.described()["name"], "good")
        peer.open(SIDE)
        with torch.no_grad():
            expected = other(torch.from_numpy(images(3))).numpy()
        np.testing.assert_allclose(peer.lane().scores(images(3)), expected, rtol=1e-4, atol=1e-5)
        self.assertEqual(peer.close(), 0)

        plain = other.state_dict()
        torch.save({"model": {name: 0 * value for name, value in plain.items()}, "model_ema": plain}, self.folder / "two.pth")
        peer = InProcess(arch, self.folder / "two.pth")
        self.assertIn("using those in model_ema, not those in model", peer.described()["notes"][-1])
        self.assertEqual(peer.close(), 0)

        torch.save({"0.weight": other[0].weight, "2.weight": other[0].bias, "0.bios": other[0].bias}, self.folder / "keys.pth")
        self.refused(
            "bad_input", "keys.pth does not fit", "missing in the file: 0.bias", "unknown to it: 2.weight, 0.bios",
            arguments=[arch, self.folder / "keys.pth"],
        )
        torch.save({"0.weight": torch.zeros(5, 3, 4, 4), "0.bias": torch.zeros(5)}, self.folder / "shape.pth")
        self.refused("bad_input", "0.weight is (5, 3, 4, 4) in the file", arguments=[arch, self.folder / "shape.pth"])
        torch.save(other, self.folder / "whole.pth")
        self.refused("bad_input", "pickled program", "state_dict()", arguments=[arch, self.folder / "whole.pth"])
        (self.folder / "cut.pth").write_bytes((self.folder / "good.pth").read_bytes()[:500])
        self.refused("bad_input", "damaged", arguments=[arch, self.folder / "cut.pth"])
        whole = bytearray((self.folder / "good.pth").read_bytes())
        whole[whole.index(other[0].bias.detach().numpy().tobytes()) + 2] ^= 4
        (self.folder / "flipped.pth").write_bytes(whole)
        torch.load(self.folder / "flipped.pth", weights_only=True)  # PyTorch loads the damaged file without an error
        self.refused("bad_input", "flipped.pth is damaged", "CRC-32", "download it again", arguments=[arch, self.folder / "flipped.pth"])
        whole = (self.folder / "good.pth").read_bytes()
        end = whole.rindex(b"PK\x05\x06")
        for at, name in ((end - 76 + 55, "directory"), (end - 20 + 16, "disks"), (whole.index(b"PK\x01\x02") + 42, "place")):
            damaged = bytearray(whole)
            damaged[at] ^= 0x40  # damages records at the end of the zip file, for which zipfile raises several types of exceptions
            (self.folder / f"{name}.pth").write_bytes(damaged)
            self.refused("bad_input", f"{name}.pth is damaged", arguments=[arch, self.folder / f"{name}.pth"])
        torch.save({"epoch": 3, "step": 7}, self.folder / "none.pth")
        self.refused("bad_input", "no state dict", "epoch", arguments=[arch, self.folder / "none.pth"])
        self.refused("bad_input", "no checkpoint", arguments=[arch, self.folder / "absent.pth"])
