// Reads a user's data other than labels for one store.
#pragma once

#include <string>
#include <vector>

#include "assay/data/class_list.h"
#include "assay/evaluate/measure_options.h"
#include "assay/metric/given_truth.h"
#include "assay/store/prediction_store.h"

namespace assay {

/// The data refers to the targets of `map` if there is one. `notes` receives how it was
/// interpreted. Throws usage for soft labels with a map. Throws bad_input for classes that are
/// missing in the hierarchy or the order, or have no names here. Also throws as hierarchy_named()
/// and read_class_list() do.
GivenTruth read_given_truth(const MeasureOptions& options, const PredictionStore& store,
                            const ClassMap* map, std::vector<std::string>& notes);

/// Removes the hierarchy, the order of the classes and the thresholds from `options` if the store
/// has other classes. Returns a sentence for each, without a full stop. Throws as hierarchy_named()
/// and read_class_list() do for a file that matches no classes at all.
std::vector<std::string> leave_out_misfits(MeasureOptions& options, const PredictionStore& store);

/// Throws bad_input if the data is for other rows or classes.
void check_given_truth(const GivenTruth& given, std::size_t rows, std::size_t classes);

}  // namespace assay
