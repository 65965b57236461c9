// The JSON that `assay serve` prints before it serves.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assay/result_type.h"

namespace assay::cli {

struct ServedPerson {
    std::int64_t id = 0;
    std::string name;
    std::optional<std::string> link;  ///< no value if it was revoked
    bool revoked = false;
};

/// Schema `assay.serve/1`.
struct ServedLinks {
    std::string url;
    std::optional<std::string> report, organiser;
    std::optional<std::vector<ServedPerson>> people;
};
ResultType result_type(ResultOf<ServedPerson>);
ResultType result_type(ResultOf<ServedLinks>);

void print_served(const ServedLinks& links);

}  // namespace assay::cli
