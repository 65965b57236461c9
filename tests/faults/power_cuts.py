"""A separate disk for a command (an ext4 image on a loop device), and its contents after a power cut.

The image holds the data that the file system has written to its device, without data that are only in memory. A copy is made right
after the command is killed, and mounted again. It is the disk after a power cut: the journal is replayed, and data that were not
synchronized are lost. Not tested: a device that loses acknowledged data, or writes parts of a sector.
"""

import os
import shutil
import subprocess
import threading
from pathlib import Path

# Finding and using a free loop device are two steps. Another thread may take the device in between.
mounting = threading.Lock()


class Disk:
    """A folder `place` on a separate file system, for root only."""

    def __init__(self, folder: Path, mib=32):
        self.image, self.crash, self.place = folder / "disk", folder / "crash", folder / "mounted"
        self.place.mkdir()
        self.mounted = False
        with open(self.image, "wb") as file:
            file.truncate(mib << 20)
        self.call("mkfs.ext4", "-q", "-F", "-b", "4096", self.image)

    def __enter__(self):
        self.mount()
        return self

    def __exit__(self, *_):
        self.unmount()

    def call(self, *words):
        subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True, timeout=60)

    def mount(self):
        with mounting:
            self.call("mount", "-t", "ext4", "-o", "loop", self.image, self.place)
        self.mounted = True

    def unmount(self):
        if self.mounted:
            self.call("umount", self.place)
        self.mounted = False

    def keep(self):
        """Saves the current disk for restore()."""
        self.unmount()
        shutil.copyfile(self.image, self.image.with_suffix(".kept"))
        self.mount()

    def restore(self):
        self.unmount()
        shutil.copyfile(self.image.with_suffix(".kept"), self.image)
        self.mount()

    def cut_power(self):
        shutil.copyfile(self.image, self.crash)
        self.unmount()
        os.replace(self.crash, self.image)
        self.mount()


def why_not(folder: Path):
    """Why such a disk is impossible here. None if a cut loses exactly the data that were not synchronized."""
    if os.geteuid() != 0:
        return "only root may mount a disk"
    try:
        with Disk(folder) as disk:
            disk.keep()
            kept = disk.place / "kept"
            with open(kept, "w") as file:
                file.write("kept" * 5000)
                file.flush()
                os.fsync(file.fileno())
            os.sync()
            (disk.place / "lost").write_text("lost" * 5000)
            disk.cut_power()
            if not kept.exists() or kept.read_text() != "kept" * 5000:
                return "what was synchronised is lost"
            lost = disk.place / "lost"
            if lost.exists() and lost.read_text() == "lost" * 5000:
                return "nothing is lost: this is no power cut"
            disk.restore()
            return "a disk cannot be restored" if kept.exists() else None
    except (OSError, subprocess.SubprocessError) as error:
        return f"{error} {getattr(error, 'stderr', '') or ''}".strip()
