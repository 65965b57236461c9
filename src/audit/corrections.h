// Labels with the confirmed corrections, and the effect of the corrections.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "assay/audit/audit.h"
#include "audit/checked_labels.h"
#include "audit/combined.h"

namespace assay::audit {

/// The id of a class, or its number if classes have no ids.
std::string class_id(const Dataset& dataset, std::int32_t cls);

/// True if people said that the given label of a row is wrong.
bool is_wrong(const CheckedLabel& checked, std::int32_t given);

/// Accuracies with the given labels and with the corrected ones, both without the images whose
/// label is wrong and has no confirmed class.
std::vector<CorrectedModel> corrected_models(
    std::span<const RowReader> readers, const LabelledRows& labelled,
    const std::vector<std::vector<std::int32_t>>& predicted, const CheckedLabels& checked,
    double level);

/// csv of all images, as label_sets_text() writes it. Images whose label is wrong without a
/// confirmed class have no label. Throws io, and bad_input as label_sets_text().
void write_corrected(const std::filesystem::path& file, const Dataset& dataset,
                     const CheckedLabels& checked);
/// csv of questions, two for each label: does the image show the given class, and the suggested
/// one? `rows`: of the data set, by label. Throws io.
void write_questions(const std::filesystem::path& file, const Dataset& dataset,
                     const std::vector<SuspectLabel>& labels,
                     const std::vector<std::uint64_t>& rows);

}  // namespace assay::audit
