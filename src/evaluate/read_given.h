// What a user gives beside labels, read for one store.
#pragma once

#include <string>
#include <vector>

#include "assay/data/class_list.h"
#include "assay/evaluate/measure_options.h"
#include "assay/metric/given_truth.h"
#include "assay/store/prediction_store.h"

namespace assay {

/// Over the targets of `map` where there is one. `notes` get what was taken for what. Throws usage:
/// soft labels with a map; bad_input: classes that the hierarchy or the order has not, or that have
/// no names here, and as hierarchy_named() and read_class_list().
GivenTruth read_given_truth(const MeasureOptions& options, const PredictionStore& store,
                            const ClassMap* map, std::vector<std::string>& notes);

/// Takes the hierarchy, the order of the classes and the thresholds out of `options` if the classes
/// of the store are others. Returns a sentence for each, without a full stop. Throws as
/// hierarchy_named() and read_class_list(): a file that fits no classes at all.
std::vector<std::string> leave_out_misfits(MeasureOptions& options, const PredictionStore& store);

/// Throws bad_input: it is over other rows or classes.
void check_given_truth(const GivenTruth& given, std::size_t rows, std::size_t classes);

}  // namespace assay
