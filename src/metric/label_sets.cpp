// Metrics of label sets: the g highest classes of an image with g valid ones (agreement.h), by
// number of labels and overall.
//
// The state counts images by (g, h): every agreement, its mean and its variance follow from these
// integers.
#include <algorithm>
#include <array>
#include <vector>

#include <fmt/core.h>

#include "metric/agreement.h"
#include "metric/families.h"
#include "metric/number_list.h"

namespace assay::families {
namespace {

// Slots for g = 1, 2, ...: first the images whose h is not known, then those with h = 0 ... g. The
// last slot counts images with more labels.
constexpr std::size_t slot_of(std::size_t g) {
    return (g - 1) * (g + 4) / 2;
}

std::size_t counted(const Shape& shape) {
    return std::clamp(shape.most_labels, std::uint32_t{1}, most_labels_per_image);
}

class LabelSetHits final : public Accumulator {
public:
    explicit LabelSetHits(std::size_t most) : most_(most) {}
    std::string key() const override { return "label_sets"; }
    std::size_t slots() const override { return slot_of(most_ + 1) + 1; }
    void update(std::span<std::int64_t> state, std::span<const RowFacts> rows) const override {
        const std::size_t all = slots();
        for (const RowFacts& row : rows) {
            if (row.valid == 0) continue;
            std::int64_t* const counts = state.data() + row.group * all;
            if (row.valid > most_) {
                ++counts[all - 1];
            } else {
                ++counts[slot_of(row.valid) + static_cast<std::size_t>(row.hits + 1)];
            }
        }
    }

private:
    std::size_t most_;
};

struct Subgroup {
    std::int64_t unknown = 0;  ///< images whose h is not known
    MeanAgreement agreement;   ///< agreement of the other images
    std::uint64_t images() const { return agreement.n + static_cast<std::uint64_t>(unknown); }
};

using Counted = std::pair<double, std::int64_t>;  // an agreement and its number of images

MeanAgreement mean_of(std::span<const Counted> values) {
    MeanAgreement mean;
    for (const auto& [value, count] : values) {
        mean.n += static_cast<std::uint64_t>(count);
        mean.mean += value * static_cast<double>(count);
    }
    if (mean.n > 0) mean.mean /= static_cast<double>(mean.n);
    return mean;
}

// This is a second pass because a difference of large sums loses digits.
void add_variance(MeanAgreement& mean, std::span<const Counted> values) {
    if (mean.n < 2) return;
    for (const auto& [value, count] : values)
        mean.variance += static_cast<double>(count) * (value - mean.mean) * (value - mean.mean);
    mean.variance /= static_cast<double>(mean.n) - 1;
}

Subgroup subgroup_of(const MetricContext& context, std::span<const std::int64_t> state,
                     std::uint32_t g) {
    Subgroup subgroup;
    if (g > counted(context.shape)) return subgroup;
    const std::int64_t* const counts = state.data() + slot_of(g);
    subgroup.unknown = counts[0];
    // Hamming is a linear function of recall: its interval is a transformed interval of recall.
    const Agreement named = agreement_named(context.parameters.at("agreement"));
    const Agreement kind = named == Agreement::hamming ? Agreement::recall : named;
    std::array<Counted, most_labels_per_image + 1> all;
    const std::span values = std::span(all).first(g + 1);
    std::int64_t hits = 0;
    for (std::uint32_t h = 0; h <= g; ++h) {
        values[h] = {agreement_of(kind, g, h, context.shape.classes), counts[h + 1]};
        hits += h * counts[h + 1];
    }
    MeanAgreement& mean = subgroup.agreement;
    mean = mean_of(values);
    // Values are from integers, so that classifiers with equally many hits tie exactly, however the
    // hits are distributed.
    if (kind == Agreement::recall && mean.n > 0)
        mean.mean = static_cast<double>(hits) / static_cast<double>(mean.n) / g;
    mean.yes_or_no = g == 1;
    if (!context.value_only) add_variance(mean, values);
    return subgroup;
}

Term term_of(const MetricContext& context, std::uint32_t g, const Subgroup& subgroup,
             std::string& method) {
    const double mean = subgroup.agreement.mean;
    Term term{mean, mean, mean};
    if (!context.value_only) {
        const Interval interval = mean_interval(subgroup.agreement, context.level);
        method = interval.method;
        term.low = interval.low;
        term.high = interval.high;
    }
    if (context.parameters.at("agreement") != "hamming") return term;
    const double slope = 2.0 * g / context.shape.classes;
    for (double* x : {&term.value, &term.low, &term.high}) *x = 1 - slope * (1 - *x);
    return term;
}

std::string not_known(const MetricContext& context, std::uint32_t g) {
    return !context.shape.ranking
               ? fmt::format(
                     "the class map gives one decision, not a ranking, so the best {} are unknown",
                     g)
               : fmt::format(
                     "the store keeps only the best {} of each row, so the best {} are unknown",
                     context.shape.kept, g);
}

}  // namespace

std::unique_ptr<Accumulator> accumulate_label_sets(const MetricContext& context) {
    return std::make_unique<LabelSetHits>(counted(context.shape));
}

Estimate subgroup_value(const MetricContext& context, std::span<const std::int64_t> state) {
    const auto g = static_cast<std::uint32_t>(std::stoi(context.parameters.at("g")));
    Estimate value;
    if (g == 0) {
        value.undefined =
            "it has one value per number of labels: name one, as in subgroup_accuracy:g=2";
        return value;
    }
    const Subgroup subgroup = subgroup_of(context, state, g);
    value.n = subgroup.images();
    if (subgroup.unknown > 0) {
        value.undefined = not_known(context, g);
    } else if (value.n == 0) {
        value.undefined = fmt::format("no item has {} label{}", g, g == 1 ? "" : "s");
    } else {
        std::string method;
        const Term term = term_of(context, g, subgroup, method);
        value.value = term.value;
        if (!context.value_only)
            value.interval = Interval{term.low, term.high, context.level, method};
    }
    return value;
}

Estimate asma_value(const MetricContext& context, std::span<const std::int64_t> state) {
    const std::vector<int> range =
        !context.labels_per_image.empty()
            ? context.labels_per_image
            : parse_number_list(context.parameters.at("subgroups"), 1, most_labels_per_image)
                  .value();
    Estimate value;
    std::vector<MeanAgreement> means;
    std::vector<double> weights;  // weights of the means in the value
    std::vector<int> absent, small, there;
    double sum = 0;
    const bool hamming = context.parameters.at("agreement") == "hamming";
    for (const int g : range) {
        const auto size = static_cast<std::uint32_t>(g);
        const Subgroup subgroup = subgroup_of(context, state, size);
        value.n += subgroup.images();
        if (subgroup.unknown > 0 && value.undefined.empty())
            value.undefined = not_known(context, size);
        if (subgroup.agreement.n == 0) {
            absent.push_back(g);
            continue;
        }
        there.push_back(g);
        if (subgroup.agreement.n < 30) small.push_back(g);
        means.push_back(subgroup.agreement);
        weights.push_back(hamming ? 2.0 * size / context.shape.classes : 1.0);
        std::string method;
        sum += term_of(context, size, subgroup, method).value;
    }
    if (!value.undefined.empty()) return value;
    if (value.n == 0) {
        value.undefined = fmt::format("no item has {} labels", number_list_text(range));
        return value;
    }
    if (!absent.empty() && context.parameters.at("absent") == "undefined") {
        value.undefined = fmt::format("no item has {} labels; use subgroups={} or absent=skipped",
                                      number_list_text(absent), number_list_text(there));
        return value;
    }
    const auto count = static_cast<double>(means.size());
    value.value = sum / count;
    if (context.value_only) return value;
    if (means.size() == 1) {
        std::string method;
        const auto g = static_cast<std::uint32_t>(there[0]);
        const Term term = term_of(context, g, subgroup_of(context, state, g), method);
        value.interval = Interval{term.low, term.high, context.level, method};
    } else {
        Interval interval = weighted_sum_interval(means, weights, context.level);
        double weighted = 0;
        for (std::size_t k = 0; k < means.size(); ++k) weighted += weights[k] * means[k].mean;
        interval.low = *value.value - std::max(0.0, weighted - interval.low) / count;
        interval.high = *value.value + std::max(0.0, interval.high - weighted) / count;
        value.interval = interval;
    }
    if (!absent.empty())
        value.note = fmt::format("over images with {} labels (the numbers that occur)",
                                 number_list_text(there));
    if (!small.empty()) {
        value.note += fmt::format(
            "{}fewer than 30 items have {} labels, and count as much as any other subgroup",
            value.note.empty() ? "" : "; ", number_list_text(small));
    }
    return value;
}

Estimate variable_top_k_value(const MetricContext& context, std::span<const std::int64_t> state) {
    const Agreement kind = agreement_named(context.parameters.at("agreement"));
    std::vector<Counted> values;
    Estimate value;
    std::int64_t unknown = state.back();
    bool yes_or_no = kind != Agreement::hamming;
    for (std::uint32_t g = 1; g <= counted(context.shape); ++g) {
        const std::int64_t* const counts = state.data() + slot_of(g);
        if (counts[0] > 0 && value.undefined.empty()) value.undefined = not_known(context, g);
        unknown += counts[0];
        for (std::uint32_t h = 0; h <= g; ++h) {
            if (counts[h + 1] == 0) continue;
            values.emplace_back(agreement_of(kind, g, h, context.shape.classes), counts[h + 1]);
            yes_or_no = yes_or_no && g == 1;
        }
    }
    MeanAgreement mean = mean_of(values);
    mean.yes_or_no = yes_or_no;
    value.n = mean.n + static_cast<std::uint64_t>(unknown);
    if (const std::int64_t beyond = state.back(); beyond > 0 && value.undefined.empty()) {
        value.undefined =
            fmt::format("{} items have more than {} labels", beyond, most_labels_per_image);
    } else if (mean.n == 0 && value.undefined.empty()) {
        value.undefined = "no item has a valid label";
    }
    if (!value.undefined.empty()) return value;
    value.value = mean.mean;
    if (context.value_only) return value;
    add_variance(mean, values);
    value.interval = mean_interval(mean, context.level);
    return value;
}

}  // namespace assay::families

