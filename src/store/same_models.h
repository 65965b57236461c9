// Which models two results are both about: stores of two data sets, or tables of published values.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace assay::store {

/// By name, each list in byte order.
struct SharedModels {
    std::vector<std::string> both, only_one, only_two;
};
SharedModels shared_models(std::span<const std::string> one, std::span<const std::string> two);

/// "a, b, c and 7 more": at most 12 names.
std::string names_text(const std::vector<std::string>& names);

/// Throws bad_input where no model is in both, with names of both; `one` and `two` call the
/// results.
void require_shared(const SharedModels& models, const std::string& one, const std::string& two);

}  // namespace assay::store
