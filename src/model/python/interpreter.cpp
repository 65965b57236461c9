#include "model/python/interpreter.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "assay/error.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

std::string text_of_variable(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? std::string() : std::string(value);
}

bool is_program(const fs::path& file) {
    std::error_code ignored;
    return fs::is_regular_file(file, ignored) && ::access(file.c_str(), X_OK) == 0;
}

std::optional<fs::path> on_path(const std::string& name) {
    if (name.find('/') != std::string::npos) {
        if (is_program(name)) return fs::absolute(name);
        return std::nullopt;
    }
    const std::string path = text_of_variable("PATH");
    for (std::size_t begin = 0; begin <= path.size();) {
        const std::size_t end = std::min(path.find(':', begin), path.size());
        const fs::path file = fs::path(path.substr(begin, end - begin)) / name;
        if (file.is_absolute() && is_program(file)) return file;
        begin = end + 1;
    }
    return std::nullopt;
}

}  // namespace

Interpreter find_interpreter(std::string_view what, std::string_view packages) {
    const std::string how = fmt::format(
        "install Python 3.9 or newer and type `python3 -m pip install {}`, or name a Python that "
        "has {}: ASSAY_PYTHON=/path/to/python",
        packages, packages.find(' ') == std::string_view::npos ? "it" : "them");
    if (const std::string chosen = text_of_variable("ASSAY_PYTHON"); !chosen.empty()) {
        if (const auto found = on_path(chosen)) return {*found, "ASSAY_PYTHON"};
        throw Error(ErrorCode::usage,
                    fmt::format("ASSAY_PYTHON is {}, which is not a program: {}", chosen, how));
    }
    const std::array<std::pair<const char*, fs::path>, 2> active = {
        {{"VIRTUAL_ENV", text_of_variable("VIRTUAL_ENV")},
         {"CONDA_PREFIX", text_of_variable("CONDA_PREFIX")}}};
    for (const auto& [environment, folder] : active) {
        if (folder.is_absolute() && is_program(folder / "bin/python"))
            return {folder / "bin/python", environment};
    }
    if (const auto found = on_path("python3")) return {*found, "the PATH"};
    throw Error(ErrorCode::usage,
                fmt::format("{} need Python, but there is no python3 on the PATH: {}", what, how));
}

}  // namespace assay
