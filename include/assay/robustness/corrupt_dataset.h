// Corrupted copies of a data set, one folder for each corruption and severity, laid out as
// ImageNet-C: OUT/<corruption>/<severity>/<class>/<image>. Everything that `assay corrupt` does,
// with its defaults.
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

/// Files are PNG where the settings name no quality of JPEG.
struct CorruptOptions : CorruptionSettings {
    std::filesystem::path data;     ///< a data set, as open_dataset() takes it
    std::filesystem::path list;     ///< its labels, where they are in a file
    std::size_t limit = 0;          ///< so many, as stratified_sample() takes them; 0: all
    std::uint64_t sample_seed = 0;  ///< which sample
    std::size_t first = 0;          ///< the first so many; 0: all. Not with `limit`
    std::filesystem::path out;      ///< the folder that is made; "": none
    std::filesystem::path sheet;    ///< PNG of one image, a row per corruption; "": none
    std::string sheet_image;        ///< its id; "": the first
    int threads = 0;                ///< 0: one per core; changes no byte
};

/// What can be known to be wrong before an image is read. Throws usage.
void check(const CorruptOptions& options);

/// What is done to an image, in one line: "short side to 256 pixels (bilinear), centre crop 224 x
/// 224, corruption, cut to 8 bit, PNG".
std::string describe_pipeline(const CorruptOptions& options);

struct CorruptResult {
    CorruptOptions options;
    std::vector<const Corruption*> corruptions;
    std::vector<CorruptionVersion> versions;     ///< those that fit the images
    std::vector<std::string> versions_left_out;  ///< as CorruptedVersions::left_out()
    std::string dataset;                         ///< its name
    std::uint64_t images = 0;                    ///< of the data set, those left out included
    std::uint64_t written = 0;          ///< files, those found from an earlier run included
    std::uint64_t found = 0;            ///< of `written`: made by an earlier run
    bool was_there = false;             ///< the data set was finished before
    std::uint64_t left_out = 0;         ///< images that cannot be read or are too small
    std::vector<std::string> examples;  ///< of those: "id: reason", the first ones
    std::vector<std::string> notes;     ///< what was read and assumed; for people
};

/// Writes what `out` and `sheet` name. Each image is decoded once, and up to 16 of them once more
/// where the size of the images decides. The same command continues an unfinished folder and leaves
/// a finished one alone. Versions that fit none of the first images are left out. Progress counts
/// files. Images that cannot be read are left out and counted. Throws usage as check(), and where
/// `out` holds something else; bad_input as open_dataset() and read_frost_photographs(), and where
/// no image can be read; io; interrupted.
CorruptResult corrupt_dataset(const CorruptOptions& options, const ProgressCallback& progress = {});

/// The contact sheet: a row for each corruption, with its name, a column for each severity, with
/// its number. The first image stands at sheet_left, sheet_top; from one to the next are 2 pixels.
inline constexpr int sheet_left = 214, sheet_top = 20;
/// Versions that the image is too small for are white.
Image contact_sheet(const Image& image, const std::vector<const Corruption*>& corruptions,
                    const std::vector<int>& severities, const CorruptionSeed& seed,
                    const FrostPhotographs* frost = nullptr,
                    CorruptionProfile profile = CorruptionProfile::imagenet);

/// "assay.corrupt/1". CSV holds a row per corruption and severity. Partial where images or versions
/// were left out.
Report report_of(const CorruptResult& result);

}  // namespace assay
