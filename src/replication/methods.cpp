// The names of methods and choices in commands and files.
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
    static const std::vector<std::string> names = {"pl",    "moments",   "mixture",
                                                   "npmle", "jackknife", "naive"};
    return names;
}

std::string exact_for(std::string_view id) {
    if (id.starts_with("pl"))
        return "penalised likelihood: smooth selection rates and accuracy curves, any number of "
               "annotators";
    if (id.starts_with("moments.") && id != "moments.bootstrap")
        return "the same with these powers of the selection rate";
    if (id.starts_with("moments"))
        return "exact if accuracy, or the ratio of the sets' densities, is a polynomial in the "
               "selection rate with these exponents";
    if (id.starts_with("naive"))
        return "uses noisy frequencies as selection rates: exact for infinitely many annotators; "
               "otherwise it corrects too little, and its interval does not cover this";
    if (id.starts_with("jackknife"))
        return "removes the part of the naive estimate's bias that falls with 1/annotators; the "
               "interval does not cover the rest";
    if (id.starts_with("mixture"))
        return "exact if rates are mixtures of this number of betas and accuracy is a cubic spline";
    if (id == "npmle")
        return "for any selection rates and a smooth accuracy curve; the interval does not cover "
               "the error from its few atoms and from smoothing";
    return "";
}

void choose_methods(AdjustOptions& options, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
        if (std::ranges::find(method_names(), name) == method_names().end())
            unknown("method", name, method_names());
    }
    const auto chosen = [&](std::string_view name) {
        return std::ranges::find(names, name) != names.end();
    };
    options.likelihood = chosen("pl");
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
