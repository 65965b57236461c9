// Results on the way into a plot: files that anybody may have written, so every value is looked at
// before it is taken for what it should be.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "assay/estimate.h"

namespace assay {

/// A value in a result, which outlives it, and where it stands there ("models[3].score").
class PlotField {
public:
    PlotField(const nlohmann::json& value, std::string at) : value_(&value), at_(std::move(at)) {}

    /// Throws bad_input: no object, or nothing of that name in it.
    PlotField operator[](std::string_view name) const;
    /// Nothing where it is absent or null.
    std::optional<PlotField> find(std::string_view name) const;
    /// The entries of a list. Throws bad_input: no list.
    std::vector<PlotField> entries() const;

    /// All throw bad_input where it is something else.
    const std::string& text() const;
    double number() const;
    bool truth() const;
    Interval interval(const char* low = "low", const char* high = "high") const;
    /// The fields of an estimate; its value is null or a finite number.
    Estimate estimate() const;

    const std::string& at() const { return at_; }
    const nlohmann::json& json() const { return *value_; }
    [[noreturn]] void refuse_as(std::string_view wanted) const;

private:
    const nlohmann::json* value_;
    std::string at_;
};

}  // namespace assay
