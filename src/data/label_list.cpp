#include "data/label_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "assay/error.h"
#include "core/text.h"
#include "data/class_aliases.h"
#include "data/cub_list.h"
#include "data/label_columns.h"
#include "data/label_table.h"
#include "data/label_texts.h"

namespace assay {
namespace {

constexpr std::uint64_t max_table_bytes = std::uint64_t{4} << 30;

/// What gives classes the ids that labels have. The numbers follow.
constexpr std::string_view give_ids =
    "give a class list with these ids: --classes FILE, or for stored predictions `assay relabel "
    "RUNS/DATA --classes FILE`; the ids are";

/// The rows of a table with any separator.
template <class Rows>
void read_rows(Rows& rows, const LabelColumns& columns, const TableSample& table,
               const LabelListOptions& options, LabelList& list) {
    LabelTexts texts(list, options.classes);
    std::vector<std::int32_t> flag_texts, set;
    for (const LabelColumns::Flag& flag : columns.flags)
        flag_texts.push_back(texts.number(flag.label, 1));
    const std::size_t limit = columns.image && !list.stems ? options.limit : 0;
    while ((limit == 0 || list.rows < limit) && rows.next()) {
        ++list.rows;
        list.lines.push_back(static_cast<std::uint32_t>(rows.line()));
        if (columns.image) {
            // Items of a store have an empty `path` if it equals the id.
            const std::string_view name = rows[*columns.image].empty() && columns.id
                                              ? rows[*columns.id]
                                              : rows[*columns.image];
            if (name.empty()) {
                throw Error(ErrorCode::bad_input,
                            fmt::format("{} line {}: no {}", list.source, rows.line(),
                                        table.names[*columns.image]));
            }
            list.files.append(name);
        }
        if (columns.id) list.ids.append(rows[*columns.id]);
        if (columns.form == LabelColumns::Form::boxes) {
            texts.add_boxes(rows[*columns.label], rows.line());
        } else if (columns.label) {
            texts.add_row(rows[*columns.label], columns.form == LabelColumns::Form::several,
                          rows.line());
        } else {
            set.clear();
            for (std::size_t f = 0; f < flag_texts.size(); ++f) {
                const std::string_view cell = trimmed(rows[columns.flags[f].column]);
                const std::optional<bool> value = flag_value(cell);
                if (!value) {
                    throw Error(ErrorCode::bad_input,
                                fmt::format("{} line {}: column {} is `{}`; a table of label "
                                            "sets holds 0 and 1. Soft labels are for `assay "
                                            "score` and `assay compare`",
                                            list.source, rows.line(),
                                            table.names[columns.flags[f].column], shortened(cell)));
                }
                if (*value) set.push_back(flag_texts[f]);
            }
            list.labels.append(set);
        }
        for (std::size_t a = 0; a < list.attributes.size(); ++a)
            list.attributes[a].values.append(rows[columns.others[a]]);
    }
}

bool names_without_extension(const TableSample& table, std::size_t image) {
    return !table.rows.empty() && std::ranges::none_of(table.rows, [&](const auto& row) {
        return has_image_extension(trimmed(row[image]));
    });
}

LabelList from_table(std::string_view text, const LabelTable& table,
                     const LabelListOptions& options) {
    const TableSample& sample = table.sample;
    const LabelColumns columns = label_columns(sample, {.image_column = options.image_column,
                                                        .label_column = options.label_column,
                                                        .classes = options.classes,
                                                        .ask = options.ask,
                                                        .options = options.options});
    LabelList list;
    list.source = sample.source;
    if (!columns.image && columns.form == LabelColumns::Form::none) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("{}: no column named path or image or filename or file or label or "
                                "labels; columns: {}",
                                sample.source, fmt::join(sample.names, ", ")));
    }
    list.stems = columns.image && names_without_extension(sample, *columns.image);
    list.has_labels = columns.form != LabelColumns::Form::none;
    list.flags = columns.form == LabelColumns::Form::flags;
    list.taken = columns.said(sample, options.attributes ? "attributes" : "not used");
    for (std::size_t a = 0; options.attributes && a < columns.others.size(); ++a)
        list.attributes.push_back({sample.names[columns.others[a]], {}});
    read_table(text, table, [&](auto& rows) { read_rows(rows, columns, sample, options, list); });
    return list;
}

