// Reports of label counts for people and programs.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include <nlohmann/json.hpp>

#include "annotation/option_files.h"
#include "assay/annotation/label_stats.h"
#include "assay/describe_result.h"
#include "assay/store/open_labelled.h"
#include "core/result_table.h"
#include "metric/measurement_result.h"

namespace assay {
namespace {

using Show = Column::Show;

constexpr std::size_t shown_by_default = 10;

std::string id_of(const ClassList& classes, std::size_t c) {
    return classes.empty() ? std::to_string(c) : classes.id(c);
}
std::string name_of(const ClassList& classes, std::size_t c) {
    return classes.empty() ? std::to_string(c) : classes.name(c);
}

struct ListedClass {
    std::string id, name;
    std::uint64_t images, alone;
    std::uint64_t with_others() const { return images - alone; }
};
ResultType result_type(ResultOf<ListedClass>) {
    using Of = ListedClass;
    static constexpr auto rows = describe_result<Of>(
        {.name = "LabelStatsClass", .columns = "class,name,images,alone,with_others"},
        {
            part<&Of::id>({.name = "class"}),
            part<&Of::name>({}),
            part<&Of::images>({}),
            part<&Of::alone>({.help = "Images with no other label"}),
            part<&Of::with_others>({.only_csv = true}),
        });
    return rows;
}

struct ListedPair {
    const ClassList* classes;
    const ClassPair* pair;
};
ResultType result_type(ResultOf<ListedPair>) {
    using Of = ListedPair;
    static constexpr auto rows = describe_result<Of>(
        {.name = "LabelStatsPair",
         .help = "Two classes that occur together",
         .columns = "a,b,together,count_a,count_b,expected,lift*,pmi,npmi"},
        {
            part(
                {.name = "a"},
                [](const Of& o) { return id_of(*o.classes, static_cast<std::size_t>(o.pair->a)); }),
            part(
                {.name = "b"},
                [](const Of& o) { return id_of(*o.classes, static_cast<std::size_t>(o.pair->b)); }),
            part<&Of::pair, &ClassPair::together>({.help = "Images"}),
            part<&Of::pair, &ClassPair::count_a>({.help = "Images of a"}),
            part<&Of::pair, &ClassPair::count_b>({}),
            part<&Of::pair, &ClassPair::expected>({.help = "Together by chance"}),
            part<&Of::pair, &ClassPair::lift>({.help = "together / expected"}),
            part<&Of::pair, &ClassPair::pmi>({.help = "log2(lift)"}),
            part<&Of::pair, &ClassPair::npmi>({.help = "1: the two classes always occur together"}),
        });
    return rows;
}

std::vector<std::size_t> by_count(const LabelStats& stats) {
    std::vector<std::size_t> order(stats.class_count.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return stats.class_count[a] > stats.class_count[b];
    });
    return order;
}

/// The listed pairs, at most `most`.
std::vector<ListedPair> listed_pairs(const DatasetLabelStats& found, std::size_t most) {
    std::vector<ListedPair> out;
    for (std::size_t n = 0; n < std::min(most, found.stats.together.size()); ++n)
        out.push_back({&found.dataset.classes, &found.stats.together[n]});
    return out;
}

ListedClass listed_class(const DatasetLabelStats& found, std::size_t c) {
    const LabelStats& stats = found.stats;
    return {id_of(found.dataset.classes, c), name_of(found.dataset.classes, c),
            stats.class_count[c], stats.class_alone[c]};
}
std::vector<ListedClass> listed_classes(const DatasetLabelStats& found,
                                        const std::vector<std::size_t>& order) {
    std::vector<ListedClass> out;
    for (const std::size_t c : order) out.push_back(listed_class(found, c));
    return out;
}
std::vector<std::size_t> all_classes(const LabelStats& stats) {
    std::vector<std::size_t> order(stats.class_count.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
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
        table.notes.push_back(fmt::format("{} images have no label: metrics omit them",
                                          count_text(stats.histogram.at(0))));
    return table;
}

Table class_table(const DatasetLabelStats& found) {
    const LabelStats& stats = found.stats;
    std::vector<std::size_t> order = by_count(stats);
    const std::size_t all = order.size();
    if (!found.options.all_classes) order.resize(std::min(all, shown_by_default));
    Table table = table_of(listed_classes(found, order));
    table.columns.back().name = "with others";
    table.title = "Classes";
    if (all > order.size())
        table.notes.push_back(fmt::format("{} more are not shown", all - order.size()));
    if (stats.unused_classes > 0)
        table.notes.push_back(fmt::format("{} classes have no image", stats.unused_classes));
    return table;
}

Table pair_table(const DatasetLabelStats& found, std::size_t most) {
    const LabelStats& stats = found.stats;
    const ClassList& classes = found.dataset.classes;
    Table table;
    table.title = "Classes that occur together";
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

}  // namespace

DatasetLabelStats dataset_label_stats(const LabelStatsOptions& options) {
    DatasetLabelStats out;
    out.options = options;
    out.dataset = open_labelled(options.data, classes_named(options.classes), &out.assumed);
    out.stats = label_stats(out.dataset.labels, out.dataset.classes.size(), options);
    return out;
}

ResultType result_type(ResultOf<DatasetLabelStats>) {
    using Of = DatasetLabelStats;
    static constexpr auto rows = describe_result<Of>(
        {.name = "LabelStatsResult",
         .help = "How many labels images have, how often each class occurs, and which classes "
                 "occur together",
         .schema = "assay.label_stats/2"},
        {
            part<&Of::dataset, &Dataset::name>({.name = "dataset"}),
            part<&Of::stats, &LabelStats::items>({}),
            part<&Of::stats, &LabelStats::labelled>({}),
            part<&Of::stats, &LabelStats::labels>({}),
            part<&Of::stats, &LabelStats::mean_labels>({.help = "Over labelled images"}),
            part({.help = "Images by their number of labels", .name = "labels_per_image"},
                 [](const Of& o) {
                     std::map<std::string, std::uint64_t> out;
                     for (const auto& [labels, images] : o.stats.histogram)
                         out[std::to_string(labels)] = images;
                     return out;
                 }),
            part<&Of::stats, &LabelStats::unused_classes>({}),
            part({.name = "classes"},
                 [](const Of& o) { return listed_classes(o, all_classes(o.stats)); }),
            part<&Of::stats, &LabelStats::pairs>({.help = "Distinct ones", .name = "pairs_seen"}),
            part<&Of::stats, &LabelStats::rare_pairs>(
                {.help = "Of these, pairs that are too rare to be listed", .name = "pairs_rare"}),
            part<&Of::stats, &LabelStats::crowded>(
                {.help = "Images with too many labels to count pairs",
                 .name = "images_not_in_pairs"}),
            part({.name = "pairs"},
                 [](const Of& o) {
                     return listed_pairs(o, o.options.pairs.value_or(o.stats.together.size()));
                 }),
        });
    return rows;
}

Report report_of(const DatasetLabelStats& found) {
    const std::size_t pairs = found.options.pairs.value_or(shown_by_default);
    Report report;
    Section section{
        .title = "", .blocks = {histogram_table(found), class_table(found)}, .sections = {}};
    if (found.stats.pairs > 0 && pairs > 0) section.blocks.emplace_back(pair_table(found, pairs));
    report.sections.push_back(std::move(section));
    report.records = found.options.pairs ? table_of(listed_pairs(found, pairs))
                                         : table_of(listed_classes(found, by_count(found.stats)));
    report.result = to_json(found);
    return report;
}

}  // namespace assay
