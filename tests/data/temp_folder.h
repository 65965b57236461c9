// A scratch folder that a test fills with small files.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "scratch.h"

namespace assay {

class TempFolder : public Scratch {
public:
    /// Writes a file, and creates missing parent folders.
    std::filesystem::path write(const std::string& name, std::string_view text = "") const {
        const std::filesystem::path file = path() / name;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file, std::ios::binary) << text;
        return file;
    }
};

}  // namespace assay
