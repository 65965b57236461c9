// Folders that the library `datasets` of Hugging Face saves.
#pragma once

#include <filesystem>

namespace assay {

/// Throws bad_input where `folder` is what save_to_disk() of `datasets` writes (Arrow files, which
/// are not read), with the command that makes a Parquet file of it; of several splits, with their
/// folders. Returns where it is another folder.
void refuse_saved_dataset(const std::filesystem::path& folder);

}  // namespace assay
