// Creates a competition.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "assay/error.h"
#include "assay/mad/competition.h"
#include "assay/store/prediction_store.h"
#include "core/file.h"
#include "core/folder_aside.h"
#include "core/hash.h"
#include "core/paths.h"
#include "core/refuse.h"
#include "core/shell_word.h"
#include "core/text.h"
#include "data/archives.h"
#include "mad/competition_rows.h"
#include "mad/competition_settings.h"
#include "mad/distance_matrix.h"
#include "mad/incoming.h"
#include "store/same_data.h"
#include "study/study_file.h"
#include "study/study_tables.h"

namespace assay::mad {
namespace {

/// The classes of a store's columns. Scores of unlabeled images may lack class names. With
/// ImageNet's hierarchy, a thousand numbered classes are then ImageNet's.
ClassList classes_of(const PredictionStore& store, const InitOptions& options) {
    if (!options.classes.empty()) {
        ClassList named =
            options.classes == "imagenet" ? imagenet_classes() : read_class_list(options.classes);
        if (named.size() != store.classes())
            refuse(fmt::format("{} has {} classes, but the scores in {} have {}", options.classes,
                               named.size(), store.folder().string(), store.classes()));
        return named;
    }
    const ClassList& own = store.dataset().classes;
    const bool known = own.size() == store.classes() && !is_numbered(own);
    if (known) return own;
    const bool imagenet = store.classes() == imagenet_classes().size() &&
                          options.hierarchy == "imagenet" &&
                          !no_hierarchy(options.settings.distance);
    return imagenet ? imagenet_classes() : numbered_classes(store.classes());
}

void insert_classes(Database& database, const ClassList& classes) {
    Statement insert = database.prepare("INSERT INTO class (number, id, name) VALUES (?, ?, ?)");
    for (std::size_t c = 0; c < classes.size(); ++c) insert.run(c, classes.id(c), classes.name(c));
}

/// Texts for the database must be valid UTF-8.
void check_texts(const PredictionStore& store, const ClassList& classes,
                 const Hierarchy* hierarchy) {
    const std::string where = store.folder().string();
    const study::Column& of_image = study::study_column("image", "id");
    const study::Column& of_class = study::study_column("class", "id");
    const StringColumn& ids = store.dataset().ids;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (!study::may_hold(of_image, ids[i]))
            study::check_held(of_image, ids[i], fmt::format("{}: the id of image {}", where, i));
    }
    for (std::size_t c = 0; c < classes.size(); ++c)
        for (const std::string& text : {classes.id(c), classes.name(c)})
            study::check_held(of_class, text, fmt::format("the name of class {}", c));
    for (std::uint32_t n = 0; hierarchy != nullptr && n < hierarchy->size(); ++n)
        for (const std::string& text : {hierarchy->id(n), hierarchy->name(n)})
            study::check_held(of_class, text, fmt::format("the name of node {} above", n));
}

void insert_hierarchy(Database& database, const Hierarchy& hierarchy) {
    Statement node = database.prepare("INSERT INTO node (number, id, name) VALUES (?, ?, ?)");
    Statement edge = database.prepare("INSERT INTO edge (child, parent) VALUES (?, ?)");
    for (std::uint32_t n = 0; n < hierarchy.size(); ++n)
        node.run(n, hierarchy.id(n), hierarchy.name(n));
    for (std::uint32_t n = 0; n < hierarchy.size(); ++n) {
        for (const std::uint32_t parent : hierarchy.parents(n)) edge.run(n, parent);
    }
}

/// A hash of nodes, names and edges, but not of the file.
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

/// The initial state of a competition, from the options and the stores.
struct Beginning {
    CompetitionSettings settings;
    ClassList classes;
    Hierarchy above;
    std::string above_hash;                   ///< "" without a hierarchy
    std::optional<ClassDistances> distances;  ///< the distances to store
};

Beginning beginning_of(const std::filesystem::path& target, const InitOptions& options,
                       const PredictionStore& any) {
    Beginning begin{.settings = options.settings,
                    .classes = classes_of(any, options),
                    .above = imagenet_hierarchy(),
                    .above_hash = {},
                    .distances = {}};
    begin.settings.rule.seed = begin.settings.seed;
    if (begin.settings.name.empty()) begin.settings.name = target.filename().string();
    const DistanceReading distance = options.settings.distance;
    if ((distance == DistanceReading::matrix) != !options.distances.empty())
        throw Error(
            ErrorCode::usage,
            options.distances.empty()
                ? "the distance matrix comes from a file: pass `--distance FILE.csv`"
                : fmt::format(
                      "both the file {} and the definition {} give distances; use one of them",
                      options.distances.string(), spelled_distance(distance)));
    if (distance == DistanceReading::zero_one) return begin;
    if (distance == DistanceReading::matrix) {
        begin.distances = read_distances(options.distances, begin.classes);
        return begin;
    }
    const bool whole = needs_whole_hierarchy(distance);
    refuse_part_of_hierarchy(distance, options.hierarchy);
    begin.above = hierarchy_named(options.hierarchy);
    // Checks this now, with a message about the classes, and not later when images are selected.
    const ClassDistances checked(begin.above, begin.classes, distance);
    if (whole) begin.distances = checked;
    // Nodes that are not ancestors of the classes only matter for one kind of distance.
    if (!whole) begin.above = begin.above.ancestors_of(begin.above.nodes_of(begin.classes));
    begin.above_hash = hierarchy_hash(begin.above);
    return begin;
}

bool same_units(const ClassDistances& a, const ClassDistances& b) {
    return std::equal(a.all().begin(), a.all().end(), b.all().begin(), b.all().end());
}

std::string setting_text(const std::string& value) {
    return value.empty() ? "none" : fmt::format("`{}`", value);
}

/// A competition that began in the same way: the command was given before.
Competition opened_again(const std::filesystem::path& folder, const Beginning& begin,
                         const InitOptions& options, const std::vector<PredictionStore>& stores,
                         const ProgressCallback& progress) {
    Competition there = Competition::open(folder, Competition::Access::write);
    const Database& database = there.impl().database;
    const std::map<std::string, std::string> first = todays_settings(read_settings(database, true));
    const std::string file = database.path().string();
    const std::string name_of_it = folder.string();
    CompetitionSettings wanted = begin.settings;
    // The competition, not the command, decides how confidences are quantized.
    wanted.single_precision = there.settings().single_precision;
    for (const auto& [name, value] : settings_text(wanted)) {
        const std::string& was = setting_of(first, name, file);
        if (was == value) continue;
        throw Error(
            ErrorCode::usage,
            fmt::format("{} holds a competition with {} {}, not {}; use another folder: assay mad "
                        "init FOLDER RUNS",
                        name_of_it, name, setting_text(was), setting_text(value)));
    }
    if (setting_of(first, "hierarchy_hash", file) != begin.above_hash)
        throw Error(
            ErrorCode::usage,
            fmt::format(
                "{} holds a competition with a different hierarchy, `{}`; use another folder",
                name_of_it, setting_of(first, "hierarchy", file)));
    if (begin.distances && !there.impl().distances_hash.empty() &&
        !same_units(*begin.distances, there.distances()))
        throw Error(
            ErrorCode::usage,
            fmt::format("{} holds a competition with different class distances; use another folder",
                        name_of_it));
    if (begin.classes != there.classes())
        throw Error(
            ErrorCode::usage,
            fmt::format(
                "{} holds a competition with different classes: {}; use another folder", name_of_it,
                store::classes_difference(there.classes(), begin.classes, store::there_and_now)));
    if (!options.images.empty() && absolute_path(options.images) != there.image_root())
        throw Error(ErrorCode::usage,
                    fmt::format("{} holds a competition whose images are in `{}`; to change that, "
                                "type `assay mad select {} --images {}`",
                                name_of_it, there.image_root().string(), shell_word(name_of_it),
                                shell_word(options.images.string())));
    // Compares predictions, because names may agree although scores differ.
    const IncomingFolder incoming(folder);
    for (const PredictionStore& store : stores) {
        const Incoming one = read_incoming(incoming.path(), store, there.classes(), name_of_it,
                                           there.settings(), options.threads, progress);
        const bool known =
            std::any_of(there.classifiers().begin(), there.classifiers().end(),
                        [&](const CompetitionClassifier& other) { return is_same(other, one); });
        if (!known)
            throw Error(ErrorCode::usage,
                        fmt::format("{} holds a competition without these scores of `{}`; to add "
                                    "classifiers, use `assay mad add`",
                                    name_of_it, one.name));
    }
    return there;
}

}  // namespace

