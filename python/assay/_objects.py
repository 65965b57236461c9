"""Models that are objects in this process. The program is started with an open descriptor for each of them."""

from __future__ import annotations

import os
import re
import socket
import threading
import warnings
from typing import Any, Optional

from ._library import Error
from ._worker.models import Model
from ._worker.objects import Given, model_of
from ._worker.serve import Server
from ._worker.wire import Refused

# Options that describe an object. Other options are passed to the command.
KEYS = (*Given.KEYS, "tune_allocator")
_OPTION = re.compile(r"(-m|--model|--arch|assay \w+) process:\d+")
HUBS = ("timm", "torchvision", "hf", "open_clip")  # the hubs, as in timm:NAME
LISTS = ("mean", "std", "input_size")


def _is_text(model: Any) -> bool:
    return isinstance(model, (str, os.PathLike))


class Served:
    """The models of one call. Use it as a context: objects answer the program until it is done.

    words: the command-line arguments for the models. models: the objects of this process, or None for a model that is given by name.
    names: the keys of a dictionary of models. descriptors: those that the program inherits.
    """

    def __init__(self, models: Any, options: "dict[str, Any]"):
        self.words: "list[str]" = []
        self.called: "dict[str, str]" = {}  # the name of each object, by the argument that stands for it
        self.models: "list[Optional[Model]]" = []
        self.texts: "list[Optional[str]]" = []
        self._kept: "list[Model]" = []
        self.descriptors: "list[int]" = []
        self._servers: "list[Server]" = []
        self._threads: "list[threading.Thread]" = []
        names: "Optional[list[str]]" = None
        if isinstance(models, dict):
            names = [str(name) for name in models]
            if "name" in options:
                raise Error("the dictionary names the models: omit name=")
            values = list(models.values())
        else:
            values = list(models) if isinstance(models, (list, tuple)) else [models]
        if not values:
            raise Error("no models were given")
        given = {key: options.pop(key) for key in KEYS if key in options}
        for key in LISTS:
            if isinstance(options.get(key), (list, tuple)):
                options[key] = ",".join(map(str, options[key]))
        if given and all(map(_is_text, values)):
            raise Error(f"{', '.join(f'{key}=' for key in given)} only applies to model objects, but every model here is a file or a name")
        if given.pop("tune_allocator", False):
            from ._worker.memory import tune_allocator

            tune_allocator()
        self._options = options
        self._files: Any = None
        self._values = values
        self._names = names
        self._given = given

    def __enter__(self) -> "Served":
        try:
            if isinstance(self._options.get("templates"), (list, tuple)):
                from ._given_files import Files

                self._files = Files()
                self._options["templates"] = self._files.lines_of(self._options["templates"])
            for i, value in enumerate(self._values):
                self._add(value, i)
            self._refuse_equal_names()
        except Refused as error:
            self.__exit__()
            raise Error(error.message, error.code)
        except BaseException:
            self.__exit__()
            raise
        for name in self._names or ():
            self.words += ["--name", name]
        return self

    def __exit__(self, *_: Any) -> None:
        try:
            self.release()
            for server in self._servers:
                server.stop()
            for thread in self._threads:
                thread.join(2)
        finally:  # also after a second Ctrl-C
            if self._files is not None:
                self._files.__exit__()
            for server in self._servers:
                if server.idle():
                    server.model.__exit__()
                else:  # leaving evaluation mode now would change the scores of a running batch and the statistics of batch norms
                    name = server.model.description.name
                    warnings.warn(f"{name}: a batch is still being computed: the model stays in evaluation mode", RuntimeWarning, stacklevel=2)
            self._servers, self._threads = [], []
            for model in self._kept:
                model.__exit__()
            self._kept = []

    def keep(self, model: Model) -> None:
        """Enters the context of a model in this process; it is closed when this context ends."""
        self._kept.append(model.__enter__())

    @property
    def names(self) -> "Optional[list[str]]":
        return self._names

    def release(self) -> None:
        """Closes this process's copies of the program's descriptors, so that it notices when the program ends."""
        for descriptor in self.descriptors:
            os.close(descriptor)
        self.descriptors = []

    @property
    def error(self) -> Optional[BaseException]:
        """The first exception of a model."""
        return next((server.error for server in self._servers if server.error is not None), None)

    @property
    def models_as_words(self) -> "list[str]":
        return [word for flag, word in zip(self.words, self.words[1:]) if flag == "--model"]

    def is_pattern(self, i: int) -> bool:
        """Whether a text is a pattern for several models: timm:resnet*."""
        kind, _, name = (self.texts[i] or "").partition(":")
        return kind in HUBS and any(c in name for c in "*?[")

    def named(self, text: str) -> str:
        """Replaces the numbers of objects by their names in a text of the program. Nobody can type a number, so commands show
        MODEL."""
        text = _OPTION.sub(r"\1 MODEL", text)
        for word, name in self.called.items():
            text = re.sub(rf"{word}\b", lambda _: name, text)  # noqa: B023
        own = [server.model.description.name for server in self._servers]
        for name, given in zip(own, self.called.values()):  # the program's names for them, after it has asked
            shown = given if own.count(name) == 1 else name
            text = re.sub(rf"process:{re.escape(name)}(?![\w.-])", lambda _: shown, text)  # noqa: B023
        return text

    def named_error(self, error: Error) -> Error:
        """The first error of the models, with the model's name if there are several."""
        message, notes = self.named(error.message), [self.named(note) for note in error.notes]
        if len(self._values) > 1:
            failed = {name for server, name in zip(self._servers, self.called.values()) if server.failure and server.failure in error.message}
            if len(failed) == 1 and not any(f"`{name}`" in text or text.endswith(f" {name}") for name in failed for text in (message, *notes)):
                message = f"{failed.pop()}: {message}"
        return Error(message, error.code, notes)

    def _of_model(self, i: int) -> "dict[str, Any]":
        """The options for model i. An option that is a dictionary by model names has one value for each model."""
        of_one = {}
        for key, value in self._given.items():
            if self._names is not None and isinstance(value, dict) and value and set(value) <= set(self._names):
                if self._names[i] in value:
                    of_one[key] = value[self._names[i]]
            else:
                of_one[key] = value
        return of_one

    def _add(self, value: Any, i: int) -> None:
        if _is_text(value):
            self.words += ["--model", os.fspath(value)]
            self.models.append(None)
            self.texts.append(os.fspath(value))
            return
        try:
            model = model_of(value, given=Given(self._of_model(i)))
        except Refused as error:
            if len(self._values) == 1:
                raise
            name = self._names[i] if self._names is not None else f"model {i + 1} of {len(self._values)} ({type(value).__name__})"
            raise Refused(f"{name}: {error.message}", error.code)
        self.models.append(model)
        self.texts.append(None)
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.descriptors.append(theirs.detach())
        self.words += ["--model", f"process:{self.descriptors[-1]}"]
        self.called[self.words[-1]] = self._names[i] if self._names is not None else model.description.name
        self._servers.append(Server(model.__enter__(), ours))
        thread = threading.Thread(target=self._servers[-1].run, name="assay-model", daemon=True)
        self._threads.append(thread)
        thread.start()

    def _refuse_equal_names(self) -> None:
        names = [server.model.description.name for server in self._servers]
        twice = sorted({name for name in names if names.count(name) > 1})
        if self._names is None and twice:
            raise Error(f"two models are named {twice[0]}: pass a dictionary, {{\"a\": net, \"b\": other}}")


__all__ = ["HUBS", "KEYS", "LISTS", "Served"]
