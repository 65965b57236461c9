// The printed results of commands that read and write answers.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "assay/mad/questions.h"

namespace assay::mad {

/// Files that were read in sequence. Schema "assay.mad_answers/1".
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

/// Schema "assay.mad_export/1".
struct ExportedFiles {
    std::vector<ExportedFile> files;
};
ResultType result_type(ResultOf<ExportedFiles>);

/// For each file that an export wrote: the hashes of its allowed contents.
using ExportHashes = std::map<std::string, std::vector<std::string>>;
/// Schema "assay.mad_export_files/1": the folder's export.json.
struct ExportManifest {
    ExportHashes files;
};
ResultType result_type(ResultOf<ExportManifest>);

}  // namespace assay::mad
