#include "assay/patchml/boxes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "assay/describe_result.h"
#include "assay/error.h"
#include "containers/csv.h"
#include "containers/described_csv.h"
#include "core/file.h"
#include "core/paths.h"
#include "core/text.h"
#include "patchml/box_readers.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t max_table_bytes = std::uint64_t{1} << 30;

struct FormatName {
    std::string_view name;
    BoxFormat format;
};
constexpr std::array<FormatName, 5> formats = {{{"auto", BoxFormat::automatic},
                                                {"voc", BoxFormat::voc},
                                                {"solution", BoxFormat::solution},
                                                {"coco", BoxFormat::coco},
                                                {"csv", BoxFormat::csv}}};

constexpr std::array<std::string_view, box_fault_count> fault_names = {"damaged_annotation",
                                                                       "bad_number",
                                                                       "reversed",
                                                                       "empty",
                                                                       "outside",
                                                                       "too_small",
                                                                       "crowd",
                                                                       "unknown_class",
                                                                       "no_single_label",
                                                                       "missing_image",
                                                                       "ambiguous_image",
                                                                       "unreadable_image",
                                                                       "other_size",
                                                                       "difficult",
                                                                       "truncated",
                                                                       "duplicate"};

/// XML files below `folder` as paths relative to it, in byte order. Links to folders are not
/// followed.
std::vector<std::string> list_xml(const fs::path& folder) {
    std::vector<std::string> found;
    std::error_code problem;
    fs::recursive_directory_iterator entry(folder, problem);
    for (; !problem && entry != fs::recursive_directory_iterator(); entry.increment(problem)) {
        if (lower_extension(entry->path().filename().string()) != ".xml") continue;
        std::error_code unknown;
        if (!entry->is_directory(unknown))
            found.push_back(entry->path().lexically_relative(folder).generic_string());
    }
    if (problem) {
        throw Error(ErrorCode::io, fmt::format("cannot read the folder {}: {}", folder.string(),
                                               problem.message()));
    }
    std::sort(found.begin(), found.end());
    return found;
}

/// A damaged file among thousands is listed, and the other files are read.
void read_voc_folder(const fs::path& folder, BoxListBuilder& out) {
    const std::vector<std::string> names = list_xml(folder);
    if (names.empty())
        throw Error(ErrorCode::bad_input,
                    fmt::format("{}: there is no .xml file in this folder", folder.string()));
    for (const std::string& name : names) {
        out.source(name);
        try {
            parse_voc(read_text(folder / name, max_xml_bytes), without_extension(name), out);
        } catch (const Error& error) {
            if (error.code() != ErrorCode::bad_input) throw;  // the next run may be able to read it
            out.list().rejected.push_back({.fault = BoxFault::damaged_annotation,
                                           .where = name,
                                           .image = "",
                                           .cls = "",
                                           .detail = error.message()});
        }
    }
    if (out.list().rejected.size() == names.size() && out.list().images.size() == 0) {
        throw Error(
            ErrorCode::bad_input,
            fmt::format("{}: none of its {} XML files can be read; the first: {}", folder.string(),
                        names.size(), describe(out.list().rejected.front())));
    }
}

BoxFormat format_of(const fs::path& path, const std::string& text) {
    const std::string extension = lower_extension(path.filename().string());
    if (extension == ".xml") return BoxFormat::voc;
    if (extension == ".json") return BoxFormat::coco;
    if (extension == ".csv" || extension == ".tsv") {
        return is_solution(text, path.filename().string()) ? BoxFormat::solution : BoxFormat::csv;
    }
    throw Error(
        ErrorCode::usage,
        fmt::format("unknown format of {}; allowed: voc, solution, coco, csv", path.string()));
}

void read_one_file(const fs::path& path, BoxFormat format, BoxListBuilder& out) {
    const bool xml =
        lower_extension(path.filename().string()) == ".xml" || format == BoxFormat::voc;
    const std::string text = read_text(path, xml ? max_xml_bytes : max_table_bytes);
    BoxList& list = out.list();
    list.format = format == BoxFormat::automatic ? format_of(path, text) : format;
    const std::string name = path.filename().string();
    out.source(name);
    switch (list.format) {
        case BoxFormat::voc:
            return parse_voc(text, without_extension(name), out);
        case BoxFormat::solution:
            return parse_solution(text, name, out);
        case BoxFormat::coco:
            list.corners = Corners::edges;
            return parse_coco(text, out);
        case BoxFormat::csv:
        case BoxFormat::automatic:
            return parse_box_csv(text, name, out);
    }
}

}  // namespace

BoxFormat box_format_named(std::string_view name) {
    std::vector<std::string> known;
    for (const FormatName& format : formats) {
        if (format.name == name) return format.format;
        known.emplace_back(format.name);
    }
    throw Error(ErrorCode::usage,
                fmt::format("unknown format of boxes `{}`{}", name, suggest(name, known)));
}

std::string_view name_of(BoxFormat format) {
    return formats[static_cast<std::size_t>(format)].name;
}

Corners corners_named(std::string_view name) {
    if (name == "inclusive0") return Corners::inclusive0;
    if (name == "inclusive1") return Corners::inclusive1;
    if (name == "edges") return Corners::edges;
    throw Error(ErrorCode::usage,
                fmt::format("unknown value of --corners `{}`{}", name,
                            suggest(name, {"inclusive0", "inclusive1", "edges"})));
}

