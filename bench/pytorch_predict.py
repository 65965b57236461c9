"""What people do today: a PyTorch script with a DataLoader, scores saved with numpy. The baseline of bench/predict.py.

usage: pytorch_predict.py MODEL.pt FOLDER OUT.npy SIZE RESIZE FILTER MEAN STD BATCH WORKERS [THREADS]
"""
import pathlib
import sys

import numpy as np
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    def __init__(self, folder, size, resize, interpolation, mean, std):
        self.files = sorted(p for p in pathlib.Path(folder).rglob("*") if p.suffix.lower() in {".jpeg", ".jpg", ".png"})
        self.size, self.resize, self.interpolation, self.mean, self.std = size, resize, interpolation, mean, std

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        image = Image.open(self.files[index]).convert("RGB")
        w, h = image.size
        if w <= h:
            w, h = self.resize, int(self.resize * h / w)
        else:
            w, h = int(self.resize * w / h), self.resize
        image = image.resize((w, h), self.interpolation)
        left, top = round((w - self.size) / 2.0), round((h - self.size) / 2.0)
        image = image.crop((left, top, left + self.size, top + self.size))
        x = torch.from_numpy(np.asarray(image).copy()).permute(2, 0, 1).float().div(255)
        return (x - self.mean) / self.std


def main():
    model, folder, out = sys.argv[1:4]
    size, resize = int(sys.argv[4]), int(sys.argv[5])
    interpolation = getattr(Image, sys.argv[6].upper())
    mean, std = float(sys.argv[7]), float(sys.argv[8])
    batch, workers = int(sys.argv[9]), int(sys.argv[10])
    if len(sys.argv) > 11:
        torch.set_num_threads(int(sys.argv[11]))
    net = torch.jit.freeze(torch.jit.load(model).eval())
    loader = DataLoader(Images(folder, size, resize, interpolation, mean, std), batch_size=batch, num_workers=workers)
    with torch.inference_mode():
        scores = torch.cat([net(x) for x in loader])
    np.save(out, scores.numpy())


if __name__ == "__main__":
    main()
