#include "assay/mad/competition.h"

#include <fmt/format.h>

#include <algorithm>

#include "assay/error.h"
#include "assay/store/prediction_store.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/paths.h"
#include "core/refuse.h"
#include "core/shell_word.h"
#include "core/text.h"
#include "mad/competition_rows.h"
#include "mad/competition_settings.h"
#include "mad/distance_matrix.h"
#include "mad/selection_decisions.h"
#include "study/study_file.h"

namespace assay::mad {
namespace {

/// Ids and names from the table's rows, which are numbered from 0.
struct NamedRows {
    std::vector<std::string> ids, names;
    NamedRows(const Database& database, std::string_view table) {
        Statement row =
            database.prepare(fmt::format("SELECT number, id, name FROM {} ORDER BY number", table));
        while (row.step()) {
            if (row.count(0) != ids.size())
                refuse(fmt::format("{}: {} {} is missing", database.path().string(), table,
                                   ids.size()));
            ids.push_back(row.text(1));
            names.push_back(row.text(2));
        }
    }
};

std::vector<CompetitionClassifier> classifiers_from(const Database& database) {
    std::vector<CompetitionClassifier> classifiers;
    Statement row = database.prepare(
        "SELECT number, name, store, store_id, labels_hash, confidences_hash, threshold, scored, "
        "confident, active FROM classifier ORDER BY number");
    while (row.step()) {
        if (row.count(0) != classifiers.size())
            refuse(fmt::format("{}: classifier {} is missing", database.path().string(),
                               classifiers.size()));
        CompetitionClassifier one;
        one.number = static_cast<std::uint32_t>(row.count(0, UINT32_MAX));
        one.name = row.text(1);
        one.store = row.text(2);
        one.store_id = row.text(3);
        one.labels_hash = row.text(4);
        one.confidences_hash = row.text(5);
        one.threshold = static_cast<std::uint8_t>(row.count(6, confidence_levels));
        one.scored = row.count(7);
        one.confident = row.count(8);
        one.active = row.count(9, 1) == 1;
        check_folder_name("model", one.name);
        classifiers.push_back(std::move(one));
    }
    return classifiers;
}

Hierarchy hierarchy_from(const Database& database) {
    NamedRows nodes(database, "node");
    std::vector<Hierarchy::Edge> edges;
    for (Statement row = database.prepare("SELECT child, parent FROM edge ORDER BY id");
         row.step();) {
        edges.push_back({.child = static_cast<std::uint32_t>(row.count(0, UINT32_MAX)),
                         .parent = static_cast<std::uint32_t>(row.count(1, UINT32_MAX))});
    }
    return Hierarchy(std::move(nodes.ids), std::move(nodes.names), std::move(edges),
                     database.path().string());
}

}  // namespace

Competition::Competition(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Competition::~Competition() = default;
Competition::Competition(Competition&&) noexcept = default;

bool is_competition(const std::filesystem::path& folder) {
    return study::is_study(folder, study::StudyKind::competition);
}

Competition Competition::open(const std::filesystem::path& folder, Access access) {
    auto impl = std::make_unique<Impl>(
        folder, study::open_study(
                    folder, study::StudyKind::competition,
                    access == Access::write ? Database::Access::write : Database::Access::read));
    impl->refresh();
    return Competition(std::move(impl));
}

void Competition::Impl::refresh() {
    const std::string file = database.path().string();
    const std::map<std::string, std::string> text = read_settings(database);
    settings = settings_from(text, file);
    const std::string& number = setting_of(text, "images", file);
    if (!parse_number(number, images) || images > INT64_MAX)
        refuse(fmt::format("{}: the setting images is `{}`; allowed: a number of images", file,
                           shortened(number)));
    image_root = setting_of(text, "image_root", file);
    items_hash = setting_of(text, "items_hash", file);
    // Competitions of older versions stored no distances.
    const auto kept = text.find("distances_hash");
    distances_hash = kept == text.end() ? std::string() : kept->second;
    NamedRows rows(database, "class");
    classes = ClassList(std::move(rows.ids), std::move(rows.names));
    classifiers = classifiers_from(database);
}

const std::filesystem::path& Competition::folder() const noexcept {
    return impl_->folder;
}

const CompetitionSettings& Competition::settings() const noexcept {
    return impl_->settings;
}

const ClassList& Competition::classes() const noexcept {
    return impl_->classes;
}

std::uint64_t Competition::images() const noexcept {
    return impl_->images;
}

const std::filesystem::path& Competition::image_root() const noexcept {
    return impl_->image_root;
}

const std::vector<CompetitionClassifier>& Competition::classifiers() const noexcept {
    return impl_->classifiers;
}

std::vector<CompetitionClassifier> Competition::active() const {
    std::vector<CompetitionClassifier> active;
    for (const CompetitionClassifier& one : impl_->classifiers)
        if (one.active) active.push_back(one);
    return active;
}

const Hierarchy& Competition::hierarchy() const {
    if (!impl_->hierarchy) impl_->hierarchy = hierarchy_from(impl_->database);
    return *impl_->hierarchy;
}

ClassDistances Competition::distances() const {
    if (impl_->settings.distance == DistanceReading::zero_one)
        return ClassDistances(static_cast<std::uint32_t>(impl_->classes.size()));
    if (!impl_->distances_hash.empty())
        return kept_distances(impl_->folder, impl_->distances_hash, impl_->classes.size(),
                              impl_->settings.distance);
    return ClassDistances(hierarchy(), impl_->classes, impl_->settings.distance);
}

const Dataset& Competition::dataset() const {
    if (impl_->dataset) return *impl_->dataset;
    const std::filesystem::path file = impl_->folder / "items.csv";
    if (hash_file(file) != impl_->items_hash)
        refuse(
            fmt::format("{}: its bytes differ from the recorded ones; restore it", file.string()));
    Dataset dataset = read_items_csv(file);
    if (dataset.size() != impl_->images)
        refuse(fmt::format("{}: it lists {} images, but the competition has {}", file.string(),
                           dataset.size(), impl_->images));
    dataset.root = impl_->image_root;
    impl_->dataset = std::move(dataset);
    return *impl_->dataset;
}

StoredPredictions Competition::predictions(const CompetitionClassifier& classifier) const {
    return StoredPredictions(impl_->folder, classifier.name, impl_->images);
}

bool Competition::remove(std::string_view name, std::string_view reason) {
    Transaction all(impl_->database);
    impl_->refresh();
    std::vector<std::string> names;
    bool known = false;
    for (const CompetitionClassifier& one : impl_->classifiers) {
        known = known || one.name == name;
        if (one.active) names.push_back(one.name);
    }
    if (!known)
        throw Error(ErrorCode::usage, fmt::format("`{}` is not a classifier of {}{}", name,
                                                  impl_->folder.string(), suggest(name, names)));
    if (std::find(names.begin(), names.end(), name) == names.end()) return false;
    if (names.size() <= 2)
        throw Error(
            ErrorCode::usage,
            fmt::format("{} has only two classifiers: without `{}` there is nothing to compare",
                        impl_->folder.string(), name));
    const std::int64_t decision = decide(impl_->database, DecisionKind::removed, name, "", reason);
    impl_->database.prepare("UPDATE classifier SET active = 0, decision = ? WHERE name = ?")
        .run(decision, name);
    all.commit();
    for (CompetitionClassifier& one : impl_->classifiers)
        if (one.name == name) one.active = false;
    return true;
}

std::filesystem::path image_root_from(const std::filesystem::path& root) {
    if (!is_folder(root)) refuse(fmt::format("{}: there is no such folder", root.string()));
    return absolute_path(root);
}

void Competition::set_image_root(const std::filesystem::path& root, std::string_view reason) {
    const std::filesystem::path checked = image_root_from(root);
    Transaction all(impl_->database);
    write_setting(impl_->database, "image_root", checked.string(), reason);
    all.commit();
    impl_->image_root = checked;
    if (impl_->dataset) impl_->dataset->root = impl_->image_root;
}

CompetitionSettings settings_with_k(const CompetitionSettings& settings, std::uint32_t k,
                                    const std::filesystem::path& folder) {
    CompetitionSettings changed = settings;
    if (k < changed.rule.k)
        throw Error(ErrorCode::usage,
                    fmt::format("k is {} and cannot be reduced to {}; to rank with fewer images, "
                                "type `assay mad rank {} --k {}`",
                                changed.rule.k, k, shell_word(folder.string()), k));
    changed.rule.k = k;
    check_settings(changed);
    return changed;
}

void Competition::set_k(std::uint32_t k, std::string_view reason) {
    Transaction all(impl_->database);
    impl_->refresh();
    const CompetitionSettings changed = settings_with_k(impl_->settings, k, impl_->folder);
    if (k == impl_->settings.rule.k) return;
    write_setting(impl_->database, "k", fmt::to_string(k), reason);
    all.commit();
    impl_->settings = changed;
}

}  // namespace assay::mad
