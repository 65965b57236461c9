// Adds classifiers to a running competition.
#include <fmt/format.h>

#include <algorithm>

#include "assay/error.h"
#include "assay/mad/competition.h"
#include "core/paths.h"
#include "core/refuse.h"
#include "mad/competition_rows.h"
#include "mad/competition_settings.h"
#include "mad/incoming.h"
#include "store/same_data.h"

namespace assay::mad {
namespace {

CompetitionClassifier* classifier_called(Competition::Impl& in, std::string_view name) {
    const auto found =
        std::find_if(in.classifiers.begin(), in.classifiers.end(),
                     [&](const CompetitionClassifier& one) { return one.name == name; });
    return found == in.classifiers.end() ? nullptr : &*found;
}

void check_images(const Competition::Impl& in, const PredictionStore& store) {
    const std::map<std::string, std::string> text = read_settings(in.database);
    const std::string file = in.database.path().string();
    const std::string where = store.folder().string();
    const std::string what = store::difference(
        {setting_of(text, "ids_hash", file), setting_of(text, "corruption", file)}, store);
    if (!what.empty())
        refuse(fmt::format("{} does not belong to {}: {}", where, in.folder.string(), what));
}

/// Restores a removed classifier. Returns false if it was not removed.
bool restore_classifier(Competition::Impl& in, CompetitionClassifier& one,
                        std::string_view reason) {
    if (one.active) return false;
    const std::int64_t decision = decide(in.database, DecisionKind::restored, one.name, "", reason);
    in.database.prepare("UPDATE classifier SET active = 1, decision = ? WHERE name = ?")
        .run(decision, one.name);
    one.active = true;
    return true;
}

}  // namespace

std::vector<std::string> Competition::add(const std::vector<std::string>& paths,
                                          std::string_view reason, int threads,
                                          const ProgressCallback& progress) {
    Impl& in = *impl_;
    in.skipped.clear();
    // The folder has the predictions of all earlier classifiers.
    std::vector<std::string> known, stores;
    for (const std::string& path : paths)
        (!is_there(path) && classifier_called(in, path) != nullptr ? known : stores)
            .push_back(path);
    for (const std::string& name : known) {
        const CompetitionClassifier& one = *classifier_called(in, name);
        predictions(one).check(one);
    }
    // Reads everything before the database is locked.
    const IncomingFolder folder(in.folder);
    std::vector<Incoming> incoming;
    if (!stores.empty()) {
        const OpenedModels open = open_classifiers(stores);
        in.skipped = open.skipped;
        for (const PredictionStore& store : open.stores) check_images(in, store);
        for (const PredictionStore& store : open.stores) {
            incoming.push_back(read_incoming(folder.path(), store, in.classes, in.folder.string(),
                                             in.settings, threads, progress));
        }
    }

    std::vector<std::string> added;
    try {
        Transaction all(in.database);
        in.refresh();
        for (const std::string& name : known) {
            if (restore_classifier(in, *classifier_called(in, name), reason)) added.push_back(name);
        }
        for (const Incoming& one : incoming) {
            CompetitionClassifier* const there = classifier_called(in, one.name);
            if (there == nullptr) {
                insert_classifier(in, one, reason);
                added.push_back(one.name);
            } else if (!is_same(*there, one)) {
                throw Error(ErrorCode::usage,
                            fmt::format("{} has another classifier `{}` with different "
                                        "predictions; predict again with another --name",
                                        in.folder.string(), one.name));
            } else if (restore_classifier(in, *there, reason)) {
                added.push_back(one.name);
            }
        }
        // For existing classifiers the bytes are the same, and replace possibly damaged files.
        for (const Incoming& one : incoming) folder.move_into(in.folder, one);
        all.commit();
    } catch (...) {
        in.refresh();
        throw;
    }
    return added;
}

}  // namespace assay::mad
