// What FiftyOne exports of classifications.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/data/class_list.h"
#include "core/json_events.h"
#include "core/json_reader.h"
#include "store/score_source.h"

namespace assay::store {

/// FiftyOneImageClassificationDataset: {"classes": [names] or null, "labels": {image: label}},
/// where a label is a class's place in "classes", or without these its name, or null, or {"label":
/// either, "confidence": a number or null}. The text must outlive this.
class FiftyOneLabels {
public:
    /// Where classes are `told`, the file's are found among them by name. Throws bad_input.
    FiftyOneLabels(std::string_view text, const ClassList& told);

    /// `told`, or the file's own.
    const ClassList& classes() const noexcept { return classes_; }
    /// Of a label that is not null. Throws bad_input.
    std::int32_t class_of(const JsonReader& label) const;
    /// Errors of `visit` get the image's name.
    void for_each(
        const std::function<void(const std::string& image, const JsonReader& label)>& visit) const;

private:
    std::string_view text_;
    ClassList classes_;
    std::vector<std::int32_t> places_;  ///< of the file's own classes, in `classes_`
};
bool is_fiftyone_labels(const JsonOutline& outline);

/// Labels as predictions.
ScoreSource read_fiftyone_labels(std::string_view text, const SourceOptions& options);

/// samples.json of a FiftyOneDataset: {"samples": [{"filepath", field: {"_cls": "Classification",
/// "label", "confidence", "logits"}}]}. The field of predictions is options.array, or the only one
/// beside ground_truth (or another name of truths); logits are in the order of options.classes, and
/// must say what the label says.
ScoreSource read_fiftyone_samples(std::string_view text, const SourceOptions& options);

}  // namespace assay::store
