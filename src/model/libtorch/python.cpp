#include "model/libtorch/python.h"

#include <fmt/format.h>

#include <chrono>
#include <system_error>

#include "core/run_program.h"
#include "core/terminal_text.h"
#include "core/text.h"

// src/model/CMakeLists.txt embeds torch_folder.py between two symbols.
#define ASSAY_EMBEDDED(begin, end, name)                                  \
    extern "C" __attribute__((visibility("hidden"))) const char(begin)[]; \
    extern "C" __attribute__((visibility("hidden"))) const char(end)[];
#include "torch_folder_files.inc"
#undef ASSAY_EMBEDDED

namespace assay {
namespace {

namespace fs = std::filesystem;

std::string question() {
#define ASSAY_EMBEDDED(begin, end, name) return {begin, static_cast<std::size_t>((end) - (begin))};
#include "torch_folder_files.inc"
#undef ASSAY_EMBEDDED
}

/// The text after the mark on its own line. The interpreter's start-up files may print other lines.
std::string answer_in(std::string_view text) {
    constexpr std::string_view mark = "torch is in ";
    std::string answer;
    for_each_line(text, [&](std::string_view line, std::size_t) {
        if (line.starts_with(mark)) answer = trimmed(line.substr(mark.size()));
    });
    return answer;
}

}  // namespace

TorchOfPython torch_of_python(const std::string& python) {
    const auto none = [](std::string why) { return TorchOfPython{{}, std::move(why)}; };
    const ProgramEnd end = run_program({.words = {python, "-c", question()},
                                        .errors = {},
                                        .most = std::size_t{1} << 16,
                                        .limit = std::chrono::seconds(20)});
    if (!end.found) return none(fmt::format("there is no {}", python));
    if (!end.good())
        return none(
            fmt::format("{} does not report where its package torch is (status {})", python,
                        end.ended ? "none, because it was stopped" : std::to_string(end.status)));
    const std::string answer = answer_in(end.out);
    if (answer.empty()) return none(fmt::format("{} has no package torch", python));
    std::error_code error;
    const fs::path folder = answer;
    if (answer.size() > 4096 || without_controls(answer) != answer || !folder.is_absolute() ||
        !fs::is_directory(folder, error)) {
        return none(fmt::format("{} reports its package torch in `{}`, which is not a folder",
                                python, shortened(answer)));
    }
    return {folder.lexically_normal(), {}};
}

}  // namespace assay
