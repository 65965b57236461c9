// Names of methods and choices, as they stand in commands and files.
#include <algorithm>

#include <fmt/core.h>

#include "assay/error.h"
#include "assay/replication/adjust.h"

namespace assay::replication {
namespace {

[[noreturn]] void unknown(std::string_view what, std::string_view name,
                          const std::vector<std::string>& known) {
    throw Error(ErrorCode::usage,
                fmt::format("unknown {} `{}`{}", what, name, suggest(name, known)));
}

}  // namespace

const std::vector<std::string>& method_names() {
    static const std::vector<std::string> names = {"moments", "naive", "jackknife", "mixture",
                                                   "npmle"};
    return names;
}

void choose_methods(AdjustOptions& options, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
        if (std::ranges::find(method_names(), name) == method_names().end())
            unknown("method", name, method_names());
    }
    const auto chosen = [&](std::string_view name) {
        return std::ranges::find(names, name) != names.end();
    };
    options.moments = chosen("moments");
    options.naive = chosen("naive");
    if (!chosen("jackknife")) options.jackknife.clear();
    options.mixture = chosen("mixture");
    options.npmle = chosen("npmle");
}

Units units_named(std::string_view name) {
    if (name == "class") return Units::classes;
    if (name == "image") return Units::images;
    unknown("unit", name, {"class", "image"});
}

EmptyBins empty_bins_named(std::string_view name) {
    if (name == "renormalise") return EmptyBins::renormalise;
    if (name == "zero") return EmptyBins::count_zero;
    unknown("rule for empty bins", name, {"renormalise", "zero"});
}

}  // namespace assay::replication
