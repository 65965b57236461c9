// User-given tags of models, for the filters of a report.
#pragma once

#include <filesystem>

#include "report/described_report.h"

namespace assay {

/// A csv table with a column `model` (or `name`): `names`, its other columns in their order, and
/// `models`, by model what each says. Throws bad_input: no such column, a model or a column twice,
/// a text that is no UTF-8.
ReportTags read_tags(const std::filesystem::path& file);

}  // namespace assay
