// Stores the index of a tar archive at a URL in a folder, because building it reads the whole
// archive.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "containers/remote/request.h"
#include "data/webdataset/samples.h"

namespace assay::remote {

struct KeptSamples {
    Version version;
    webdataset::Samples samples;
};

/// `rule` is how labels were read. Returns nothing if there is no index, or if it is damaged or
/// belongs to another URL or rule. "" means no folder.
std::optional<KeptSamples> kept_samples(const std::filesystem::path& folder, std::string_view url,
                                        const webdataset::LabelRule& rule);

/// Stores the index, unless the server did not give a version. Throws io.
void keep_samples(const std::filesystem::path& folder, std::string_view url,
                  const webdataset::LabelRule& rule, const KeptSamples& kept);

/// The file of the index, for messages.
std::filesystem::path kept_samples_file(const std::filesystem::path& folder, std::string_view url,
                                        const webdataset::LabelRule& rule);

}  // namespace assay::remote
