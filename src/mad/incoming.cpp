#include "mad/incoming.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <string>
#include <vector>

#include "assay/error.h"
#include "core/file.h"
#include "core/file_stream.h"
#include "core/paths.h"
#include "core/refuse.h"
#include "core/shell_word.h"
#include "core/text.h"
#include "data/attributes.h"
#include "store/same_data.h"
#include "study/study_tables.h"

namespace assay::mad {
namespace {

/// The quantized confidence that at least this proportion of the images with scores reaches.
std::uint8_t threshold_by_proportion(const WrittenPredictions& written, double proportion) {
    const double wanted = proportion * static_cast<double>(written.scored);
    std::uint64_t reached = 0;
    for (int level = confidence_levels; level > 0; --level) {
        reached += written.by_confidence[static_cast<std::size_t>(level)];
        if (static_cast<double>(reached) >= wanted) return static_cast<std::uint8_t>(level);
    }
    return 0;
}

/// Ids may agree although images differ.
void check_image_blocks(Competition::Impl& in, std::uint32_t number, const Incoming& one) {
    Statement there = in.database.prepare(
        "SELECT digest, name FROM image_block JOIN classifier ON number = classifier "
        "WHERE block = ?");
    Statement insert =
        in.database.prepare("INSERT INTO image_block (block, digest, classifier) VALUES (?, ?, ?)");
    const std::vector<std::uint64_t>& blocks = one.written.image_blocks;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        if (blocks[b] == 0) continue;
        const auto block = static_cast<std::int64_t>(b);
        const auto digest = static_cast<std::int64_t>(blocks[b]);
        there.bind(block);
        if (!there.step()) {
            insert.run(block, digest, number);
        } else if (there.integer(0) != digest) {
            const std::uint64_t first = b * image_block_rows;
            refuse(
                fmt::format("{}: some of its images {} to {} are not the files that `{}` saw under "
                            "the same ids",
                            one.store.string(), first,
                            std::min(first + image_block_rows, in.images) - 1, there.text(1)));
        }
        there.reset();
    }
}

constexpr std::size_t most_named = 5;

/// The rows whose attribute has the value in `where`; empty means all.
std::vector<bool> rows_of_domain(const Dataset& dataset, const std::string& where) {
    std::vector<bool> rows;
    if (where.empty()) return rows;
    const std::size_t equals = where.find('=');
    if (equals == std::string::npos || equals == 0)
        throw Error(ErrorCode::usage,
                    fmt::format("--where is `{}`; allowed: ATTRIBUTE=VALUE, such as domain=night",
                                shortened(where)));
    const std::string name = where.substr(0, equals), value = where.substr(equals + 1);
    const Dataset::Attribute* const attribute = find_attribute(dataset, name);
    if (attribute == nullptr) {
        std::vector<std::string> names;
        for (const Dataset::Attribute& one : dataset.attributes) names.push_back(one.name);
        throw Error(
            ErrorCode::usage,
            fmt::format("--where {}: images have no attribute `{}`; {}{}", shell_word(where),
                        shortened(name),
                        names.empty() ? "they have no attributes"
                                      : fmt::format("they have: {}", fmt::join(names, ", ")),
                        suggest(name, names)));
    }
    bool any = false;
    std::set<std::string> values;
    for (std::size_t row = 0; row < dataset.size(); ++row) {
        const bool fits = attribute->values[row] == value;
        rows.push_back(fits);
        any = any || fits;
        if (!any && values.size() < most_named) values.insert(std::string(attribute->values[row]));
    }
    if (!any)
        throw Error(ErrorCode::usage,
                    fmt::format("--where {}: no image has this value; some have: {}",
                                shell_word(where), fmt::join(values, ", ")));
    return rows;
}

/// The column of each competition class in a store. Empty if the store does not know its classes,
/// and has the same number of them. Throws bad_input for other classes.
std::vector<std::int32_t> places_of_classes(const PredictionStore& store, const ClassList& classes,
                                            std::string_view whose) {
    const std::string where = store.folder().string();
    if (store.classes() != classes.size())
        refuse(fmt::format("{}: its scores have {} classes, but {} has {}", where, store.classes(),
                           whose, classes.size()));
    const ClassList& own = store.dataset().classes;
    if (own.size() != store.classes() || is_numbered(own)) return {};
    const auto found = places_in(own, classes);
    if (!found)
        refuse(fmt::format("{}: its classes differ from those of {}: {}", where, whose,
                           first_difference(classes, own)));
    return *found;
}

}  // namespace