std::string_view name_of(Corners corners) {
    return corners == Corners::inclusive0   ? "inclusive0"
           : corners == Corners::inclusive1 ? "inclusive1"
                                            : "edges";
}

std::string_view name_of(BoxFault fault) {
    return fault_names.at(static_cast<std::size_t>(fault));
}

std::string describe(const RejectedBox& box) {
    std::string out(name_of(box.fault));
    if (!box.where.empty()) out += ": " + shortened(box.where, 120);
    if (!box.image.empty()) out += ": image " + shortened(box.image, 120);
    if (!box.cls.empty()) out += (box.image.empty() ? ": class " : ", class ") + shortened(box.cls);
    if (!box.detail.empty()) out += ": " + shortened(box.detail, 200);
    return out;
}

namespace {

/// The row of a box.
struct RejectedRow {
    const RejectedBox* box;
};
ResultType result_type(ResultOf<RejectedRow>) {
    static constexpr auto box = &RejectedRow::box;
    static constexpr auto rows = describe_result<RejectedRow>(
        {.name = "RejectedRow", .columns = "fault,where,image,class,detail"},
        {part<box, &RejectedBox::fault>({}), part<box, &RejectedBox::where>({}),
         part<box, &RejectedBox::image>({}), part<box, &RejectedBox::cls>({.name = "class"}),
         part<box, &RejectedBox::detail>({})});
    return rows;
}

}  // namespace

std::string rejected_csv(const std::vector<RejectedBox>& rejected) {
    std::string out;
    DescribedCsv<RejectedRow> csv(out);
    for (const RejectedBox& box : rejected) csv.add({&box});
    return out;
}

std::string_view place_word(BoxFormat format) {
    return format == BoxFormat::voc ? "object" : format == BoxFormat::coco ? "annotation" : "line";
}

std::optional<double> parse_corner(std::string_view text) {
    text = trimmed(text);
    if (text.starts_with('+')) text.remove_prefix(1);
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, value);
    if (text.empty() || problem != std::errc() || stop != end) return std::nullopt;
    return value;
}

void BoxListBuilder::source(std::string_view name) {
    ++list_.files;
    list_.sources.append(name);
}

void BoxListBuilder::image(std::string_view name, std::string_view alternative, ImageSize size) {
    const std::size_t n = list_.images.size();
    if (n > 0 && list_.images[n - 1] == name && list_.alternatives[n - 1] == alternative) return;
    if (n >= UINT32_MAX) throw Error(ErrorCode::bad_input, "more than 4,294,967,295 images");
    list_.images.append(name);
    list_.alternatives.append(alternative);
    list_.sizes.push_back(size);
}

void BoxListBuilder::row(std::string_view cls, std::uint32_t place,
                         const std::array<double, 4>& corners, Marks marks) {
    auto found = classes_.find(cls);
    if (found == classes_.end()) {
        found = classes_.emplace(std::string(cls), static_cast<std::uint32_t>(list_.classes.size()))
                    .first;
        list_.classes.emplace_back(cls);
    }
    if (list_.rows.size() >= UINT32_MAX)
        throw Error(ErrorCode::bad_input, "more than 4,294,967,295 boxes");
    list_.rows.push_back({.image = static_cast<std::uint32_t>(list_.images.size() - 1),
                          .cls = found->second,
                          .source = static_cast<std::uint32_t>(list_.sources.size() - 1),
                          .place = place,
                          .corners = corners,
                          .difficult = marks.difficult,
                          .truncated = marks.truncated});
}

void BoxListBuilder::reject(BoxFault fault, std::string_view what, std::uint32_t place,
                            std::string_view cls, std::string detail) {
    const StringColumn& images = list_.images;
    list_.rejected.push_back(
        {.fault = fault,
         .where = fmt::format("{} {} {}", list_.sources[list_.sources.size() - 1], what, place),
         .image = images.size() == 0 ? "" : std::string(images[images.size() - 1]),
         .cls = std::string(cls),
         .detail = std::move(detail)});
}

BoxList read_boxes(const fs::path& path, BoxFormat format, std::optional<Corners> corners) {
    const fs::file_status status = status_of(path);
    if (!fs::exists(status))
        throw Error(ErrorCode::bad_input, "no such file or folder of boxes: " + path.string());
    BoxList list;
    list.corners = corners.value_or(Corners::inclusive0);
    BoxListBuilder builder(list);
    with_note("reading the boxes of " + path.string(), [&] {
        if (fs::is_directory(status)) {
            if (format != BoxFormat::automatic && format != BoxFormat::voc) {
                throw Error(ErrorCode::usage,
                            fmt::format("{} is a folder, but boxes in the format {} are one file",
                                        path.string(), name_of(format)));
            }
            list.format = BoxFormat::voc;
            read_voc_folder(path, builder);
        } else {
            read_one_file(path, format, builder);
        }
        if (list.rows.empty() && list.rejected.empty()) {
            throw Error(ErrorCode::bad_input, fmt::format("{}: no box in it", path.string()));
        }
    });
    return list;
}

}  // namespace assay
