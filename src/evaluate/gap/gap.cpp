// Computes the report from the user's arguments: folders, files, a table.
#include "assay/evaluate/gap.h"

#include <algorithm>

#include <fmt/format.h>
#include <fnmatch.h>

#include "assay/collective/comm.h"
#include "assay/error.h"
#include "assay/metric/metric.h"
#include "assay/robustness/model_stores.h"
#include "assay/store/prediction_store.h"
#include "core/paths.h"
#include "core/text.h"
#include "data/label_rows.h"
#include "evaluate/gap/assemble.h"
#include "evaluate/gap/gap_groups.h"
#include "evaluate/gap/model_families.h"
#include "evaluate/groups_of_store.h"
#include "evaluate/matching_data_sets.h"
#include "store/label_fit.h"
#include "store/same_models.h"
#include "store/usable_stores.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t fewest_draws = 200;

// Returns a folder as given, otherwise the data set with this name below `runs`.
fs::path folder_of(const std::string& argument, const fs::path& runs) {
    if (!runs.empty() && !is_folder(runs))
        throw Error(ErrorCode::usage, fmt::format("`{}` is not a folder of runs", runs.string()));
    if (!runs.empty() && is_folder(runs / argument)) return runs / argument;
    if (is_folder(argument)) return argument;
    if (runs.empty()) {
        throw Error(ErrorCode::usage, fmt::format("`{}` is not a folder; name RUNS/DATA_SET, or "
                                                  "the data set and its folder with --runs RUNS",
                                                  argument));
    }
    std::vector<std::string> names;
    for (const fs::path& store : find_stores(runs)) {
        const std::string name = store.parent_path().filename().string();
        if (names.empty() || names.back() != name)
            names.push_back(name);  // the stores of a data set follow one another
    }
    throw Error(ErrorCode::usage, fmt::format("no data set `{}` in `{}`{}", argument, runs.string(),
                                              suggest(argument, names)));
}

GapSide side_of(const std::string& argument, const fs::path& runs, const fs::path& labels,
                std::vector<std::string>& warnings) {
    const fs::path folder = folder_of(argument, runs);
    GapSide side;
    ModelStores found = model_stores({folder});
    side.stores = std::move(found.folders);
    for (const fs::path& store : side.stores) {
        if (store.parent_path() == side.stores[0].parent_path()) continue;
        throw Error(ErrorCode::usage,
                    fmt::format("`{}` holds several data sets; name one of them, e.g. `{}`",
                                folder.string(), side.stores[0].parent_path().string()));
    }
    const PredictionStore store = PredictionStore::open(side.stores[0]);
    side.name = store.spec().dataset_name;
    if (!found.variants.empty()) warnings.push_back(side.name + ": " + found.note());
    if (labels.empty()) return side;
    store::LabelFit fit = store::label_fit(labels, store.dataset());
    if (!fit.fits()) throw *fit.error;
    side.unnamed = fit.match.unnamed;
    if (fit.match.unnamed + fit.match.others > 0)
        warnings.push_back(side.name + ": " + describe(fit, labels));
    side.sets = std::move(fit.sets);
    return side;
}

/// True for a pattern of names, unless a folder has this name.
bool names_several(const std::string& argument, const fs::path& runs) {
    return evaluate::is_pattern(argument) && !is_folder(argument) && !is_folder(runs / argument);
}

/// The data sets of a pattern, and the name of their mean: the pattern.
struct MatchedSides {
    std::string name;
    std::vector<GapSide> sides;
};
MatchedSides sides_like(const std::string& argument, const fs::path& runs, const fs::path& labels,
                        std::vector<std::string>& warnings) {
    const fs::path whole = runs.empty() ? fs::path(argument) : runs / argument;
    const fs::path folder = whole.parent_path();
    MatchedSides out{.name = whole.filename().string(), .sides = {}};
    if (folder.empty() || !is_folder(folder))
        throw Error(ErrorCode::usage,
                    fmt::format("--also is the pattern `{}`, whose folder is {}; name "
                                "RUNS/PATTERN, or the pattern and its folder with --runs RUNS",
                                argument,
                                folder.empty() ? "not given"
                                               : fmt::format("not there (`{}`)", folder.string())));
    std::vector<PredictionStore> stores;
    for (const fs::path& store : model_stores({folder}, true).folders) {
        if (auto opened = store::open_unless_damaged(store)) {
            stores.push_back(std::move(*opened));
        } else if (fnmatch(out.name.c_str(), store.parent_path().filename().c_str(), 0) == 0) {
            PredictionStore::open(store);  // says what is damaged
        }
    }
    std::vector<fs::path> folders;
    for (const PredictionStore& store :
         evaluate::matching_data_sets(std::move(stores), out.name, warnings)) {
        fs::path of = store.folder().parent_path();
        if (std::ranges::find(folders, of) == folders.end()) folders.push_back(std::move(of));
    }
    for (const fs::path& of : folders)
        out.sides.push_back(side_of(of.string(), {}, labels, warnings));
    return out;
}