namespace assay::rows {
namespace {

using namespace families;

constexpr std::string_view anzaku =
    "Anzaku et al., Re-assessing ImageNet: How aligned is its single-label assumption with its "
    "multi-label nature?";

ParameterFacts agreement_parameter() {
    return {"agreement",
            "recall",
            "h of the g classes with the highest scores are valid. Then recall is h/g (precision "
            "and F1 too), jaccard h/(2g-h), and hamming 1-2(g-h)/C as the papers print it. With C "
            "= 1000, hamming is above 0.98 for nearly any prediction (g = 9, h = 0: 0.982). So it "
            "cannot be what their tables contain (7 to 75 %)",
            {"recall", "jaccard", "hamming"}};
}

std::string variable_definition(const Parameters& p) {
    return "variable_topk." + p.at("agreement");
}
std::string asma_definition(const Parameters& p) {
    return "asma." + p.at("agreement");
}
std::string subgroup_definition(const Parameters& p) {
    return "subgroup_accuracy." + p.at("agreement");
}

}  // namespace

void add_label_sets(MetricTable& table) {
    using enum Needs;
    table.push_back(
        {.name = "variable_topk",
         .title = "Variable top-k accuracy",
         .formula = "mean agreement, over the items with valid labels, between the g valid classes "
                    "of an item and its g classes with the highest scores",
         .parameters = {agreement_parameter()},
         .needs = static_cast<unsigned>(label_sets),
         .unit = Unit::proportion,
         .origin = anzaku,
         .definition = variable_definition,
         .accumulate = accumulate_label_sets,
         .value = variable_top_k_value,
         .paired = PairedTest::agreement,
         .with_sets = true});
    table.push_back(
        {.name = "asma",
         .title = "Average subgroup multi-label accuracy (ASMA)",
         .formula =
             "mean agreement of the items with g valid labels, averaged over g without weights. "
             "Items without labels, or with a number outside `subgroups`, are skipped",
         .parameters =
             {agreement_parameter(),
              {.name = "subgroups",
               .fallback = "1-5",
               .meaning = "the numbers of labels per image: 1-5 for ImageNet, 2-4,6,9 for PatchML",
               .low = 1,
               .high = static_cast<int>(most_labels_per_image),
               .list = true},
              {"absent",
               "undefined",
               "effect of a number of labels without items: the mean is undefined, or the number "
               "is skipped",
               {"undefined", "skipped"}}},
         .needs = static_cast<unsigned>(label_sets),
         .unit = Unit::proportion,
         .origin = anzaku,
         .definition = asma_definition,
         .accumulate = accumulate_label_sets,
         .value = asma_value,
         .paired = PairedTest::agreement,
         .with_sets = true});
    table.push_back(
        {.name = "subgroup_accuracy",
         .title = "Accuracy by labels per image",
         .formula = "mean agreement of the items with g valid labels",
         .parameters =
             {agreement_parameter(),
              {.name = "g",
               .fallback = "0",
               .meaning =
                   "the number of labels per image; 0: one value for every number that occurs",
               .low = 0,
               .high = static_cast<int>(most_labels_per_image)}},
         .needs = static_cast<unsigned>(label_sets),
         .unit = Unit::proportion,
         .origin = anzaku,
         .definition = subgroup_definition,
         .accumulate = accumulate_label_sets,
         .value = subgroup_value,
         .paired = PairedTest::agreement,
         .with_sets = true,
         .by_labels_per_image = true});
}

}  // namespace assay::rows
