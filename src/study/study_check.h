// What `assay verify` looks at in a study of either kind.
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

/// One sentence for each thing that is wrong, in the order in which it was found.
class Problems {
public:
    /// Calls part(), and keeps what it says of damage. False: it said something.
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

/// The databases of a study: every column of every table, the pages of the files, the people of its
/// labelling page; then what `opened` looks at. That is not called where the study cannot be
/// opened, or tables or columns are missing, so that nothing else can be read of it. Throws busy,
/// io.
StudyCheck check_study(const std::filesystem::path& folder, StudyKind kind,
                       const std::function<void(Problems&)>& opened);

}  // namespace assay::study
