"""Reports inside common training loops and trackers: Trainer of transformers, Lightning, MLflow. A test is skipped if its package
is missing."""
import importlib.util
import os
import sys
import unittest

import numpy as np

import assay
from common import InFolder, made

CLASSES = 4


def needs(*names):
    missing = [name for name in names if importlib.util.find_spec(name) is None]
    return unittest.skipIf(missing, f"SKIPPED: {sys.executable} has no {', '.join(missing)}")


class Trainers(InFolder):
    def setUp(self):
        super().setUp()
        scores, labels = made(200, CLASSES)
        self.x, self.y = scores, np.maximum(labels, 0)

    @needs("torch", "transformers", "accelerate")
    def test_trainer_of_transformers(self):
        import torch
        from transformers import Trainer, TrainingArguments

        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = torch.nn.Linear(CLASSES, CLASSES)

            def forward(self, x=None, labels=None):
                logits = self.layer(x)
                return {"loss": torch.nn.functional.cross_entropy(logits, labels), "logits": logits}

        data = [{"x": torch.tensor(x), "labels": int(y)} for x, y in zip(self.x, self.y)]
        net = Net()
        trainer = Trainer(
            net, TrainingArguments(str(self.folder), report_to=[], use_cpu=True, disable_tqdm=True), train_dataset=data, eval_dataset=data,
            compute_metrics=assay.compute_metrics("accuracy,f1,auroc"),
        )
        found = trainer.evaluate()
        with torch.no_grad():
            expected = assay.score(net.layer(torch.tensor(self.x)), self.y, "accuracy,f1,auroc")
        for name in ("accuracy", "f1", "auroc"):
            self.assertAlmostEqual(found[f"eval_{name}"], expected[name].value, 6)

    @needs("torch", "lightning")
    def test_log_dict_of_lightning(self):
        import lightning
        import torch

        reports = []

        class Net(lightning.LightningModule):
            def __init__(self):
                super().__init__()
                self.layer, self.metrics = torch.nn.Linear(CLASSES, CLASSES), assay.Metrics("top1,nll,ece")

            def validation_step(self, batch, _):
                self.metrics.update(self.layer(batch[0]), batch[1])

            def on_validation_epoch_end(self):
                reports.append(self.metrics.compute())
                self.log_dict(reports[-1])
                self.metrics.reset()

        data = torch.utils.data.TensorDataset(torch.tensor(self.x), torch.tensor(self.y))
        trainer = lightning.Trainer(
            accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False,
            num_sanity_val_steps=0, default_root_dir=self.folder,
        )
        trainer.validate(Net(), torch.utils.data.DataLoader(data, batch_size=64), verbose=False)
        self.assertEqual(set(trainer.callback_metrics), {"top1", "nll", "ece"})
        self.assertEqual(reports[0]["top1"].n, 200)
        for name, value in trainer.callback_metrics.items():
            self.assertAlmostEqual(float(value), reports[0][name].value, 6)

    @needs("mlflow")
    def test_metrics_of_mlflow(self):
        os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
        import mlflow

        report = assay.score(self.x, self.y)
        client = mlflow.MlflowClient(f"sqlite:///{self.folder / 'mlflow.db'}")
        run = client.create_run(client.create_experiment("test", str(self.folder / "files"))).info.run_id
        for name, value in dict(report).items():
            client.log_metric(run, name, value)
        found = client.get_run(run).data.metrics
        self.assertEqual(found, {name: value.value for name, value in report.items()})


if __name__ == "__main__":
    unittest.main()
