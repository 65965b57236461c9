"""Decides whether a model may be downloaded, and announces downloads."""

from __future__ import annotations

import os
import sys
from typing import Any, Callable
from urllib.parse import urlsplit

from .wire import Refused

Say = Callable[[str], None]
_YES = ("1", "on", "yes", "true")
_NO_ENTRY = ("EntryNotFoundError", "RemoteEntryNotFoundError")  # of huggingface_hub: the repository exists, but the file does not


def is_offline() -> bool:
    """Whether ASSAY_OFFLINE, HF_HUB_OFFLINE or TRANSFORMERS_OFFLINE is set."""
    return any(os.environ.get(name, "").lower() in _YES for name in ("ASSAY_OFFLINE", "HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"))


def close_network() -> None:
    """Makes this process offline: sets the environment for libraries, and refuses any connection."""
    os.environ["HF_HUB_OFFLINE"] = os.environ["TRANSFORMERS_OFFLINE"] = "1"

    def watch(event: str, arguments: "tuple[Any, ...]") -> None:
        if event in ("socket.getaddrinfo", "socket.gethostbyname"):
            raise Refused(f"offline: a look-up of {arguments[0]} was refused", "unreachable")
        if event == "socket.connect" and isinstance(arguments[1], tuple):
            raise Refused(f"offline: a connection to {arguments[1][0]} was refused", "unreachable")

    sys.addaudithook(watch)


def size_text(size: "int | None") -> str:
    if size is None:
        return "an unknown size"
    return f"{size / 1e9:.2f} GB" if size >= 1e9 else f"{size / 1e6:.1f} MB"


def refuse_download(what: str, file: str, place: str, command: str) -> None:
    """Raises Refused if it is offline, with the missing file, its place, and the command that fetches it."""
    if is_offline():
        raise Refused(f"{what} is not in the cache, and this run is offline: {file} is missing in {place}; fetch it with `{command}`", "io")


def host_of(url: str) -> str:
    return urlsplit(url).netloc or url


def size_at(url: str) -> "int | None":
    """The size of a file on a server; None if unknown."""
    import urllib.request

    try:
        with urllib.request.urlopen(urllib.request.Request(url, method="HEAD"), timeout=20) as answer:
            return int(answer.headers["Content-Length"])
    except (OSError, ValueError, TypeError):
        return None


class Repository:
    """A repository of a Hugging Face hub, in the cache of huggingface_hub."""

    def __init__(self, name: str, library: str, say: Say):
        self.name, _, revision = name.partition("@")
        self.revision = revision or None
        self._library = library
        self._say = say

    def _cached(self, file: str) -> "str | bool":
        """Its path; True if the hub is known to have none; False if unknown."""
        from huggingface_hub import try_to_load_from_cache

        try:
            found = try_to_load_from_cache(self.name, file, revision=self.revision)
        except Exception as error:  # not a valid name
            raise Refused(f"{self.name} is not the name of a repository on a hub: {error}", "usage")
        return found if isinstance(found, str) else found is not None

    def _cache_folder(self) -> str:
        from huggingface_hub.constants import HF_HUB_CACHE

        return os.path.join(str(HF_HUB_CACHE), "models--" + self.name.replace("/", "--"))

    def prepare(self, needed: "tuple[str, ...]", weights: "tuple[str, ...]", optional: "tuple[str, ...]" = ()) -> None:
        """Announces downloads of needed and optional files, and of the first of `weights` that exists.

        Raises Refused if it is offline or the repository does not exist.
        """
        missing = [file for file in needed if not self._cached(file)]
        no_weights = not any(isinstance(self._cached(file), str) for file in weights)
        if no_weights:
            missing.append(weights[0])
        if missing:
            refuse_download(f"{self.name}", " and ".join(missing), self._cache_folder(), f"hf download {self.name}")
        if is_offline():
            return
        asked = weights if no_weights else (*missing, *(file for file in optional if not self._cached(file)))
        from huggingface_hub import get_hf_file_metadata, hf_hub_url

        last: "Exception | None" = None
        for file in asked:
            try:
                url = hf_hub_url(self.name, file, revision=self.revision)
                facts = get_hf_file_metadata(url, timeout=20)
                more = ", and the files that it lists" if file.endswith(".index.json") else ""
                self._say(f"{self._library} downloads {file} of {self.name}: {size_text(facts.size)} from {host_of(url)}{more}")
                return
            except Exception as error:
                last = error
                if type(error).__name__ not in _NO_ENTRY:
                    break
        if missing:
            raise refused_by_hub(self.name, last)


def refused_by_hub(name: str, error: "Exception | None") -> Refused:
    """Explains a hub's answer: no such repository, restricted access, or no answer."""
    kind, text = type(error).__name__, " ".join(str(error).split())[:400]
    if kind in ("RepositoryNotFoundError", "RevisionNotFoundError", *_NO_ENTRY):
        return Refused(f"the hub has no {name}: check the spelling, and that you are logged in (`hf auth login`)? ({text})", "bad_input")
    if kind == "GatedRepoError":
        return Refused(f"{name} is restricted by its owner: request access on its page, then run `hf auth login` ({text})", "bad_input")
    return Refused(f"{name} cannot be fetched: {kind}: {text}", "unreachable")
