#include "decisions/cost_matrix.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

#include "containers/csv.h"
#include "core/file.h"
#include "core/finite_number.h"
#include "core/refuse.h"
#include "core/shell_word.h"
#include "core/text.h"

namespace assay::decisions {
namespace {

std::string next_step(const std::filesystem::path& file) {
    return "correct the file and rerun: assay decide RUNS --costs " + shell_word(file.string());
}

std::string no_class(std::string_view name, const ClassList& classes, bool column) {
    return fmt::format("`{}` is no class of the scores{}; ids and names of classes{} are allowed",
                       name, suggest(name, classes.ids()), column ? " and `abstain`" : "");
}

/// Columns are given by the name above them.
void read_heads(const CsvReader& csv, const std::filesystem::path& file, const ClassList& classes,
                CostMatrix& out) {
    const auto fail = [&](const std::string& what) {
        refuse(fmt::format("{}: {}; {}", file.string(), what, next_step(file)));
    };
    constexpr std::size_t none = SIZE_MAX;
    out.of_class.assign(classes.size(), none);
    for (std::size_t c = 1; c < csv.columns().size(); ++c) {
        const std::string name(trimmed(csv.columns()[c]));
        const auto cls = classes.find(name);
        if (!cls && name != abstain_decision) fail(no_class(name, classes, true));
        if (cls) {
            std::size_t& place = out.of_class[static_cast<std::size_t>(*cls)];
            if (place != none) fail(fmt::format("two columns are the class `{}`", name));
            place = out.decisions.size();
            out.decisions.push_back(classes.id(static_cast<std::size_t>(*cls)));
        } else {
            if (out.abstains) fail("two columns are `abstain`");
            out.abstains = true;
            out.decisions.emplace_back(abstain_decision);
        }
    }
    const auto missing = std::ranges::find(out.of_class, none);
    if (missing != out.of_class.end())
        fail(fmt::format("no column is the class `{}`; every class needs a row and a column",
                         classes.id(static_cast<std::size_t>(missing - out.of_class.begin()))));
}

void read_rows(CsvReader& csv, const std::filesystem::path& file, const ClassList& classes,
               CostMatrix& out) {
    std::vector<bool> seen(classes.size());
    const std::size_t decisions = out.decisions.size();
    const auto fail = [&](const std::string& what) {
        throw csv.error(what + "; " + next_step(file));
    };
    while (csv.next()) {
        const std::string name(trimmed(csv[0]));
        const auto cls = classes.find(name);
        if (!cls) fail(no_class(name, classes, false));
        const auto truth = static_cast<std::size_t>(*cls);
        if (seen[truth]) fail(fmt::format("the class `{}` has a second row", name));
        seen[truth] = true;
        for (std::size_t d = 0; d < decisions; ++d) {
            const std::optional<double> cost = finite_number(trimmed(csv[d + 1]));
            if (!cost)
                fail(
                    fmt::format("the cost of `{}` for `{}` is `{}`, but a number is needed "
                                "(negative: a benefit)",
                                out.decisions[d], name, csv[d + 1]));
            out.costs[truth * decisions + d] = *cost;
        }
    }
    const auto missing = std::ranges::find(seen, false);
    if (missing != seen.end())
        refuse(fmt::format(
            "{}: no row is the class `{}`; every class needs a row and a column; {}", file.string(),
            classes.id(static_cast<std::size_t>(missing - seen.begin())), next_step(file)));
}

}  // namespace

CostMatrix read_costs(const std::filesystem::path& file, const ClassList& classes) {
    const std::string text = read_text(file);
    CsvReader csv(text, file.string());
    CostMatrix out;
    read_heads(csv, file, classes, out);
    const std::size_t decisions = out.decisions.size();
    out.costs.resize(classes.size() * decisions);
    read_rows(csv, file, classes, out);
    const auto [low, high] = std::ranges::minmax(out.costs);
    out.low = low;
    out.high = high;
    for (std::size_t truth = 0; truth < classes.size(); ++truth) {
        const auto begin = out.costs.begin() + static_cast<std::ptrdiff_t>(truth * decisions);
        const auto ends =
            std::minmax_element(begin, begin + static_cast<std::ptrdiff_t>(decisions));
        out.widest = std::max(out.widest, *ends.second - *ends.first);
    }
    if (out.widest == 0)
        refuse(
            fmt::format("{}: each class has one cost for all decisions, so no decision matters; "
                        "{}",
                        file.string(), next_step(file)));
    return out;
}

}  // namespace assay::decisions
