// Includes what most users of the library need: data sets and classifiers, stored predictions, what
// is computed from them, and reports. Other headers have the rest.
//
//   assay/model/train.h: training.
//   assay/annotation/aggregate_votes.h, label_stats.h, propose.h: from votes to label sets,
//       statistics of label sets, questions for annotators.
//   assay/patchml/patchml.h: composites with a known number of objects.
//   assay/robustness/corruption.h, corrupted_versions.h, corrupt_dataset.h, corrupted_accuracy.h:
//       common corruptions of images, data sets under them, accuracy on those.
//   assay/evaluate/predict_corrupted.h: predictions under corruptions without such data sets.
//   assay/evaluate/cost.h: what classifiers hold and compute, and the memory and time they take.
//   assay/quality/measure.h, role.h, people.h: nine quality dimensions from stored predictions.
//   assay/quality/quba.h, correlate.h, groups.h, choose.h: tables of quality dimensions.
//   assay/replication/steps.h: studies of replicated data sets.
#pragma once

#include "assay/collective/comm.h"
#include "assay/data/class_list.h"
#include "assay/data/dataset.h"
#include "assay/data/label_sets.h"
#include "assay/data/sample.h"
#include "assay/error.h"
#include "assay/estimate.h"
#include "assay/evaluate/about.h"
#include "assay/evaluate/check.h"
#include "assay/evaluate/compare.h"
#include "assay/evaluate/export.h"
#include "assay/evaluate/gap.h"
#include "assay/evaluate/gate.h"
#include "assay/evaluate/listing.h"
#include "assay/evaluate/measure_options.h"
#include "assay/evaluate/model_trial.h"
#include "assay/evaluate/ood.h"
#include "assay/evaluate/people.h"
#include "assay/evaluate/predict.h"
#include "assay/evaluate/score.h"
#include "assay/evaluate/show.h"
#include "assay/evaluate/until.h"
#include "assay/image/image.h"
#include "assay/image/preprocess.h"
#include "assay/metric/measurement.h"
#include "assay/metric/metric.h"
#include "assay/model/classifier.h"
#include "assay/model/model_spec.h"
#include "assay/progress.h"
#include "assay/report.h"
#include "assay/store/import.h"
#include "assay/store/prediction_store.h"
#include "assay/store/row_reader.h"
#include "assay/store/verify.h"
#include "assay/version.h"