void check_also(const GapRequest& request) {
    const bool stores = request.table.empty();
    if (!stores && (!request.also_labels.empty() || !request.also_subgroups.empty()))
        throw Error(ErrorCode::usage,
                    "label sets and numbers of labels of further data sets are for stores");
    if (!request.also_subgroups.empty() && request.also.empty())
        throw Error(ErrorCode::usage,
                    "numbers of labels of further data sets are given without a further data set: "
                    "add --also V3");
    if (!request.rank_against.empty() && request.rank_by.empty())
        throw Error(ErrorCode::usage,
                    "--rank-against compares with the ranks of --rank-by: add --rank-by COLUMN");
    if (!request.also_labels.empty() && request.also_labels.size() != request.also.size())
        throw Error(
            ErrorCode::usage,
            fmt::format("{} label sets for {} further data sets; pass one for each, or none",
                        request.also_labels.size(), request.also.size()));
    for (const fs::path& labels : request.also_labels) require_labels(labels);
    if (!request.also_subgroups.empty()) gap_subgroups(request.also_subgroups);
    for (const std::string& file : request.also) {
        if (!stores && !is_there(file))
            throw Error(ErrorCode::bad_input,
                        fmt::format("no table of a further data set at `{}`", file));
    }
}

void add_also(GapReport& report, const GapRequest& request, Comm& comm,
              const ProgressCallback& progress) {
    for (std::size_t i = 0; i < request.also.size(); ++i) {
        if (!request.table.empty()) {
            report.also.push_back(read_also_table(request.also[i], report, request.unit));
            continue;
        }
        const fs::path labels = request.also_labels.empty() ? fs::path() : request.also_labels[i];
        const std::string& subgroups =
            request.also_subgroups.empty() ? request.options.subgroups : request.also_subgroups;
        MatchedSides of;
        agree(comm, [&] {
            if (names_several(request.also[i], request.runs))
                of = sides_like(request.also[i], request.runs, labels, report.warnings);
            else
                of.sides = {side_of(request.also[i], request.runs, labels, report.warnings)};
        });
        report.also.push_back(
            of.name.empty() ? also_of_stores(of.sides.front(), report, subgroups, comm, progress)
                            : also_across(of.sides, of.name, report, subgroups, comm, progress));
        const std::vector<std::string>& more = report.also.back().warnings;
        report.warnings.insert(report.warnings.end(), more.begin(), more.end());
    }
    for (std::size_t i = 0; i < report.also.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (report.also[i].name == report.also[j].name)
                throw Error(ErrorCode::usage, fmt::format("two further data sets are named `{}`",
                                                          report.also[i].name));
        }
    }
}

void check_stores(const GapRequest& request) {
    if (request.sets.size() != 2)
        throw Error(ErrorCode::usage,
                    "two data sets are needed (assay gap RUNS/V1 RUNS/V2), or a table of published "
                    "values (--table CSV)");
    if (request.sets[0] == request.sets[1])
        throw Error(ErrorCode::usage, fmt::format("both are `{}`", request.sets[0]));
    for (const auto& [given, option] :
         {std::pair{!request.n1.empty(), "--n1"},
          {!request.n2.empty(), "--n2"},
          {!request.counts1.empty(), "--counts1"},
          {!request.counts2.empty(), "--counts2"},
          {!request.options.model_correlation.empty(), "--model-correlation"},
          {!request.options.metric_correlation.empty(), "--metric-correlation"}}) {
        if (given)
            throw Error(
                ErrorCode::usage,
                fmt::format("{} only applies to published values (--table CSV): omit it for stores",
                            option));
    }
    for (const fs::path& labels : request.labels) require_labels(labels);
    evaluate::check_group_names(request.by);
}

std::array<GapImages, 2> images_of_table(const GapRequest& request) {
    std::array<GapImages, 2> images{parse_gap_images(request.n1, "--n1"),
                                    parse_gap_images(request.n2, "--n2")};
    images[0].counts = request.counts1;
    images[1].counts = request.counts2;
    return images;
}

