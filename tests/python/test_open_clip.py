"""Compares zero-shot models with open_clip's own code. They are a small architecture with random weights in open_clip's cache."""
import importlib.util
import json
import os
import pathlib
import shutil
import sys
import tempfile
import unittest

import numpy as np

import assay
from test_hubs import put
from worker_peer import InThread

NEEDED = ("torch", "open_clip", "safetensors", "PIL")
MISSING = [name for name in NEEDED if importlib.util.find_spec(name) is None]
PHOTOGRAPHS = pathlib.Path(__file__).resolve().parent.parent.parent.parent / "shared/data/imagenet_sample"
REPOSITORY = "someone/small-clip"
NETWORK = {
    "embed_dim": 32, "vision_cfg": {"image_size": 64, "layers": 2, "width": 64, "head_width": 32, "patch_size": 16},
    "text_cfg": {"context_length": 77, "vocab_size": 49408, "width": 64, "heads": 2, "layers": 2},
}
WAYS = ("shortest", "squash", "longest")
# Adds the architecture to open_clip wherever it is imported, because no published one is small enough for a test.
ADDS = '''
import importlib.abc, importlib.util, sys

class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name != "open_clip":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        execute = spec.loader.exec_module
        def add(module):
            execute(module)
            module.add_model_config({config!r})
            weights = dict(hf_hub={hub!r}, mean=(0.5, 0.4, 0.3), std=(0.25, 0.5, 0.25), interpolation="bicubic")
            tags = {{way: dict(weights, resize_mode=way) for way in {ways!r}}}
            tags["elsewhere"] = dict(weights, hf_hub="someone/absent/")
            sys.modules["open_clip.pretrained"]._PRETRAINED["small"] = tags
        spec.loader.exec_module = add
        return spec

sys.meta_path.insert(0, Finder())
'''


