// The tables of a study, whose rows are questions to people, their answers and all that led to
// them: of a competition (competition.sqlite) and of a folder of questions (labelling.sqlite); and
// those of the people who answer (people.sqlite). docs/formats.md says the same to users.
#pragma once

#include <span>

#include "study/columns.h"

namespace assay::study {

/// Of these tables. A version is raised with every column or table that is added, whose `since` it
/// is.
inline constexpr std::int64_t study_version = 3;
inline constexpr std::int64_t people_version = 1;

/// Tables that others refer to come first.
std::span<const Table> study_tables();
std::span<const Table> people_tables();
/// Throws internal where there is none.
const Column& study_column(std::string_view table, std::string_view column);

}  // namespace assay::study
