// Writes the texts of a set: its truth, its labels.csv, and annotations of boxes.
#pragma once

#include <string>
#include <vector>

#include "demo/world/recipe.h"
#include "demo/world/sets.h"

namespace assay::world {

/// Rows of the truth and of labels.csv, collected in the order of the images.
class SetText {
public:
    void add(const Recipe& recipe, const std::vector<Seen>& seen);
    void append(const SetText& next);
    std::string truth_csv() const;
    /// `kind` must not be none.
    std::string labels_csv(LabelsCsv kind) const;

private:
    std::string truth_, labels_, cues_;
};

/// PASCAL-VOC XML in ILSVRC's form. Corners count from 0, and both belong to the box.
std::string annotation(const Recipe& recipe, const std::vector<Seen>& seen);
/// Returns a path such as "Annotations/multi_00012.xml".
std::string annotation_path(const Recipe& recipe);

}  // namespace assay::world
