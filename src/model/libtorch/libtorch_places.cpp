#include "model/libtorch/libtorch_places.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <system_error>

#include "assay/error.h"
#include "core/elf.h"
#include "core/file.h"
#include "core/text.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

#if defined(__aarch64__)
constexpr const char* triplet = "aarch64-linux-gnu";
#else
constexpr const char* triplet = "x86_64-linux-gnu";
#endif
constexpr const char* api_headers = "torch/csrc/api/include";

bool is_file(const fs::path& path) {
    std::error_code none;
    return fs::is_regular_file(path, none);
}

/// Reads the number in `#define NAME`.
std::optional<std::uint64_t> defined_number(std::string_view header, std::string_view name) {
    const std::string wanted = fmt::format("#define {} ", name);
    const std::size_t at = header.find(wanted);
    if (at == std::string_view::npos) return std::nullopt;
    const std::string_view rest = header.substr(at + wanted.size());
    std::uint64_t number = 0;
    if (!parse_number(trimmed(rest.substr(0, rest.find('\n'))), number)) return std::nullopt;
    return number;
}

struct Version {
    std::uint64_t major = 0, minor = 0, patch = 0;
};

/// Reads the version from a header, whose place differs between releases.
std::optional<Version> version_in(const fs::path& include) {
    for (const fs::path& header :
         {include / api_headers / "torch/version.h", include / "torch/headeronly/version.h"}) {
        if (!is_file(header)) continue;
        const std::string text = read_text(header, 1 << 20);
        const auto major = defined_number(text, "TORCH_VERSION_MAJOR");
        const auto minor = defined_number(text, "TORCH_VERSION_MINOR");
        const auto patch = defined_number(text, "TORCH_VERSION_PATCH");
        if (major && minor && patch) return Version{*major, *minor, *patch};
    }
    return std::nullopt;
}

enum class Abi { cxx11, before, unknown };

/// Looks for a symbol that libc10.so has in every release, and whose name contains the kind of
/// std::string.
Abi abi_of(const fs::path& c10) {
    const MappedFile file(c10);
    const std::string_view names = dynamic_names(file.text());
    constexpr std::string_view function = "torchCheckFailEPKcS2_jRK";
    if (names.find(std::string(function) + "NSt7__cxx1112basic_string") != names.npos)
        return Abi::cxx11;
    if (names.find(std::string(function) + "Ss") != names.npos) return Abi::before;
    return Abi::unknown;
}

std::string fault_of(LibTorch& place) {
    const fs::path include = place.root / "include";
    for (const char* folder : {"lib", "lib64"}) {
        for (const fs::path& candidate : {place.root / folder / triplet, place.root / folder}) {
            if (place.libraries.empty() && is_file(candidate / "libtorch_cpu.so"))
                place.libraries = candidate;
        }
    }
    if (place.libraries.empty())
        return fmt::format("there is no lib/libtorch_cpu.so in {}", place.root.string());
    place.cuda = is_file(place.libraries / "libtorch_cuda.so");
    const auto version = version_in(include);
    if (version)
        place.version = fmt::format("{}.{}.{}", version->major, version->minor, version->patch);
    for (const char* library : {"libtorch.so", "libc10.so"}) {
        if (!is_file(place.libraries / library))
            return fmt::format("{} lacks {}", place.libraries.string(), library);
    }
    if (!version || !is_file(include / "ATen/ATen.h")) {
        return fmt::format(
            "its headers are missing in {}{}", include.string(),
            is_system_folder(fs::canonical(place.libraries / "libc10.so").parent_path())
                ? ": install libtorch-dev"
                : "");
    }
    if (version->major < 1 || (version->major == 1 && version->minor < 13)) {
        return fmt::format("LibTorch {} is older than 1.13, the oldest that Assay supports",
                           place.version);
    }
    if (abi_of(place.libraries / "libc10.so") == Abi::before) {
        return fmt::format(
            "LibTorch {} was compiled with the C++ ABI from before 2011 "
            "(_GLIBCXX_USE_CXX11_ABI=0), like PyTorch's packages for pip up to 2.6. Use PyTorch "
            "2.7 or newer, or the \"cxx11 ABI\" zip of LibTorch with Torch_DIR",
            place.version);
    }
    return {};
}

}  // namespace

void examine(LibTorch& place) {
    try {
        place.unusable = fault_of(place);
    } catch (const Error& error) {
        place.unusable = error.message();
    } catch (const fs::filesystem_error& error) {
        place.unusable = error.what();
    }
}

fs::path root_of_torch_dir(const fs::path& torch_dir) {
    std::error_code none;
    const fs::path start = fs::absolute(torch_dir, none).lexically_normal();
    for (fs::path folder = start; folder != folder.parent_path(); folder = folder.parent_path()) {
        if (fs::exists(folder / "include" / api_headers, none)) return folder;
    }
    return start;
}

std::vector<fs::path> include_folders(const LibTorch& place) {
    const fs::path include = place.root / "include";
    // If the compiler's own folder came first, its headers could not include one another.
    if (include == "/usr/include") return {include / api_headers};
    return {include, include / api_headers};
}

bool is_system_folder(const fs::path& folder) {
    for (const char* top : {"/lib", "/usr/lib", "/lib64", "/usr/lib64"}) {
        if (folder == top || folder == fs::path(top) / triplet) return true;
    }
    return false;
}

}  // namespace assay
