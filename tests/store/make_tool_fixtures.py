"""Writes fixtures/tools/: the predictions of one classifier in files of scikit-learn, Keras, torchmetrics, transformers, pandas and
NumPy.

The versions that wrote the files are in docs/formats.md. tools_test.cpp reads the files. Needs: scikit-learn, pandas, pyarrow,
polars, joblib, keras (KERAS_BACKEND=torch), torch, torchmetrics, transformers, h5py, datasets.
"""
import json
import os
import pathlib
import shutil

os.environ.setdefault("KERAS_BACKEND", "torch")

import h5py
import joblib
import keras
import numpy as np
import pandas as pd
import polars
import torch
import torchmetrics
from PIL import Image
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import classification_report

out = pathlib.Path(__file__).parent / "fixtures" / "tools"
out.mkdir(parents=True, exist_ok=True)
CLASSES = ["cat", "dog", "emu"]
ROWS = 12
random = np.random.default_rng(1)
y = np.arange(ROWS) % 3
x = random.normal(size=(ROWS, 4)) + 2 * np.eye(3, 4)[y]
names = [f"img_{i:02}.jpg" for i in range(ROWS)]

# scikit-learn gives the results of predict_proba(), predict() and the metrics, saved by NumPy, pandas and joblib.
model = LogisticRegression().fit(x, np.array(CLASSES)[y])
proba = model.predict_proba(x)
np.save(out / "sklearn_proba.npy", proba)
np.savez(out / "sklearn.npz", y_score=proba, y_true=y)
np.savetxt(out / "sklearn_proba.txt", proba)
np.savetxt(out / "sklearn_proba_header.txt", proba, header=" ".join(model.classes_))
np.savetxt(out / "sklearn_labelled.txt", np.column_stack([y, proba]))
np.savetxt(out / "sklearn_proba.csv", proba, delimiter=",")
np.savetxt(out / "sklearn_predict.txt", model.predict(x), fmt="%s")
np.save(out / "sklearn_predict.npy", model.predict(x))
joblib.dump(proba, out / "sklearn_proba.joblib")
(out / "sklearn_report.json").write_text(json.dumps(classification_report(np.array(CLASSES)[y], model.predict(x), output_dict=True)))

# pandas, in each of its forms.
table = pd.DataFrame(proba, columns=model.classes_)
table.insert(0, "filename", names)
table["label"] = np.array(CLASSES)[y]
table.to_csv(out / "pandas.csv", index=False)
table.to_csv(out / "pandas_index.csv")
table.to_csv(out / "pandas.csv.gz", index=False)
table.to_csv(out / "pandas.tsv", index=False, sep="\t")
table.to_csv(out / "pandas_excel.csv", index=False, sep=";", decimal=",", encoding="utf-8-sig")
table.to_parquet(out / "pandas.parquet", index=False)
table.to_pickle(out / "pandas.pkl")
table.to_feather(out / "pandas.feather")
table.astype({"label": "category"}).to_feather(out / "pandas_category.feather", compression="zstd")
polars.from_pandas(table).write_ipc(out / "polars.arrow", compression="lz4")
polars.from_pandas(table.astype({"label": "category"})).write_ipc_stream(out / "polars_stream.arrow", compression="zstd")
for orient in ["records", "split", "index", "columns", "values", "table"]:
    table.to_json(out / f"pandas_{orient}.json", orient=orient, double_precision=15)
table.to_json(out / "pandas_lines.jsonl", orient="records", lines=True, double_precision=15)
scores = table[CLASSES]
for orient in ["records", "index", "columns", "values", "split"]:
    scores.to_json(out / f"pandas_scores_{orient}.json", orient=orient, double_precision=15)
scores.set_axis(names).to_json(out / "pandas_named_columns.json", orient="columns", double_precision=15)
scores.set_axis(names).to_json(out / "pandas_named_index.json", orient="index", double_precision=15)

# Keras gives the result of predict() and the log of fit(), and h5py writes both to HDF5.
keras.utils.set_random_seed(1)
net = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3, activation="softmax")])
net.compile(loss="sparse_categorical_crossentropy", metrics=["accuracy"])
net.fit(x, y, epochs=2, verbose=0, callbacks=[keras.callbacks.CSVLogger(str(out / "keras_log.csv"))])
predicted = np.asarray(net.predict(x, verbose=0))
np.save(out / "keras_predict.npy", predicted)
pd.DataFrame(predicted).to_csv(out / "keras_predict.csv")
pd.DataFrame({"Filename": names, "Predictions": np.array(CLASSES)[predicted.argmax(1)]}).to_csv(out / "keras_results.csv", index=False)
with h5py.File(out / "keras_predict.h5", "w") as file:
    file["predictions"] = predicted
    file["labels"] = y
    file["filenames"] = names
net.save_weights(out / "keras.weights.h5")

# torchmetrics gives the state and the result of a metric.
metric = torchmetrics.classification.MulticlassAUROC(3, thresholds=None)
metric.update(torch.from_numpy(proba).float(), torch.from_numpy(y))
preds, target = torch.cat(metric.preds), torch.cat(metric.target)
np.savez(out / "torchmetrics.npz", preds=preds.numpy(), target=target.numpy())
torch.save({"preds": preds, "target": target}, out / "torchmetrics.pt")
collection = torchmetrics.MetricCollection([torchmetrics.classification.MulticlassAccuracy(3), metric])
(out / "torchmetrics_compute.json").write_text(json.dumps({name: float(value) for name, value in collection(preds, target).items()}))

# transformers gives the output of a pipeline for a list of images.
from transformers import ViTConfig, ViTForImageClassification, ViTImageProcessor, pipeline

torch.manual_seed(1)
config = ViTConfig(hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8, image_size=8, patch_size=4,
                   id2label=dict(enumerate(CLASSES)), label2id={c: i for i, c in enumerate(CLASSES)}, initializer_range=1.0)
classify = pipeline("image-classification", model=ViTForImageClassification(config).eval(),
                    image_processor=ViTImageProcessor(size={"height": 8, "width": 8}))
images = [Image.fromarray(random.integers(0, 256, (8, 8, 3), dtype=np.uint8)) for _ in range(ROWS)]
(out / "transformers_all.json").write_text(json.dumps(classify(images, top_k=None)))
(out / "transformers_best.json").write_text(json.dumps(classify(images, top_k=2)))
