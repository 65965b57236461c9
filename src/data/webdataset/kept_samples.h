// What is in a tar archive at a URL, kept in a folder: reading it costs the whole archive.
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

/// `rule` as the labels were read. Nothing where no index is there, or one that is damaged, or is
/// of another URL or rule. "" is no folder.
std::optional<KeptSamples> kept_samples(const std::filesystem::path& folder, std::string_view url,
                                        const webdataset::LabelRule& rule);

/// Keeps them, unless the server did not say which version it is. Throws io.
void keep_samples(const std::filesystem::path& folder, std::string_view url,
                  const webdataset::LabelRule& rule, const KeptSamples& kept);

/// The file of the index, for messages.
std::filesystem::path kept_samples_file(const std::filesystem::path& folder, std::string_view url,
                                        const webdataset::LabelRule& rule);

}  // namespace assay::remote
