// Reads FiftyOne's exports of classifications.
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

/// FiftyOneImageClassificationDataset: {"classes": [names] or null, "labels": {image: label}}. A
/// label is null, or a class's position in "classes", or its name if "classes" is null. It may also
/// be {"label": one of these, "confidence": a number or null}. The text must outlive this object.
class FiftyOneLabels {
public:
    /// If `told` gives classes, the file's classes are looked up in it by name. Throws bad_input.
    FiftyOneLabels(std::string_view text, const ClassList& told);

    /// the given list, or the file's own list
    const ClassList& classes() const noexcept { return classes_; }
    /// The class of a label, which must not be null. Throws bad_input.
    std::int32_t class_of(const JsonReader& label) const;
    /// Adds the image's name to errors of `visit`.
    void for_each(
        const std::function<void(const std::string& image, const JsonReader& label)>& visit) const;

private:
    std::string_view text_;
    ClassList classes_;
    std::vector<std::int32_t> places_;  ///< for the file's own classes: their positions in
                                        ///< `classes_`
};
bool is_fiftyone_labels(const JsonOutline& outline);

/// Reads labels as predictions.
ScoreSource read_fiftyone_labels(std::string_view text, const SourceOptions& options);

/// samples.json of a FiftyOneDataset: {"samples": [{"filepath", field: {"_cls": "Classification",
/// "label", "confidence", "logits"}}]}. The field of predictions is options.array, or the only
/// field besides ground_truth (or a similar name). Logits must be in the order of options.classes
/// and agree with the label.
ScoreSource read_fiftyone_samples(std::string_view text, const SourceOptions& options);

}  // namespace assay::store
