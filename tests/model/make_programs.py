#!/usr/bin/python3
"""Makes models of fixtures/ whose code also writes and read files of the current folder.

Needs PyTorch 1.13, like make_models.py, whose classes have the same weights here.
"""
import os

import torch
from make_models import OUT, Cnn, made, slim


class WritesFile(Cnn):
    """The model creates a file, maps it into memory and changes it."""

    def forward(self, x):
        numbers = torch.from_file("written_by_a_model", True, 16, dtype=torch.float32)
        numbers.fill_(1.0)
        return self.fc(self.features(x)) + numbers.sum() * 0


class SavesFile(Cnn):
    """The model ignores the error if the file cannot be opened."""

    def forward(self, x):
        torch.save(x, "written_by_a_model")
        return self.fc(self.features(x))


class ReadsFile(Cnn):
    """The scores are numbers from another file."""

    def forward(self, x):
        numbers = torch.from_file("secret", False, 5, dtype=torch.float32)
        return self.fc(self.features(x)) * 0 + numbers


class Prints(Cnn):
    def forward(self, x):
        print("a model's own words")
        return self.fc(self.features(x))


def main():
    for name, kind in [("writes_file.pt", WritesFile), ("saves_file.pt", SavesFile), ("reads_file.pt", ReadsFile),
                       ("prints.pt", Prints)]:
        torch.jit.script(made(kind)).save(os.path.join(OUT, name))
        slim(os.path.join(OUT, name))


if __name__ == "__main__":
    main()
