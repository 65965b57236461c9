"""Lines that users of other libraries type, from those libraries' documentation, adapted to Assay.

`line` has statements, of which the last is an expression. `value` is the expected value in NumPy (closed.py). `peer` is that of
the original library, if it is installed. `needs` lists packages that the line imports.
"""
import dataclasses


@dataclasses.dataclass
class Habit:
    page: str
    line: str
    value: str
    peer: str = ""
    needs: tuple = ()


class Refused:
    """The line has no meaning in Assay. The error names an alternative, and contains each of `texts`."""

    def __init__(self, *texts):
        self.texts = texts


SKLEARN = "scikit-learn.org/stable/modules/generated/sklearn.metrics."
GUIDE = "scikit-learn.org/stable/modules/model_evaluation.html"
TORCHMETRICS = "lightning.ai/docs/torchmetrics/stable/classification/"
TIMM = "huggingface.co/docs/timm/training_script: validate.py and timm.utils.accuracy"
HF = "huggingface.co/docs/transformers/tasks/image_classification"
EVALUATE = "huggingface.co/docs/evaluate/a_quick_tour"
LIGHTNING = "lightning.ai/docs/pytorch/stable/extensions/logging.html"
MLFLOW = "mlflow.org/docs/latest/ml/evaluation/model-eval"
TRACKING = "mlflow.org/docs/latest/ml/tracking"
ROBUSTBENCH = "github.com/RobustBench/robustbench: README, robustbench.utils.clean_accuracy"
CLEANLAB = "docs.cleanlab.ai/stable/cleanlab/filter.html"
RANK = "docs.cleanlab.ai/stable/cleanlab/rank.html"
HEALTH = "docs.cleanlab.ai/stable/cleanlab/dataset.html"

_SK = "__import__('sklearn.metrics').metrics."
_TM = "__import__('torchmetrics').functional.classification."
_T = "__import__('torch').tensor"

