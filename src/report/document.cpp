#include "assay/report/document.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "assay/error.h"
#include "assay/report.h"
#include "assay/version.h"
#include "core/hash.h"
#include "evaluate/described_evaluate.h"
#include "evaluate/given_labels.h"
#include "evaluate/read_given.h"
#include "report/competitions.h"
#include "report/corrupted.h"
#include "report/described_report.h"
#include "report/example_pictures.h"
#include "report/found_slices.h"
#include "report/items.h"
#include "report/measured.h"
#include "report/metric_definitions.h"
#include "report/quality_tables.h"
#include "report/report_paths.h"
#include "report/tags.h"
#include "report/thumbnails.h"
#include "slices/described_slices.h"

namespace assay {
namespace {

using nlohmann::json;

/// Like json_of() but without a copy, because the results may use most of the memory.
json take_json(ReportParts& parts) {
    std::vector<json> results;
    for (SourcedResult& one : parts.results) results.push_back(std::exchange(one.result, nullptr));
    json out = json_of(parts);
    for (std::size_t r = 0; r < results.size(); ++r)
        out["results"][r]["result"] = std::move(results[r]);
    return out;
}

bool is_examples(const SavedResult& saved) {
    return saved.result.is_object() && saved.result["schema"] == attack_examples_schema;
}

class Gathering {
public:
    Gathering(const ReportOptions& options, Comm& comm, const ProgressCallback& progress)
        : options_(options), comm_(comm), progress_(progress) {}

    ReportDocument run() {
        const ReportInputs inputs = look_at_inputs(options_.paths);
        if (!options_.tags.empty()) {
            parts_.tags = read_tags(options_.tags);
            add_file(options_.tags.string(), hash_file(options_.tags), "csv");
        }
        examples_left_ = static_cast<std::size_t>(
            std::count_if(inputs.saved.begin(), inputs.saved.end(), is_examples));
        for (const SavedResult& saved : inputs.saved) add_sliced_models(saved.result, sliced_);
        add_stores(inputs);
        add_competitions(inputs);
        for (const SavedResult& saved : inputs.saved) {
            const bool examples = is_examples(saved);
            add_saved(saved, examples ? thumbnails_left() / examples_left_ : 0);
            examples_left_ -= examples ? 1 : 0;
        }

        ReportDocument out;
        parts_.assay = version;
        parts_.title = options_.title.empty() ? title_of_paths() : options_.title;
        parts_.command = options_.command;
        parts_.definitions = definitions_in(parts_.results);
        parts_.warnings = said_.warnings;
        parts_.left_out = std::move(said_.left_out);
        out.json = take_json(parts_);
        out.thumbnails = std::move(thumbnails_);
        out.warnings = std::move(said_.warnings);
        out.notes = std::move(notes_);
        out.partial = said_.partial;
        return out;
    }

private:
    void add(std::string source, json result) {
        parts_.results.push_back({std::move(source), std::move(result)});
    }
    void add_all(std::vector<SourcedResult> sourced) {
        for (SourcedResult& one : sourced) parts_.results.push_back(std::move(one));
    }
    void add_file(const std::string& file, const std::string& hash, const std::string& schema) {
        parts_.files.push_back({file, hash, schema});
    }

    void add_stores(const ReportInputs& inputs) {
        std::vector<StoreGroup> groups = group_stores(inputs.stores, said_.warnings);
        for (const StoreGroup& group : groups)
            for (const ReportStore& store : group.stores) {
                parts_.stores.push_back(store.provenance);
                said_.partial = said_.partial || store.provenance.missing != 0;
            }
        std::vector<SourcedResult> corrupted = corrupted_results(groups, options_, said_);
        std::size_t classes_left = options_.class_estimates;
        std::size_t items_left = options_.items;
        // Images under attack come last and are not shown: the files on the disk are the original
        // images.
        const auto shown = static_cast<std::size_t>(std::count_if(
            groups.begin(), groups.end(), [](const auto& group) { return group.variant.empty(); }));
        const GivenLabels labels = labels_of(groups);
        for (std::size_t g = 0; g < groups.size(); ++g) {
            const std::size_t left = shown - std::min(shown, g);
            const std::size_t own_items = left == 0 ? 0 : items_left / left;
            const std::size_t own_thumbnails =
                left == 0
                    ? 0
                    : thumbnails_left() / (left + inputs.competitions.size() + examples_left_);
            ReportOptions own = options_;
            const PredictionStore first = PredictionStore::open(groups[g].stores.front().folder);
            own.measure = labels.measure_for(options_.measure, first);
            // Each group has its own classes, and a given option may be only for one of them.
            if (own.measure.class_map.empty()) {
                for (const std::string& text : leave_out_misfits(own.measure, first))
                    said_.leave_out(text + ".");
            }
            items_left -=
                add_group(groups[g], own, shown > 1, own_items, own_thumbnails, classes_left);
        }
        add_all(std::move(corrupted));
        if (items_cut_)
            said_.leave_out(
                fmt::format("{} images are shown with their predictions; comparisons, "
                            "slices and confusions refer to more.",
                            count_text(parts_.items.size())));
    }

