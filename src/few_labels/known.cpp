#include "few_labels/known.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "annotation/item_finder.h"
#include "assay/describe_result.h"
#include "assay/error.h"
#include "containers/described_csv.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/refuse.h"
#include "core/text.h"

namespace assay::few_labels {
namespace {

struct SettledRow {
    std::string_view item;
    std::string label;
    KnownOutcome answer;
};
ResultType result_type(ResultOf<SettledRow>) {
    using Of = SettledRow;
    static constexpr auto rows =
        describe_result<Of>({.name = "SettledRow", .columns = "item,label,answer"},
                            {part<&Of::item>({}), part<&Of::label>({}), part<&Of::answer>({})});
    return rows;
}

std::optional<std::int32_t> known_class(std::string_view text, const Pool& pool) {
    const ClassList& classes = pool.dataset().classes;
    if (!classes.empty()) return classes.find(text);
    std::uint64_t number = 0;
    if (!parse_number(text, number) || number >= pool.classes()) return std::nullopt;
    return static_cast<std::int32_t>(number);
}

std::optional<KnownOutcome> outcome_named(std::string_view text) {
    for (const auto& [outcome, word] : words_of(KnownOutcome{}))
        if (word == text) return outcome;
    return std::nullopt;
}

}  // namespace

std::filesystem::path settled_file(const std::filesystem::path& study) {
    return study / "settled.csv";
}

KnownAnswers known_answers(const std::vector<KnownAnswer>& answers, const std::string& source,
                           const Pool& pool) {
    if (answers.empty())
        refuse(fmt::format("{}: no question is settled yet; see what is open: assay mad status {}",
                           source, source));
    const ItemFinder finder(pool.dataset());
    KnownAnswers out;
    for (const KnownAnswer& answer : answers) {
        const std::int64_t item = finder.find(answer.image).item;
        // A file name alone may be that of another data set's image.
        if (item < 0 || pool.dataset().ids[static_cast<std::size_t>(item)] != answer.image)
            continue;
        const auto label = known_class(answer.label, pool);
        if (!label)
            refuse(fmt::format("{}: its label `{}` is no class of `{}`{}", source,
                               shortened(answer.label), pool.dataset().name,
                               suggest(answer.label, pool.dataset().classes.ids())));
        out[static_cast<std::uint64_t>(item)].push_back({*label, answer.outcome});
    }
    if (out.empty())
        refuse(fmt::format(
            "{}: none of the images of its {} settled questions (first: `{}`) is in "
            "`{}`; name a competition of the same images",
            source, answers.size(), shortened(answers.front().image), pool.dataset().name));
    return out;
}

std::string settled_csv(const KnownAnswers& known, const Pool& pool) {
    const Dataset& dataset = pool.dataset();
    std::string out;
    DescribedCsv<SettledRow> csv(out);
    for (const auto& [row, labels] : known) {
        for (const KnownLabel& one : labels) {
            const auto number = static_cast<std::size_t>(one.label);
            csv.add({dataset.ids[row],
                     number < dataset.classes.size() ? dataset.classes.id(number)
                                                     : std::to_string(one.label),
                     one.outcome});
        }
    }
    return out;
}

KnownAnswers read_known(const std::filesystem::path& study, const Design& design,
                        const Pool& pool) {
    if (design.settled_hash.empty()) return {};
    const std::filesystem::path file = settled_file(study);
    const std::string text = read_text(file, std::uint64_t{1} << 30U);
    if (hash_text(text) != design.settled_hash)
        refuse(fmt::format("{}: it was changed since the study began; begin a new study",
                           file.string()));
    CsvReader row(text, file.string());
    const std::size_t item = row.column({"item"}), label = row.column({"label"}),
                      answer = row.column({"answer"});
    std::vector<KnownAnswer> answers;
    while (row.next()) {
        const auto outcome = outcome_named(row[answer]);
        if (!outcome) throw row.error("the answer is none of no, yes, unclear");
        answers.push_back({std::string(row[item]), std::string(row[label]), *outcome});
    }
    return known_answers(answers, file.string(), pool);
}

std::vector<std::uint64_t> settled_rows(const KnownAnswers& known, const Pool& pool) {
    std::vector<std::uint64_t> out;
    ImagePredictions image;
    for (const auto& answered : known) {
        const std::uint64_t row = answered.first;
        if (!pool.read(row, image)) continue;
        const auto founders = std::span(image.labels).first(pool.founders());
        const bool all = std::ranges::all_of(
            founders, [&](std::int32_t label) { return find_known(known, row, label) != nullptr; });
        if (all) out.push_back(row);
    }
    return out;
}

const KnownLabel* find_known(const KnownAnswers& known, std::uint64_t row, std::int32_t label) {
    const auto image = known.find(row);
    if (image == known.end()) return nullptr;
    for (const KnownLabel& one : image->second)
        if (one.label == label) return &one;
    return nullptr;
}

}  // namespace assay::few_labels