@unittest.skipIf(MISSING, f"SKIPPED: {sys.executable} has no {', '.join(MISSING)}")
class OpenClip(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="assay-test-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        (cls.folder / "small.json").write_text(json.dumps(NETWORK))
        (cls.folder / "site").mkdir()
        script = ADDS.format(config=str(cls.folder / "small.json"), hub=REPOSITORY + "/", ways=WAYS)
        (cls.folder / "site/sitecustomize.py").write_text(script)
        cls.cache = cls.folder / "hf/hub"
        cls.environment = {
            "PYTHONPATH": str(cls.folder / "site") + os.pathsep + os.environ.get("PYTHONPATH", ""), "HF_HOME": str(cls.folder / "hf"),
            "HF_HUB_CACHE": str(cls.cache), "HF_ENDPOINT": "http://127.0.0.1:9", "ASSAY_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1",
        }
        before = dict(os.environ)
        cls.addClassCleanup(lambda: (os.environ.clear(), os.environ.update(before)))
        os.environ.update(cls.environment)  # this must be set before huggingface_hub is imported
        exec(script, {})
        import open_clip
        import torch
        from safetensors.torch import save_file

        cls.library = open_clip
        torch.manual_seed(7)
        cls.network = open_clip.create_model("small").eval()
        cls.weights = cls.folder / "open_clip_model.safetensors"
        save_file({name: value.contiguous() for name, value in cls.network.state_dict().items()}, cls.weights)
        put(cls.cache, REPOSITORY, [cls.weights])

    def expected(self, images, names, templates):
        """Scores from open_clip's own code."""
        import torch

        tokenizer = self.library.get_tokenizer("small")
        weights = self.library.build_zero_shot_classifier(self.network, tokenizer, names, templates)
        with torch.no_grad():
            features = self.network.encode_image(images, normalize=True)
            return (self.network.logit_scale.exp() * features @ weights).numpy()

    def model(self, source, checkpoint=None, **names):
        """Returns the model, and the messages from loading it."""
        from assay._worker.hubs import open_source
        from assay._worker.wire import Names

        said = []
        told = {"classes": ["cat", "hot_dog"], "imagenet": [-1, -1], "templates": ["a photo of a {}.", "the {c}"], "device": "cpu", **names}
        return open_source(source, checkpoint, said.append, lambda: Names(told)), said

    def scores_of(self, model, images):
        peer = InThread(model)
        peer.described()
        peer.open(64)
        found = peer.lane().scores(images)
        peer.close()
        return found

    def test_scores_are_those_of_open_clip(self):
        import torch

        model, said = self.model("open_clip:small/shortest")
        peer = InThread(model)
        described = peer.described()
        self.assertEqual((described["name"], described["format"]), ("small-shortest", "open_clip"))
        self.assertEqual(described["settings"], {
            "input_size": [3, 64, 64], "resize_size": 64, "crop_mode": "center", "interpolation": "bicubic", "mean": [0.5, 0.4, 0.3],
            "std": [0.25, 0.5, 0.25], "outputs": "logits",
        })
        self.assertEqual(said, ['2 class names in 2 templates make 4 texts, such as "a photo of a cat."'])
        self.assertEqual(peer.open(64)["classes"], 2)
        lane = peer.lane()
        images = np.random.default_rng(1).normal(size=(3, 3, 64, 64)).astype(np.float32)
        expected = self.expected(torch.from_numpy(images), ["cat", "hot dog"], ["a photo of a {}.", "the {}"])
        np.testing.assert_allclose(lane.scores(images), expected, rtol=1e-4, atol=1e-4)
        scores, losses, gradient = lane.gradients(images, 0, [0, 1, 0])
        np.testing.assert_allclose(scores, expected, rtol=1e-4, atol=1e-4)
        self.assertTrue(np.isfinite(losses).all() and np.abs(gradient).max() > 0)
        peer.close()

    def test_lists_of_open_clip(self):
        import torch

        images = torch.from_numpy(np.random.default_rng(2).normal(size=(2, 3, 64, 64)).astype(np.float32))
        for name, templates in (("openai", self.library.OPENAI_IMAGENET_TEMPLATES), ("simple", self.library.SIMPLE_IMAGENET_TEMPLATES)):
            # The third class is ImageNet's class 25. Only its WordNet name is known, so open_clip's name for it is used.
            classes = ["cat", "dog", "European fire salamander, Salamandra salamandra"]
            model, _ = self.model("open_clip:small/shortest", classes=classes, imagenet=[-1, -1, 25], templates=name)
            expected = self.expected(images, ["cat", "dog", "fire salamander"], templates)
            np.testing.assert_allclose(self.scores_of(model, images.numpy()), expected, rtol=1e-4, atol=1e-4)

    def test_identity_covers_names_templates_and_weights(self):
        found = []
        for more in ({}, {}, {"classes": ["cat", "dog"]}, {"templates": ["the {}"]}, {"templates": ["the {}", "a photo of a {}."]}):
            found.append(self.model("open_clip:small/shortest", **more)[0].description.identity)
        self.assertEqual(found[0], found[1])
        self.assertEqual(len(set(found)), 4)

    def test_a_checkpoint_of_an_architecture(self):
        import torch

        file = self.folder / "tuned.pt"
        torch.save({"state_dict": {"module." + key: value for key, value in self.network.state_dict().items()}}, file)
        tuned, of_hub = self.model("open_clip:small/shortest", str(file))[0].description, self.model("open_clip:small/shortest")[0].description
        self.assertEqual(tuned.name, "tuned")
        self.assertEqual((tuned.identity, tuned.settings), (of_hub.identity, of_hub.settings))
        without_tag = self.model("open_clip:small", str(file))[0].description
        self.assertEqual(without_tag.settings["mean"], list(self.library.OPENAI_DATASET_MEAN))
        from assay._worker.wire import Refused

        torch.save({"visual.proj": self.network.visual.proj}, file)
        with self.assertRaisesRegex(Refused, "does not fit open_clip:small"):
            self.model("open_clip:small", str(file))

    def test_what_is_refused(self):
        from assay._worker.wire import Refused

        for source, code, *texts in (
            ("open_clip:smal/x", "bad_input", "has no model smal", "did you mean small"),
            ("open_clip:hf-hub:someone/x", "bad_input", "has no model hf-hub:someone"),
            ("open_clip:small/x", "bad_input", "small has no weights x", "shortest, squash, longest"),
            ("open_clip:small", "bad_input", "no weights without a name"),
            ("open_clip:ViT-B-32/openai", "bad_input", "QuickGELU", "type open_clip:ViT-B-32-quickgelu/openai"),
            ("open_clip:small/elsewhere", "io", "open_clip_model.safetensors is missing", "models--someone--absent", "hf download someone/absent"),
        ):
            with self.assertRaises(Refused) as caught:
                self.model(source)
            self.assertEqual(caught.exception.code, code, caught.exception.message)
            for text in texts:
                self.assertIn(text, caught.exception.message)
        with self.assertRaisesRegex(Refused, "no templates named other"):
            self.model("open_clip:small/shortest", templates="other")
        from assay._worker.zero_shot import settings_of

        config = {"size": (64, 96), "mean": (0, 0, 0), "std": (1, 1, 1), "resize_mode": "shortest", "interpolation": "bicubic"}
        with self.assertRaisesRegex(Refused, "resize_mode shortest to 64 x 96 pixels"):
            settings_of(config)
        self.assertEqual(settings_of({**config, "resize_mode": "squash"})["crop_mode"], "none")

    @unittest.skipUnless(PHOTOGRAPHS.is_dir(), f"SKIPPED: {PHOTOGRAPHS} is absent")
    def test_photographs_through_the_program(self):
        import torch
        from PIL import Image

        photographs = self.folder / "photographs"
        folders = sorted(path for path in PHOTOGRAPHS.iterdir() if path.is_dir())[::100]
        names = ["cat", "hot_dog", "owl", "tree"]
        for i, folder in enumerate(folders):
            shutil.copytree(folder, photographs / names[i % 4], dirs_exist_ok=True)
        # Newer versions of Pillow resize the rows of some upright images first, which changes bytes by up to 2.
        for file in [file for file in photographs.rglob("*") if file.is_file()]:
            with Image.open(file) as image:
                upright = image.height > image.width
            if upright:
                file.unlink()
        files = sorted(file for file in photographs.rglob("*") if file.is_file())
        self.assertGreater(len(files), 3)
        stores = assay.predict(
            [f"open_clip:small/{way}" for way in WAYS], photographs, self.folder / "runs", templates=["a photo of a {}.", "the {c}"],
            offline=True, device="cpu",
        )
        for way, store in zip(WAYS, stores):
            transform = self.library.image_transform(64, False, (0.5, 0.4, 0.3), (0.25, 0.5, 0.25), way, "bicubic")
            images = torch.stack([transform(Image.open(file).convert("RGB")) for file in files])
            expected = self.expected(images, ["cat", "hot dog", "owl", "tree"], ["a photo of a {}.", "the {}"])
            self.assertEqual(store.facts["model"], f"small-{way}")
            self.assertEqual([str(name) for name in store.ids], [str(file.relative_to(photographs)) for file in files])
            np.testing.assert_allclose(np.asarray(store.scores()), expected, rtol=1e-3, atol=2e-3)


if __name__ == "__main__":
    unittest.main()