    /// Uses the first store of every group.
    GivenLabels labels_of(const std::vector<StoreGroup>& groups) {
        if (options_.measure.labels.empty()) return {};
        std::vector<PredictionStore> firsts;
        for (const StoreGroup& group : groups)
            firsts.push_back(PredictionStore::open(group.stores.front().folder));
        std::vector<const PredictionStore*> stores;
        for (const PredictionStore& store : firsts) stores.push_back(&store);
        GivenLabels labels(options_.measure, stores);
        notes_ = labels.notes();
        for (const std::string& text : labels.warnings()) said_.warn(text);
        return labels;
    }

    void add_competitions(const ReportInputs& inputs) {
        for (std::size_t c = 0; c < inputs.competitions.size(); ++c) {
            CompetitionParts parts = competition_parts(
                inputs.competitions[c], options_,
                thumbnails_left() / (inputs.competitions.size() - c + examples_left_), said_);
            add_all(std::move(parts.results));
            add_thumbnails(std::move(parts.thumbnails));
        }
    }

    std::size_t thumbnails_left() const { return options_.thumbnails - thumbnails_.size(); }
    void add_thumbnails(std::vector<Thumbnail> made) {
        for (Thumbnail& one : made) thumbnails_.push_back(std::move(one));
    }

    /// Returns the number of shown images.
    std::size_t add_group(const StoreGroup& group, const ReportOptions& options, bool several,
                          std::size_t items, std::size_t thumbnails, std::size_t& classes_left) {
        return with_note(fmt::format("measuring `{}`", group.folder.string()), [&] {
            const auto scores = score_group(group, options, several, comm_, progress_, said_);
            if (!scores) return std::size_t{0};
            add(group.folder.string(),
                scores_json(group, *scores, options.confusions, classes_left, said_));
            BestOfGroup best = best_of_group(group, *scores, options, comm_, progress_, said_);
            for (ColumnBest& column : best.columns) parts_.best.push_back(std::move(column));
            if (best.comparison) {
                for (const std::string& text : best.comparison->warnings)
                    said_.warn(group.dataset + ": " + text);
                add(group.folder.string(), to_json(*best.comparison));
            }
            if (!group.variant.empty()) return std::size_t{0};
            add_data(group);
            const auto slices = slices_of_group(group, best, options, sliced_, said_);
            if (slices) add(group.folder.string(), json_of(*slices));
            GroupItems shown =
                items_of_group(group, *scores, best, slices ? &*slices : nullptr, options, items);
            items_cut_ = items_cut_ || shown.cut;
            for (ReportItem& item : shown.shown) parts_.items.push_back(std::move(item));
            add_thumbnails(thumbnails_of(group, shown.wanted, thumbnails, options_.thumbnail_side,
                                         options_.threads, said_));
            return shown.wanted.size();
        });
    }

    /// The facts about the images that a store has recorded: from the first store that has some,
    /// because all saw the same images.
    void add_data(const StoreGroup& group) {
        for (const ReportStore& store : group.stores) {
            const auto data = inspect_store(PredictionStore::open(store.folder));
            if (!data) continue;
            add(group.folder.string(), json_of(*data));
            return;
        }
    }

    /// `thumbnails` is for a result with images.
    void add_saved(const SavedResult& saved, std::size_t thumbnails) {
        if (!saved.hash.empty())
            add_file(saved.source, saved.hash,
                     saved.result.is_null() ? "csv" : saved.result["schema"].get<std::string>());
        if (!saved.no_table.empty())
            said_.leave_out(
                fmt::format("{} is shown without scores: {}.", saved.source, saved.no_table));
        if (saved.table) {
            add_all(table_results(saved, options_, said_));
        } else {
            add(saved.source, saved.result);
            if (is_examples(saved))
                add_thumbnails(example_pictures(saved, thumbnails, options_.thumbnail_side,
                                                options_.threads, said_));
        }
    }

    std::string title_of_paths() const {
        constexpr std::size_t most_named = 3;
        std::vector<std::string> names;
        for (std::filesystem::path path : options_.paths) {
            path = path.lexically_normal();
            if (!path.has_filename()) path = path.parent_path();
            const std::string name = path.filename().string();
            if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
        }
        const bool more = names.size() > most_named;
        if (more) names.resize(most_named);
        return fmt::format("{}{}", fmt::join(names, ", "), more ? ", ..." : "");
    }

    const ReportOptions& options_;
    Comm& comm_;
    const ProgressCallback& progress_;
    Said said_;
    ReportParts parts_;
    std::vector<std::string> notes_;
    std::vector<Thumbnail> thumbnails_;
    NamedModels sliced_;             ///< those whose slices are among the saved results
    std::size_t examples_left_ = 0;  ///< results with pictures that are not in yet
    bool items_cut_ = false;
};

}  // namespace

void check(const ReportOptions& options) {
    check(options.measure, false);
    for (const auto& file : options.measure.plugins.plugin) load_corruptions(file);
    const auto refuse_number = [](std::string_view what, int value, int low, int high) {
        if (value < low || value > high)
            throw Error(ErrorCode::usage,
                        fmt::format("{} {}; allowed: {} to {}", what, value, low, high));
    };
    refuse_number("the side of thumbnails", options.thumbnail_side, 32, 512);
}

ReportDocument make_report(const ReportOptions& options, Comm& comm,
                           const ProgressCallback& progress) {
    check(options);
    return Gathering(options, comm, progress).run();
}

}  // namespace assay
