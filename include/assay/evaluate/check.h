// Checks whether a classifier, its preprocessing and a data set fit together (`assay check`).
//
// A sample of labelled images goes through the classifier as its description says, and in incorrect
// ways that are common in practice. A finding is reported as a fault, with its counts, only if it
// is unlikely to be chance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/data/dataset.h"
#include "assay/model/classifier.h"
#include "assay/progress.h"
#include "assay/report.h"

namespace assay {

struct Finding {
    enum class Severity {
        ok,       ///< checked, and nothing was found
        note,     ///< the check was not conclusive, or found something worth knowing
        warning,  ///< probably incorrect
        error,    ///< results would be incorrect
    };
    Severity severity = Severity::ok;
    std::string id;      ///< stable, "classes.order"
    std::string title;   ///< one line
    std::string detail;  ///< the measured values
    std::string advice;  ///< the recommended action, or ""
};
std::string_view name_of(Finding::Severity);

struct CheckOptions {
    std::size_t sample = 128;  ///< images that go through the classifier
    int threads = 0;           ///< 0 means one thread per core
    std::uint64_t seed = 0;    ///< seed of the choice of images
    std::size_t batch = 16;
    bool decode_all = false;  ///< read every image of the data set, not only the sample
    bool geometry = true;     ///< also try other interpolations and crops (notes only)
    /// The level at which a finding is called a fault. P values are Holm-adjusted over the
    /// alternatives of a check.
    double level = 0.01;
    /// Opens the classifier again for another input size, so that other sizes can be tried (each
    /// costs a run of the sample). If it is empty, the size is not checked.
    std::function<std::unique_ptr<Classifier>(const ModelSpec&)> reopen;
};

/// Explains why a classifier cannot be opened at its input size although it can be opened at
/// another usual size. The finding is the error pixels.size, which names that size. Returns nothing
/// if it opens at no usual size.
std::optional<Finding> refused_size(const ModelSpec& spec, const CheckOptions& options,
                                    std::string_view why);

/// A data set that was opened for a check, and the findings from opening it.
struct DataToCheck {
    Dataset dataset;
    std::vector<Finding> findings;
};
/// Opens a folder with the classifier's classes (`options.classes`). If the folder has other
/// classes, it is opened without classes, and the error data.classes says so. For any other reason,
/// throws as open_dataset() does. `notes` are the same as there.
DataToCheck open_to_check(const std::filesystem::path& folder, const DatasetOptions& options,
                          std::vector<std::string>* notes = nullptr);

/// Returns findings in a fixed order, one or more for each check. The ids:
///
/// * `data.classes`: whether class counts of classifier, description and data set agree; classes
///   without images.
/// * `data.labels`: images without labels.
/// * `data.images`: images that cannot be read.
/// * `outputs.finite`: NaN or infinity in the scores. If no image has finite scores, order and
///   pixels are not judged.
/// * `outputs.constant`: the same prediction for every image.
/// * `outputs.kind`: logits, probabilities, sigmoids or log-probabilities against the description;
///   softmax of softmax.
/// * `classes.order`: accuracy under the given order of classes against other orders that occur,
///   and against chance.
/// * `pixels.values`: mean, std, scale and channel order against usual ones.
/// * `pixels.size`: the input size against usual ones (with `reopen`).
/// * `pixels.geometry`: interpolation and crop against usual ones.
/// * `batch.repeat`: the same batch twice gives the same scores.
/// * `batch.neighbours`: scores of an image do not depend on other images in its batch or on its
///   place.
///
/// The findings are the same for any number of threads. Progress names each step before it begins.
/// Throws the classifier's errors, and bad_input for an empty data set.
std::vector<Finding> check_model(Classifier& classifier, const ModelSpec& spec,
                                 const Dataset& dataset, const CheckOptions& options = {},
                                 const ProgressCallback& callback = {});
/// The same check, with the findings from opening the data set first.
std::vector<Finding> check_model(Classifier& classifier, const ModelSpec& spec, DataToCheck data,
                                 const CheckOptions& options = {},
                                 const ProgressCallback& callback = {});

/// The findings for one classifier on one data set.
struct CheckedPair {
    std::string model, dataset;
    std::vector<Finding> findings;
};
/// Returns true if results would be incorrect: a finding is an error.
bool any_fault(std::span<const CheckedPair> pairs);
/// The report has a section per pair, then counts. Its records are the findings. JSON:
/// assay.check/1.
Report report_of(std::span<const CheckedPair> pairs);

}  // namespace assay
