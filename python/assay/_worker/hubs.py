"""Models by name: timm:NAME, torchvision:NAME, hf:NAME, open_clip:NAME, python:FILE.py:NAME, and checkpoints of such architectures.

Each library finds and loads its weights in its own cache. Before a download, `say` gets the file, its size and its host.
"""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import os
import sys
from typing import Any, Callable, Optional

from . import preprocessing
from .models import Model
from .objects import Given, model_of, safe_name
from .offline import Repository, Say, host_of, is_offline, refuse_download, refused_by_hub, size_at, size_text
from .wire import Names, Refused

SAFE, PICKLED = "model.safetensors", "pytorch_model.bin"
INDEX = ".index.json"  # the extension of weights in several files


# Packages whose name for pip differs from the name that Python imports.
_REGISTERED = {"open_clip": "open_clip_torch", "PIL": "pillow"}


def package(name: str, also: str = "torch") -> Any:
    """Imports a module by name. Raises Refused if this Python does not have it or cannot import it."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        missing = (error.name or name).split(".")[0]
        names = {*also.split(), name.split(".")[0], missing}
        wanted = " ".join(sorted({_REGISTERED.get(one, one) for one in names}))
        raise Refused(
            f"{sys.executable} has no package {missing}: `{sys.executable} -m pip install {wanted}`, or name another Python: "
            "ASSAY_PYTHON=/path/to/python", "usage",
        )
    except (ImportError, OSError, RuntimeError) as error:
        raise Refused(f"{sys.executable} cannot import {name}: {type(error).__name__}: {' '.join(str(error).split())[:300]}", "usage")


def nearest(word: str, known: "list[str]") -> str:
    found = difflib.get_close_matches(word, known, n=3)
    return f"; did you mean {', '.join(found)}?" if found else ""


class Source:
    """One way to name a model. `classes`: build an architecture without weights, for this number of classes (None: its own number)."""

    prefix = ""

    def __init__(self, name: str, say: Say, ask: "Optional[Callable[[], Names]]" = None):
        """ask: the source of class names for a model that needs them; None if there is none."""
        self.name = name
        self.say = say
        self.ask = ask
        if not name:
            raise Refused(f"{self.prefix}: is followed by a name, for example {self.prefix}:{self.example}", "usage")

    example = ""

    def pretrained(self) -> Model:
        raise NotImplementedError

    def architecture(self, classes: Optional[int]) -> Any:
        """Builds a module whose weights are not set yet."""
        raise NotImplementedError

    def head(self) -> str:
        """The name of the parameter whose first side is the number of classes; "" if unknown."""
        return ""

    def given(self) -> Given:
        """The preprocessing for a module that does not define it."""
        return Given()

    def made(self, module: Any, name: str) -> Model:
        """Builds a model from an architecture with its weights."""
        return model_of(module, name, self.given(), self.prefix, True)


class Timm(Source):
    prefix, example = "timm", "resnet18.a1_in1k"

    def _create(self, **options: Any) -> Any:
        timm = package("timm")
        try:
            return timm.create_model(self.name, **options)
        except Refused:
            raise
        except RuntimeError as error:
            if "Unknown model" in str(error) or "Invalid pretrained tag" in str(error):
                raise Refused(f"timm {timm.__version__} has no model {self.name}{nearest(self.name, timm.list_models() + timm.list_pretrained())}")
            raise Refused(f"timm cannot make {self.name}: {error}")

    def pretrained(self) -> Model:
        timm = package("timm")
        hub = self.name.partition("hf-hub:")[2] or self.name.partition("hf_hub:")[2]
        if hub:
            Repository(hub, "timm", self.say).prepare(("config.json",), (SAFE, PICKLED))
        else:
            self._prepare(timm)
        try:
            module = self._create(pretrained=True)
        except Refused:
            raise
        except Exception as error:
            raise refused_by_hub(self.name, error)
        module.float()  # some models are published as halves
        return model_of(module, safe_name(hub.rsplit("/", 1)[-1]) if hub else "", format="timm", movable=True)

    def _config(self) -> Any:
        """The pretrained_cfg of the name, without building the model; None if timm does not know it."""
        from timm.models import get_pretrained_cfg

        try:
            return get_pretrained_cfg(self.name, allow_unregistered=False)
        except (RuntimeError, KeyError):
            return None

    def _prepare(self, timm: Any) -> None:
        config = self._config()
        if config is None:
            known = timm.list_models() + timm.list_pretrained()
            raise Refused(f"timm {timm.__version__} has no model {self.name}{nearest(self.name, known)}")
        if config.state_dict or config.file:
            return
        if config.hf_hub_id:
            file = config.hf_hub_filename
            weights = (file,) if file else (SAFE, PICKLED)
            Repository(config.hf_hub_id, "timm", self.say).prepare((), weights)
        elif config.url:
            prepare_url(config.url, "timm", self.name, self.say)
        else:
            raise Refused(f"timm has the architecture {self.name}, but no weights of it: name a checkpoint and --arch timm:{self.name}")

    def architecture(self, classes: Optional[int]) -> Any:
        return self._create(pretrained=False, **({} if classes is None else {"num_classes": classes}))

    def head(self) -> str:
        package("timm")
        config = self._config()
        classifier = getattr(config, "classifier", None)
        return f"{classifier}.weight" if isinstance(classifier, str) else ""


def prepare_url(url: str, library: str, name: str, say: Say, folder: str = "") -> None:
    """Weights in a library's folder; "" for those of torch.hub."""
    torch = package("torch")
    file = os.path.basename(url)
    folder = folder or os.path.join(torch.hub.get_dir(), "checkpoints")
    if os.path.isfile(os.path.join(folder, file)):
        return
    refuse_download(f"the model {name}", file, folder, f"curl -o {os.path.join(folder, file)} {url}")
    say(f"{library} downloads {file} of {name}: {size_text(size_at(url))} from {host_of(url)}")


