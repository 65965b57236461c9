// What --labels gives to each data set that a command reads: FILE goes to every data set whose
// images it is about, NAME=FILE to the data set NAME alone.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "assay/evaluate/measure_options.h"
#include "assay/store/prediction_store.h"
#include "store/label_fit.h"

namespace assay {

/// "FILE", or "NAME=FILE" where no file is called so as a whole.
struct LabelsText {
    std::string name;  ///< of a data set, with * and ? as in file names; "": not given
    std::filesystem::path file;
};
/// Throws usage: no name or no file beside the sign; bad_input: nothing is there.
LabelsText parse_labels(const std::string& text);
/// The same of files that are no labels; `what` they are stands in messages: "votes".
LabelsText parse_named_file(const std::string& text, std::string_view what);

/// Whether a data set is called so: by its name, or by an end of its folder ("runs/val"), with *
/// and ? for any letters.
bool is_called(const PredictionStore& store, const std::string& name);

/// The files are read once for each data set, and each data set gets one file or its own labels.
class GivenLabels {
public:
    GivenLabels() = default;
    /// For the data sets of `stores`. Throws usage: a name that is no data set's or that two data
    /// sets have, two files for one data set, a file that every data set has another one in place
    /// of, a file without a name that is about two data sets whose images are others or not known
    /// to be the same; bad_input: a named file that is not about its data set, a file that is about
    /// none.
    GivenLabels(const std::vector<std::string>& given,
                std::span<const PredictionStore* const> stores,
                store::SoftFiles soft = store::SoftFiles::refused,
                const store::LabelTableColumns& columns = {});
    /// `measure.labels`, of which some may be soft.
    GivenLabels(const MeasureOptions& measure, std::span<const PredictionStore* const> stores)
        : GivenLabels(measure.labels, stores,
                      measure.label_votes ? store::SoftFiles::votes : store::SoftFiles::taken,
                      {measure.image_column, measure.label_column, true}) {}

    /// With what the data set of this store gets in the place of `labels`.
    MeasureOptions measure_for(const MeasureOptions& measure, const PredictionStore& store) const;

    /// A line for each data set: what it gets. A warning where a file is about other images too, or
    /// not about all of them, or does not fit.
    const std::vector<std::string>& notes() const { return notes_; }
    const std::vector<std::string>& warnings() const { return warnings_; }

private:
    struct Choice {
        std::filesystem::path file;  ///< "": its own labels
        store::LabelFit fit;
    };
    class Deciding;

    std::vector<Choice> choices_;
    std::map<std::string, std::size_t> choice_of_;  ///< by key_of() the store
    std::vector<std::string> notes_, warnings_;
};

}  // namespace assay
