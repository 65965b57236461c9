// The checks of `assay verify` for both kinds of studies.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "assay/error.h"
#include "assay/study/check.h"
#include "study/columns.h"

namespace assay::study {

/// One sentence for each problem, in the order of discovery.
class Problems {
public:
    /// Calls part() and records its errors about damage. Returns false if there was an error.
    template <class Part>
    bool look(Part&& part) {
        try {
            part();
        } catch (const Error& error) {
            if (error.code() != ErrorCode::bad_input) throw;
            add(error.what());
            return false;
        }
        return true;
    }
    void add(std::string sentence) { sentences_.push_back(std::move(sentence)); }
    std::vector<std::string> take() { return std::move(sentences_); }

private:
    std::vector<std::string> sentences_;
};

/// Checks the databases of a study: every column of every table, the pages of the files, and the
/// people of the labeling page. Then calls `opened` for further checks, unless the study cannot be
/// opened, or tables or columns are missing. Throws busy, io.
StudyCheck check_study(const std::filesystem::path& folder, StudyKind kind,
                       const std::function<void(Problems&)>& opened);

}  // namespace assay::study
