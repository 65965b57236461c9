// assay manual: the manual pages.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "cli/command.h"
#include "cli/manual.h"
#include "core/file.h"
#include "core/text.h"

namespace assay::cli {
namespace {

constexpr std::string_view manual_examples = R"(
assay manual --out ~/.local/share/man/man1
assay manual --out man && man man/assay-score.1
)";

/// Today, or the day of SOURCE_DATE_EPOCH, by which builds are the same byte for byte.
std::string date_of_pages() {
    const char* text = std::getenv("SOURCE_DATE_EPOCH");
    std::uint64_t seconds = 0;
    std::time_t when = std::time(nullptr);
    if (text != nullptr && parse_number(text, seconds)) when = static_cast<std::time_t>(seconds);
    std::tm day{};
    ::gmtime_r(&when, &day);
    return fmt::format("{:04}-{:02}-{:02}", day.tm_year + 1900, day.tm_mon + 1, day.tm_mday);
}

}  // namespace

int cmd_manual(std::vector<std::string> arguments) {
    auto app =
        make_app("manual",
                 "Write the manual pages: assay(1), one for each command and one for each of its "
                 "parts, as `man assay-score` shows them. An installed assay already has them.",
                 manual_examples);
    std::filesystem::path out;
    app->add_option("--out", out, "Folder for the pages, created if missing")
        ->required()
        ->type_name("FOLDER");
    if (!parse(*app, std::move(arguments))) return Status::done;
    make_folders(out);
    const std::vector<ManualPage> pages = manual_pages(date_of_pages());
    for (const ManualPage& page : pages) write_file_atomically(out / page.file, page.text);
    note(fmt::format("{} pages in {}", pages.size(), out.string()));
    return Status::done;
}

}  // namespace assay::cli
