"""Makes small.pt and tiny.pt: two classifiers for the images of the end-to-end tests.

usage: train.py TRAINING_FOLDER        (shape_images TRAINING_FOLDER 500 2)
They are committed, so that the tests need no Python.
"""
import pathlib
import sys

import numpy as np
import torch
from PIL import Image
from torch import nn

SIDE = 48
HERE = pathlib.Path(__file__).parent


def images(folder):
    kinds = sorted(p.name for p in folder.iterdir())
    files = [(f, k) for k, kind in enumerate(kinds) for f in sorted((folder / kind).iterdir())]
    x = np.stack([np.asarray(Image.open(f).convert("RGB").resize((SIDE, SIDE), Image.BILINEAR)) for f, _ in files])
    x = torch.from_numpy(x).permute(0, 3, 1, 2).float().div(255).sub(0.5).div(0.25)
    return x, torch.tensor([k for _, k in files])


def network(width):
    def block(a, b):
        return [nn.Conv2d(a, b, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(b), nn.ReLU()]

    return nn.Sequential(nn.Conv2d(3, width, 5, padding=2, bias=False), nn.BatchNorm2d(width), nn.ReLU(),
                         *block(width, width), *block(width, 2 * width), *block(2 * width, 2 * width),
                         nn.AdaptiveMaxPool2d(1), nn.Flatten(), nn.Linear(2 * width, 6))


def train(model, x, y, epochs):
    optimiser = torch.optim.Adam(model.parameters(), lr=3e-3)
    for _ in range(epochs):
        order = torch.randperm(len(x))
        for i in range(0, len(x), 64):
            rows = order[i : i + 64]
            batch = x[rows]
            if torch.rand(1) < 0.5:
                batch = batch.flip(3)
            loss = nn.functional.cross_entropy(model(batch), y[rows])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    return model.eval()


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    x, y = images(pathlib.Path(sys.argv[1]))
    for name, width, epochs in (("small", 16, 14), ("tiny", 8, 6)):
        model = train(network(width), x, y, epochs)
        torch.jit.freeze(torch.jit.script(model)).save(str(HERE / f"{name}.pt"))
        accuracy = (model(x).argmax(1) == y).float().mean().item()
        print(f"{name}: training accuracy {accuracy:.3f}")


if __name__ == "__main__":
    main()