void check_table(const GapRequest& request) {
    if (request.sets.size() != 0 && request.sets.size() != 2)
        throw Error(ErrorCode::usage,
                    "with a table, name both data sets (for the headings) or none");
    if (!request.runs.empty() || !request.labels[0].empty() || !request.labels[1].empty())
        throw Error(ErrorCode::usage,
                    "--table has published values: omit folders of runs and label sets, which are "
                    "for stores");
    if (!request.by.empty())
        throw Error(ErrorCode::usage,
                    "--by needs stores, whose images have attributes; --table has only published "
                    "values: omit --by");
    images_of_table(request);
    if (!is_there(request.table))
        throw Error(ErrorCode::bad_input,
                    fmt::format("no table of published values at `{}`", request.table.string()));
}

// Numbers of images for a metric that is not in the table are not used.
void require_columns(const GapTable& table, const std::array<GapImages, 2>& images) {
    for (std::size_t set = 0; set < 2; ++set) {
        for (const GapMetric metric : gap_metrics) {
            const bool given = metric == GapMetric::top1   ? images[set].top1.has_value()
                               : metric == GapMetric::real ? images[set].real.has_value()
                                                           : !images[set].counts.empty();
            if (!given || table.has[static_cast<std::size_t>(metric)][set]) continue;
            throw Error(
                ErrorCode::usage,
                fmt::format(
                    "--{}{} gives the images of {}, but the table has no column {}_v{}; omit it",
                    metric == GapMetric::asma ? "counts" : "n", set + 1, name_of(metric),
                    name_of(metric), set + 1));
        }
    }
}

GapOptions with_families(const GapRequest& request) {
    GapOptions options = request.options;
    if (!request.families.empty()) options.families = read_families(request.families);
    return options;
}

void warn_of_families(GapReport& report) {
    std::vector<std::string> unknown;
    for (const auto& in_family : report.options.families) {
        const std::string& model = in_family.first;
        if (std::ranges::none_of(report.models,
                                 [&](const GapModel& known) { return known.name == model; }))
            unknown.push_back(model);
    }
    if (!unknown.empty())
        report.warnings.push_back(fmt::format("models with a family that are not compared: {}",
                                              store::names_text(unknown)));
}

/// This check runs before all computations.
void check_groups(const GapSide& side, const std::vector<std::string>& by) {
    if (by.empty()) return;
    ScoreOptions options;
    options.by = by;
    with_note("reading the groups of " + side.name, [&] {
        evaluate::check_attributes(PredictionStore::open(side.stores[0]).dataset(), options);
    });
}

GapReport from_stores(const GapRequest& request, Comm& comm, const ProgressCallback& progress) {
    std::vector<std::string> warnings;
    GapSide first, second;
    agree(comm, [&] {
        first = side_of(request.sets[0], request.runs, request.labels[0], warnings);
        second = side_of(request.sets[1], request.runs, request.labels[1], warnings);
    });
    if (first.stores[0].parent_path() == second.stores[0].parent_path())
        throw Error(ErrorCode::usage,
                    fmt::format("both are `{}`", first.stores[0].parent_path().string()));
    if (first.name == second.name) second.name += " (2)";
    GapOptions options;
    agree(comm, [&] {
        options = with_families(request);
        for (const GapSide* side : {&first, &second}) check_groups(*side, request.by);
    });
    GapReport report = gap_of_stores(first, second, options, comm, progress);
    if (!request.by.empty())
        report.groups = gap_by_group(report, {first, second}, request.by, comm, progress);
    warn_of_families(report);
    report.warnings.insert(report.warnings.begin(), warnings.begin(), warnings.end());
    return report;
}

GapReport from_table(const GapRequest& request) {
    const GapTable table = read_gap_table(request.table, request.unit);
    std::array<std::string, 2> names{"V1", "V2"};
    if (request.sets.size() == 2) names = {request.sets[0], request.sets[1]};
    const std::array<GapImages, 2> images = images_of_table(request);
    require_columns(table, images);
    GapReport report = gap_of_table(table, names, with_families(request), images);
    warn_of_families(report);
    if (request.unit == TableUnit::automatic)
        report.notes.push_back(fmt::format("{}: assuming {}", request.table.string(),
                                           table.percent ? "percent" : "proportions"));
    if (!table.ignored.empty()) {
        constexpr std::size_t named = 12;
        const auto end = table.ignored.begin() +
                         static_cast<std::ptrdiff_t>(std::min(named, table.ignored.size()));
        const std::size_t more = table.ignored.size() - std::min(named, table.ignored.size());
        report.notes.push_back(fmt::format("columns that were not used: {}{}",
                                           fmt::join(table.ignored.begin(), end, ", "),
                                           more > 0 ? fmt::format(" and {} more", more) : ""));
    }
    return report;
}

}  // namespace