class Torchvision(Source):
    prefix, example = "torchvision", "resnet50 or torchvision:resnet50.IMAGENET1K_V1"

    def _split(self) -> "tuple[Any, str, str]":
        models = package("torchvision.models", "torch torchvision")
        name, _, tag = self.name.partition(".")
        if name not in models.list_models():
            raise Refused(f"torchvision has no model {name}{nearest(name, models.list_models())}")
        if name not in models.list_models(module=models):
            raise Refused(f"torchvision's {name} is not an image classifier")
        return models, name, tag

    def _weights(self) -> Any:
        models, name, tag = self._split()
        known = list(models.get_model_weights(name))
        for weights in known:
            if weights.name == (tag or models.get_model_weights(name).DEFAULT.name):
                return weights
        raise Refused(f"torchvision's {name} has no weights {tag}; it has {', '.join(w.name for w in known) or 'none'}")

    def pretrained(self) -> Model:
        models, name, _ = self._split()
        weights = self._weights()
        prepare_url(weights.url, "torchvision", name, self.say)
        try:
            module = models.get_model(name, weights=weights)
        except Exception as error:
            raise refused_by_hub(name, error)
        model = model_of(module, f"{name}.{weights.name}", Given({"weights": weights}), "torchvision", True)
        names = list(weights.meta.get("categories", ()))
        if names and len(names) != 1000:  # ImageNet's classes have the ids of their folders (WordNet) here
            model.description.settings["classes"] = {"names": names}
        return model

    def architecture(self, classes: Optional[int]) -> Any:
        models, name, _ = self._split()
        options: "dict[str, Any]" = {} if classes is None else {"num_classes": classes}
        return models.get_model(name, weights=None, **options)

    def given(self) -> Given:
        models, name, tag = self._split()
        return Given({"weights": self._weights()}) if tag else Given()


class HuggingFace(Source):
    prefix, example = "hf", "google/vit-base-patch16-224"

    def pretrained(self) -> Model:
        transformers = package("transformers")
        package("torch")
        name, _, revision = self.name.partition("@")
        if not os.path.isdir(name):
            Repository(self.name, "transformers", self.say).prepare(
                ("config.json",), (SAFE, SAFE + INDEX, PICKLED, PICKLED + INDEX), ("preprocessor_config.json",)
            )
        options: "dict[str, Any]" = {"revision": revision} if revision else {}
        options["trust_remote_code"] = False
        if is_offline():
            options["local_files_only"] = True
        try:
            module = transformers.AutoModelForImageClassification.from_pretrained(name, **options)
        except Refused:
            raise
        except ValueError as error:
            raise Refused(f"{name} is not an image classifier of transformers {transformers.__version__}: "
                f"{' '.join(str(error).split())[:300]}")
        except Exception as error:
            raise refused_by_hub(name, error)
        module.float()  # some models are published as halves
        model = model_of(module, safe_name(os.path.basename(name.rstrip("/"))), format="transformers", movable=True)
        self._processor(transformers, name, options, model)
        return model

    def _processor(self, transformers: Any, name: str, options: "dict[str, Any]", model: Model) -> None:
        try:
            processor = transformers.AutoImageProcessor.from_pretrained(name, **options)
        except Exception as error:
            model.description.notes.append(f"{name} has no image processor that defines the preprocessing "
                f"({' '.join(str(error).split())[:200]})")
            return
        model.description.image_processor, model.description.processor_notes = preprocessing.of_processor(processor)

    def architecture(self, classes: Optional[int]) -> Any:
        transformers = package("transformers")
        name, _, revision = self.name.partition("@")
        options: "dict[str, Any]" = {"revision": revision} if revision else {}
        options["trust_remote_code"] = False
        if classes is not None:
            options["num_labels"] = classes
        if is_offline():
            options["local_files_only"] = True
        try:
            config = transformers.AutoConfig.from_pretrained(name, **options)
        except Exception as error:
            raise refused_by_hub(name, error)
        return transformers.AutoModelForImageClassification.from_config(config, trust_remote_code=False).float()


