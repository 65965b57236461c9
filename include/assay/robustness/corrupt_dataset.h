// Writes corrupted copies of a data set, one folder per corruption and severity, in the layout of
// ImageNet-C: OUT/<corruption>/<severity>/<class>/<image>. This is the implementation of `assay
// corrupt`, with its defaults.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "assay/image/image.h"
#include "assay/progress.h"
#include "assay/report.h"
#include "assay/robustness/corrupted_versions.h"
#include "assay/robustness/corruption.h"

namespace assay {

/// Files are PNG unless the settings name a JPEG quality.
struct CorruptOptions : CorruptionSettings {
    std::filesystem::path data;     ///< a data set, as open_dataset() accepts it
    std::filesystem::path list;     ///< its labels, if they are in a file
    std::size_t limit = 0;          ///< number of images, chosen as in stratified_sample(); 0 means
                                    ///< all
    std::uint64_t sample_seed = 0;  ///< seed of the sample
    std::size_t first = 0;          ///< number of first images; 0 means all. Not together with
                                    ///< `limit`
    std::filesystem::path out;      ///< the folder to make; "" means none
    std::filesystem::path sheet;    ///< PNG of one image, with a row per corruption; "" means none
    std::string sheet_image;        ///< id of the image for the sheet; "" means the first image
    int threads = 0;                ///< 0 means one thread per core; does not change results
};

/// Checks the options before an image is read. Throws usage.
void check(const CorruptOptions& options);

/// Describes the processing of an image in one line. An example: "short side to 256 pixels
/// (bilinear), centre crop 224 x 224, corruption, cut to 8 bit, PNG".
std::string describe_pipeline(const CorruptOptions& options);

struct CorruptResult {
    CorruptOptions options;
    std::vector<const Corruption*> corruptions;
    std::vector<CorruptionVersion> versions;     ///< versions that the images are large enough for
    std::vector<std::string> versions_left_out;  ///< as CorruptedVersions::left_out()
    std::string dataset;                         ///< its name
    /// images of the data set, including those that were skipped
    std::uint64_t images = 0;
    std::uint64_t written = 0;          ///< files, including those from an earlier run
    std::uint64_t found = 0;            ///< number of files among these that an earlier run made
    bool was_there = false;             ///< the data set was already complete
    std::uint64_t left_out = 0;         ///< images that cannot be read or are too small
    std::vector<std::string> examples;  ///< "id: reason" for the first of those images
    std::vector<std::string> notes;     ///< notes for people on what was read and assumed
};

/// Writes the outputs named by `out` and `sheet`. Each image is decoded once, and up to 16 of them
/// once more if the size of the images decides. The same command resumes an unfinished folder and
/// does not change a finished one. Versions for which all of the first images are too small are
/// skipped. Progress counts files. Unreadable images are skipped and counted. Throws usage as
/// check() does, and if `out` contains something else; bad_input as open_dataset() and
/// read_frost_photographs() do, and if no image can be read; io; interrupted.
CorruptResult corrupt_dataset(const CorruptOptions& options, const ProgressCallback& progress = {});

/// The contact sheet: a row for each corruption, with its name, and a column for each severity,
/// with its number. The first image is at sheet_left, sheet_top; images are 2 pixels apart.
inline constexpr int sheet_left = 214, sheet_top = 20;
/// Versions for which the image is too small are white.
Image contact_sheet(const Image& image, const std::vector<const Corruption*>& corruptions,
                    const std::vector<int>& severities, const CorruptionSeed& seed,
                    const FrostPhotographs* frost = nullptr,
                    CorruptionProfile profile = CorruptionProfile::imagenet);

/// Schema "assay.corrupt/1". The csv has a row per corruption and severity. The report is partial
/// if images or versions were skipped.
Report report_of(const CorruptResult& result);

}  // namespace assay
