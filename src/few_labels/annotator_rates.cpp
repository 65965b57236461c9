#include "few_labels/annotator_rates.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "annotation/item_finder.h"
#include "assay/error.h"
#include "containers/csv.h"
#include "core/file.h"
#include "core/refuse.h"
#include "core/statistics.h"
#include "core/text.h"
#include "data/class_text.h"
#include "study/table_csv.h"

namespace assay::few_labels {
namespace {

constexpr std::uint64_t least_gold = 30;

double squared(double x) {
    return x * x;
}

std::int32_t gold_class(std::string_view text, const Pool& pool, const std::string& where) {
    const ClassList& classes = pool.dataset().classes;
    if (const auto named = classes.find(text)) return *named;
    std::uint64_t number = 0;
    if (classes.empty() && parse_number(text, number) && number < pool.classes())
        return static_cast<std::int32_t>(number);
    refuse(fmt::format("{}: {}", where, not_a_class(classes, text)));
}

bool gold_answer(std::string_view text, const std::string& where) {
    if (text == "yes") return true;
    if (text == "no") return false;
    refuse(fmt::format("{}: the known answer is `{}`; allowed: yes, no", where, shortened(text)));
}

void count_gold(GoldCounts& out, const ClassAnswers& said, bool yes) {
    if (said.all() == 0 || said.cannot_be_said()) {
        ++out.open;
        return;
    }
    const bool settled_yes = said.yes > said.no;
    ++(yes ? out.yes : out.no);
    if (settled_yes == yes) ++(yes ? out.yes_found : out.no_found);
}

Estimate rate_of(std::uint64_t found, std::uint64_t all, double quantile, double level) {
    const auto hits = static_cast<double>(found), n = static_cast<double>(all);
    Estimate out;
    out.unit = Unit::proportion;
    out.n = all;
    out.value = (hits + 0.5) / (n + 1);
    out.interval = wilson_of_size(hits / n, n, quantile, level, "wilson");
    return out;
}

}  // namespace

GoldCounts read_gold_counts(const std::filesystem::path& file, const Pool& pool,
                            const ImageAnswerReader& votes) {
    const std::string text = read_text(file, std::uint64_t{1} << 30U);
    CsvReader row(text, file.string());
    const std::size_t image = row.column({"image", "path", "item"}),
                      label = row.column({"label", "class"}),
                      answer = row.column({"answer", "gold"});
    const ItemFinder finder(pool.dataset());
    GoldCounts out;
    std::map<std::pair<std::uint64_t, std::int32_t>, std::pair<bool, std::size_t>> seen;
    while (row.next()) {
        const std::string name = study::from_spreadsheet(trimmed(row[image]));
        const std::int64_t item = finder.find(name).item;
        if (item < 0)
            refuse(fmt::format("{}: `{}` is no image of `{}`", row.where(), shortened(name),
                               pool.dataset().name));
        const std::int32_t cls =
            gold_class(study::from_spreadsheet(trimmed(row[label])), pool, row.where());
        const bool yes = gold_answer(trimmed(row[answer]), row.where());
        const auto at = static_cast<std::uint64_t>(item);
        const auto [first, is_new] = seen.emplace(std::pair{at, cls}, std::pair{yes, row.line()});
        if (!is_new && first->second.first != yes)
            refuse(fmt::format("{}: `{}` contradicts line {} about the same image and label",
                               row.where(), yes ? "yes" : "no", first->second.second));
        if (!is_new) continue;
        out.rows.insert(at);
        const auto said = votes.images().find(at);
        count_gold(out, said == votes.images().end() ? ClassAnswers{} : said->second.about(cls),
                   yes);
    }
    for (const auto& [kind, number] : {std::pair{"yes", out.yes}, std::pair{"no", out.no}})
        if (number < least_gold)
            refuse(fmt::format(
                "{}: annotators settled {} questions whose known answer is {}; at least {} are "
                "needed. Ask about more of them ({} are open), or omit --gold",
                file.string(), number, kind, least_gold, out.open));
    return out;
}

AnswerRates answer_rates(const GoldCounts& counts, double quantile, double level) {
    AnswerRates out{rate_of(counts.yes_found, counts.yes, quantile, level),
                    rate_of(counts.no_found, counts.no, quantile, level)};
    if (*out.sensitivity.value + *out.specificity.value <= 1)
        refuse(fmt::format(
            "annotators say yes to {} of {} gold questions whose answer is yes, and to {} of {} "
            "others: such answers say nothing. Check the answers, or omit --gold",
            counts.yes_found, counts.yes, counts.no - counts.no_found, counts.no));
    return out;
}

TargetEstimate corrected_accuracy(const TargetEstimate& judged, const AnswerRates& rates) {
    TargetEstimate out = judged;
    if (!judged.value) return out;
    const Estimate &se = rates.sensitivity, &sp = rates.specificity;
    const double gain = *se.value + *sp.value - 1;
    const double t = std::clamp((*judged.value + *sp.value - 1) / gain, 0.0, 1.0);
    const double below = squared(*judged.value - judged.low) +
                         squared((1 - t) * (*sp.value - sp.interval->low)) +
                         squared(t * (se.interval->high - *se.value));
    const double above = squared(judged.high - *judged.value) +
                         squared((1 - t) * (sp.interval->high - *sp.value)) +
                         squared(t * (*se.value - se.interval->low));
    out.value = t;
    out.low = std::max(0.0, t - std::sqrt(below) / gain);
    out.high = std::min(1.0, t + std::sqrt(above) / gain);
    return out;
}

Estimate corrected_difference(const Estimate& judged, const AnswerRates& rates) {
    Estimate out = judged;
    if (!judged.value || !judged.interval) return out;
    const Estimate &se = rates.sensitivity, &sp = rates.specificity;
    const double gain = *se.value + *sp.value - 1, d = *judged.value;
    const double of_gain = squared(half_width(se)) + squared(half_width(sp));
    const double from_gain = squared(d) * of_gain / squared(squared(gain));
    const double value = d / gain;
    out.value = std::clamp(value, -1.0, 1.0);
    out.interval->low =
        std::max(-1.0, value - std::sqrt(squared((d - judged.interval->low) / gain) + from_gain));
    out.interval->high =
        std::min(1.0, value + std::sqrt(squared((judged.interval->high - d) / gain) + from_gain));
    return out;
}

}  // namespace assay::few_labels
