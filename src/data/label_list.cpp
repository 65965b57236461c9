#include "data/label_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "assay/error.h"
#include "containers/csv.h"
#include "core/file.h"
#include "core/text.h"
#include "data/class_aliases.h"
#include "data/label_texts.h"

namespace assay {
namespace {

constexpr std::uint64_t max_table_bytes = std::uint64_t{4} << 30;

LabelList from_csv(std::string_view text, std::string source, const LabelListOptions& options) {
    LabelList list;
    list.source = source;
    CsvReader reader(text, std::move(source));
    const auto stem = reader.find_column({"ImageId"});
    auto file =
        stem ? stem
             : reader.find_column({"path", "image", "filename", "file", "file_name", "image_path",
                                   "imagename", "image_id", "img", "filepath"});
    const auto id_column = reader.find_column({"id"});
    const bool has_id = file && id_column;  // alone, the id is the path
    const std::size_t id = id_column.value_or(0);
    if (!file) file = id_column;
    const auto boxes = reader.find_column({"PredictionString"});
    const auto many = reader.find_column({"labels"});
    const auto label = boxes ? boxes : many ? many : reader.find_column({"label"});
    if (!file && !label)
        (void)reader.column({"path", "image", "filename", "file", "label", "labels"});
    list.stems = stem.has_value();
    list.has_labels = label.has_value();

    std::vector<std::size_t> others;
    for (std::size_t c = 0; options.attributes && c < reader.columns().size(); ++c) {
        if (c == file || c == id_column || c == label) continue;
        others.push_back(c);
        list.attributes.push_back({reader.columns()[c], {}});
    }
    LabelTexts texts(list, options.classes);
    const std::size_t limit = file && !stem ? options.limit : 0;
    while ((limit == 0 || list.rows < limit) && reader.next()) {
        ++list.rows;
        list.lines.push_back(static_cast<std::uint32_t>(reader.line()));
        if (file) {
            // The items of a store leave `path` empty where the id is the path.
            const std::string_view name =
                reader[*file].empty() && has_id ? reader[id] : reader[*file];
            if (name.empty()) throw reader.error(fmt::format("no {}", reader.columns()[*file]));
            list.files.append(name);
        }
        if (has_id) list.ids.append(reader[id]);
        if (boxes) {
            texts.add_boxes(reader[*label], reader.line());
        } else if (label) {
            texts.add_row(reader[*label], many.has_value(), reader.line());
        } else {
            list.labels.append({});
        }
        for (std::size_t a = 0; a < others.size(); ++a)
            list.attributes[a].values.append(reader[others[a]]);
    }
    return list;
}

/// Where the file's name ends in "a b.jpg 65": at the first separator behind an image's extension
/// (or a number of ImageNet's validation set); 0 when the line does not begin with a file.
std::size_t end_of_file_name(std::string_view line) {
    for (std::size_t end = line.find_first_of(" \t,"); true;
         end = line.find_first_of(" \t,", end + 1)) {
        const std::string_view name = line.substr(0, end);
        if (has_image_extension(name) || imagenet_val_number(name) != 0) return name.size();
        if (end == std::string_view::npos) return 0;
    }
}

LabelList from_lines(std::string_view text, std::string source, const LabelListOptions& options) {
    LabelList list;
    list.source = std::move(source);
    LabelTexts texts(list, options.classes);
    bool first = true, with_files = false;
    for_each_line(text, [&](std::string_view line, std::size_t number) {
        if (options.limit != 0 && with_files && !list.stems && list.rows >= options.limit) return;
        if (line.find('\0') != std::string_view::npos) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("{} line {}: a zero byte; this is not a text list", list.source,
                                    number));
        }
        line = trimmed(line);
        const std::size_t end = line.empty() ? 0 : end_of_file_name(line);
        if (first) with_files = end != 0;
        first = false;
        if (with_files) {
            if (line.empty()) return;
            if (end == 0) {
                throw Error(ErrorCode::bad_input,
                            fmt::format("{} line {}: `{}` does not begin with an image's file name",
                                        list.source, number, shortened(line)));
            }
            list.files.append(line.substr(0, end));
            list.stems = list.stems || !has_image_extension(line.substr(0, end));
            line = line.substr(end);
            while (!line.empty() &&
                   (line.front() == ',' || line.front() == ' ' || line.front() == '\t'))
                line.remove_prefix(1);
            list.has_labels = list.has_labels || !line.empty();
        } else {
            list.has_labels = true;
        }
        ++list.rows;
        list.lines.push_back(static_cast<std::uint32_t>(number));
        texts.add_row(line, false, number);
    });
    list.has_labels = list.has_labels || list.rows == 0;
    return list;
}

}  // namespace

bool all_imagenet_val(const StringColumn& ids) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (imagenet_val_number(ids[i]) == 0) return false;
    }
    return ids.size() > 0;
}

std::size_t LabelList::line_of(std::size_t row) const {
    return lines.at(row);
}

LabelList read_label_list(const std::filesystem::path& path, const LabelListOptions& options) {
    const std::string text = read_text(path, max_table_bytes);
    const std::string extension = lower_extension(path.string());
    const bool table = extension == ".csv" || extension == ".tsv";
    LabelList list = table ? from_csv(text, path.filename().string(), options)
                           : from_lines(text, path.filename().string(), options);
    if (list.rows >= UINT32_MAX)
        throw Error(ErrorCode::bad_input,
                    fmt::format("{}: more than {} rows", list.source, UINT32_MAX - 1));
    return list;
}

std::string unknown_label(std::string_view label, const ClassList& classes) {
    std::uint64_t number = 0;
    if (parse_number(label, number)) {
        std::string hint;
        if (number == classes.size()) {
            hint =
                "; do the labels count from 1? (the ImageNet devkit's do, in an order of their "
                "own)";
        }
        return fmt::format("label {} is out of range: the {} classes are numbered 0..{}{}",
                           shortened(label), classes.size(),
                           classes.empty() ? 0 : classes.size() - 1, hint);
    }
    if (classes.size() > 0 &&
        std::count(classes.names().begin(), classes.names().end(), label) > 1) {
        return fmt::format("label `{}` is the name of several classes: use their ids",
                           shortened(label));
    }
    return fmt::format("label `{}` is none of the {} classes{}", shortened(label), classes.size(),
                       suggest(label, is_wnid(label) ? classes.ids() : classes.names()));
}

std::vector<std::int32_t> classes_of_texts(const LabelList& list, const ClassList& classes) {
    std::vector<std::int32_t> out;
    out.reserve(list.texts.size());
    std::optional<ClassAliases> aliases;
    for (const auto& [text, line] : list.texts) {
        auto c = classes.find(text);
        std::uint64_t number = 0;
        if (!c && !parse_number(text, number)) {
            if (!aliases) aliases.emplace(classes);
            c = aliases->find(text);
        }
        if (!c) {
            throw Error(ErrorCode::bad_input, fmt::format("{} line {}: {}", list.source, line,
                                                          unknown_label(text, classes)));
        }
        out.push_back(*c);
    }
    return out;
}

LabelSets to_classes(const LabelList& list, const std::vector<std::int32_t>& class_of_text) {
    LabelSets out;
    std::vector<std::int32_t> row;
    for (std::size_t i = 0; i < list.labels.size(); ++i) {
        row.clear();
        for (const std::int32_t text : list.labels[i])
            row.push_back(class_of_text[static_cast<std::size_t>(text)]);
        out.append(row);
    }
    return out;
}

}  // namespace assay
