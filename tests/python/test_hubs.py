"""Models by name, from the caches that timm, torchvision and transformers read. The caches hold their architectures with random
weights.

No hub is contacted. Tests of downloads set HF_ENDPOINT to a small server.
"""
import hashlib
import http.server
import importlib.util
import json
import os
import pathlib
import shutil
import sys
import tempfile
import threading
import unittest

import numpy as np

from worker_peer import Failed, InProcess

NEEDED = ("torch", "torchvision", "timm", "transformers", "safetensors")
MISSING = [name for name in NEEDED if importlib.util.find_spec(name) is None]
COMMIT = "0123456789abcdef0123456789abcdef01234567"


def put(cache, repository, files):
    """Writes files in the layout of huggingface_hub's cache."""
    folder = cache / ("models--" + repository.replace("/", "--"))
    (folder / "refs").mkdir(parents=True)
    (folder / "refs/main").write_text(COMMIT)
    (folder / "snapshots" / COMMIT).mkdir(parents=True)
    for file in files:
        shutil.copy(file, folder / "snapshots" / COMMIT / file.name)


class Hub(http.server.BaseHTTPRequestHandler):
    """A server that answers resolve/main/FILE like a hub. `files` are stored by repository and name."""

    files: "dict[str, bytes]" = {}
    asked: "list[str]" = []

    def _answer(self, body):
        type(self).asked.append(f"{self.command} {self.path}")
        name = self.path.split("?")[0].lstrip("/").replace("/resolve/main/", "/").replace(f"/resolve/{COMMIT}/", "/")
        data = self.files.get(name)
        if data is None:
            self.send_response(404)
            known = any(file.startswith("/".join(name.split("/")[:2]) + "/") for file in self.files)
            self.send_header("X-Error-Code", "EntryNotFound" if known else "RepoNotFound")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(200)
        self.send_header("X-Repo-Commit", COMMIT)
        self.send_header("ETag", f'"{hashlib.sha1(data).hexdigest()}"')
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if body:
            self.wfile.write(data)

    def do_HEAD(self):
        self._answer(False)

    def do_GET(self):
        self._answer(True)

    def log_message(self, *_):
        pass


