// How a competition begins, and how classifiers come to it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "assay/error.h"
#include "assay/mad/competition.h"
#include "assay/store/prediction_store.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/paths.h"
#include "core/refuse.h"
#include "core/temporary.h"
#include "core/text.h"
#include "mad/decisions.h"
#include "mad/predictions.h"
#include "mad/schema.h"
#include "mad/settings.h"
#include "mad/tables.h"

namespace assay::mad {
namespace {

/// The classes that a store's columns are. Scores of unlabelled images may not know them: a
/// thousand numbered ones beside ImageNet's hierarchy are ImageNet's.
ClassList classes_of(const PredictionStore& store, const InitOptions& options) {
    if (!options.classes.empty()) {
        ClassList named =
            options.classes == "imagenet" ? imagenet_classes() : read_class_list(options.classes);
        if (named.size() != store.classes())
            refuse(fmt::format("{} has {} classes, and the scores in {} are of {}", options.classes,
                               named.size(), store.folder().string(), store.classes()));
        return named;
    }
    const ClassList& own = store.dataset().classes;
    const bool known = own.size() == store.classes() && !is_numbered(own);
    if (known) return own;
    const bool imagenet = store.classes() == imagenet_classes().size() &&
                          options.hierarchy == "imagenet" &&
                          options.settings.distance != DistanceReading::zero_one;
    return imagenet ? imagenet_classes() : numbered_classes(store.classes());
}

std::vector<PredictionStore> open_classifiers(const std::vector<std::string>& paths) {
    std::vector<PredictionStore> stores = open_stores_together(paths);
    std::set<std::string> names;
    for (const PredictionStore& store : stores) {
        const std::string& name = store.spec().model_name;
        if (!names.insert(name).second)
            refuse(
                fmt::format("two classifiers are called `{}` ({} is the second); `assay "
                            "predict` takes another --name",
                            name, store.folder().string()));
        if (store.classes() >= no_label)
            refuse(fmt::format("{}: {} classes; allowed: up to {}", store.folder().string(),
                               store.classes(), no_label - 1));
    }
    return stores;
}

/// The quantised confidence that at least this proportion of the images with scores reach.
std::uint8_t threshold_by_proportion(const WrittenPredictions& written, double proportion) {
    const double wanted = proportion * static_cast<double>(written.scored);
    std::uint64_t reached = 0;
    for (int level = confidence_levels; level > 0; --level) {
        reached += written.by_confidence[static_cast<std::size_t>(level)];
        if (static_cast<double>(reached) >= wanted) return static_cast<std::uint8_t>(level);
    }
    return 0;
}

void insert_classes(Database& database, const ClassList& classes) {
    Statement insert = database.prepare("INSERT INTO class (number, id, name) VALUES (?, ?, ?)");
    for (std::size_t c = 0; c < classes.size(); ++c)
        insert.bind(static_cast<std::int64_t>(c)).bind(classes.id(c)).bind(classes.name(c)).run();
}

void insert_hierarchy(Database& database, const Hierarchy& hierarchy) {
    Statement node = database.prepare("INSERT INTO node (number, id, name) VALUES (?, ?, ?)");
    Statement edge = database.prepare("INSERT INTO edge (child, parent) VALUES (?, ?)");
    for (std::uint32_t n = 0; n < hierarchy.size(); ++n)
        node.bind(std::int64_t{n}).bind(hierarchy.id(n)).bind(hierarchy.name(n)).run();
    for (std::uint32_t n = 0; n < hierarchy.size(); ++n) {
        for (const std::uint32_t parent : hierarchy.parents(n))
            edge.bind(std::int64_t{n}).bind(std::int64_t{parent}).run();
    }
}

/// Writes a classifier's predictions and its row.
CompetitionClassifier insert_classifier(Competition::Impl& in, const PredictionStore& store,
                                        const std::vector<std::int32_t>& places,
                                        std::string_view reason, int threads,
                                        const ProgressCallback& progress) {
    const WrittenPredictions written =
        write_predictions(in.folder, store, places, threads, progress);
    CompetitionClassifier one;
    one.number = static_cast<std::uint32_t>(in.classifiers.size());
    one.name = store.spec().model_name;
    one.store = absolute_path(store.folder());
    one.store_id = store.spec().id;
    one.labels_hash = written.labels_hash;
    one.confidences_hash = written.confidences_hash;
    one.threshold = in.settings.confident ? threshold_by_proportion(written, *in.settings.confident)
                                          : threshold_of(in.settings.threshold);
    one.scored = written.scored;
    for (std::size_t level = one.threshold; level < written.by_confidence.size(); ++level)
        one.confident += written.by_confidence[level];

    const std::int64_t decision =
        decide(in.database, DecisionKind::added, one.name,
               fmt::format("threshold {}/{}", one.threshold, confidence_levels), reason);
    in.database
        .prepare(
            "INSERT INTO classifier (number, name, store, store_id, labels_hash, "
            "confidences_hash, threshold, scored, confident, active, decision) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?)")
        .bind(std::int64_t{one.number})
        .bind(one.name)
        .bind(one.store.string())
        .bind(one.store_id)
        .bind(one.labels_hash)
        .bind(one.confidences_hash)
        .bind(std::int64_t{one.threshold})
        .bind(static_cast<std::int64_t>(one.scored))
        .bind(static_cast<std::int64_t>(one.confident))
        .bind(decision)
        .run();
    return one;
}

/// A new folder beside the one that is wanted, which takes its place as a whole.
std::filesystem::path checked_target(const std::filesystem::path& folder) {
    std::error_code problem;
    if (is_there(folder) && !std::filesystem::is_empty(folder, problem))
        throw Error(ErrorCode::usage,
                    fmt::format("{} is there and not an empty folder", folder.string()));
    return absolute_path(folder);
}

/// Of nodes, names and edges: which file they came from does not matter.
std::string hierarchy_hash(const Hierarchy& hierarchy) {
    Hasher hasher;
    for (std::uint32_t n = 0; n < hierarchy.size(); ++n) {
        hasher.add_field(hierarchy.id(n));
        hasher.add_field(hierarchy.name(n));
        hasher.add_field(fmt::to_string(hierarchy.parents(n).size()));
        for (const std::uint32_t parent : hierarchy.parents(n))
            hasher.add_field(hierarchy.id(parent));
    }
    return hasher.digest();
}

/// A competition that began as this one would: the same command was given before.
Competition opened_again(const std::filesystem::path& folder, const CompetitionSettings& settings,
                         const std::string& above_hash,
                         const std::vector<PredictionStore>& stores) {
    Competition there = Competition::open(folder, Competition::Access::write);
    const Database& database = there.impl().database;
    const std::map<std::string, std::string> first = read_settings(database, true);
    const std::string file = database.path().string();
    for (const auto& [name, value] : settings_text(settings)) {
        const std::string& was = setting_of(first, name, file);
        if (was == value) continue;
        throw Error(ErrorCode::usage,
                    fmt::format("{} holds a competition that began with {} `{}`, not `{}`; take "
                                "another folder",
                                folder.string(), name, was, value));
    }
    if (setting_of(first, "hierarchy_hash", file) != above_hash)
        throw Error(ErrorCode::usage,
                    fmt::format("{} holds a competition with another hierarchy, that of `{}`; take "
                                "another folder",
                                folder.string(), setting_of(first, "hierarchy", file)));
    for (const PredictionStore& store : stores) {
        const bool known = std::any_of(
            there.classifiers().begin(), there.classifiers().end(),
            [&](const CompetitionClassifier& one) { return one.store_id == store.spec().id; });
        if (!known)
            throw Error(ErrorCode::usage,
                        fmt::format("{} holds a competition without these scores of `{}`; `assay "
                                    "mad add` adds classifiers to it",
                                    folder.string(), store.spec().model_name));
    }
    return there;
}

/// A folder that goes away again unless all of it was made.
class Unfinished {
public:
    explicit Unfinished(std::filesystem::path folder) : folder_(std::move(folder)) {}
    ~Unfinished() {
        std::error_code none;
        if (!folder_.empty()) std::filesystem::remove_all(folder_, none);
    }
    Unfinished(const Unfinished&) = delete;
    Unfinished& operator=(const Unfinished&) = delete;

