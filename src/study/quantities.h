// Makes a table of two columns for the counts in a described result.
#pragma once

#include <string>

#include "assay/report.h"
#include "assay/result_type.h"

namespace assay::study {

/// Has one row for each whole number, in the order of the description: its name, and its value
/// under `value`.
assay::Table quantities_of(const ResultType& type, const void* object, const std::string& value);

template <IsResult S>
assay::Table quantities_of(const S& object, const std::string& value) {
    return quantities_of(result_type(ResultOf<S>{}), &object, value);
}

}  // namespace assay::study