@unittest.skipIf(MISSING, f"SKIPPED: {sys.executable} has no {', '.join(MISSING)}")
class Hubs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="assay-test-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.cache = cls.folder / "hf/hub"
        cls.environment = {
            "HF_HOME": str(cls.folder / "hf"), "TORCH_HOME": str(cls.folder / "torch"), "ASSAY_OFFLINE": "1", "HF_ENDPOINT": "http://127.0.0.1:9",
            "HF_HUB_DISABLE_XET": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "HF_HUB_CACHE": str(cls.cache), "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1",
        }
        import timm
        import torch
        import torchvision
        import transformers
        from safetensors.torch import save_file

        torch.manual_seed(7)
        cls.timm = timm.create_model("mobilenetv3_small_050.lamb_in1k").eval()
        cls.weights = cls.folder / "model.safetensors"
        save_file(cls.timm.state_dict(), cls.weights)
        put(cls.cache, "timm/mobilenetv3_small_050.lamb_in1k", [cls.weights])

        cls.torchvision = torchvision.models.squeezenet1_1().eval()
        checkpoints = cls.folder / "torch/hub/checkpoints"
        checkpoints.mkdir(parents=True)
        url = torchvision.models.SqueezeNet1_1_Weights.IMAGENET1K_V1.url
        # The file name ends with the start of the file's hash, which is only checked after a download.
        torch.save(cls.torchvision.state_dict(), checkpoints / os.path.basename(url))

        config = transformers.ViTConfig(
            hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16, image_size=32, patch_size=16,
            id2label={0: "cat", 1: "dog", 2: "owl"}, label2id={"cat": 0, "dog": 1, "owl": 2},
        )
        cls.vit = transformers.ViTForImageClassification(config).eval()
        cls.saved = cls.folder / "vit"
        cls.vit.save_pretrained(cls.saved)
        processor = transformers.ViTImageProcessor(size={"height": 32, "width": 32})
        processor.save_pretrained(cls.saved)
        put(cls.cache, "someone/tiny-vit", [cls.saved / name for name in ("config.json", "preprocessor_config.json", "model.safetensors")])

    def scores_of(self, peer, side):
        x = np.random.default_rng(1).normal(size=(2, 3, side, side)).astype(np.float32)
        peer.open(side)
        found = peer.lane().scores(x)
        self.assertEqual(peer.close(), 0)
        return x, found

    def compare(self, module, peer, side, part=lambda value: value):
        import torch

        x, found = self.scores_of(peer, side)
        with torch.no_grad():
            expected = part(module(torch.from_numpy(x))).numpy()
        np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-4)

    def peer(self, *arguments, **environment):
        return InProcess(*arguments, environment={**self.environment, **environment})

    def refused(self, code, *texts, arguments, **environment):
        peer = self.peer(*arguments, **environment)
        with self.assertRaises(Failed) as caught:
            peer.described()
        self.assertEqual(caught.exception.code, code, caught.exception.text)
        for text in texts:
            self.assertIn(text, caught.exception.text)
        peer.close()

    def test_timm_from_its_cache(self):
        peer = self.peer("timm:mobilenetv3_small_050.lamb_in1k")
        settings = peer.described()["settings"]
        self.assertEqual((peer.description["name"], peer.said), ("mobilenetv3_small_050.lamb_in1k", []))
        self.assertEqual((settings["input_size"], settings["crop_pct"], settings["interpolation"]), ([3, 224, 224], 0.875, "bicubic"))
        self.assertIn("timm", peer.framework)
        self.compare(self.timm, peer, 64)

    def test_torchvision_from_its_cache(self):
        peer = self.peer("torchvision:squeezenet1_1")
        self.assertEqual(peer.described()["name"], "squeezenet1_1.IMAGENET1K_V1")
        self.assertEqual(peer.description["settings"], {
            "input_size": [3, 224, 224], "resize_size": 256, "interpolation": "bilinear", "mean": [0.485, 0.456, 0.406],
            "std": [0.229, 0.224, 0.225], "crop_mode": "center",
        })
        self.compare(self.torchvision, peer, 64)

    def test_transformers_from_its_cache_and_from_a_folder(self):
        import transformers

        for source in ("hf:someone/tiny-vit", f"hf:{self.saved}"):
            peer = self.peer(source)
            described = peer.described()
            self.assertEqual(described["settings"]["classes"], {"names": ["cat", "dog", "owl"]})
            self.assertEqual(described["image_processor"]["size"], {"height": 32, "width": 32})
            # From version 5 of transformers on, the image processor computes with tensors.
            fast = "TorchvisionBackend" in {base.__name__ for base in transformers.ViTImageProcessor.__mro__}
            kind = "ViTImageProcessorFast" if fast else "ViTImageProcessor"
            self.assertEqual((described["image_processor"]["image_processor_type"], described["model_type"]), (kind, "vit"))
            self.compare(self.vit, peer, 32, lambda output: output.logits)

    def test_offline_says_which_file_is_missing(self):
        self.refused(
            "io", "offline", "model.safetensors is missing", "models--timm--resnet18.a1_in1k", "hf download timm/resnet18.a1_in1k",
            arguments=["timm:resnet18.a1_in1k"],
        )
        self.refused("io", "offline", "resnet18-f37072fd.pth is missing", "checkpoints", arguments=["torchvision:resnet18"])

    def test_names_that_nobody_has(self):
        from assay._worker import hubs
        from assay._worker.wire import Refused

        for name, *texts in (
            ("timm:resnet81", "timm", "did you mean", "resnet18"), ("torchvision:resnet81", "torchvision has no model resnet81"),
            ("torchvision:resnet50.V9", "no weights V9", "IMAGENET1K_V1"), ("torchvision:fcn_resnet50", "is not an image classifier"),
            ("keras:x", "timm:NAME", "open_clip:NAME"),
        ):
            with self.assertRaises(Refused) as caught:
                hubs.open_source(name, None, lambda text: None)
            for text in texts:
                self.assertIn(text, caught.exception.message)

    def test_checkpoints_by_architecture(self):
        import torch

        peer = self.peer("timm:mobilenetv3_small_050.lamb_in1k", self.weights)
        self.assertEqual(peer.described()["name"], "model")
        self.compare(self.timm, peer, 64)
        tuned = __import__("timm").create_model("mobilenetv3_small_050", num_classes=9).eval()
        torch.save({"state_dict": tuned.state_dict()}, self.folder / "tuned.pth")
        peer = self.peer("timm:mobilenetv3_small_050", self.folder / "tuned.pth")
        self.assertEqual(peer.described()["settings"]["input_size"], [3, 224, 224])
        self.compare(tuned, peer, 64)
        self.refused("bad_input", "does not fit timm:resnet18", "missing in the file: conv1.weight", arguments=["timm:resnet18", self.weights])
        many = __import__("torchvision").models.squeezenet1_1(num_classes=4).eval()
        torch.save(many.state_dict(), self.folder / "four.pth")
        peer = self.peer("torchvision:squeezenet1_1", self.folder / "four.pth")
        peer.described()
        self.compare(many, peer, 64)

    def online(self, files, home):
        """The environment for a hub with these files, and its host."""
        Hub.files = files
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hub)
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        host = f"127.0.0.1:{server.server_port}"
        cache = {"HF_HOME": str(self.folder / home), "HF_HUB_CACHE": str(self.folder / home / "hub")}
        return {"ASSAY_OFFLINE": "0", "HF_ENDPOINT": f"http://{host}", **cache}, host

    def test_downloads_are_said_first(self):
        online, host = self.online({f"timm/mobilenetv3_small_050.lamb_in1k/{self.weights.name}": self.weights.read_bytes()}, "other")
        peer = self.peer("timm:mobilenetv3_small_050.lamb_in1k", **online)
        peer.described()
        size = self.weights.stat().st_size
        expected = f"timm downloads model.safetensors of timm/mobilenetv3_small_050.lamb_in1k: {size / 1e6:.1f} MB from {host}"
        self.assertEqual(peer.said, [expected])
        self.compare(self.timm, peer, 64)
        Hub.asked.clear()
        peer = self.peer("timm:mobilenetv3_small_050.lamb_in1k", **{**online, "ASSAY_OFFLINE": "1"})
        peer.described()
        self.assertEqual((peer.said, Hub.asked), ([], []))  # the files come from the cache, without a connection
        peer.close()
        self.refused("bad_input", "someone/none", "check the spelling", arguments=["hf:someone/none"], **online)

    def test_weights_in_several_files(self):
        parts = self.folder / "parts"
        self.vit.save_pretrained(parts, max_shard_size="4KB")
        self.assertTrue((parts / "model.safetensors.index.json").is_file())
        put(self.cache, "someone/parts", list(parts.iterdir()))
        peer = self.peer("hf:someone/parts")
        self.assertEqual(peer.described()["settings"]["classes"], {"names": ["cat", "dog", "owl"]})
        self.compare(self.vit, peer, 32, lambda output: output.logits)

    def test_a_repository_without_an_image_processor(self):
        files = [self.saved / "config.json", self.saved / "model.safetensors"]
        online, _ = self.online({f"someone/bare/{file.name}": file.read_bytes() for file in files}, "third")
        peer = self.peer("hf:someone/bare", **online)
        peer.described()
        self.assertIn("model.safetensors of someone/bare", peer.said[0])
        self.assertIn("no image processor", " ".join(peer.description["notes"]))
        peer.close()
        for again in ({"ASSAY_OFFLINE": "0"}, {"ASSAY_OFFLINE": "1"}):
            peer = self.peer("hf:someone/bare", **{**online, **again})
            self.assertEqual((peer.described()["model_type"], peer.said), ("vit", []))
            peer.close()

    def test_a_connection_is_refused_when_offline(self):
        file = self.folder / "connects.py"
        file.write_text("import urllib.request\ndef model():\n    urllib.request.urlopen('http://127.0.0.1:9/x')\n")
        self.refused("unreachable", "offline", "127.0.0.1", arguments=[f"python:{file}:model"])


