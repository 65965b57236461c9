"""Which models match a pattern. The tests replace the libraries by fake modules of the same names."""
import fnmatch
import http.server
import importlib.util
import json
import os
import subprocess
import sys
import threading
import types
import unittest
from unittest import mock

from assay._worker import hubs, patterns
from assay._worker.wire import Refused


def module(name, **contents):
    made = types.ModuleType(name)
    made.__dict__.update(contents)
    return made


def fake_timm(classes):
    """`classes` has the number of classes by model name."""
    def get_pretrained_cfg(name, allow_unregistered):
        return types.SimpleNamespace(num_classes=classes[name])

    def list_models(pattern, pretrained):
        assert pretrained
        return fnmatch.filter(classes, pattern)

    models = module("timm.models", get_pretrained_cfg=get_pretrained_cfg)
    return {"timm": module("timm", __version__="1.0", list_models=list_models, models=models), "timm.models": models}


def fake_torchvision():
    def weights(**metrics):
        return [types.SimpleNamespace(name=tag, meta={"_metrics": {"ImageNet-1K": {"acc@1": value}}} if value else {}) for tag, value in metrics.items()]

    known = {"alexnet": weights(V1=56.5), "resnet18": weights(V1=69.8, V2=70.25), "plain": weights(V1=None)}
    models = module("torchvision.models", list_models=lambda module: list(known), get_model_weights=known.__getitem__)
    return {"torchvision": module("torchvision", __version__="0.9+cpu", models=models), "torchvision.models": models}


class Patterns(unittest.TestCase):
    def of(self, text, modules):
        with mock.patch.dict(sys.modules, modules):
            return patterns.matches_of(text)

    def test_timm(self):
        modules = fake_timm({"resnet50.b": 1000, "resnet18.a": 1000, "resnet18.large": 21841, "vit.dino": 0})
        self.assertEqual(self.of("timm:resnet*", modules), {"library": "timm 1.0", "left_out": 1, "names": [["timm:resnet18.a", None], ["timm:resnet50.b", None]]})
        # the model is the only match, so its number of classes does not exclude it
        self.assertEqual(self.of("timm:*.large", modules)["names"], [["timm:resnet18.large", None]])

    def test_torchvision_carries_accuracies(self):
        modules = fake_torchvision()
        found = self.of("torchvision:*", modules)
        self.assertEqual(found["library"], "torchvision 0.9")
        self.assertEqual(found["names"], [
            ["torchvision:alexnet.V1", 0.565], ["torchvision:plain.V1", None], ["torchvision:resnet18.V1", 0.698], ["torchvision:resnet18.V2", 0.7025]])
        self.assertEqual([name for name, _ in self.of("torchvision:resnet??", modules)["names"]], ["torchvision:resnet18.V1", "torchvision:resnet18.V2"])
        self.assertEqual([name for name, _ in self.of("torchvision:*.V2", modules)["names"]], ["torchvision:resnet18.V2"])

    def test_open_clip(self):
        library = module("open_clip", __version__="3", list_pretrained=lambda: [("ViT-B-32", "openai"), ("RN50", "cc12m")])
        self.assertEqual(self.of("open_clip:ViT-*", {"open_clip": library})["names"], [["open_clip:ViT-B-32/openai", None]])

    def test_a_pattern_is_no_model(self):
        with self.assertRaises(Refused) as caught:
            hubs.open_source("timm:resnet*", None, print)
        self.assertIn("--draw-models N", caught.exception.message)

    def test_what_has_no_list_is_refused(self):
        for text, modules, said in (
            ("timm:nothing*", fake_timm({"resnet18.a": 1000}), "timm 1.0 has no model with weights that nothing* matches"),
            ("hf:*", {}, "name the owner, as in hf:google/vit-*"),
            ("hf:google", {}, "name the owner"),
            ("hf:goo*/vit", {}, "name the owner"),
            ("python:*", {}, "there is no list of the models of python:"),
        ):
            with self.assertRaises(Refused) as caught:
                self.of(text, modules)
            self.assertIn(said, caught.exception.message)


class Hub(http.server.BaseHTTPRequestHandler):
    """A hub that lists the models of `google` in two pages. The list of `closed` is restricted."""

    asked: "list[str]" = []

    def do_GET(self):
        type(self).asked.append(self.path)
        second = "cursor=2" in self.path
        known = self.path.startswith("/api/models?") and "author=google" in self.path
        names = ["google/vit-large", "google/mobilenet"] if second else ["google/vit-base", "google/vit-base-in21k"]
        data = json.dumps([{"id": name, "modelId": name, "tags": ["image-classification"]} for name in names] if known else []).encode()
        self.send_response(403 if "author=closed" in self.path else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        if known and not second:
            self.send_header("Link", f'<http://{self.headers["Host"]}{self.path}&cursor=2>; rel="next"')
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


@unittest.skipUnless(importlib.util.find_spec("huggingface_hub"), f"SKIPPED: {sys.executable} has no huggingface_hub")
class ListsOfAHub(unittest.TestCase):
    def listed(self, pattern, **environment):
        """The list or the error, from a separate process, because the library reads the hub's address only once."""
        script = (
            "import json, sys\nfrom assay._worker import patterns\nfrom assay._worker.wire import Refused\n"
            "try: print(json.dumps(patterns.matches_of(sys.argv[1])))\nexcept Refused as error: print(json.dumps([error.code, error.message]))\n"
        )
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "ASSAY_OFFLINE", "TRANSFORMERS_"))}
        done = subprocess.run(
            [sys.executable, "-c", script, pattern], capture_output=True, text=True, timeout=120,
            env={**clean, "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1", "HF_HUB_DISABLE_TELEMETRY": "1", **environment},
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_a_hub_lists_the_models_of_an_owner(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hub)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        point = f"http://127.0.0.1:{server.server_port}"
        found = self.listed("hf:google/vit-*", HF_ENDPOINT=point)
        self.assertEqual(found["names"], [["hf:google/vit-base", None], ["hf:google/vit-base-in21k", None], ["hf:google/vit-large", None]])
        self.assertEqual((found["library"], found["left_out"]), ("google on the hub (4 classifiers of transformers)", 0))
        self.assertIn("filter=image-classification", Hub.asked[0])
        self.assertIn("filter=transformers", Hub.asked[0])
        code, message = self.listed("hf:closed/*", HF_ENDPOINT=point)
        self.assertEqual(code, "unreachable")
        self.assertIn("the list of closed's models cannot be fetched", message)
        code, message = self.listed("hf:nobody/*", HF_ENDPOINT=point)
        self.assertEqual(code, "usage")
        self.assertIn("nobody on the hub (0 classifiers of transformers) has no model with weights that nobody/* matches", message)

    def test_offline(self):
        code, message = self.listed("hf:google/vit-*", HF_HUB_OFFLINE="1")
        self.assertEqual(code, "unreachable")
        self.assertIn("only the hub lists the models of google, and this call is offline", message)


if __name__ == "__main__":
    unittest.main()