GapImages parse_gap_images(const std::string& text, const std::string& option) {
    GapImages images;
    if (text.empty()) return images;
    const auto wrong = [&](std::string_view what) {
        return Error(ErrorCode::usage,
                     fmt::format("{} is `{}`: {}; write {} 50000 (images of top-1), or {} "
                                 "top1=50000,real=46837",
                                 option, shortened(text), what, option, option));
    };
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t comma = std::min(text.find(',', begin), text.size());
        const std::string_view piece = std::string_view(text).substr(begin, comma - begin);
        begin = comma + 1;
        const std::size_t equals = piece.find('=');
        const std::string_view metric =
            equals == std::string_view::npos ? "top1" : piece.substr(0, equals);
        const std::string_view number =
            equals == std::string_view::npos ? piece : piece.substr(equals + 1);
        if (metric == "asma")
            throw wrong(
                "of ASMA the images by their number of labels are needed (--counts1, "
                "--counts2)");
        if (metric != "top1" && metric != "real") throw wrong("the metrics are top1 and real");
        std::uint64_t n = 0;
        if (!parse_number(number, n) || n < 2 || n > (std::uint64_t{1} << 53U))
            throw wrong("a whole number of images, 2 or more, is needed");
        auto& of = metric == "top1" ? images.top1 : images.real;
        if (of) throw wrong(fmt::format("{} has two numbers", metric));
        of = n;
    }
    return images;
}

std::string_view name_of(GapMetric metric) {
    constexpr std::array<std::string_view, 3> names{"top1", "real", "asma"};
    return names[static_cast<std::size_t>(metric)];
}

void check(const GapOptions& options) {
    if (const std::string fault = fault_in(options); !fault.empty())
        throw Error(ErrorCode::usage, fault);
    if (options.replicates > 0 && options.replicates < fewest_draws)
        throw Error(
            ErrorCode::usage,
            fmt::format(
                "--bootstrap is {}; allowed: 0 (no intervals), or {} to 100000; omit it for 1000",
                options.replicates, fewest_draws));
    for (const auto& [given, option] :
         {std::pair{&options.model_correlation, "--model-correlation"},
          {&options.metric_correlation, "--metric-correlation"}}) {
        if (given->size() > 2 || (given->size() == 2 && given->front() > given->back()))
            throw Error(ErrorCode::usage,
                        fmt::format("{} is {}; allowed: one number, or the smaller and the larger "
                                    "of two: {} 0.3,0.8",
                                    option, fmt::join(*given, ","), option));
    }
    MetricRequest asma = parse_metric("asma");
    asma.set("agreement", options.agreement);
    gap_subgroups(options.subgroups);
}

GapSubgroups gap_subgroups(const std::string& text) {
    GapSubgroups list;
    std::string numbers;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t comma = std::min(text.find(',', begin), text.size());
        const std::string piece = text.substr(begin, comma - begin);
        begin = comma + 1;
        if (piece == "present") {
            list.present = true;
        } else {
            numbers += (numbers.empty() ? "" : ",") + piece;
        }
    }
    if (numbers.empty() && list.present) numbers = fmt::format("1-{}", most_labels_per_image);
    MetricRequest asma = parse_metric("asma");
    asma.set("subgroups", numbers);
    list.numbers = asma.labels_per_image().value();
    return list;
}

void check(const GapRequest& request) {
    check(request.options);
    request.table.empty() ? check_stores(request) : check_table(request);
    check_also(request);
    if (!request.families.empty() && !is_there(request.families))
        throw Error(ErrorCode::bad_input,
                    fmt::format("no table of families at `{}`", request.families.string()));
}

GapReport run_gap(const GapRequest& request, Comm& comm, const ProgressCallback& progress) {
    agree(comm, [&] { check(request); });
    GapReport report =
        request.table.empty() ? from_stores(request, comm, progress) : from_table(request);
    add_also(report, request, comm, progress);
    if (!request.rank_by.empty())
        report.ranking = rank_by(report, request.rank_by, request.rank_against, request.dense_ties);
    return report;
}

}  // namespace assay
