// What the words in capitals stand for that --help shows behind options: FILE, RUNS, METRICS.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/offers.h"

namespace assay::cli {

/// What a text of an assay.toml is when its option takes a file: relative to the folder of that
/// file.
enum class PathIn {
    none,     ///< no path
    whole,    ///< a path
    or_name,  ///< a path where something is, else the name of something built in
    behind,   ///< likewise, alone or behind a sign: METRIC=FILE, tensorboard:FOLDER
};

/// A kind of value. An option has the one that its type_name() says; an option with another kind
/// than these has a row here, too (the sweep over all options finds one that is missing).
struct ValueKind {
    std::string_view name;  ///< "RUNS"
    std::string_view is;    ///< a few words for the manual; "": nobody needs them
    /// Proposes values; null: any text may be meant.
    void (*offer)(Offers& offers, const Given& given) = nullptr;
    /// What the shell writes behind a single proposal may go on with a comma: METRICS.
    bool goes_on = false;
    PathIn path = PathIn::none;
    char sign = '=';  ///< of PathIn::behind
};

std::span<const ValueKind> value_kinds();
/// nullptr: no such kind.
const ValueKind* find_value_kind(std::string_view name);

}  // namespace assay::cli
