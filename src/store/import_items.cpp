#include "store/import_items.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "assay/data/label_sets.h"
#include "assay/error.h"
#include "assay/report.h"
#include "containers/arrow/arrow_csv.h"
#include "containers/npy_stream.h"
#include "core/file.h"
#include "core/refuse.h"
#include "core/string_index.h"
#include "core/text.h"
#include "data/label_columns.h"
#include "data/label_list.h"
#include "data/label_rows.h"
#include "data/label_table.h"
#include "data/table_text.h"
#include "store/cells.h"
#include "store/own_labels.h"
#include "store/same_data.h"

namespace assay::store {
namespace {

namespace fs = std::filesystem;

/// The columns requested for a file of labels; "" detects them.
struct LabelFileColumns {
    std::string image, label;
};

/// The columns for the list of items, unless they apply to the file of labels.
LabelFileColumns columns_of_items(const ImportOptions& options) {
    if (!options.labels.empty()) return {};
    return {options.image_column, options.columns.label};
}

struct ItemList {
    StringColumn ids;
    bool has_labels = false;
    std::vector<Dataset::Attribute> attributes;
};

/// `list.ids` are from the column `id`, or else from the column of images.
ItemList read_item_table(std::string_view text, const LabelTable& table, const ClassList& classes,
                         const LabelFileColumns& asked, std::vector<std::string>& notes) {
    const TableSample& sample = table.sample;
    const LabelColumns columns = label_columns(sample, {.image_column = asked.image,
                                                        .label_column = asked.label,
                                                        .classes = &classes,
                                                        .ask = false,
                                                        .options = false});
    if (!columns.image) {
        refuse(
            fmt::format("{}: no column named id or filename or path or image or image_id; "
                        "columns: {}",
                        sample.source, fmt::join(sample.names, ", ")));
    }
    notes.push_back(fmt::format("{}: {}", sample.source, columns.said(sample, "attributes")));
    ItemList list;
    list.has_labels = columns.form != LabelColumns::Form::none;
    std::vector<std::size_t> others = columns.others;
    if (columns.id) others.insert(others.begin(), *columns.image);
    std::ranges::sort(others);
    // Removes names that have another meaning in a store's own list of items.
    std::erase_if(others, [&](std::size_t c) {
        const std::string& name = sample.names[c];
        return name == "id" || name == "path" || name == "label" || name == "labels";
    });
    for (const std::size_t c : others) list.attributes.push_back({sample.names[c], {}});
    read_table(text, table, [&](auto& rows) {
        while (rows.next()) {
            list.ids.append(rows[columns.id.value_or(*columns.image)]);
            for (std::size_t k = 0; k < others.size(); ++k)
                list.attributes[k].values.append(rows[others[k]]);
        }
    });
    return list;
}

/// Parquet, Arrow and JSON lines are converted to csv.
ItemList read_items_as_csv(const fs::path& path, const ClassList& classes,
                           const LabelFileColumns& asked, std::vector<std::string>& notes) {
    constexpr std::uint64_t most_bytes = std::uint64_t{4} << 30;
    const std::string source = path.filename().string();
    const TableText made = read_table_text(path, most_bytes);
    LabelTable table = look_at_table(made.text, source, true, &classes);
    table.added_lines = made.added_lines;
    ItemList list = read_item_table(made.text, table, classes, asked, notes);
    if (!made.left_out.empty())
        notes.push_back(fmt::format("{}: not read: {}", source, made.left_out));
    return list;
}

/// Reads a table's ids and other columns, the lines of a text, or NumPy's texts.
ItemList read_items(const fs::path& path, const ClassList& classes, const LabelFileColumns& asked,
                    std::vector<std::string>& notes) {
    const std::string ending = lower_extension(path.filename().string());
    if (ending == ".parquet" || ending == ".jsonl" || arrow::has_table_ending(ending))
        return read_items_as_csv(path, classes, asked, notes);
    const MappedFile file(path);
    if (ending == ".npy" && array_header(file.bytes()).text.width > 0) {
        ItemList list;
        for (const std::string& id : texts_of(file.bytes())) list.ids.append(id);
        return list;
    }
    if (ending == ".npy" || ending == ".npz") {
        refuse(
            fmt::format("`{}` is not a list of items. Give a text with one id per line, a table, a "
                        ".npy of texts, or JSON of COCO or FiftyOne; labels alone go to --labels",
                        path.string()));
    }
    const LabelTable table = look_at_table(file.text(), path.filename().string(),
                                           ending == ".csv" || ending == ".tsv", &classes);
    if (table.kind != LabelTable::Kind::lines)
        return read_item_table(file.text(), table, classes, asked, notes);
    if (!asked.image.empty() || !asked.label.empty()) refuse_columns_of(path.filename().string());
    ItemList list;
    for_each_line(file.text(), [&](std::string_view line, std::size_t number) {
        if (trimmed(line).empty())
            refuse(fmt::format("`{}` line {} is empty", path.string(), number));
        list.ids.append(line);
    });
    return list;
}

void check_ids(const StringColumn& ids, const std::string& where) {
    if (ids.size() >= UINT32_MAX) refuse(fmt::format("{} has {} ids; too many", where, ids.size()));
    StringIndex index(ids.size(), [&](std::uint32_t i) { return ids[i]; });
    for (std::uint32_t i = 0; i < ids.size(); ++i) {
        if (ids[i].empty()) refuse(fmt::format("{}: the id of row {} is empty", where, i));
        if (const auto earlier = index.insert(i)) {
            refuse(fmt::format("{}: the id `{}` of row {} is also the id of row {}", where,
                               shortened(ids[i]), i, *earlier));
        }
    }
}

/// Finds the row of each item by the rows' own ids.
std::vector<std::uint32_t> match_rows(const StringColumn& ids, const Dataset& items,
                                      const std::string& where, std::uint64_t& left_out) {
    const std::vector<std::uint32_t> item_of = items_of_keys(ids, items, "the file of scores");
    std::vector<std::uint32_t> row_of(items.size(), no_item);
    left_out = 0;
    for (std::uint32_t row = 0; row < item_of.size(); ++row) {
        if (item_of[row] == no_item) {
            ++left_out;
            continue;
        }
        std::uint32_t& place = row_of[item_of[row]];
        if (place != no_item) {
            refuse(fmt::format(
                "rows {} and {} of the scores, `{}` and `{}`, both match the item `{}` of {}",
                place, row, shortened(ids[place]), shortened(ids[row]),
                shortened(items.ids[item_of[row]]), where));
        }
        place = row;
    }
    const auto missing = static_cast<std::uint64_t>(std::ranges::count(row_of, no_item));
    if (missing > 0) {
        const auto first = std::ranges::find(row_of, no_item) - row_of.begin();
        refuse(fmt::format(
            "{} of the {} items of {} have no row among the {} of the scores (the "
            "first: `{}`)",
            count_text(missing), count_text(items.size()), where, count_text(ids.size()),
            shortened(items.ids[static_cast<std::size_t>(first)])));
    }
    return row_of;
}

StringColumn in_order(const StringColumn& column, const std::vector<std::uint32_t>& order) {
    StringColumn out;
    for (const std::uint32_t i : order) out.append(column[i]);
    return out;
}

LabelSets in_order(const LabelSets& sets, const std::vector<std::uint32_t>& order) {
    LabelSets out;
    for (const std::uint32_t i : order) out.append(sets[i]);
    return out;
}

bool is_identity(const std::vector<std::uint32_t>& order) {
    for (std::uint32_t i = 0; i < order.size(); ++i) {
        if (order[i] != i) return false;
    }
    return true;
}

/// The labels of a file, in which `options` define -1. `of_items` means that the file is the list
/// of items. Its columns were already reported.
LabelSets labels_of_file(const fs::path& path, const Dataset& dataset, LabelMatch& match,
                         const ImportOptions& options, bool of_items, const LabelFileColumns& asked,
                         std::vector<std::string>& notes) {
    static const ClassList signs({"-1", "1", "0"});  // otherwise 0 would be the first class
    const std::string where = fmt::format("`{}`", path.filename().string());
    const ClassList& classes = dataset.classes;
    const bool is_class = options.minus_one == MinusOne::first_class;
    if (is_class && classes.size() != 2) refuse_minus_one_class(where, classes);
    try {
        LabelSets labels =
            read_label_sets(path, dataset, is_class ? signs : classes, match, notes,
                            {.minus_one_unlabelled = options.minus_one == MinusOne::unlabelled,
                             .ask = !of_items,
                             .say_columns = !of_items,
                             .image_column = asked.image,
                             .label_column = asked.label,
                             .options = !of_items});
        if (!is_class) return labels;
        const auto is_zero = [](std::int32_t label) { return label > 1; };
        if (std::ranges::any_of(labels.classes(), is_zero)) refuse_minus_one_class(where, classes);
        note_minus_one_class(where, classes, notes);
        return labels;
    } catch (const UnclearSigns& unclear) {
        if (classes.size() != 2) throw;
        ask_what_minus_one_is(where, unclear.none, unclear.none + unclear.ones, classes);
    }
}

/// If the score columns are not sorted, numbers in a file of labels are ambiguous. So the file is
/// read again with sorted classes. Names give the same sets, and numbers do not.
void refuse_numbers_of_unsorted(const fs::path& path, const Dataset& dataset,
                                const LabelSets& labels, const ImportOptions& options,
                                bool of_items, const LabelFileColumns& asked) {
    const std::vector<std::string>& ids = dataset.classes.ids();
    if (are_sorted(ids)) return;
    Dataset sorted;
    sorted.name = dataset.name;
    sorted.ids = dataset.ids;
    sorted.labels = dataset.labels;
    std::vector<std::string> names = ids;
    std::ranges::sort(names);
    sorted.classes = ClassList(names);
    LabelMatch match;
    std::vector<std::string> notes;
    const LabelSets others = labels_of_file(path, sorted, match, options, of_items, asked, notes);
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const auto is_other = [&](std::int32_t label) {
            const auto place =
                std::ranges::lower_bound(names, ids[static_cast<std::size_t>(label)]);
            const auto set = others[i];
            return std::ranges::find(set, place - names.begin()) == set.end();
        };
        if (std::ranges::any_of(labels[i], is_other))
            refuse_numbers_of_columns(fmt::format("`{}`", path.filename().string()), "",
                                      dataset.classes);
    }
}

/// Labels in the file's order, for `dataset` in that order, which already has the labels of an
/// annotated list. The most specific source is used, and a note names the other sources.
LabelSets labels_of(const ScoreSource& source, const ImportOptions& options, const Dataset& dataset,
                    bool list_has_labels, bool annotated, bool columns_order_classes,
                    const std::vector<std::uint32_t>& kept, std::vector<std::string>& notes) {
    std::optional<LabelSets> labels;
    std::string from;
    const auto unused = [&](const std::string& other) {
        notes.push_back(fmt::format("the labels of {} are used, not those of {}", from, other));
    };
    if (!options.labels.empty()) {
        LabelMatch match;
        const LabelFileColumns asked{options.image_column, options.columns.label};
        labels = labels_of_file(options.labels, dataset, match, options, false, asked, notes);
        if (columns_order_classes)
            refuse_numbers_of_unsorted(options.labels, dataset, *labels, options, false, asked);
        from = fmt::format("`{}`", options.labels.filename().string());
        if (std::string text = describe(match, dataset.size(), options.labels); !text.empty())
            notes.push_back(std::move(text));
    }
    if (list_has_labels) {
        const std::string name = fmt::format("`{}`", options.ids.filename().string());
        if (labels) {
            unused(name);
        } else {
            LabelMatch match;
            labels = annotated ? dataset.labels
                               : labels_of_file(options.ids, dataset, match, options, true,
                                                columns_of_items(options), notes);
            if (columns_order_classes && !annotated) {
                refuse_numbers_of_unsorted(options.ids, dataset, *labels, options, true,
                                           columns_of_items(options));
            }
            from = name;
        }
    }
    if (source.truth.size() > 0) {
        const std::string name = fmt::format("the scores' own `{}`", source.truth_name);
        if (labels) {
            unused(name);
        } else {
            labels = in_order(own_labels(source, options.minus_one, dataset.classes,
                                         columns_order_classes, notes),
                              kept);
            notes.push_back(
                fmt::format("`{}` of the scores holds the items' labels", source.truth_name));
        }
    }
    if (labels) return std::move(*labels);
    if (options.minus_one)
        throw Error(ErrorCode::usage, "--minus-one is for labels, but no labels are used here");
    LabelSets none;
    for (std::size_t i = 0; i < dataset.size(); ++i) none.append({});
    return none;
}

void put_in_order(ImportedItems& items, const std::vector<std::uint32_t>& order,
                  std::vector<std::uint32_t>& rows) {
    items.dataset.ids = in_order(items.dataset.ids, order);
    items.dataset.labels = in_order(items.dataset.labels, order);
    for (Dataset::Attribute& attribute : items.dataset.attributes)
        attribute.values = in_order(attribute.values, order);
    std::vector<std::uint32_t> moved;
    moved.reserve(order.size());
    for (const std::uint32_t i : order) moved.push_back(rows[i]);
    rows = std::move(moved);
}

/// The existing data set may have the same items in another order or spelling.
void follow(const Dataset& existing, ImportedItems& items, std::vector<std::uint32_t>& rows,
            std::vector<std::string>& notes) {
    if (existing.size() != items.dataset.size()) return;
    std::vector<std::uint32_t> order;
    try {
        std::uint64_t left_out = 0;
        order = match_rows(items.dataset.ids, existing, "the existing data set", left_out);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::bad_input) throw;
        return;  // opening the store reports the different items
    }
    const bool moved = !is_identity(order);
    if (moved) put_in_order(items, order, rows);
    if (moved || !same_items(items.dataset, existing)) {
        notes.emplace_back(moved
                               ? "the rows are sorted by their ids into the order of the existing "
                                 "data set"
                               : "the items have the ids of the existing data set");
    }
    items.dataset.ids = existing.ids;
}

}  // namespace

