#include <fmt/format.h>

#include <optional>

#include "assay/data/dataset.h"
#include "assay/data/label_sets.h"
#include "assay/error.h"
#include "containers/npy.h"
#include "containers/npy_foreign.h"
#include "containers/npy_stream.h"
#include "core/file.h"
#include "core/text.h"
#include "data/class_aliases.h"
#include "data/label_json.h"
#include "data/label_list.h"
#include "data/label_rows.h"
#include "data/voted_labels.h"

namespace assay {
namespace {

LabelSets from_json(const std::filesystem::path& path, const Dataset& dataset,
                    const ClassList& classes, const std::string& source, LabelMatch& match,
                    std::vector<char>* named) {
    NamedRows rows = parse_label_json(read_text(path), classes, source);
    if (rows.keys.size() > 0) return rows_by_key(rows, dataset, source, &match, named);
    return rows_in_order(std::move(rows.rows), dataset, source);
}

/// The labels that one annotator gave each image in a labeling tool.
LabelSets from_voted(VotedLabels voted, const Dataset& dataset, const ClassList& classes,
                     const std::string& source, LabelMatch& match, std::vector<std::string>& notes,
                     std::vector<char>* named) {
    for (std::string& note : voted.notes) notes.push_back(std::move(note));
    const ClassAliases aliases(classes);
    std::vector<std::int32_t> class_of;
    for (std::size_t l = 0; l < voted.labels.size(); ++l) {
        const auto found = find_class(classes, aliases, voted.labels[l]);
        std::uint64_t number = 0;
        if (!found &&
            !(classes.empty() && parse_number(voted.labels[l], number) && number <= INT32_MAX)) {
            throw Error(
                ErrorCode::bad_input,
                fmt::format("{}: label `{}` is not a class{}", source, shortened(voted.labels[l]),
                            classes.empty()
                                ? ", and the classes have no names here; `assay relabel "
                                  "RUNS/DATA_SET --classes FILE` gives them names"
                                : suggest(shortened(voted.labels[l]), classes.ids())));
        }
        class_of.push_back(found ? *found : static_cast<std::int32_t>(number));
    }
    std::vector<std::vector<std::int32_t>> sets(voted.items.size());
    for (const auto& [item, label] : voted.pairs) sets[item].push_back(class_of[label]);
    NamedRows rows{.keys = std::move(voted.items), .rows = {}};
    for (const auto& set : sets) rows.rows.append(set);
    return rows_by_key(rows, dataset, source, &match, named);
}

LabelSets from_list(const std::filesystem::path& path, const Dataset& dataset,
                    const ClassList& classes, const std::string& source, LabelMatch& match,
                    std::vector<std::string>& notes, const LabelReading& reading) {
    LabelList list = read_label_list(path, {.classes = classes.empty() ? nullptr : &classes,
                                            .attributes = false,
                                            .limit = 0,
                                            .image_column = reading.image_column,
                                            .label_column = reading.label_column,
                                            .ask = reading.ask,
                                            .options = reading.options,
                                            .minus_one_unlabelled = reading.minus_one_unlabelled});
    if (!reading.say_columns) list.taken.clear();
    for (std::string& note : notes_of(list)) notes.push_back(std::move(note));
    if (!list.has_labels)
        throw Error(ErrorCode::bad_input, source + ": no column of labels (label or labels)");
    std::vector<std::int32_t> class_of_text;
    if (!classes.empty()) {
        class_of_text = classes_of_texts(list, classes);
    } else {
        for (const auto& [text, line] : list.texts) {
            std::uint64_t number = 0;
            const std::string where = fmt::format("{} line {}", source, line);
            if (!parse_number(text, number) || number > INT32_MAX) {
                throw Error(
                    ErrorCode::bad_input,
                    fmt::format(
                        "{}: label `{}` is not a class number, and the classes have no names here; "
                        "`assay relabel RUNS/DATA_SET --classes FILE` gives them names",
                        where, shortened(text)));
            }
            class_of_text.push_back(
                checked_class(static_cast<std::int64_t>(number), classes, where));
        }
    }
    NamedRows rows{.keys = {}, .rows = to_classes(list, class_of_text), .may_repeat = !list.flags};
    if (list.files.size() == 0) return rows_in_order(std::move(rows.rows), dataset, source);
    rows.keys = list.ids.size() > 0 ? std::move(list.ids) : std::move(list.files);
    return rows_by_key(rows, dataset, source, &match, reading.named);
}

LabelSets from_integers(const NpyView& array, const ClassList& classes, const std::string& source,
                        std::vector<std::string>& notes, bool minus_one_unlabelled) {
    LabelSets out;
    const std::optional<std::int32_t> minus_one = classes.find("-1");
    std::uint64_t none = 0, ones = 0, others = 0;
    for (std::uint64_t i = 0; i < array.count(); ++i) {
        const std::int64_t number = array.values.integer(i);
        if (number == -1 && !minus_one) {
            out.append({});
            ++none;
            continue;
        }
        // If a class is called -1, numbers are ids, as in texts.
        const std::optional<std::int32_t> by_id =
            minus_one ? classes.find(std::to_string(number)) : std::nullopt;
        const std::int32_t label =
            by_id ? *by_id : checked_class(number, classes, fmt::format("{}, row {}", source, i));
        out.append(std::span(&label, 1));
        ++(number == 1 ? ones : others);
    }
    if (none > 0) {
        if (!minus_one_unlabelled) refuse_signs(source, none, ones, others, classes);
        notes.push_back(note_of_none(source, none, array.count()));
    }
    return out;
}

LabelSets from_indicators(const NpyView& array, const std::string& source) {
    LabelSets out;
    const std::uint64_t rows = array.shape[0], columns = array.shape[1];
    std::vector<float> row(columns);
    std::vector<std::int32_t> set;
    for (std::uint64_t i = 0; i < rows; ++i) {
        if (array.fortran) {
            for (std::uint64_t c = 0; c < columns; ++c)
                row[c] = static_cast<float>(array.values.number(array.position(i, c)));
        } else {
            array.values.floats(i * columns, row);
        }
        set.clear();
        for (std::uint64_t c = 0; c < columns; ++c) {
            if (row[c] == 1.0F) {
                set.push_back(static_cast<std::int32_t>(c));
            } else if (row[c] != 0.0F) {
                throw Error(
                    ErrorCode::bad_input,
                    fmt::format("{}: row {}, column {} is {}; a table of label sets holds 0 and 1. "
                                "Soft labels are for `assay score` and `assay compare`",
                                source, i, c, row[c]));
            }
        }
        out.append(set);
    }
    return out;
}

/// NumPy texts are ids or names of classes. "" and "-1" are no label.
LabelSets from_texts(std::span<const std::byte> npy, const ClassList& classes,
                     const std::string& source, std::vector<std::string>& notes) {
    LabelSets out;
    std::uint64_t row = 0, none = 0;
    for (const std::string& text : texts_of(npy)) {
        const auto label = classes.find(text);
        if (!label && !text.empty() && text != "-1") {
            throw Error(ErrorCode::bad_input,
                        fmt::format("{}, row {}: `{}` is not a class{}", source, row, text,
                                    classes.empty() ? "; give a list of classes with --classes"
                                                    : suggest(text, classes.ids())));
        }
        label ? out.append(std::span(&*label, 1)) : out.append({});
        none += !label && text == "-1" ? 1U : 0U;
        ++row;
    }
    if (none > 0) notes.push_back(note_of_none(source, none, row));
    return out;
}

LabelSets from_npy(const std::filesystem::path& path, const Dataset& dataset,
                   const ClassList& classes, const std::string& source,
                   std::vector<std::string>& notes, bool minus_one_unlabelled) {
    const MappedFile file(path);
    std::span<const std::byte> bytes = file.bytes();
    std::vector<std::byte> native;
    if (const auto foreign = foreign_numbers(bytes)) {
        write_native(bytes, *foreign, [&](std::span<const std::byte> piece) {
            native.insert(native.end(), piece.begin(), piece.end());
        });
        bytes = native;
    }
    if (holds_texts(bytes))
        return rows_in_order(from_texts(bytes, classes, source, notes), dataset, source);
    const NpyView array = parse_npy(bytes);
    const bool column = array.shape.size() == 2 && array.shape[1] == 1 && classes.size() != 1;
    if (array.shape.size() == 1 || column)
        return rows_in_order(from_integers(array, classes, source, notes, minus_one_unlabelled),
                             dataset, source);
    if (array.shape.size() != 2 || (!classes.empty() && array.shape[1] != classes.size()) ||
        array.shape[1] > INT32_MAX) {
        throw Error(
            ErrorCode::bad_input,
            fmt::format(
                "{}: shape {}; expected (items,) class numbers or (items, {}) zeros and ones",
                source, array.shape_text(),
                classes.empty() ? "classes" : std::to_string(classes.size())));
    }
    return rows_in_order(from_indicators(array, source), dataset, source);
}

}  // namespace

LabelSets read_label_sets(const std::filesystem::path& path, const Dataset& dataset,
                          const ClassList& classes, LabelMatch* match) {
    LabelMatch ignored;
    std::vector<std::string> unsaid;
    return read_label_sets(path, dataset, classes, match != nullptr ? *match : ignored, unsaid);
}

LabelSets read_label_sets(const std::filesystem::path& path, const Dataset& dataset,
                          const ClassList& classes, LabelMatch& match,
                          std::vector<std::string>& notes, const LabelReading& reading) {
    match = {};
    if (reading.named != nullptr) reading.named->clear();
    LabelSets sets = with_note(fmt::format("reading the label sets {}", path.string()), [&] {
        const std::string source = path.filename().string();
        const std::string extension = lower_extension(source);
        if ((extension == ".json" || extension == ".npy") &&
            !(reading.image_column.empty() && reading.label_column.empty()))
            refuse_columns_of(source);
        if (auto voted = read_voted_labels(path))
            return from_voted(std::move(*voted), dataset, classes, source, match, notes,
                              reading.named);
        if (extension == ".json")
            return from_json(path, dataset, classes, source, match, reading.named);
        if (extension == ".npy")
            return from_npy(path, dataset, classes, source, notes, reading.minus_one_unlabelled);
        return from_list(path, dataset, classes, source, match, notes, reading);
    });
    // Rows in the order of the items cover all of them.
    if (reading.named != nullptr && reading.named->empty()) reading.named->assign(sets.size(), 1);
    return sets;
}

}  // namespace assay
