// Images that are in a data set more than once.
#pragma once

#include <span>

#include "assay/audit/audit.h"
#include "assay/progress.h"
#include "assay/report.h"
#include "assay/store/row_reader.h"

namespace assay::audit {

/// Fills the duplicates of `audit`. Two images are equal if their files are, by the records of the
/// stores, or by the files themselves if no store has records and the files are there. Two images
/// are also equal if all classifiers give them the same scores, bit for bit. Scores with at most
/// four decimals do not count. If more than 10 % of the images share scores but neither file nor
/// pixels, the scores are too coarse and do not count.
///
/// With AuditOptions::pixels, images are also equal if their decoded pixels are. Others look alike
/// if at most 4 of the 64 bits of their perceptual hashes differ (image/near_hash.h). They form
/// groups of their own, in which only the first one of equal images is.
///
/// The readers' stores have the same images. Cost: a pass over the scores, and a read of every
/// image file if no store has records, or a decode of all images for their pixels. Memory: 40 bytes
/// an image, 80 with pixels. The same result for any number of threads. Throws bad_input if pixels
/// are asked for and no image can be read.
void find_duplicates(std::span<const RowReader> readers, const AuditOptions& options,
                     LabelAudit& audit, const ProgressCallback& progress);

/// Groups with their images and the evidence.
Table duplicate_table(const LabelAudit& audit);
/// A row for each listed image.
Table duplicate_records(const LabelAudit& audit);

}  // namespace assay::audit
