// Studies with version 1 of the tables, copied to a folder where a test may change them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "assay/labelling/folder.h"
#include "assay/mad/competition.h"
#include "core/database.h"
#include "scratch.h"
#include "study/annotator_links.h"
#include "study/study_file.h"
#include "study/study_tables.h"

namespace assay::study {

inline const std::filesystem::path kept_studies =
    std::filesystem::path(ASSAY_SOURCE_DIR) / "tests/study/fixtures/version1";

class KeptStudy {
public:
    explicit KeptStudy(StudyKind kind, bool up_to_date = false) : kind_(kind) {
        copy();
        if (up_to_date) open_study(folder(), kind_, Database::Access::write);
    }
    void copy() {
        std::filesystem::remove_all(folder());
        std::filesystem::copy(kept_studies / name(), folder(),
                              std::filesystem::copy_options::recursive);
    }
    std::string name() const {
        return kind_ == StudyKind::competition ? "competition" : "labelling";
    }
    StudyKind kind() const { return kind_; }
    std::filesystem::path folder() const { return scratch_ / "study"; }
    std::filesystem::path file() const { return study_file(folder(), kind_); }
    std::vector<std::string> problems() const {
        return kind_ == StudyKind::competition ? mad::verify_competition(folder()).problems
                                               : labelling::verify_folder(folder()).problems;
    }

private:
    StudyKind kind_;
    Scratch scratch_;
};

/// Returns the rows of a query with one column.
inline std::vector<std::string> texts_of(const Database& database, const std::string& sql) {
    std::vector<std::string> texts;
    for (Statement row = database.prepare(sql); row.step();) texts.push_back(row.text(0));
    return texts;
}

}  // namespace assay::study
