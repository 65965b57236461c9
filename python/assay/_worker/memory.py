"""glibc's allocator for networks: layers ask for megabytes again and again, and each time the system would clear new pages."""

from __future__ import annotations

_TRIM_THRESHOLD, _TOP_PAD, _MMAP_THRESHOLD = -1, -2, -3  # malloc.h
_LARGEST_MMAP_THRESHOLD = 32 << 20  # what glibc takes at most


def tune_allocator() -> bool:
    """Lets freed memory stay with the process. False where the C library is not glibc."""
    import ctypes

    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError):
        return False
    done = [mallopt(_MMAP_THRESHOLD, _LARGEST_MMAP_THRESHOLD), mallopt(_TRIM_THRESHOLD, 1 << 30), mallopt(_TOP_PAD, 64 << 20)]
    return all(done)
