"""ONNX files in the worker, with a fake onnxruntime, and also with the real package if it is installed."""
import importlib.util
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

import numpy as np

import onnx_writer
from assay._worker.hubs import package
from assay._worker.onnx_files import OnnxModel
from assay._worker.onnx_graph import Graph
from assay._worker.wire import Refused
from worker_peer import Failed, InProcess, InThread

FAKE = str(pathlib.Path(__file__).resolve().parent / "fake_onnxruntime")
FIXTURES = pathlib.Path(__file__).resolve().parent.parent / "model/fixtures"
has_onnxruntime = importlib.util.find_spec("onnxruntime") is not None
needs_onnxruntime = unittest.skipUnless(has_onnxruntime, f"SKIPPED: {sys.executable} has no onnxruntime")
WEIGHTS = [[1.0, -0.5, 0.25, 2.0], [0.5, 1.0, -1.0, 0.0], [-1.0, 0.25, 0.5, 1.0]]


def images(n, side=8, seed=1):
    return np.random.default_rng(seed).normal(size=(n, 3, side, side)).astype(np.float32)


class Files(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory(prefix="assay-test-")
        self.folder = pathlib.Path(self._folder.name)
        self.addCleanup(self._folder.cleanup)

    def written(self, data, name="m.onnx"):
        path = self.folder / name
        path.write_bytes(data)
        return str(path)

    def linear(self, **more):
        return self.written(onnx_writer.linear(WEIGHTS, **more))

    def refused(self, call, code, *texts):
        with self.assertRaises((Refused, Failed)) as caught:
            call()
        self.assertEqual(caught.exception.code, code, str(caught.exception))
        for text in texts:
            self.assertIn(text, getattr(caught.exception, "text", str(caught.exception)))


class Graphs(Files):
    def test_what_a_file_says_of_itself(self):
        graph = Graph(str(FIXTURES / "cnn_opset13.onnx"))
        self.assertEqual(graph.parameters, 263)  # the number that Assay's own reader counts
        self.assertIn("Conv", graph.operators)
        self.assertEqual(Graph(str(FIXTURES / "fixed_size.onnx")).parameters, 965)
        self.assertIn("DynamicQuantizeLinear", Graph(str(FIXTURES / "quantised_cnn_dynamic.onnx")).operators)

    def test_data_files_lie_beside_it(self):
        path = self.linear(external="sub/w.bin")
        self.refused(lambda: Graph(path), "bad_input", "sub/w.bin", "which does not exist")
        (self.folder / "sub").mkdir()
        (self.folder / "sub/w.bin").write_bytes(np.array(WEIGHTS, np.float32).tobytes())
        self.assertEqual(Graph(path).data_files, {"sub/w.bin"})
        for outside in ("/etc/passwd", "../w.bin", "sub/../../w.bin", "w\0.bin"):
            self.refused(lambda: Graph(self.linear(external=outside)), "bad_input", "not inside the model's folder")

    def test_a_link_to_a_data_file_is_judged_by_where_it_leads(self):
        weights = np.array(WEIGHTS, np.float32).tobytes()
        blobs, snapshot = self.folder / "blobs", self.folder / "snapshots/main/onnx"
        blobs.mkdir()
        snapshot.mkdir(parents=True)
        for name, blob, data in (("m.onnx", "a1", onnx_writer.linear(WEIGHTS, external="w.bin")), ("w.bin", "b2", weights)):
            (blobs / blob).write_bytes(data)
            (snapshot / name).symlink_to(f"../../../blobs/{blob}")  # the file is a link, as in a hub's cache
        self.assertEqual(Graph(str(snapshot / "m.onnx")).data_files, {"w.bin"})
        own = self.folder / "own"
        own.mkdir()
        (own / "m.onnx").write_bytes((blobs / "a1").read_bytes())
        (own / "w.bin").symlink_to("../blobs/b2")
        self.refused(lambda: Graph(str(own / "m.onnx")), "bad_input", f"a link to {blobs / 'b2'}", "cp --remove-destination")
        (own / "w.bin").unlink()
        (own / "weights").write_bytes(weights)
        (own / "w.bin").symlink_to("weights")
        self.assertEqual(Graph(str(own / "m.onnx")).data_files, {"w.bin"})

    def test_every_cut_and_damage_is_refused_or_read(self):
        whole = onnx_writer.linear(WEIGHTS)
        for size in range(len(whole)):
            try:
                Graph(self.written(whole[:size]))
            except Refused as error:
                self.assertIn("m.onnx", error.message)
        random = np.random.default_rng(3)
        for _ in range(300):
            damaged = bytearray(whole)
            damaged[int(random.integers(len(whole)))] = int(random.integers(256))
            try:
                Graph(self.written(bytes(damaged)))
            except Refused:
                pass
        deep = b""
        for _ in range(100):
            deep = onnx_writer.field(1, onnx_writer.node("If", [], [], [onnx_writer.field(6, deep)]))
        self.refused(lambda: Graph(self.written(onnx_writer.field(7, deep))), "bad_input", "deep")
        self.refused(lambda: Graph(self.written(b"")), "bad_input", "m.onnx")
        self.refused(lambda: Graph(str(self.folder / "absent.onnx")), "io", "absent.onnx")


class Faked(Files):
    """Runs with tests/python/fake_onnxruntime, in this process."""

    def started(self, path=None, **about):
        spec = importlib.util.spec_from_file_location("onnxruntime", FAKE + "/onnxruntime.py")
        self.runtime = importlib.util.module_from_spec(spec)
        with mock.patch.dict(sys.modules, onnxruntime=self.runtime):
            spec.loader.exec_module(self.runtime)
            self.runtime.ABOUT = about
            model = OnnxModel(path or self.linear())
        peer = InThread(model)
        self.addCleanup(peer.close)
        self.described = peer.described()
        return peer

    def test_one_thread_and_the_processor(self):
        self.started().open(8)
        options = self.runtime.sessions[0].options
        self.assertEqual((options.intra_op_num_threads, options.inter_op_num_threads), (1, 1))
        self.assertTrue(options.use_deterministic_compute)
        self.assertEqual((options.log_severity_level, self.runtime.severity), (4, 4))

    def test_batches_are_read_and_scores_written_where_they_lie(self):
        peer = self.started()
        facts = peer.open(8)
        self.assertEqual((facts["classes"], facts["parameters"], facts["device"], facts["lanes"]), (2, 12, "cpu", 0))
        self.assertEqual(facts["framework"], "ONNX Runtime 0.fake")
        x = images(5)
        np.testing.assert_allclose(peer.lane().scores(x), x.mean((2, 3))[:, :2], rtol=1e-5, atol=1e-6)
        address, kind, shape, scores = self.runtime.sessions[0].runs[-1]
        self.assertEqual((kind, shape), ("float32", (5, 3, 8, 8)))
        self.assertEqual(scores, address + x.nbytes)  # the scores are in the same buffer, after the input

    def test_other_numbers_and_layouts(self):
        x = images(4)
        for type_, shape in (("float16", ["n", 3, 8, 8]), ("double", ["n", 3, 8, 8]), ("float", ["n", "h", "w", 3])):
            peer = self.started(inputs=[["images", f"tensor({type_})", shape]])
            facts = peer.open(8)
            np.testing.assert_allclose(peer.lane().scores(x), x.mean((2, 3))[:, :2], rtol=0, atol=2e-3 if type_ == "float16" else 1e-6)
            self.assertEqual(self.runtime.sessions[0].runs[-1][2], (4, 8, 8, 3) if shape[3] == 3 else (4, 3, 8, 8))
            self.assertIn("channels last" if shape[3] == 3 else f"{type_.replace('double', 'float64')}", " ".join(facts["notes"]))
        pixels = np.random.default_rng(2).integers(0, 256, (3, 3, 8, 8))
        peer = self.started(inputs=[["images", "tensor(uint8)", ["n", 3, "h", "w"]]])
        self.assertIn("takes bytes", " ".join(peer.open(8)["notes"]))  # the values have scale 1/255, mean 0 and std 1
        scores = peer.lane().scores((pixels / np.float32(255)).astype(np.float32))
        np.testing.assert_allclose(scores, pixels.mean((2, 3))[:, :2], rtol=1e-5)
        peer = self.started(output_type="tensor(float16)")
        peer.open(8)
        np.testing.assert_allclose(peer.lane().scores(x), x.mean((2, 3))[:, :2], atol=1e-3)

    def test_a_fixed_batch_is_cut_and_filled(self):
        peer = self.started(inputs=[["images", "tensor(float)", [4, 3, 8, 8]]])
        self.assertEqual(peer.open(8)["fixed_batch"], 4)
        x = images(6)
        np.testing.assert_allclose(peer.lane().scores(x), x.mean((2, 3))[:, :2], rtol=1e-5, atol=1e-6)
        self.assertEqual([run[2][0] for run in self.runtime.sessions[0].runs[1:]], [4, 4])
        self.refused(lambda: peer.open(16), "bad_input", "3 x 8 x 8", "3 x 16 x 16", "--input-size")

    def test_a_file_that_quantises_by_the_batch_gets_one_image_at_a_time(self):
        dynamic = onnx_writer.node("DynamicQuantizeLinear", ["flat"], ["a", "b", "c"])
        peer = self.started(self.linear(more=(dynamic,)))
        self.assertIn("one image at a time", " ".join(peer.open(8)["notes"]))
        peer.lane().scores(images(3))
        self.assertEqual([run[2][0] for run in self.runtime.sessions[0].runs], [1, 1, 1, 1])

    def test_the_output_is_chosen_as_elsewhere(self):
        x = images(2)
        for outputs, asked in ((["a", "logits"], ""), (["a", "b"], "b"), (["a", "b"], "1")):
            peer = self.started(outputs=outputs)
            self.assertIn("several outputs", " ".join(peer.open(8, output=asked)["notes"]))
            peer.lane().scores(x)
        peer = self.started(outputs=["a", "b"])
        self.refused(lambda: peer.open(8), "bad_input", "--output-entry", "a, b")
        self.refused(lambda: peer.open(8, output="c"), "bad_input", 'no output "c"', "a, b")

    def test_what_is_refused_is_named(self):
        peer = self.started()
        for more, texts in (
            ({"device": "cuda"}, ("--device cuda", "--runtime libtorch")), ({"precision": 2}, ("omit --precision",)),
        ):
            self.refused(lambda: peer.open(8, **more), "usage", *texts)
        self.refused(lambda: peer.open(8, input_type=2), "bad_input", "takes floats", "uint8")
        self.refused(lambda: peer.open(8, layout=2), "bad_input", "nhwc")
        self.refused(lambda: peer.open(8, num_classes=7), "bad_input", "7")
        peer.open(8)
        self.refused(lambda: peer.lane().gradients(images(1), 0, [0]), "usage", "no gradients", "--runtime libtorch")
        for inputs, text in (
            ([], "0 inputs"), ([["a", "tensor(float)", [1]], ["b", "tensor(float)", [1]]], "2 inputs"),
            ([["images", "tensor(int64)", ["n", 3, 8, 8]]], "tensor(int64)"), ([["images", "tensor(float)", ["n", 3]]], "N x 3 x H x W"),
        ):
            self.refused(lambda: self.started(inputs=inputs), "bad_input", text, "m.onnx")
        self.refused(lambda: self.started(refuses="the text\x1b[2Jof the library"), "bad_input", "m.onnx", "the text [2Jof")
        self.assertIn("CUDA", " ".join(self.started(providers=["CUDAExecutionProvider", "CPUExecutionProvider"]).open(8)["notes"]))

    def test_one_score_for_each_image(self):
        x = images(3)
        for flat, weights in ((False, [[1], [0], [0]]), (True, [[1, 0], [0, 1], [0, 0]])):
            peer = self.started(flat=flat, weights=weights)
            self.assertEqual(peer.open(8, num_classes=2)["classes"], 1)  # the program converts this to two scores
            np.testing.assert_allclose(peer.lane().scores(x)[:, 0], x[:, 0].mean((1, 2)), rtol=1e-5)

    def test_one_channel_is_the_first_of_three(self):
        x = images(3)
        peer = self.started(inputs=[["images", "tensor(float)", ["n", 1, "h", "w"]]], weights=[[1, 2]])
        self.refused(lambda: peer.open(8), "bad_input", "one channel", "--channel-order gray")
        peer.open(8, gray=True)
        np.testing.assert_allclose(peer.lane().scores(x), x[:, 0].mean((1, 2))[:, None] * [1, 2], rtol=1e-5)

    def test_a_python_without_the_package_is_told(self):
        with mock.patch.dict(sys.modules, onnxruntime=None):
            self.refused(lambda: OnnxModel(self.linear()), "usage", "pip install onnxruntime`", "ASSAY_PYTHON")
        # The error names each package once, as pip does.
        with mock.patch.dict(sys.modules, {"open_clip": None, "torchvision": None}):
            self.refused(lambda: package("open_clip"), "usage", "has no package open_clip: ", "pip install open_clip_torch torch`")
            self.refused(lambda: package("torchvision.models", "torch torchvision"), "usage", "pip install torch torchvision`")


@needs_onnxruntime
class Real(Files):
    def opened(self, path, side=8, **how):
        peer = InProcess("onnxruntime", path, environment={"OMP_NUM_THREADS": "1"})
        self.addCleanup(peer.close)
        self.about = peer.described()
        self.facts = peer.open(side, **how)
        return peer

    def test_scores_of_each_kind_of_input(self):
        x = images(5)
        wanted = x.mean((2, 3)) @ np.array(WEIGHTS, np.float32)
        for more, tolerance in (
            ({}, 1e-6), ({"type_": onnx_writer.HALF}, 3e-3), ({"last": True}, 1e-6), ({"batch": 2}, 1e-6), ({"height": 8, "width": 8}, 1e-6),
            ({"external": "w.bin"}, 1e-6),
        ):
            with self.subTest(**more):
                (self.folder / "w.bin").write_bytes(np.array(WEIGHTS, np.float32).tobytes())
                peer = self.opened(self.linear(**more))
                np.testing.assert_allclose(peer.lane().scores(x), wanted, atol=tolerance)
                self.assertEqual(self.facts["parameters"], 12)
                self.assertEqual(self.about.get("data_files"), ["w.bin"] if "external" in more else None)
        pixels = np.random.default_rng(2).integers(0, 256, (3, 3, 8, 8))
        peer = self.opened(self.linear(type_=onnx_writer.UINT8))
        scores = peer.lane().scores((pixels / np.float32(255)).astype(np.float32))
        np.testing.assert_allclose(scores, pixels.mean((2, 3)) @ np.array(WEIGHTS), rtol=1e-5, atol=1e-4)

    def test_lanes_give_the_same_bits(self):
        peer = self.opened(str(FIXTURES / "cnn_opset13.onnx"), 16)
        x = images(8, 16)
        first = peer.lane().scores(x)
        for lane in (peer.lane(), peer.lane()):
            np.testing.assert_array_equal(lane.scores(x), first)

    def test_damaged_files_and_newer_opsets_are_refused(self):
        whole = (FIXTURES / "cnn_opset13.onnx").read_bytes()
        for data, text in (
            (whole[: len(whole) // 2], "m.onnx"), (b"no model", "m.onnx"), (onnx_writer.linear(WEIGHTS, opset=99), "99"),
        ):
            self.refused(lambda: self.opened(self.written(data), 16), "bad_input", text)
        self.refused(lambda: self.opened(str(FIXTURES / "unknown_operator.onnx"), 16), "bad_input", "unknown_operator.onnx", "Fancy")

    def test_nothing_is_written_to_the_terminal(self):
        peer = InProcess("onnxruntime", str(FIXTURES / "unknown_operator.onnx"))
        self.refused(peer.described, "bad_input", "Fancy")
        peer.control.close()
        self.assertEqual(peer.process.communicate(timeout=60)[1], "")


if __name__ == "__main__":
    unittest.main()
