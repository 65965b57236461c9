// What `assay patchml` says: tables and JSON of what was made.
#pragma once

#include <string>
#include <vector>

#include "assay/patchml/composites.h"

namespace assay::cli {

/// One data set: made, found, or (dry run) only planned.
struct PatchmlRow {
    CompositeReport report;
    double seconds = 0;
};

struct PatchmlResult {
    const PatchPool& pool;
    const CompositeOptions& options;
    std::vector<PatchmlRow> rows;
    bool dry_run = false;
};

/// "612 patches of 601 images, 1000 classes (598 with patches)"; then what was clipped and left
/// out.
std::vector<std::string> describe_pool(const PatchPool& pool);
/// At most `most` examples of each fault.
std::vector<std::string> examples_of(const PatchPool& pool, std::size_t most);

/// Composites by seed, k and number of distinct labels (table 2 of the papers).
std::string patchml_text(const PatchmlResult& result, bool colour);
std::string patchml_csv(const PatchmlResult& result);
std::string patchml_json(const PatchmlResult& result);

}  // namespace assay::cli