ImportedItems imported_items(ScoreSource& source, const ImportOptions& options,
                             const ClassList& classes, const AnnotatedItems* annotated,
                             const std::optional<Dataset>& existing,
                             std::vector<std::string>& notes) {
    ImportedItems items;
    Dataset& dataset = items.dataset;
    dataset.name = options.dataset_name;
    dataset.classes = classes;
    // Items are in the file's order, like labels without names, then in the list's order.
    std::vector<std::uint32_t> rows(source.rows), list_order;
    std::iota(rows.begin(), rows.end(), 0U);
    bool list_has_labels = false;
    if (source.ids) check_ids(*source.ids, "the file of scores");
    if (!options.ids.empty()) {
        ItemList list = annotated != nullptr
                            ? ItemList{annotated->ids, annotated->labels.labels() > 0, {}}
                            : read_items(options.ids, classes, columns_of_items(options), notes);
        check_ids(list.ids, options.ids.string());
        list_has_labels = list.has_labels;
        dataset.ids = std::move(list.ids);
        dataset.attributes = std::move(list.attributes);
        if (annotated != nullptr) {
            dataset.labels = annotated->labels;
        } else {
            for (std::size_t i = 0; i < dataset.size(); ++i) dataset.labels.append({});
        }
        if (source.ids) {
            const std::vector<std::uint32_t> row_of =
                match_rows(*source.ids, dataset,
                           fmt::format("`{}`", options.ids.filename().string()), items.left_out);
            std::vector<std::uint32_t> by_row(row_of.size());
            std::iota(by_row.begin(), by_row.end(), 0U);
            std::ranges::sort(by_row, {}, [&](std::uint32_t item) { return row_of[item]; });
            rows = row_of;
            put_in_order(items, by_row, rows);
            list_order.resize(by_row.size());
            for (std::uint32_t i = 0; i < by_row.size(); ++i) list_order[by_row[i]] = i;
        } else if (dataset.ids.size() != source.rows) {
            refuse(fmt::format("`{}` has {} ids, the scores have {} rows{}", options.ids.string(),
                               dataset.ids.size(), source.rows,
                               source.classes == dataset.ids.size()
                                   ? "; are they transposed (save scores.T)?"
                                   : ""));
        }
    } else if (source.ids) {
        dataset.ids = std::move(*source.ids);
    } else {
        for (std::uint64_t i = 0; i < source.rows; ++i) dataset.ids.append(fmt::format("{}", i));
        notes.emplace_back("no ids given: using row numbers; compare only files in the same order");
    }
    dataset.labels = labels_of(source, options, dataset, list_has_labels, annotated != nullptr,
                               !source.columns.empty() && options.classes.empty() &&
                                   !(existing && store::same_class_ids(existing->classes, classes)),
                               rows, notes);
    if (!list_order.empty() && !is_identity(list_order)) {
        put_in_order(items, list_order, rows);
        notes.push_back(fmt::format("the rows are sorted by their ids into the order of `{}`",
                                    options.ids.filename().string()));
    }
    if (items.left_out > 0) {
        notes.push_back(fmt::format(
            "skipped {} of {} rows of the scores, which are not items of `{}`",
            count_text(items.left_out), count_text(source.rows), options.ids.filename().string()));
    }
    if (existing) follow(*existing, items, rows, notes);
    if (!is_identity(rows) || rows.size() != source.rows) items.order = std::move(rows);
    return items;
}

}  // namespace assay::store