OpenedModels open_classifiers(const std::vector<std::string>& paths) {
    OpenedModels opened = open_models({paths.begin(), paths.end()});
    std::set<std::string> names;
    for (const PredictionStore& store : opened.stores) {
        store::require_same(opened.stores.front(), store, {.classes = true});
        const std::string& name = store.spec().model_name;
        if (!names.insert(name).second)
            refuse(
                fmt::format("two classifiers are named `{}` ({} is the second); predict again with "
                            "another --name",
                            name, store.folder().string()));
        study::check_held(study::study_column("classifier", "name"), name,
                          store.folder().string() +
                              ": the classifier's name (`assay predict` takes "
                              "another --name)");
        if (store.classes() >= no_label)
            refuse(fmt::format("{}: {} classes; allowed: up to {}", store.folder().string(),
                               store.classes(), no_label - 1));
    }
    return opened;
}

bool is_same(const CompetitionClassifier& there, const Incoming& one) {
    return there.name == one.name && there.labels_hash == one.written.labels_hash &&
           there.confidences_hash == one.written.confidences_hash;
}

Incoming read_incoming(const std::filesystem::path& folder, const PredictionStore& store,
                       const ClassList& classes, std::string_view whose,
                       const CompetitionSettings& settings, int threads,
                       const ProgressCallback& progress) {
    return {.name = store.spec().model_name,
            .store = absolute_path(store.folder()),
            .store_id = store.spec().id,
            .written = write_predictions(folder, store, places_of_classes(store, classes, whose),
                                         rows_of_domain(store.dataset(), settings.where),
                                         settings.single_precision ? quantised : quantised_exactly,
                                         threads, progress)};
}

IncomingFolder::IncomingFolder(const std::filesystem::path& competition)
    : aside_(make_temporary_folder(competition / "predictions" / "incoming")) {
    make_folders(aside_.path / "predictions");
}

IncomingFolder::~IncomingFolder() {
    std::error_code none;
    std::filesystem::remove_all(aside_.path, none);
}

void IncomingFolder::move_into(const std::filesystem::path& folder, const Incoming& one) const {
    const auto move = [](const std::filesystem::path& from, const std::filesystem::path& to) {
        std::error_code problem;
        std::filesystem::rename(from, to, problem);
        if (problem)
            throw Error(ErrorCode::io,
                        fmt::format("cannot make {}: {}", to.string(), problem.message()));
    };
    move(labels_file(aside_.path, one.name), labels_file(folder, one.name));
    move(confidences_file(aside_.path, one.name), confidences_file(folder, one.name));
    sync_folder(folder / "predictions");
}

void insert_classifier(Competition::Impl& in, const Incoming& incoming, std::string_view reason) {
    const WrittenPredictions& written = incoming.written;
    CompetitionClassifier one;
    one.number = static_cast<std::uint32_t>(in.classifiers.size());
    one.name = incoming.name;
    one.store = incoming.store;
    one.store_id = incoming.store_id;
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
        .run(one.number, one.name, one.store.string(), one.store_id, one.labels_hash,
             one.confidences_hash, one.threshold, one.scored, one.confident, decision);
    check_image_blocks(in, one.number, incoming);
    in.classifiers.push_back(std::move(one));
}

}  // namespace assay::mad
