// assay manual: prints the manual pages, or every message of the program.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "assay/error.h"
#include "cli/command.h"
#include "cli/manual.h"
#include "cli/outputs.h"
#include "core/file.h"
#include "core/text.h"

// Made by src/cli/CMakeLists.txt with tools/english/messages: its bytes are between two symbols.
#define ASSAY_EMBEDDED(begin, end, name)                                  \
    extern "C" __attribute__((visibility("hidden"))) const char(begin)[]; \
    extern "C" __attribute__((visibility("hidden"))) const char(end)[];
#include "messages_files.inc"
#undef ASSAY_EMBEDDED

namespace assay::cli {
namespace {

constexpr std::string_view manual_examples = R"(
assay manual --out ~/.local/share/man/man1
assay manual --out man && man man/assay-score.1
assay manual --messages | grep ": error:"
)";

/// FILE:LINE: KIND: TEXT, one per line; empty in a build without Python.
std::string_view all_messages() {
#define ASSAY_EMBEDDED(begin, end, name) return {begin, static_cast<std::size_t>((end) - (begin))};
#include "messages_files.inc"
#undef ASSAY_EMBEDDED
}

/// Today's date, or the date of SOURCE_DATE_EPOCH, which makes builds reproducible byte for byte.
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
    auto app = make_app(
        "manual",
        "Write the manual pages: assay(1), one for each command and one for each of its "
        "parts, as `man assay-score` shows them. An installed assay already has them. With "
        "--messages: print every error, warning, note and help text instead.",
        manual_examples);
    std::filesystem::path out;
    bool messages = false;
    CLI::Option* folder = app->add_option("--out", out, "Folder for the pages, created if missing")
                              ->type_name("FOLDER");
    app->add_flag(
           "--messages", messages,
           "Print every message of the program and its place in the sources, to read them as "
           "a whole: FILE:LINE: KIND: TEXT. KIND is error, warning, note, help or text")
        ->excludes(folder);
    if (!parse(*app, std::move(arguments))) return Status::done;
    if (messages) {
        if (all_messages().empty())
            throw Error(ErrorCode::usage,
                        "this build has no list of messages, because it was built without Python; "
                        "in the source tree, run `tools/english/messages`");
        write_own(all_messages());
        return Status::done;
    }
    if (out.empty())
        throw Error(ErrorCode::usage,
                    "--out is required: name the folder for the pages, for example `assay manual "
                    "--out man`; or pass --messages");
    make_folders(out);
    const std::vector<ManualPage> pages = manual_pages(date_of_pages());
    for (const ManualPage& page : pages) write_file_atomically(out / page.file, page.text);
    note(fmt::format("{} pages in {}", pages.size(), out.string()));
    return Status::done;
}

}  // namespace assay::cli
