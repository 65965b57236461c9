#include "assay/annotation/votes.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "assay/error.h"
#include "core/text.h"

namespace assay {
namespace {

std::string folded(std::string_view text) {
    std::string out(trimmed(text));
    std::transform(out.begin(), out.end(), out.begin(), lower);
    return out;
}

}  // namespace

double AnswerScale::worth(std::size_t answer) const {
    return static_cast<double>(answer) / static_cast<double>(names.size() - 1);
}

int AnswerScale::find(std::string_view text) const {
    const std::string wanted = folded(text);
    bool numbers = false;
    for (std::size_t a = 0; a < names.size(); ++a) {
        const std::string name = folded(names[a]);
        if (name == wanted) return static_cast<int>(a);
        std::uint64_t ignored = 0;
        numbers = numbers || parse_number(name, ignored);
    }
    std::uint64_t number = 0;
    if (numbers || !parse_number(wanted, number) || number >= names.size()) return -1;
    return static_cast<int>(number);
}

AnswerScale answer_scale(std::vector<std::string> names) {
    if (names.size() < 2 || names.size() > 64) {
        throw Error(ErrorCode::usage,
                    fmt::format("{} answers; a scale has 2 to 64, from no to yes", names.size()));
    }
    std::set<std::string> seen;
    for (const std::string& name : names) {
        if (trimmed(name).empty()) throw Error(ErrorCode::usage, "an answer without a name");
        if (!seen.insert(folded(name)).second) {
            throw Error(ErrorCode::usage,
                        fmt::format("answer `{}` appears twice", shortened(name)));
        }
    }
    const std::string first = folded(names.front()), last = folded(names.back());
    if (first == "yes" || first == "true" || last == "no" || last == "false")
        throw Error(
            ErrorCode::usage,
            fmt::format("the scale begins with `{}` and ends with `{}`, but goes from no to "
                        "yes: --answers no,maybe,yes",
                        shortened(names.front()), shortened(names.back())));
    AnswerScale scale;
    scale.names = std::move(names);
    return scale;
}

Repeats repeats_named(std::string_view name) {
    if (name == "first") return Repeats::first;
    if (name == "last") return Repeats::last;
    if (name == "all") return Repeats::all;
    if (name == "error") return Repeats::refuse;
    throw Error(ErrorCode::usage, fmt::format("repeated answers `{}`{}", shortened(name),
                                              suggest(name, {"first", "last", "all", "error"})));
}

void VoteProblems::add(std::string_view what, const std::function<std::string()>& example) {
    auto kind =
        std::find_if(kinds_.begin(), kinds_.end(), [&](const Kind& k) { return k.what == what; });
    if (kind == kinds_.end()) kind = kinds_.insert(kinds_.end(), {std::string(what), 0, {}});
    ++kind->count;
    if (kind->examples.size() < most_examples) kind->examples.push_back(example());
}

std::uint64_t VoteProblems::count(std::string_view what) const {
    for (const Kind& kind : kinds_) {
        if (kind.what == what) return kind.count;
    }
    return 0;
}

std::uint64_t VoteProblems::total() const {
    std::uint64_t sum = 0;
    for (const Kind& kind : kinds_) sum += kind.count;
    return sum;
}

}  // namespace assay