Competition Competition::create(const std::filesystem::path& folder, const InitOptions& options,
                                const ProgressCallback& progress) {
    check_settings(options.settings);
    if (!options.images.empty() && !is_folder(options.images))
        refuse(fmt::format("{}: there is no such folder of images", options.images.string()));
    const std::filesystem::path target =
        study::place_of_study(folder, study::StudyKind::competition);
    const OpenedModels opened = open_classifiers(options.stores);
    const std::vector<PredictionStore>& stores = opened.stores;
    if (stores.size() < 2)
        throw Error(
            ErrorCode::usage,
            fmt::format(
                "a competition needs at least two classifiers, but the folders have one{}{}",
                opened.skipped.empty() ? "" : "; ", opened.skipped));
    const PredictionStore& any = stores.front();
    if (options.images.empty() && has_archived_images(any.dataset())) {
        throw Error(
            ErrorCode::bad_input,
            fmt::format("the images of `{}` are in archives, but a competition needs image files: "
                        "predict them from files, or pass their folder with --images",
                        any.spec().dataset_name));
    }
    const Beginning begin = beginning_of(target, options, any);
    const auto told = [&](Competition competition) {
        competition.impl().skipped = opened.skipped;
        return competition;
    };
    if (is_competition(target)) return told(opened_again(folder, begin, options, stores, progress));

    check_texts(any, begin.classes, begin.above_hash.empty() ? nullptr : &begin.above);
    make_folders(target.parent_path());
    FolderAside aside(target);
    auto in = std::make_unique<Impl>(
        aside.path(), Database(study::study_file(aside.path(), study::StudyKind::competition),
                               Database::Access::create));
    study::make_study(in->database, study::StudyKind::competition);
    make_folders(aside.path() / "predictions");
    write_items_csv(any.dataset(), aside.path() / "items.csv");
    in->settings = begin.settings;
    in->classes = begin.classes;
    in->images = any.rows();

    Transaction all(in->database);
    decide(in->database, DecisionKind::created, in->settings.name, "", options.reason);
    std::map<std::string, std::string> text = settings_text(in->settings);
    text["images"] = fmt::to_string(in->images);
    text["image_root"] = options.images.empty() ? any.dataset().root.string()
                                                : absolute_path(options.images).string();
    text["items_hash"] = hash_file(aside.path() / "items.csv");
    const store::RecordedData data = store::recorded_data(any);
    text["ids_hash"] = data.ids_hash;
    text["corruption"] = data.corruption;
    text["dataset"] = any.spec().dataset_name;
    text["hierarchy"] = begin.above_hash.empty() ? "" : options.hierarchy;
    text["hierarchy_hash"] = begin.above_hash;
    text["distances_hash"] =
        begin.distances ? write_distances(aside.path(), *begin.distances) : std::string();
    for (const auto& [name, value] : text) write_setting(in->database, name, value, options.reason);
    insert_classes(in->database, in->classes);
    if (!begin.above_hash.empty()) insert_hierarchy(in->database, begin.above);
    for (const PredictionStore& store : stores) {
        insert_classifier(
            *in,
            read_incoming(aside.path(), store, in->classes,
                          options.classes.empty() ? "the first store" : options.classes,
                          in->settings, options.threads, progress),
            options.reason);
    }
    all.commit();
    // Merges the log into the database, so that the folder can be moved as a whole.
    in->database.execute("PRAGMA wal_checkpoint(TRUNCATE)");
    in.reset();

    aside.keep();
    return told(open(folder, Access::write));
}

}  // namespace assay::mad
