// The parts of `assay labels`, and what they share.
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "assay/annotation/votes.h"
#include "assay/data/class_list.h"

namespace assay::cli {

int labels_aggregate(std::vector<std::string> arguments);
int labels_propose(std::vector<std::string> arguments);
int labels_stats(std::vector<std::string> arguments);

/// A class list from --classes: a file, or "imagenet"; "" gives an empty list.
ClassList classes_named(const std::string& text);
/// Each kind of problem and its first examples on stderr; true when there was one.
bool report_problems(const VoteProblems& problems);
nlohmann::json to_json(const VoteProblems& problems);

}  // namespace assay::cli
