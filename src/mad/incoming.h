// Adds classifiers to a competition: the predictions of their stores are first written to a hidden
// folder in it, then moved into place.
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

/// Opens stores like open_models(): for the same images and classes, with unique names. Also throws
/// bad_input for other images or classes, two equal names, or more classes than a label can hold.
OpenedModels open_classifiers(const std::vector<std::string>& paths);

struct Incoming {
    std::string name;
    std::filesystem::path store;  ///< absolute
    std::string store_id;
    WrittenPredictions written;
};

/// Compares predictions by their bytes.
bool is_same(const CompetitionClassifier& there, const Incoming& one);

/// Copies the predictions of a store into `folder`/predictions. Throws usage if `where` in the
/// settings is no ATTRIBUTE=VALUE, or no image has that value. Also throws as write_predictions().
Incoming read_incoming(const std::filesystem::path& folder, const PredictionStore& store,
                       const ClassList& classes, std::string_view whose,
                       const CompetitionSettings& settings, int threads,
                       const ProgressCallback& progress);

/// A temporary folder in a competition, for predictions that are not part of it yet.
class IncomingFolder {
public:
    explicit IncomingFolder(const std::filesystem::path& competition);
    ~IncomingFolder();
    IncomingFolder(const IncomingFolder&) = delete;
    IncomingFolder& operator=(const IncomingFolder&) = delete;

    const std::filesystem::path& path() const noexcept { return aside_.path; }
    /// Moves a classifier's files into the competition at `folder`, replacing existing ones.
    void move_into(const std::filesystem::path& folder, const Incoming& one) const;

private:
    Temporary aside_;
};

/// Inserts the row of a new classifier. Call inside a transaction. Throws bad_input if its images
/// had other files than those of the existing classifiers.
void insert_classifier(Competition::Impl& competition, const Incoming& one,
                       std::string_view reason);

}  // namespace assay::mad