@unittest.skipIf(MISSING, f"SKIPPED: {sys.executable} has no {', '.join(MISSING)}")
class Preprocessing(unittest.TestCase):
    def test_transforms_give_the_settings_of_their_weights(self):
        import timm.data
        import torchvision
        from assay._worker import preprocessing

        weights = torchvision.models.ResNet50_Weights.IMAGENET1K_V2
        self.assertEqual(preprocessing.of_transform(weights.transforms())["resize_size"], 232)
        made = timm.data.create_transform((3, 224, 224), interpolation="bicubic", crop_pct=0.95)
        self.assertEqual(preprocessing.of_transform(made), {
            "input_size": [3, 224, 224], "resize_size": 235, "interpolation": "bicubic", "crop_mode": "center",
            "mean": [0.485, 0.456, 0.406], "std": [0.229, 0.224, 0.225],
        })
        v2 = torchvision.transforms.v2
        squash = v2.Compose([v2.Resize((32, 32)), v2.ToTensor()])
        self.assertEqual(preprocessing.of_transform(squash)["crop_mode"], "none")

    def test_a_tensor_of_bytes_is_resized_as_pytorch_does(self):
        import torch
        from torchvision import transforms
        from torchvision.transforms import v2
        from assay._worker import preprocessing
        from assay._worker.wire import Refused

        floats = (v2.ToDtype(torch.float32, scale=True), v2.Normalize([0.5] * 3, [0.25] * 3))
        found = preprocessing.of_transform(v2.Compose([v2.ToImage(), v2.Resize(40), v2.CenterCrop(32), *floats]))
        self.assertEqual(found, {
            "input_size": [3, 32, 32], "resize_size": 40, "interpolation": "bilinear", "resize_as": "torch", "crop_mode": "center",
            "scale": 0.003921568859368563, "mean": [0.5] * 3, "std": [0.25] * 3,
        })
        # For a Pillow image, v2's Resize uses Pillow, but its ToDtype still multiplies by 1/255. ToTensor divides by 255.
        found = preprocessing.of_transform(v2.Compose([v2.Resize(40), v2.CenterCrop(32), v2.ToImage(), *floats]))
        self.assertNotIn("resize_as", found)
        self.assertEqual(found["scale"], 0.003921568859368563)
        found = preprocessing.of_transform(transforms.Compose([v2.Resize(40), v2.CenterCrop(32), transforms.ToTensor()]))
        self.assertFalse({"resize_as", "scale"} & set(found))
        nearest = v2.Resize(40, interpolation=v2.InterpolationMode.NEAREST)
        lanczos = v2.Resize(40, interpolation=v2.InterpolationMode.LANCZOS)
        for steps, text in (
            ((v2.ToImage(), nearest), "bytes by nearest"), ((*floats, v2.Resize(40)), "the output of Normalize"),
            ((transforms.ToTensor(), lanczos), "floats by lanczos"),
        ):
            with self.assertRaisesRegex(Refused, text):
                preprocessing.of_transform(v2.Compose([*steps, v2.CenterCrop(32)]))

    def test_a_resize_of_a_tensor_names_its_rule(self):
        import torch
        from torchvision import transforms
        from torchvision.transforms import v2
        from assay._worker import preprocessing

        exact = v2.InterpolationMode.NEAREST_EXACT
        for steps, rule, antialias in (
            ((transforms.ToTensor(), transforms.Resize(40)), "torch_float", None),
            ((transforms.ToTensor(), v2.Resize(40)), "torch_float", None),
            ((transforms.ToTensor(), transforms.Resize(40, antialias=None)), "torch_float", False),
            ((v2.PILToTensor(), transforms.Resize(40), transforms.ConvertImageDtype(torch.float32)), "torch_rounded", None),
            ((v2.PILToTensor(), v2.Resize(40, antialias=False), transforms.ConvertImageDtype(torch.float32)), "torch", False),
            ((v2.PILToTensor(), v2.Resize(40, interpolation=exact), transforms.ConvertImageDtype(torch.float32)), "torch", None),
        ):
            found = preprocessing.of_transform(transforms.Compose([*steps, transforms.CenterCrop(32)]))
            self.assertEqual((found["resize_as"], found.get("antialias")), (rule, antialias), steps)
        self.assertEqual(found["interpolation"], "nearest")

    def test_the_type_of_a_processor_says_how_it_resizes(self):
        import transformers
        from assay._worker import preprocessing

        facts, notes = preprocessing.of_processor(transformers.CLIPImageProcessor())
        self.assertEqual((facts["image_processor_type"], notes), ("CLIPImageProcessorFast", []))
        if hasattr(transformers, "CLIPImageProcessorPil"):
            facts, notes = preprocessing.of_processor(transformers.CLIPImageProcessorPil())
            self.assertEqual((facts["image_processor_type"], notes), ("CLIPImageProcessorPil", []))

    def test_what_has_no_counterpart(self):
        import torchvision
        from assay._worker import preprocessing
        from assay._worker.wire import Refused

        t = torchvision.transforms
        for steps, text in (
            ([t.Resize(32), t.ToTensor()], "without a crop"), ([t.CenterCrop(32), t.ToTensor()], "does not resize"),
            ([t.Resize(40), t.CenterCrop(32), t.RandomHorizontalFlip()], "RandomHorizontalFlip"), ([t.Resize(40, max_size=50)], "max_size"),
            ([t.CenterCrop(32), t.Resize(32)], "after a crop"), ([t.Resize((20, 30)), t.CenterCrop(16)], "(20, 30)"),
            ([t.Resize(40), t.CenterCrop(32), t.PILToTensor()], "returns bytes"), ([t.ToTensor(), t.Resize(40, t.InterpolationMode.HAMMING), t.CenterCrop(32)], "resizes a tensor"),
        ):
            with self.assertRaisesRegex(Refused, text.replace("(", r"\(").replace(")", r"\)")):
                preprocessing.of_transform(t.Compose(steps))

    def test_objects_say_how_images_are_prepared(self):
        import timm
        import torchvision
        import transformers
        from assay._worker.objects import Given, model_of

        described = model_of(timm.create_model("resnet18", num_classes=3)).description
        self.assertEqual((described.name, described.settings["test_input_size"]), ("resnet18.a1_in1k", [3, 288, 288]))
        net = torchvision.models.squeezenet1_1()
        self.assertEqual(model_of(net).description.settings, {})
        given = Given({"weights": "SqueezeNet1_1_Weights.IMAGENET1K_V1"})
        self.assertEqual(model_of(net, given=given).description.settings["resize_size"], 256)
        given = Given({"processor": transformers.ViTImageProcessor()})
        described = model_of(net, given=given).description
        self.assertEqual(described.image_processor["resample"], 2)
        self.assertEqual(described.settings, {})
        given = Given({"settings": {"input_size": 224}})
        described = model_of(timm.create_model("resnet18"), given=given).description
        self.assertNotIn("test_input_size", described.settings)
        self.assertEqual(json.loads(json.dumps(described.json())), described.json())
