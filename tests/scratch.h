// A temporary folder for one test, which is removed afterwards.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace assay {

class Scratch {
public:
    explicit Scratch(const std::filesystem::path& parent = std::filesystem::temp_directory_path()) {
        std::string name = (parent / "assay-test-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
        path_ = name;
    }
    ~Scratch() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

private:
    std::filesystem::path path_;
};

/// The shared real data next to the source tree, or "" if it is absent.
inline std::filesystem::path shared_data() {
    const std::filesystem::path data = std::filesystem::path(ASSAY_SOURCE_DIR) / "../shared/data";
    return std::filesystem::exists(data) ? data : std::filesystem::path();
}

}  // namespace assay
