// Classifiers on their way into a competition: what their stores predict, first beside the
// competition, where nobody looks, then in it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "assay/mad/competition.h"
#include "assay/robustness/model_stores.h"
#include "assay/store/prediction_store.h"
#include "core/temporary.h"
#include "mad/competition_rows.h"
#include "mad/predictions.h"

namespace assay::mad {

/// As open_models(): all of the same images and classes, each with a name of its own. Throws
/// bad_input, too: other images or classes, two of one name, more classes than a label can say.
OpenedModels open_classifiers(const std::vector<std::string>& paths);

/// Where each class of a competition is among the columns of a store: nothing where the store
/// does not know its classes, and has as many. Throws bad_input: other classes.
std::vector<std::int32_t> places_of_classes(const PredictionStore& store, const ClassList& classes,
                                            std::string_view whose);

struct Incoming {
    std::string name;
    std::filesystem::path store;  ///< absolute
    std::string store_id;
    WrittenPredictions written;
};

/// By their bytes.
bool is_same(const CompetitionClassifier& there, const Incoming& one);

/// Takes the predictions out of a store into `folder`/predictions. Throws usage: `where` of
/// the settings is no ATTRIBUTE=VALUE, or no image has that; and as write_predictions().
Incoming read_incoming(const std::filesystem::path& folder, const PredictionStore& store,
                       const ClassList& classes, std::string_view whose,
                       const CompetitionSettings& settings, int threads,
                       const ProgressCallback& progress);

/// A folder in a competition that goes away again, for predictions that are not yet part of it.
class IncomingFolder {
public:
    explicit IncomingFolder(const std::filesystem::path& competition);
    ~IncomingFolder();
    IncomingFolder(const IncomingFolder&) = delete;
    IncomingFolder& operator=(const IncomingFolder&) = delete;

    const std::filesystem::path& path() const noexcept { return aside_.path; }
    /// Puts the files of one into the competition at `folder`, in place of what is there.
    void move_into(const std::filesystem::path& folder, const Incoming& one) const;

private:
    Temporary aside_;
};

/// Inside a transaction: the row of a classifier that is new. Throws bad_input: its images had
/// other files than those of the classifiers that are there.
void insert_classifier(Competition::Impl& competition, const Incoming& one,
                       std::string_view reason);

}  // namespace assay::mad