class OpenClip(Source):
    """ARCH/PRETRAINED: becomes a classifier with the class names and templates of the command."""

    prefix, example = "open_clip", "ViT-B-32/laion2b_s34b_b79k"

    def _split(self) -> "tuple[Any, str, str]":
        library = package("open_clip")
        arch, _, tag = self.name.partition("/")
        if arch not in library.list_models():  # names of other hubs and folders are not supported
            raise Refused(f"open_clip {library.__version__} has no model {arch}{nearest(arch, library.list_models())}")
        return library, arch, tag

    def _config(self, library: Any, arch: str, tag: str) -> "dict[str, Any]":
        config: "dict[str, Any]" = library.get_pretrained_cfg(arch, tag)
        if not config:
            known = library.list_pretrained_tags_by_model(arch)
            raise Refused(
                f"open_clip's {arch} has no weights {tag or 'without a name'}; write open_clip:{arch}/ and one of {', '.join(known) or 'none'}"
            )
        if config.get("quick_gelu") and not (library.get_model_config(arch) or {}).get("quick_gelu"):
            raise Refused(
                f"the weights {tag} were trained with another activation (QuickGELU) than open_clip's {arch} has: "
                f"type open_clip:{arch}-quickgelu/{tag}"
            )
        return config

    def _prepare(self, arch: str, config: "dict[str, Any]") -> None:
        if config.get("file"):
            return
        if config.get("hf_hub"):
            repository, file = os.path.split(config["hf_hub"])
            file = file or "open_clip_pytorch_model.bin"
            safe = "open_clip_model.safetensors" if file == "open_clip_pytorch_model.bin" else os.path.splitext(file)[0] + ".safetensors"
            Repository(repository, "open_clip", self.say).prepare((), (safe, file))
        else:
            prepare_url(config.get("url", ""), "open_clip", self.name, self.say, os.path.expanduser("~/.cache/clip"))

    def _prepare_texts(self, library: Any, arch: str) -> None:
        """Files of a tokenizer and a text network that come from another repository."""
        texts = library.get_model_config(arch).get("text_cfg", {})
        tokenizer, network = texts.get("hf_tokenizer_name"), texts.get("hf_model_name")
        if tokenizer:
            files = ("tokenizer.json", "spiece.model", "sentencepiece.bpe.model", "vocab.txt", "vocab.json")
            Repository(tokenizer, "open_clip", self.say).prepare((), files)
        if network and network != tokenizer:
            Repository(network, "open_clip", self.say).prepare((), ("config.json",))

    def _create(self, library: Any, arch: str, **options: Any) -> Any:
        try:
            return library.create_model(arch, pretrained_text=False, **options)
        except Refused:
            raise
        except Exception as error:
            raise refused_by_hub(self.name, error)

    def _names(self) -> Names:
        if self.ask is None:
            raise Refused(f"{self.prefix}:{self.name} needs class names, which only the program can provide", "usage")
        return self.ask()

    def pretrained(self) -> Model:
        library, arch, tag = self._split()
        config = self._config(library, arch, tag)
        names = self._names()
        self._prepare(arch, config)
        self._prepare_texts(library, arch)
        module = self._create(library, arch, pretrained=tag, require_pretrained=True)
        return self._zero_shot(module, safe_name(f"{arch}-{tag}"), names)

    def architecture(self, classes: Optional[int]) -> Any:
        library, arch, tag = self._split()
        config = self._config(library, arch, tag) if tag else {}
        self._prepare_texts(library, arch)
        images = {key: config[key] for key in ("mean", "std", "interpolation", "resize_mode") if config.get(key)}
        return self._create(library, arch, force_preprocess_cfg=images)

    def made(self, module: Any, name: str) -> Model:
        return self._zero_shot(module, name, self._names())

    def _zero_shot(self, network: Any, name: str, names: Names) -> Model:
        from .zero_shot import classifier_of, settings_of

        library, arch, _ = self._split()
        settings = settings_of(network.visual.preprocess_cfg)
        try:
            tokenizer = library.get_tokenizer(arch)
        except Exception as error:
            raise refused_by_hub(self.name, error)
        module, identity = classifier_of(library, network, tokenizer, names, self.say)
        model = model_of(module, name, format="open_clip", movable=True)
        model.description.identity = identity
        model.description.settings = settings
        model.description.libraries.append(f"open_clip {library.__version__}")
        return model


