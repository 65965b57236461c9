// Counts of labels as people and programs read them.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "assay/annotation/label_stats.h"
#include "inputs.h"

namespace assay {
namespace {

using nlohmann::json;
using Show = Column::Show;

constexpr std::size_t shown_by_default = 10;

std::string id_of(const ClassList& classes, std::size_t c) {
    return classes.empty() ? std::to_string(c) : classes.id(c);
}
std::string name_of(const ClassList& classes, std::size_t c) {
    return classes.empty() ? std::to_string(c) : classes.name(c);
}

std::vector<std::size_t> by_count(const LabelStats& stats) {
    std::vector<std::size_t> order(stats.class_count.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return stats.class_count[a] > stats.class_count[b];
    });
    return order;
}

Table histogram_table(const DatasetLabelStats& found) {
    const LabelStats& stats = found.stats;
    Table table;
    table.title = fmt::format("{}: {} images, {} labels, {} classes", found.dataset.name,
                              count_text(stats.items), count_text(stats.labels),
                              count_text(found.dataset.classes.size()));
    table.columns = {{.name = "labels"},
                     {.name = "images"},
                     {.name = "proportion %"},
                     {.name = "", .numbers = false}};
    std::uint64_t most = 1;
    for (const auto& [labels, images] : stats.histogram) most = std::max(most, images);
    for (const auto& [labels, images] : stats.histogram) {
        const auto n = static_cast<double>(images);
        table.add({Count{labels}, Count{images},
                   Number{.value = n / static_cast<double>(stats.items),
                          .unit = Unit::proportion,
                          .digits = 2},
                   Bar{n / static_cast<double>(most), 24}});
    }
    const Measurement& mean = stats.mean_labels;
    if (mean.value) {
        table.notes.push_back(fmt::format(
            "{:.4f} labels per labelled image{}", *mean.value,
            mean.interval
                ? fmt::format(" ({:.4f} – {:.4f})", mean.interval->low, mean.interval->high)
                : std::string()));
    } else {
        table.notes.push_back("labels per image: undefined: " + mean.undefined);
    }
    if (stats.histogram.contains(0))
        table.notes.push_back(fmt::format("{} images have no label: metrics leave them out",
                                          count_text(stats.histogram.at(0))));
    return table;
}

/// The `most` most frequent classes.
Table class_rows(const DatasetLabelStats& found, std::size_t most, const std::string& with_others) {
    const LabelStats& stats = found.stats;
    Table table;
    table.columns = {{.name = "class", .numbers = false},
                     {.name = "name", .numbers = false},
                     {.name = "images"},
                     {.name = "alone"},
                     {.name = with_others}};
    const auto order = by_count(stats);
    for (std::size_t n = 0; n < std::min(most, order.size()); ++n) {
        const std::size_t c = order[n];
        table.add({id_of(found.dataset.classes, c), name_of(found.dataset.classes, c),
                   Count{stats.class_count[c]}, Count{stats.class_alone[c]},
                   Count{stats.class_count[c] - stats.class_alone[c]}});
    }
    return table;
}

Table class_table(const DatasetLabelStats& found) {
    const LabelStats& stats = found.stats;
    const std::size_t all = stats.class_count.size();
    const std::size_t most = found.options.all_classes ? all : shown_by_default;
    Table table = class_rows(found, most, "with others");
    table.title = "Classes";
    if (all > most) table.notes.push_back(fmt::format("{} more are not shown", all - most));
    if (stats.unused_classes > 0)
        table.notes.push_back(fmt::format("{} classes have no image", stats.unused_classes));
    return table;
}

Table pair_table(const DatasetLabelStats& found, std::size_t most) {
    const LabelStats& stats = found.stats;
    const ClassList& classes = found.dataset.classes;
    Table table;
    table.title = "Classes that come together";
    table.columns = {{.name = "class", .numbers = false},
                     {.name = "and", .numbers = false},
                     {.name = "together"},
                     {.name = "of"},
                     {.name = "and of"},
                     {.name = "by chance"},
                     {.name = "lift"},
                     {.name = "interval", .show = Show::interval},
                     {.name = "NPMI"}};
    for (std::size_t n = 0; n < std::min(most, stats.together.size()); ++n) {
        const ClassPair& p = stats.together[n];
        table.add({name_of(classes, static_cast<std::size_t>(p.a)),
                   name_of(classes, static_cast<std::size_t>(p.b)), Count{p.together},
                   Count{p.count_a}, Count{p.count_b}, Number{.value = p.expected, .digits = 2},
                   p.lift, p.lift, Number{.value = p.npmi, .digits = 3}});
    }
    table.notes.push_back(fmt::format(
        "{} pairs seen, {} of them less than {} times and not listed; ordered by the "
        "lower end of the lift's interval",
        count_text(stats.pairs), count_text(stats.rare_pairs), found.options.minimum_together));
    if (stats.crowded > 0) {
        table.notes.push_back(fmt::format("{} images with more than {} labels are not in the pairs",
                                          stats.crowded, LabelStats::most_for_pairs));
    }
    return table;
}

Table pair_records(const DatasetLabelStats& found, std::size_t most) {
    const ClassList& classes = found.dataset.classes;
    Table table;
    table.columns = {{.name = "a", .numbers = false},
                     {.name = "b", .numbers = false},
                     {.name = "together"},
                     {.name = "count_a"},
                     {.name = "count_b"},
                     {.name = "expected"},
                     {.name = "lift", .show = Show::every_part},
                     {.name = "pmi"},
                     {.name = "npmi"}};
    for (std::size_t n = 0; n < std::min(most, found.stats.together.size()); ++n) {
        const ClassPair& p = found.stats.together[n];
        table.add({id_of(classes, static_cast<std::size_t>(p.a)),
                   id_of(classes, static_cast<std::size_t>(p.b)), Count{p.together},
                   Count{p.count_a}, Count{p.count_b}, Number{.value = p.expected}, p.lift,
                   Number{.value = p.pmi}, Number{.value = p.npmi}});
    }
    return table;
}

json result_of(const DatasetLabelStats& found) {
    const LabelStats& stats = found.stats;
    const ClassList& classes = found.dataset.classes;
    json out = {{"schema", "assay.label_stats/2"},
                {"dataset", found.dataset.name},
                {"items", stats.items},
                {"labelled", stats.labelled},
                {"labels", stats.labels},
                {"mean_labels", to_json(stats.mean_labels)},
                {"labels_per_image", json::object()},
                {"unused_classes", stats.unused_classes},
                {"classes", json::array()},
                {"pairs_seen", stats.pairs},
                {"pairs_rare", stats.rare_pairs},
                {"images_not_in_pairs", stats.crowded},
                {"pairs", json::array()}};
    for (const auto& [labels, images] : stats.histogram)
        out["labels_per_image"][std::to_string(labels)] = images;
    for (std::size_t c = 0; c < stats.class_count.size(); ++c) {
        out["classes"].push_back({{"class", id_of(classes, c)},
                                  {"name", name_of(classes, c)},
                                  {"images", stats.class_count[c]},
                                  {"alone", stats.class_alone[c]}});
    }
    const std::size_t most = found.options.pairs.value_or(stats.together.size());
    for (std::size_t n = 0; n < std::min(most, stats.together.size()); ++n) {
        const ClassPair& p = stats.together[n];
        out["pairs"].push_back({{"a", id_of(classes, static_cast<std::size_t>(p.a))},
                                {"b", id_of(classes, static_cast<std::size_t>(p.b))},
                                {"together", p.together},
                                {"count_a", p.count_a},
                                {"count_b", p.count_b},
                                {"expected", p.expected},
                                {"lift", to_json(p.lift)},
                                {"pmi", p.pmi},
                                {"npmi", p.npmi}});
    }
    return out;
}

}  // namespace

DatasetLabelStats dataset_label_stats(const LabelStatsOptions& options) {
    DatasetLabelStats out;
    out.options = options;
    out.dataset = open_labelled(options.data, classes_named(options.classes), &out.assumed);
    out.stats = label_stats(out.dataset.labels, out.dataset.classes.size(), options);
    return out;
}

Report report_of(const DatasetLabelStats& found) {
    const std::size_t pairs = found.options.pairs.value_or(shown_by_default);
    Report report;
    Section section{
        .title = "", .blocks = {histogram_table(found), class_table(found)}, .sections = {}};
    if (found.stats.pairs > 0 && pairs > 0) section.blocks.emplace_back(pair_table(found, pairs));
    report.sections.push_back(std::move(section));
    report.records = found.options.pairs
                         ? pair_records(found, pairs)
                         : class_rows(found, found.stats.class_count.size(), "with_others");
    report.result = result_of(found);
    return report;
}

}  // namespace assay
