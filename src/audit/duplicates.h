// Images that are in a data set more than once.
#pragma once

#include <span>

#include "assay/audit/audit.h"
#include "assay/report.h"
#include "assay/store/row_reader.h"

namespace assay::audit {

/// Fills the duplicates of `audit`. Two images are equal if their files are, by the records of the
/// stores, or by the files themselves if no store has records and the files are there. Two images
/// are also equal if all classifiers give them the same scores, bit for bit. Scores with at most
/// four decimals do not count. If more than 10 % of the images share such scores without sharing a
/// file, the scores are too coarse, and only files count.
///
/// The readers' stores have the same images. Cost: a pass over the scores, and a read of every
/// image file if no store has records. Memory: 40 bytes an image. The same result for any number of
/// threads.
void find_duplicates(std::span<const RowReader> readers, std::uint64_t top, int threads,
                     LabelAudit& audit);

/// Groups with their images and the evidence.
Table duplicate_table(const LabelAudit& audit);
/// A row for each listed image.
Table duplicate_records(const LabelAudit& audit);

}  // namespace assay::audit
