// The words in capitals after options in --help, and their meaning: FILE, RUNS, METRICS.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/offers.h"

namespace assay::cli {

/// The interpretation of a file option's value in an assay.toml: relative to the folder of that
/// file.
enum class PathIn {
    none,     ///< no path
    whole,    ///< a path
    or_name,  ///< a path if the file exists, otherwise the name of something built in
    behind,   ///< a path alone or after a sign: METRIC=FILE, tensorboard:FOLDER
};

/// A kind of value. An option has the kind that its type_name() names. Each new kind needs a row in
/// the table (the sweep over all options finds a missing row).
struct ValueKind {
    std::string_view name;  ///< "RUNS"
    std::string_view is;    ///< a short description for the manual; "" if it is not needed
    /// Proposes values; null means that any text is possible.
    void (*offer)(Offers& offers, const Given& given) = nullptr;
    /// True if the value may continue with a comma after a single proposal: METRICS.
    bool goes_on = false;
    PathIn path = PathIn::none;
    char sign = '=';  ///< the sign of PathIn::behind
};

std::span<const ValueKind> value_kinds();
/// Returns nullptr if there is no such kind.
const ValueKind* find_value_kind(std::string_view name);

}  // namespace assay::cli
