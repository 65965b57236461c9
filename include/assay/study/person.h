// Describes who may answer the questions of a study.
#pragma once

#include <cstdint>
#include <string>

namespace assay::study {

/// A person with a link.
struct Person {
    std::int64_t id = 0;
    std::string name;   ///< the annotator's name in all results
    std::string token;  ///< the secret token in the link
    bool revoked = false;
};

}  // namespace assay::study
