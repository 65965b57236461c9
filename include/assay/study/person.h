// Who may answer the questions of a study.
#pragma once

#include <cstdint>
#include <string>

namespace assay::study {

/// Somebody with a link.
struct Person {
    std::int64_t id = 0;
    std::string name;   ///< the annotator's in all results
    std::string token;  ///< a secret: what the link says
    bool revoked = false;
};

}  // namespace assay::study
