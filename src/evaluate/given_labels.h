// The labels from --labels for each data set that a command reads. FILE is used for every data set
// that has its images, NAME=FILE only for the data set NAME.
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

/// "FILE", or "NAME=FILE" if no file has the whole text as its name.
struct LabelsText {
    std::string name;  ///< name of a data set, with * and ? as in file names; "" if not given
    std::filesystem::path file;
};
/// Throws usage if the name or the file is empty; bad_input if the file does not exist.
LabelsText parse_labels(const std::string& text);
/// The same for other files than labels; `what` is their name in messages: "votes".
LabelsText parse_named_file(const std::string& text, std::string_view what);

/// True if the text is the data set's name, or a suffix of its folder ("runs/val"), where * and ?
/// match any letters.
bool is_called(const PredictionStore& store, const std::string& name);

/// Each data set uses one file or its own labels. The files are read once per data set.
class GivenLabels {
public:
    GivenLabels() = default;
    /// Assigns files to the data sets of `stores`. Throws usage for a name that no data set or two
    /// data sets have, two files for one data set, and a file that other files replace for every
    /// data set. Throws usage for a file without a name that is about two data sets whose images
    /// are not known to be equal. Throws bad_input for a named file that is not about its data set,
    /// and for a file that is about none.
    GivenLabels(const std::vector<std::string>& given,
                std::span<const PredictionStore* const> stores,
                store::SoftFiles soft = store::SoftFiles::refused,
                const store::LabelTableColumns& columns = {});
    /// Uses `measure.labels`, some of which may be soft.
    GivenLabels(const MeasureOptions& measure, std::span<const PredictionStore* const> stores)
        : GivenLabels(measure.labels, stores,
                      measure.label_votes ? store::SoftFiles::votes : store::SoftFiles::taken,
                      {measure.image_column, measure.label_column, true}) {}

    /// The options with the labels for this store's data set in `labels`.
    MeasureOptions measure_for(const MeasureOptions& measure, const PredictionStore& store) const;

    /// A line per data set that says which labels it uses. Warns if a file contains other images,
    /// lacks images, or does not fit.
    const std::vector<std::string>& notes() const { return notes_; }
    const std::vector<std::string>& warnings() const { return warnings_; }

private:
    struct Choice {
        std::filesystem::path file;  ///< "" means the data set's own labels
        store::LabelFit fit;
    };
    class Deciding;

    std::vector<Choice> choices_;
    std::map<std::string, std::size_t> choice_of_;  ///< keyed by key_of() of the store
    std::vector<std::string> notes_, warnings_;
};

/// The same for the stores in these folders, which it opens and closes. Without files, opens
/// none.
GivenLabels labels_of_stores(const std::vector<std::string>& given,
                             const std::vector<std::filesystem::path>& folders);

}  // namespace assay