/// The end of the file's name in "a b.jpg 65". It is at the first separator after an
/// image's extension, or after a number of ImageNet's validation set. 0 if the line does not begin
/// with a file.
std::size_t end_of_file_name(std::string_view line) {
    for (std::size_t end = line.find_first_of(" \t,"); true;
         end = line.find_first_of(" \t,", end + 1)) {
        const std::string_view name = line.substr(0, end);
        if (names_an_image(name)) return name.size();
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

/// "3.0" is class 3, unless a class has that name. Throws bad_input if -1 and 1 may be two classes.
void settle_numbers(LabelList& list, const LabelListOptions& options) {
    const ClassList* classes = options.classes;
    for (LabelList::Text& text : list.texts) {
        if (classes == nullptr || !classes->find(text.text))
            text.text = std::string(whole_number(text.text));
    }
    const bool only_ones =
        std::ranges::all_of(list.texts, [](const auto& text) { return text.text == "1"; });
    if (only_ones && !list.flags && !options.minus_one_unlabelled)
        refuse_signs(list.source, list.marked_none, list.labels.labels(), 0,
                     classes == nullptr ? ClassList() : *classes);
}

}  // namespace

std::vector<std::string> notes_of(const LabelList& list) {
    std::vector<std::string> notes;
    if (!list.taken.empty()) notes.push_back(fmt::format("{}: {}", list.source, list.taken));
    if (list.marked_none > 0)
        notes.push_back(note_of_none(list.source, list.marked_none, list.rows));
    return notes;
}

std::string note_of_none(std::string_view source, std::uint64_t none, std::uint64_t rows) {
    return fmt::format("{}: -1 means no label: {} of {} rows", source, none, rows);
}

void refuse_signs(std::string_view source, std::uint64_t none, std::uint64_t ones,
                  std::uint64_t others, const ClassList& classes) {
    if (none == 0 || ones == 0 || others > 0 || classes.size() > 2) return;
    throw UnclearSigns(fmt::format("{}: the only labels are -1 ({} rows) and 1. If these are two "
                                   "classes, {} -1 and 1. If -1 means no label, leave these cells "
                                   "empty",
                                   source, none, give_ids),
                       none, ones);
}

bool all_imagenet_val(const StringColumn& ids) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (imagenet_val_number(ids[i]) == 0) return false;
    }
    return ids.size() > 0;
}

std::size_t LabelList::line_of(std::size_t row) const {
    return lines.at(row);
}

void refuse_columns_of(std::string_view source) {
    throw Error(
        ErrorCode::usage,
        fmt::format("{} has no columns: --label-column and --image-column are for tables", source));
}

LabelList read_label_list(const TableFile& file, const LabelListOptions& options) {
    const std::filesystem::path& path = file.path();
    if (auto list = read_cub_list(path, options)) return std::move(*list);
    const std::string source = path.filename().string();
    const auto& [text, left_out, added_lines] = file.read(max_table_bytes);
    LabelTable table = look_at_table(text, source, has_table_extension(path), options.classes);
    table.added_lines = added_lines;
    if (table.kind == LabelTable::Kind::lines &&
        !(options.image_column.empty() && options.label_column.empty())) {
        refuse_columns_of(source);
    }
    LabelList list = table.kind == LabelTable::Kind::lines ? from_lines(text, source, options)
                                                           : from_table(text, table, options);
    if (!left_out.empty()) list.taken += "; not read: " + left_out;
    settle_numbers(list, options);
    if (list.rows >= UINT32_MAX)
        throw Error(ErrorCode::bad_input,
                    fmt::format("{}: more than {} rows", list.source, UINT32_MAX - 1));
    return list;
}

bool have_numbers_from_one(const ClassList& classes) {
    for (std::size_t c = 0; c < classes.size(); ++c) {
        if (classes.id(c) != fmt::format("{}", c + 1)) return false;
    }
    return !classes.empty();
}

std::string unknown_label(std::string_view label, const ClassList& classes) {
    std::uint64_t number = 0;
    if (parse_number(label, number)) {
        std::string hint;
        if (have_numbers_from_one(classes)) {
            if (number == 0)
                hint = fmt::format("; do the labels count from 0? If so, {} 0 to {}", give_ids,
                                   classes.size() - 1);
            return fmt::format("label {} is none of the {} classes, whose ids are 1 to {}{}",
                               shortened(label), classes.size(), classes.size(), hint);
        }
        if (number == classes.size()) {
            hint = fmt::format(
                "; do the labels count from 1? (those of the ImageNet devkit do, in "
                "their own order). If so, {} 1 to {}",
                give_ids, classes.size());
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
    return fmt::format("label `{}` is not one of the {} classes{}", shortened(label),
                       classes.size(),
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
