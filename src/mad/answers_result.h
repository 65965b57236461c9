// What commands that take and write answers print.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "assay/mad/questions.h"

namespace assay::mad {

/// Files that were read one after the other. "assay.mad_answers/1".
struct AnswerRounds {
    const std::vector<AnswerRound>* rounds;
    const AnswerRound* last() const { return rounds->empty() ? nullptr : &rounds->back(); }
};
ResultType result_type(ResultOf<AnswerRounds>);

struct ExportedFile {
    std::filesystem::path file;
    std::uint64_t bytes = 0;
};
ResultType result_type(ResultOf<ExportedFile>);

/// "assay.mad_export/1".
struct ExportedFiles {
    std::vector<ExportedFile> files;
};
ResultType result_type(ResultOf<ExportedFiles>);

/// Of each file that an export wrote: the hashes of what it may hold.
using ExportHashes = std::map<std::string, std::vector<std::string>>;
/// "assay.mad_export_files/1": export.json of the folder.
struct ExportManifest {
    ExportHashes files;
};
ResultType result_type(ResultOf<ExportManifest>);

}  // namespace assay::mad
