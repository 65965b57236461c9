"""A typical PyTorch script with a DataLoader, which saves scores with numpy. It is the baseline of bench/predict.py.

usage: pytorch_predict.py MODEL FOLDER OUT.npy SIZE RESIZE FILTER MEAN STD BATCH WORKERS [THREADS]
MODEL: a TorchScript file; an .onnx file, which ONNX Runtime runs; or NAME=WEIGHTS.pth, a network of torchvision.
MEAN and STD: one number, or three with commas.
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


def numbers(text):
    """An array of one number or three, to compute with channels."""
    return torch.tensor([float(word) for word in text.split(",")]).reshape(-1, 1, 1)


def opened(model):
    if model.endswith(".onnx"):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = torch.get_num_threads()
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        name = session.get_inputs()[0].name
        return lambda x: torch.from_numpy(session.run(None, {name: x.numpy()})[0])
    if "=" in model:
        import torchvision

        name, weights = model.split("=", 1)
        net = getattr(torchvision.models, name)(weights=None)
        net.load_state_dict(torch.load(weights, weights_only=True))
        return net.eval()
    return torch.jit.freeze(torch.jit.load(model).eval())


def main():
    model, folder, out = sys.argv[1:4]
    size, resize = int(sys.argv[4]), int(sys.argv[5])
    interpolation = getattr(Image, sys.argv[6].upper())
    mean, std = numbers(sys.argv[7]), numbers(sys.argv[8])
    batch, workers = int(sys.argv[9]), int(sys.argv[10])
    if len(sys.argv) > 11:
        torch.set_num_threads(int(sys.argv[11]))
    net = opened(model)
    loader = DataLoader(Images(folder, size, resize, interpolation, mean, std), batch_size=batch, num_workers=workers)
    with torch.inference_mode():
        scores = torch.cat([net(x) for x in loader])
    np.save(out, scores.numpy())


if __name__ == "__main__":
    main()
