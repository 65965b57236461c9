"""Tunes glibc's allocator for networks, because layers allocate megabytes repeatedly and the system would clear new pages each time."""

from __future__ import annotations

_TRIM_THRESHOLD, _TOP_PAD, _MMAP_THRESHOLD = -1, -2, -3  # malloc.h
_LARGEST_MMAP_THRESHOLD = 32 << 20  # the most that glibc accepts


def tune_allocator() -> bool:
    """Keeps freed memory in the process. Returns False if the C library is not glibc."""
    import ctypes

    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError):
        return False
    done = [mallopt(_MMAP_THRESHOLD, _LARGEST_MMAP_THRESHOLD), mallopt(_TRIM_THRESHOLD, 1 << 30), mallopt(_TOP_PAD, 64 << 20)]
    return all(done)
