#include "audit/corrections.h"

#include <algorithm>

#include "assay/annotation/aggregate.h"
#include "assay/data/class_list.h"
#include "assay/data/label_sets.h"
#include "assay/describe_result.h"
#include "containers/described_csv.h"
#include "core/file.h"
#include "core/statistics.h"

namespace assay::audit {
namespace {

struct LabelQuestion {
    std::string_view item, path;
    std::string label, class_name, reason;
};
ResultType result_type(ResultOf<LabelQuestion>) {
    using Of = LabelQuestion;
    static constexpr auto rows =
        describe_result<Of>({.name = "LabelQuestion", .columns = "item,path,label,class,reason"},
                            {part<&Of::item>({}), part<&Of::path>({}), part<&Of::label>({}),
                             part<&Of::class_name>({.name = "class"}), part<&Of::reason>({})});
    return rows;
}

/// Rank 1 is for the highest accuracy. Equal accuracies share a rank.
std::vector<std::uint32_t> ranks_of(const std::vector<double>& values) {
    std::vector<std::uint32_t> out;
    for (const double value : values)
        out.push_back(static_cast<std::uint32_t>(
            1 + std::ranges::count_if(values, [&](double other) { return other > value; })));
    return out;
}

}  // namespace

std::string class_id(const Dataset& dataset, std::int32_t cls) {
    const auto c = static_cast<std::size_t>(cls);
    return c < dataset.classes.size() ? std::string(dataset.classes.id(c)) : std::to_string(cls);
}

bool is_wrong(const CheckedLabel& checked, std::int32_t given) {
    return !checked.cannot_be_judged && !std::ranges::binary_search(checked.classes, given);
}

std::vector<CorrectedModel> corrected_models(
    std::span<const RowReader> readers, const LabelledRows& labelled,
    const std::vector<std::vector<std::int32_t>>& predicted, const CheckedLabels& checked,
    double level) {
    std::vector<CorrectedModel> out;
    std::vector<double> before, after;
    for (std::size_t m = 0; m < readers.size(); ++m) {
        std::uint64_t first = 0, kept = 0, second = 0, both = 0, gained = 0, lost = 0;
        for (std::size_t i = 0; i < labelled.rows.size(); ++i) {
            const std::int32_t given = labelled.given[i], cls = predicted[m][i];
            const auto found = checked.of.find(labelled.rows[i]);
            bool now = cls == given;
            if (found != checked.of.end() && !found->second.cannot_be_judged) {
                if (found->second.classes.empty()) continue;
                now = std::ranges::binary_search(found->second.classes, cls);
            }
            ++kept;
            first += cls == given ? 1 : 0;
            second += now ? 1 : 0;
            both += now && cls == given ? 1 : 0;
            gained += now && cls != given ? 1 : 0;
            lost += !now && cls == given ? 1 : 0;
        }
        CorrectedModel model;
        model.model = readers[m].store().spec().model_name;
        model.before = wilson_proportion(first, kept, level, "no image has a label left");
        model.after = wilson_proportion(second, kept, level, "no image has a label left");
        model.change.unit = Unit::proportion;
        model.change.n = kept;
        if (kept == 0) {
            model.change.undefined = "no image has a label left";
        } else {
            const PairedDifference difference = paired_difference(both, gained, lost, kept, level);
            model.change.value = difference.value;
            model.change.interval = difference.interval;
            model.change.standard_error = difference.standard_error;
        }
        before.push_back(model.before.value.value_or(0));
        after.push_back(model.after.value.value_or(0));
        out.push_back(std::move(model));
    }
    const std::vector<std::uint32_t> then = ranks_of(before), now = ranks_of(after);
    for (std::size_t m = 0; m < out.size(); ++m) {
        out[m].rank_before = then[m];
        out[m].rank_after = now[m];
    }
    return out;
}

void write_corrected(const std::filesystem::path& file, const Dataset& dataset,
                     const CheckedLabels& checked) {
    LabelSets sets;
    for (std::size_t row = 0; row < dataset.size(); ++row) {
        const auto found = checked.of.find(row);
        const bool judged = found != checked.of.end() && !found->second.cannot_be_judged;
        sets.append(judged ? std::span<const std::int32_t>(found->second.classes)
                           : dataset.labels[row]);
    }
    write_file_atomically(file,
                          label_sets_text(sets, dataset, dataset.classes, LabelSetFormat::csv));
}

void write_questions(const std::filesystem::path& file, const Dataset& dataset,
                     const std::vector<SuspectLabel>& labels,
                     const std::vector<std::uint64_t>& rows) {
    std::string text;
    DescribedCsv<LabelQuestion> csv(text);
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const SuspectLabel& one = labels[i];
        const auto row = static_cast<std::size_t>(rows[i]);
        const std::string_view path =
            dataset.paths.size() > 0 ? dataset.paths[row] : dataset.ids[row];
        csv.add({dataset.ids[row], path, one.given, one.given_name, "given"});
        csv.add({dataset.ids[row], path, one.suggested, one.suggested_name, "suggested"});
    }
    write_file_atomically(file, text);
}

}  // namespace assay::audit
