// The names and options of the gap.
#include "assay/evaluate/gap.h"

#include <algorithm>

#include <fmt/core.h>

#include "assay/error.h"
#include "core/text.h"

namespace assay {
namespace {

constexpr std::array<std::string_view, 3> agreement_names{"recall", "jaccard", "hamming"};
constexpr std::array<std::string_view, 3> metric_names_of_gap{"top1", "real", "asma"};
constexpr std::size_t most_subgroups = 64;
constexpr std::uint64_t largest_label_count = 1'000'000;

std::uint32_t label_count(std::string_view text, std::string_view whole) {
    std::uint64_t number = 0;
    if (!parse_number(trimmed(text), number) || number == 0 || number > largest_label_count) {
        throw Error(
            ErrorCode::usage,
            fmt::format("subgroups `{}`: `{}` is no number of labels; 1-5, or 2,3,4,6,9, or "
                        "present",
                        shortened(whole), shortened(text)));
    }
    return static_cast<std::uint32_t>(number);
}

}  // namespace

std::string_view name_of(SetAgreement kind) {
    return agreement_names[static_cast<std::size_t>(kind)];
}

SetAgreement set_agreement_named(std::string_view name) {
    const auto found = std::find(agreement_names.begin(), agreement_names.end(), name);
    if (found == agreement_names.end()) {
        throw Error(ErrorCode::usage,
                    fmt::format("unknown agreement `{}`{}", shortened(name),
                                suggest(name, {agreement_names.begin(), agreement_names.end()})));
    }
    return static_cast<SetAgreement>(found - agreement_names.begin());
}

std::string_view name_of(GapMetric metric) {
    return metric_names_of_gap[static_cast<std::size_t>(metric)];
}

std::vector<std::uint32_t> parse_subgroups(std::string_view text) {
    std::vector<std::uint32_t> list;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::string_view piece = text.substr(begin, end - begin);
        const std::size_t dash = piece.find('-');
        const std::uint32_t low = label_count(piece.substr(0, dash), text);
        const std::uint32_t high =
            dash == std::string_view::npos ? low : label_count(piece.substr(dash + 1), text);
        if (high < low)
            throw Error(ErrorCode::usage, fmt::format("subgroups `{}`: {} to {} runs backwards",
                                                      shortened(text), low, high));
        if (high - low >= most_subgroups || list.size() + (high - low) >= most_subgroups) {
            throw Error(ErrorCode::usage, fmt::format("subgroups `{}`: more than {} label counts",
                                                      shortened(text), most_subgroups));
        }
        for (std::uint32_t g = low; g <= high; ++g) list.push_back(g);
        begin = end + 1;
    }
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    return list;
}

}  // namespace assay
