// Writes a report to disk: one file, or a folder with the page and its thumbnails.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "assay/error.h"
#include "assay/report/page.h"
#include "core/file.h"
#include "core/file_stream.h"
#include "core/folder_aside.h"
#include "core/json_limits.h"
#include "core/json_text.h"
#include "core/paths.h"
#include "core/refuse.h"
#include "core/text.h"
#include "report/described_report.h"
#include "report/placed.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::string_view title_of_pages = "<title>Assay report</title>";

bool is_page(const fs::path& out) {
    const std::string ending = lower_extension(out.string());
    return ending == ".html" || ending == ".htm";
}

bool looks_like_a_page(const fs::path& file) {
    constexpr std::size_t head = 8192;
    return read_start(file, head).find(title_of_pages) != std::string::npos;
}

/// True if an earlier report made the folder.
bool is_report_folder(const fs::path& folder) {
    const fs::path mark = folder / "report.json";
    if (!is_there(mark)) return false;
    try {
        constexpr std::uint64_t most_bytes = 4096;
        const json found = parse_json(read_text(mark, most_bytes), 4);
        return found.is_object() && found.value("schema", json()) ==
                                        result_type(ResultOf<ReportFolderMark>{}).facts.schema;
    } catch (const Error&) {
        return false;
    }
}

/// Stores and competitions only contain files of the commands that made them.
void refuse_inside(const fs::path& out) {
    for (fs::path folder = absolute_path(out).parent_path(); folder.has_relative_path();
         folder = folder.parent_path()) {
        const bool store = is_there(folder / "manifest.json") && is_folder(folder / "shards");
        if (store || is_there(folder / "competition.sqlite") ||
            is_there(folder / "labelling.sqlite"))
            refuse(fmt::format("{} is inside {}; write the report elsewhere", out.string(),
                               folder.string()));
    }
}

/// Writes everything except existing thumbnails, whose names depend on their bytes. If this is
/// interrupted at any time, both the old and the new page find their images.
void write_into(const fs::path& folder, const ReportDocument& document) {
    make_folders(folder / "thumbnails");
    for (const Thumbnail& one : document.thumbnails) {
        const fs::path file = folder / file_of(one);
        if (is_there(file)) continue;
        const std::string_view bytes(reinterpret_cast<const char*>(one.bytes.data()),
                                     one.bytes.size());
        write_file_atomically(file, bytes);
    }
    write_file_atomically(folder / "report.json", json_text(json_of(ReportFolderMark{})));
    write_file_atomically(folder / "report.html", page_of(with_linked_thumbnails(document)));
}

/// Removes thumbnails of the previous report.
void remove_others(const fs::path& folder, const ReportDocument& document) {
    std::set<fs::path> own;
    for (const Thumbnail& one : document.thumbnails) own.insert(folder / file_of(one));
    constexpr std::size_t digits = 32;
    for (const fs::path& file : entries_of(folder / "thumbnails")) {
        const std::string stem = file.stem().string();
        const bool ours = (file.extension() == ".jpg" || file.extension() == ".png") &&
                          stem.size() == digits &&
                          stem.find_first_not_of("0123456789abcdef") == std::string::npos;
        std::error_code none;  // an extra file is harmless
        if (ours && !own.contains(file)) fs::remove(file, none);
    }
}

fs::path without_last_slash(const fs::path& path) {
    return path.has_filename() ? path : path.parent_path();
}

}  // namespace

void check_report_place(const fs::path& given) {
    const fs::path out = without_last_slash(given);
    if (out.empty()) throw Error(ErrorCode::usage, "a report needs a file or a folder");
    refuse_inside(out);
    const fs::path parent = out.parent_path();
    if (!parent.empty() && !is_folder(parent))
        refuse(fmt::format("{}: the folder `{}` does not exist", out.string(), parent.string()));
    if (!is_there(out)) return;
    if (is_page(out)) {
        if (is_folder(out))
            refuse(fmt::format(
                "{} is a folder, but a name that ends in .html is for a file; use another name",
                out.string()));
        if (!fs::is_regular_file(status_of(out)) || !looks_like_a_page(out))
            refuse(fmt::format("{} exists and is not a report; give the report another name",
                               out.string()));
        return;
    }
    if (!is_folder(out))
        refuse(fmt::format("{} is a file; a report is a file that ends in .html, or a folder",
                           out.string()));
    if (!entries_of(out).empty() && !is_report_folder(out))
        refuse(fmt::format("the folder {} contains other files than a report; name a new folder",
                           out.string()));
}

void write_report(const ReportDocument& document, const fs::path& given) {
    check_report_place(given);
    const fs::path out = without_last_slash(given);
    if (is_page(out)) {
        std::error_code none;
        // A link is kept, and its target is replaced.
        const fs::path file = fs::is_symlink(out, none) ? fs::weakly_canonical(out, none) : out;
        write_file_atomically(file, page_of(with_embedded_thumbnails(document)));
        return;
    }
    if (is_there(out) && is_report_folder(out)) {
        write_into(out, document);
        remove_others(out, document);
        return;
    }
    FolderAside aside(out);
    write_into(aside.path(), document);
    aside.keep();
}

}  // namespace assay
