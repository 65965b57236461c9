// Tables of a study: questions to people, their answers, and the sources of both. They
// are used by a competition (competition.sqlite), a folder of questions (labelling.sqlite), and for
// the people who answer (people.sqlite). docs/formats.md describes them for users.
#pragma once

#include <span>

#include "study/columns.h"

namespace assay::study {

/// The version of these tables. Increase it with every added column or table, and use it as their
/// `since`.
inline constexpr std::int64_t study_version = 4;
inline constexpr std::int64_t people_version = 1;

/// Each table is after the tables to which it refers.
std::span<const Table> study_tables();
std::span<const Table> people_tables();
/// Throws internal if there is no such table.
const Column& study_column(std::string_view table, std::string_view column);

}  // namespace assay::study
