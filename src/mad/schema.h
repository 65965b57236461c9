// The tables of a competition, version by version.
#pragma once

#include "core/database.h"

namespace assay::mad {

inline constexpr std::int64_t schema_version = 1;

/// Makes the tables of a new database.
void make_schema(Database& database);
/// Of a database that is there: brings an older version up to date where it may be written. Throws
/// bad_input: no competition, a newer version, an older one that may only be read.
void check_schema(Database& database);

}  // namespace assay::mad