LINES = [
    # scikit-learn
    Habit(SKLEARN + "accuracy_score", "assay.score(labels, probs)['accuracy']", "(predicted == labels).mean()",
          _SK + "accuracy_score(labels, predicted)"),
    Habit(SKLEARN + "roc_auc_score", "assay.score(y_true=labels, y_score=probs, metrics='roc_auc_score')['roc_auc_score']",
          "macro_auroc(labels, probs)", _SK + "roc_auc_score(labels, probs, multi_class='ovr')"),
    Habit(SKLEARN + "balanced_accuracy_score", "assay.score(y_true=labels, y_pred=predicted)['balanced_accuracy']",
          "recall(labels, predicted).mean()", _SK + "balanced_accuracy_score(labels, predicted)"),
    Habit(SKLEARN + "f1_score", "assay.score(y_true=labels, y_pred=predicted, metrics='f1_macro')['f1_macro']",
          "f1(labels, predicted).mean()", _SK + "f1_score(labels, predicted, average='macro')"),
    Habit(SKLEARN + "log_loss", "assay.score(labels, probs, ['log_loss'])['log_loss']", "nll(labels, probs)", _SK + "log_loss(labels, probs)"),
    Habit(SKLEARN + "cohen_kappa_score", "assay.score(probs, labels, 'cohen_kappa_score')['cohen_kappa_score']", "kappa(labels, predicted)",
          _SK + "cohen_kappa_score(labels, predicted)"),
    Habit(SKLEARN + "roc_auc_score", "assay.score(y01, p1, 'roc_auc')['roc_auc']", "auroc(y01, p1)", _SK + "roc_auc_score(y01, p1)"),
    Habit(SKLEARN + "average_precision_score",
          "assay.score(y01, p1, 'binary_average_precision')['binary_average_precision']", "average_precision(y01, p1)",
          _SK + "average_precision_score(y01, p1)"),
    Habit(SKLEARN + "brier_score_loss", "assay.score(y_true=y01, y_prob=p1, metrics='binary_brier')['binary_brier']", "((p1 - y01) ** 2).mean()",
          _SK + "brier_score_loss(y01, p1)"),
    Habit(SKLEARN + "confusion_matrix", "assay.score(y_true=labels, y_pred=predicted).confusion_matrix()", "confusion(labels, predicted)",
          _SK + "confusion_matrix(labels, predicted)"),
    Habit(SKLEARN + "confusion_matrix", "assay.score(labels, probs).confusion_matrix(normalize='true')",
          "confusion(labels, predicted) / np.bincount(labels)[:, None]", _SK + "confusion_matrix(labels, predicted, normalize='true')"),
    Habit(SKLEARN + "classification_report", "assay.score(labels, probs).per_class()['precision']", "precision(labels, predicted)",
          _SK + "precision_score(labels, predicted, average=None)"),
    Habit(SKLEARN + "precision_recall_fscore_support", "assay.score(labels, probs).per_class()['f1']", "f1(labels, predicted)",
          _SK + "f1_score(labels, predicted, average=None)"),
    Habit(SKLEARN + "top_k_accuracy_score", "assay.score(labels, probs, 'top_k', k=2)['top2']", "topk(labels, probs, 2)",
          _SK + "top_k_accuracy_score(labels, probs, k=2)"),
    Habit(GUIDE, "f\"{assay.score(probs, labels)['accuracy']:.3f}\"", "f'{(predicted == labels).mean():.3f}'"),
    Habit(GUIDE, "assay.score(probs, labels)['accuracy'] > 0.5", "True"),
    Habit(GUIDE, "round(assay.score(probs, labels)['accuracy'], 3)", "round((predicted == labels).mean(), 3)"),
    Habit(SKLEARN + "accuracy_score", "assay.score(probs, labels, sample_weight=weights)['accuracy']", "np.average(predicted == labels, weights=weights)",
          _SK + "accuracy_score(labels, predicted, sample_weight=weights)"),
    Habit(SKLEARN + "accuracy_score", "assay.score(y_true=named, y_pred=np.array(names)[predicted])['accuracy']", "(predicted == labels).mean()"),
    Habit(SKLEARN + "ConfusionMatrixDisplay", "assay.score(labels, probs).plot('confusion_matrix')[:5]", "b'<?xml'"),
    Habit("scikit-learn.org/stable/modules/generated/sklearn.calibration.calibration_curve", "assay.score(labels, probs).plot('calibration_curve')[:5]",
          "b'<?xml'"),
    Habit(GUIDE, "import math; math.isclose(assay.score(probs, labels)['accuracy'], (predicted == labels).mean())", "True"),
    # torchmetrics
    Habit(TORCHMETRICS + "accuracy.html", "assay.score(preds=logits, target=labels, num_classes=4)['accuracy']", "(predicted == labels).mean()",
          _TM + f"multiclass_accuracy({_T}(logits), {_T}(labels), 4, average='micro')"),
    Habit(TORCHMETRICS + "accuracy.html", "m = assay.Metrics('accuracy', num_classes=4); m.update(logits, labels); m.compute()['accuracy']",
          "(predicted == labels).mean()"),
    Habit(TORCHMETRICS + "calibration_error.html", "assay.score(probs, labels, 'calibration_error', n_bins=10)['ece']",
          "Refused('bins= only applies to ece', 'metrics=')"),
    Habit(TORCHMETRICS + "calibration_error.html", "assay.score(probs, labels, 'ece', n_bins=10)['ece']", "ece(labels, probs, 10)",
          _TM + f"multiclass_calibration_error({_T}(probs), {_T}(labels), 4, n_bins=10)"),
    Habit(TORCHMETRICS + "f1_score.html", "assay.score(p1, y01, 'binary_f1')['binary_f1']",
          "2 * ((p1 > .5) & (y01 == 1)).sum() / ((p1 > .5).sum() + y01.sum())", _TM + f"binary_f1_score({_T}(p1), {_T}(y01))"),
    Habit(TORCHMETRICS + "f1_score.html", "assay.score(sigmoids, multi, 'multilabel_f1:empty=counted')['multilabel_f1']", "multilabel_f1(multi, sigmoids)",
          _TM + f"multilabel_f1_score({_T}(sigmoids), {_T}(multi), 4)"),
    Habit("lightning.ai/docs/torchmetrics/stable/pages/overview.html", "list(dict(assay.score(logits, labels, ['top1', 'f1', 'auroc'])))",
          "['top1', 'f1', 'auroc']"),
    Habit("lightning.ai/docs/torchmetrics/stable/pages/overview.html",
          "{name: float(value) for name, value in assay.score(logits, labels, 'top1').items()}", "{'top1': (predicted == labels).mean()}"),
    Habit(TORCHMETRICS + "confusion_matrix.html", "assay.score(preds=logits, target=labels).confusion_matrix()", "confusion(labels, predicted)",
          _TM + f"multiclass_confusion_matrix({_T}(logits), {_T}(labels), 4)"),
    Habit(TORCHMETRICS + "accuracy.html", "assay.score(logits, labels).per_class()['recall']", "recall(labels, predicted)",
          _TM + f"multiclass_accuracy({_T}(logits), {_T}(labels), 4, average=None)"),
    Habit(TORCHMETRICS + "accuracy.html", "assay.score(logits, np.where(labels == 3, -100, labels), ignore_index=-100)['accuracy']",
          "(predicted == labels)[labels != 3].mean()",
          _TM + f"multiclass_accuracy({_T}(logits), {_T}(np.where(labels == 3, -100, labels)), 4, average='micro', ignore_index=-100)"),
    Habit(TORCHMETRICS + "accuracy.html", "assay.score(logits, np.eye(4, dtype=int)[labels])['accuracy']", "(predicted == labels).mean()"),
    Habit(TORCHMETRICS + "auroc.html", "assay.score(p1, y01 == 1, 'binary_auroc')['binary_auroc']", "auroc(y01, p1)",
          _TM + f"binary_auroc({_T}(p1), {_T}(y01))"),
    # timm
    Habit(TIMM, "[100 * assay.score(logits, labels, 'topk', topk=(1, 2))[name] for name in ('top1', 'top2')]",
          "[100 * topk(labels, logits, k) for k in (1, 2)]"),
    Habit(TIMM, "assay.score(logits, labels)['acc1']", "(predicted == labels).mean()"),
    Habit(TIMM, "import json; json.loads(json.dumps(dict(assay.score(logits, labels, 'top1'))))", "{'top1': (predicted == labels).mean()}"),
    Habit(TIMM, "1 - assay.score(logits, labels)['top1']", "(predicted != labels).mean()"),
    Habit(TIMM, "{**assay.score(logits, labels, 'top1,nll')}", "{'top1': (predicted == labels).mean(), 'nll': nll(labels, probs)}"),
    # Hugging Face
    Habit(HF, "assay.compute_metrics('accuracy,f1')(eval_pred)", "{'accuracy': (predicted == labels).mean(), 'f1': f1(labels, predicted).mean()}"),
    Habit(HF, "predictions, references = eval_pred; dict(assay.score(predictions, references, 'accuracy'))", "{'top1': (predicted == labels).mean()}"),
    Habit(EVALUATE, "assay.score(predictions=predicted, references=labels)['accuracy']", "(predicted == labels).mean()"),
    Habit(EVALUATE, "dict(assay.score(references=labels, predictions=predicted, metrics=['accuracy', 'f1']))",
          "{'top1': (predicted == labels).mean(), 'f1': f1(labels, predicted).mean()}"),
    Habit(HF, "assay.score(logits, named, classes=dict(enumerate(names)))['accuracy']", "(predicted == labels).mean()"),
    # Lightning
    Habit(LIGHTNING, "log = {}; log.update(assay.score(logits, labels, 'top1,f1')); log",
          "{'top1': (predicted == labels).mean(), 'f1': f1(labels, predicted).mean()}"),
    Habit(LIGHTNING, "{f'val/{name}': value for name, value in assay.score(logits, labels, 'top1').items()}",
          "{'val/top1': (predicted == labels).mean()}"),
    Habit(LIGHTNING, "import numbers; isinstance(assay.score(logits, labels)['top1'], numbers.Number)", "True"),
    Habit(LIGHTNING, "from collections.abc import Mapping; isinstance(assay.score(logits, labels), Mapping)", "True"),
    # MLflow
    Habit(TRACKING, "{name: type(value + 0) for name, value in dict(assay.score(logits, labels, 'top1')).items()}", "{'top1': float}"),
    Habit(TRACKING, "len(dict(assay.score(logits, labels))) == len(assay.score(logits, labels))", "True"),
    Habit(MLFLOW, "f\"Accuracy: {assay.score(logits, labels)['accuracy_score']:.1%}\"", "f'Accuracy: {(predicted == labels).mean():.1%}'"),
    Habit(TRACKING, "assay.score(logits, labels).to_pandas().set_index('metric').loc['top1', 'value']", "(predicted == labels).mean()", needs=("pandas",)),
    # RobustBench
    Habit(ROBUSTBENCH, "report = assay.score({'clean': logits, 'robust': weaker}, labels); report['clean', 'accuracy'] - report['robust', 'accuracy']",
          "(predicted == labels).mean() - (weaker.argmax(1) == labels).mean()"),
    Habit(ROBUSTBENCH, "sorted(assay.score({'clean': logits, 'robust': weaker}, labels, 'top1'))", "[('clean', 'top1'), ('robust', 'top1')]"),
    Habit(ROBUSTBENCH, "assay.score(logits, labels)['accuracy'].interval.low < assay.score(logits, labels)['accuracy']", "True"),
    # cleanlab
    Habit(CLEANLAB, "assay.score(labels=labels, pred_probs=probs)['accuracy']", "(predicted == labels).mean()"),
    Habit(RANK, "assay.Store.of(probs, labels).columns()['label_probability']", "probs[np.arange(240), labels]",
          "__import__('cleanlab.rank').rank.get_label_quality_scores(labels, probs, adjust_pred_probs=False)"),
    Habit(HEALTH, "assay.score(labels=labels, pred_probs=probs, classes=names).per_class()['class']", "np.array(names)"),
    Habit("fairlearn.org/main/user_guide/assessment/perform_fairness_assessment.html",
          "assay.score(logits, labels, groups=camera).by_group('accuracy')['indoor']", "(predicted == labels)[camera == 'indoor'].mean()"),
]