class PythonFile(Source):
    """FILE.py:NAME: a module, a function that returns one, or a function from a batch to scores."""

    prefix, example = "python", "net.py:make_model"

    def _object(self) -> Any:
        file, _, name = self.name.rpartition(":")
        if not file or not name:
            raise Refused(f"python:{self.name}: write python:FILE.py:NAME, the file and the name of a module or a function in it", "usage")
        if not os.path.isfile(file):
            raise Refused(f"no file {file} (python:{self.name})")
        sys.path.insert(0, os.path.dirname(os.path.abspath(file)))
        spec = importlib.util.spec_from_file_location("assay_model_" + os.path.splitext(os.path.basename(file))[0].replace("-", "_"), file)
        if spec is None or spec.loader is None:
            raise Refused(f"{file} is not a Python file")
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        if not hasattr(module, name):
            known = [key for key, value in vars(module).items() if callable(value) and not key.startswith("_")]
            raise Refused(f"{file} has no {name}{nearest(name, known) or ('; it has ' + ', '.join(known[:12]) if known else '')}")
        return getattr(module, name)

    def _made(self) -> Any:
        import inspect

        value = self._object()
        if inspect.isclass(value) or (callable(value) and not hasattr(value, "parameters") and not _needs_arguments(value)):
            settings = getattr(value, "assay_settings", None)
            value = value()
            if settings is not None and not hasattr(value, "assay_settings"):
                value.assay_settings = settings
        return value

    def pretrained(self) -> Model:
        return model_of(self._made(), safe_name(self.name.rpartition(":")[2]), format="python", movable=True)

    def architecture(self, classes: Optional[int]) -> Any:
        return self._made()


def _needs_arguments(function: Any) -> bool:
    """Whether a call without arguments fails, so that it takes a batch."""
    import inspect

    try:
        inspect.signature(function).bind()
    except TypeError:
        return True
    except ValueError:
        return True
    return False


SOURCES = {source.prefix: source for source in (Timm, Torchvision, HuggingFace, OpenClip, PythonFile)}


def source_of(text: str, say: Say, ask: "Optional[Callable[[], Names]]" = None) -> Source:
    prefix, colon, name = text.partition(":")
    if colon and prefix in ("huggingface", "transformers"):
        prefix = "hf"
    if not colon or prefix not in SOURCES:
        raise Refused(f"{text}: a model in Python is named by {', '.join(f'{p}:NAME' for p in SOURCES)}", "usage")
    if prefix != "python" and any(c in name for c in "*?["):
        raise Refused(f"{text} is a pattern, but one model is needed here: `--model \"{text}\" --draw-models N` draws N of its models", "usage")
    return SOURCES[prefix](name, say, ask)


def open_source(text: str, checkpoint: Optional[str], say: Say, ask: "Optional[Callable[[], Names]]" = None) -> Model:
    """The model that a text names. With a checkpoint: the architecture of that name with the file's weights, or `onnxruntime` with an ONNX
    file."""
    if text == "onnxruntime" and checkpoint is not None:
        from .onnx_files import OnnxModel

        return OnnxModel(checkpoint)
    source = source_of(text, say, ask)
    if not isinstance(source, PythonFile):  # overrides the libraries' own defaults: pickled code in a file is never run
        os.environ.pop("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", None)
        os.environ["TORCH_FORCE_WEIGHTS_ONLY_LOAD"] = "1"
    if checkpoint is None:
        return source.pretrained()
    from .checkpoints import loaded

    return loaded(source, checkpoint)