    void keep_as(const std::filesystem::path& target) {
        std::error_code problem;
        std::filesystem::rename(folder_, target, problem);
        if (problem)
            throw Error(ErrorCode::io,
                        fmt::format("cannot make {}: {}", target.string(), problem.message()));
        folder_.clear();
    }

private:
    std::filesystem::path folder_;
};

}  // namespace

Competition Competition::create(const std::filesystem::path& folder, const InitOptions& options,
                                const ProgressCallback& progress) {
    check_settings(options.settings);
    if (!options.images.empty() && !is_folder(options.images))
        refuse(fmt::format("{}: there is no such folder of images", options.images.string()));
    const std::filesystem::path target =
        is_competition(folder) ? absolute_path(folder) : checked_target(folder);
    const std::vector<PredictionStore> stores = open_classifiers(options.stores);
    if (stores.size() < 2)
        throw Error(ErrorCode::usage,
                    "a competition needs two classifiers or more: the folders hold one");
    CompetitionSettings settings = options.settings;
    settings.rule.seed = settings.seed;
    if (settings.name.empty()) settings.name = target.filename().string();
    const PredictionStore& any = stores.front();
    const ClassList classes = classes_of(any, options);

    Hierarchy above = imagenet_hierarchy();
    const bool with_hierarchy = options.settings.distance != DistanceReading::zero_one;
    if (with_hierarchy) {
        above = hierarchy_named(options.hierarchy);
        // Found out now, with a message about the classes, and not when images are selected.
        ClassDistances(above, classes, options.settings.distance);
        // What lies beside the ways to the root decides one kind of distance alone.
        const bool whole = options.settings.distance == DistanceReading::graph_full_min ||
                           options.settings.distance == DistanceReading::graph_full_max ||
                           options.settings.distance == DistanceReading::hop_full;
        if (!whole) above = above.ancestors_of(above.nodes_of(classes));
    }
    const std::string above_hash = with_hierarchy ? hierarchy_hash(above) : std::string();
    if (is_competition(folder)) return opened_again(folder, settings, above_hash, stores);

    make_folders(target.parent_path());
    const Temporary aside = make_temporary_folder(target);
    Unfinished unfinished(aside.path);
    auto in = std::make_unique<Impl>(
        aside.path, Database(aside.path / "competition.sqlite", Database::Access::create));
    make_schema(in->database);
    make_folders(aside.path / "predictions");
    write_items_csv(any.dataset(), aside.path / "items.csv");
    in->settings = settings;
    in->classes = classes;
    in->images = any.rows();

    Transaction all(in->database);
    decide(in->database, DecisionKind::created, in->settings.name, "", options.reason);
    std::map<std::string, std::string> text = settings_text(in->settings);
    text["images"] = fmt::to_string(in->images);
    text["image_root"] = options.images.empty() ? any.dataset().root.string()
                                                : absolute_path(options.images).string();
    text["items_hash"] = hash_file(aside.path / "items.csv");
    text["ids_hash"] = any.dataset().ids_fingerprint();
    text["dataset"] = any.spec().dataset_name;
    text["hierarchy"] = with_hierarchy ? options.hierarchy : "";
    text["hierarchy_hash"] = above_hash;
    for (const auto& [name, value] : text) write_setting(in->database, name, value, options.reason);
    insert_classes(in->database, classes);
    if (with_hierarchy) insert_hierarchy(in->database, above);
    for (const PredictionStore& store : stores) {
        in->classifiers.push_back(
            insert_classifier(*in, store, {}, options.reason, options.threads, progress));
    }
    all.commit();
    // The log of the database is folded into it, so that the folder moves as a whole.
    in->database.execute("PRAGMA wal_checkpoint(TRUNCATE)");
    in.reset();

    unfinished.keep_as(target);
    return open(folder, Access::write);
}

std::vector<std::string> Competition::add(const std::vector<std::string>& paths,
                                          std::string_view reason, int threads,
                                          const ProgressCallback& progress) {
    Impl& in = *impl_;
    const std::vector<PredictionStore> stores = open_classifiers(paths);
    const std::string ids =
        setting_of(read_settings(in.database), "ids_hash", in.database.path().string());
    // All is looked at before anything is written.
    std::vector<std::vector<std::int32_t>> places;
    for (const PredictionStore& store : stores) {
        const std::string where = store.folder().string();
        if (store.dataset().ids_fingerprint() != ids)
            refuse(fmt::format("{}: its scores are of other images than those of {}", where,
                               in.folder.string()));
        const ClassList& own = store.dataset().classes;
        std::vector<std::int32_t> order;
        if (own.size() == store.classes() && !is_numbered(own)) {
            const auto found = places_in(own, in.classes);
            if (!found)
                refuse(fmt::format("{}: its classes are not those of {}: {}", where,
                                   in.folder.string(), first_difference(in.classes, own)));
            order = *found;
        } else if (store.classes() != in.classes.size()) {
            refuse(fmt::format("{}: it has {} classes, and {} has {}", where, store.classes(),
                               in.folder.string(), in.classes.size()));
        }
        places.push_back(std::move(order));
        for (const CompetitionClassifier& one : in.classifiers) {
            if (one.name != store.spec().model_name) continue;
            if (one.store_id != store.spec().id)
                throw Error(ErrorCode::usage,
                            fmt::format("{} has another classifier `{}`, with other scores; "
                                        "`assay predict` takes another --name",
                                        in.folder.string(), one.name));
        }
    }

    std::vector<std::string> added;
    Transaction all(in.database);
    std::vector<CompetitionClassifier> after = in.classifiers;
    for (std::size_t s = 0; s < stores.size(); ++s) {
        const std::string& name = stores[s].spec().model_name;
        const auto there =
            std::find_if(after.begin(), after.end(),
                         [&](const CompetitionClassifier& one) { return one.name == name; });
        if (there != after.end() && there->active) continue;
        added.push_back(name);
        if (there != after.end()) {
            const std::int64_t decision =
                decide(in.database, DecisionKind::restored, name, "", reason);
            in.database.prepare("UPDATE classifier SET active = 1, decision = ? WHERE name = ?")
                .bind(decision)
                .bind(name)
                .run();
            there->active = true;
            continue;
        }
        in.classifiers = after;  // numbers go on from there
        after.push_back(insert_classifier(in, stores[s], places[s], reason, threads, progress));
    }
    all.commit();
    in.classifiers = std::move(after);
    return added;
}

}  // namespace assay::mad
