#include "data/soft_labels_read.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "containers/npy.h"
#include "containers/npy_foreign.h"
#include "containers/npy_stream.h"
#include "core/file.h"
#include "core/paths.h"
#include "core/refuse.h"
#include "core/text.h"
#include "data/label_columns.h"
#include "data/label_rows.h"
#include "data/label_table.h"
#include "data/table_text.h"

namespace assay {
namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{4} << 30;
/// Three classes rounded to two digits may sum to .99.
constexpr double most_rounding = 0.0101;
/// Covers the rounding of 32-bit and 16-bit numbers.
constexpr double most_unsaid = 1e-3;

/// The nonzero numbers of a file, by row.
struct WeightRows {
    struct Weight {
        std::int32_t cls = -1;
        double value = 0;
    };
    std::string source;
    std::vector<std::size_t> ends;
    std::vector<Weight> weights;
    std::vector<std::size_t> lines;  ///< line of each row of a table
    StringColumn keys;               ///< the items of the rows; empty if the rows are in the
                                     ///< items' order
    std::size_t columns = 0;
    std::string said;  ///< interpretation of the columns

    std::span<const Weight> row(std::size_t r) const {
        const std::size_t begin = r == 0 ? 0 : ends[r - 1];
        return std::span(weights).subspan(begin, ends[r] - begin);
    }
    std::string where(std::size_t r) const {
        return lines.empty() ? fmt::format("{}: row {}", source, r)
                             : fmt::format("{} line {}", source, lines[r]);
    }
    bool holds_sets() const {
        return std::ranges::all_of(weights,
                                   [](const Weight& w) { return w.value == 1 || w.value == -1; });
    }
    bool holds_whole_numbers() const {
        return std::ranges::all_of(
            weights, [](const Weight& w) { return w.value > 0 && w.value == std::floor(w.value); });
    }
};

// ---- the two forms of soft labels ----

std::optional<WeightRows> weights_of_npy(const std::filesystem::path& path,
                                         const ClassList& classes, const std::string& source) {
    const MappedFile file(path);
    std::span<const std::byte> bytes = file.bytes();
    std::vector<std::byte> native;
    if (const auto foreign = foreign_numbers(bytes)) {
        write_native(bytes, *foreign, [&](std::span<const std::byte> piece) {
            native.insert(native.end(), piece.begin(), piece.end());
        });
        bytes = native;
    }
    if (holds_texts(bytes)) return std::nullopt;
    const NpyView array = parse_npy(bytes);
    if (array.shape.size() != 2 || array.shape[1] < 2 || array.shape[1] > INT32_MAX ||
        (!classes.empty() && array.shape[1] != classes.size()))
        return std::nullopt;
    WeightRows rows;
    rows.source = source;
    rows.columns = static_cast<std::size_t>(array.shape[1]);
    for (std::uint64_t r = 0; r < array.shape[0]; ++r) {
        for (std::size_t c = 0; c < rows.columns; ++c) {
            const double value = array.values.number(array.position(r, c));
            if (value != 0) rows.weights.push_back({static_cast<std::int32_t>(c), value});
        }
        rows.ends.push_back(rows.weights.size());
    }
    return rows;
}

std::optional<double> number_of(std::string_view cell) {
    cell = trimmed(cell);
    if (cell.empty()) return 0.0;
    if (cell.front() == '+') cell.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (error != std::errc() || end != cell.data() + cell.size()) return std::nullopt;
    return value;
}

/// A table with a column per class, and the meaning of its columns.
struct ClassTable {
    LabelTable table;
    LabelColumns columns;
    std::vector<std::int32_t> class_of;  ///< class of each column in columns.flags
};

/// Returns nothing for another table, or for a file that is no table.
std::optional<ClassTable> class_table_of(const TableText& file, const ClassList& classes,
                                         const std::string& source,
                                         const std::string& image_column) {
    ClassTable found;
    try {
        found.table = look_at_table(file.text, source, true, &classes);
        found.table.added_lines = file.added_lines;
        if (found.table.kind == LabelTable::Kind::lines || !found.table.sample.header)
            return std::nullopt;
        found.columns =
            label_columns(found.table.sample, {.image_column = image_column, .classes = &classes});
    } catch (const Error&) {
        return std::nullopt;  // the reader of label sets reports the error
    }
    if (found.columns.form != LabelColumns::Form::flags) return std::nullopt;
    for (const LabelColumns::Flag& flag : found.columns.flags) {
        const std::optional<std::int32_t> cls = classes.find(flag.label);
        if (!cls) return std::nullopt;
        found.class_of.push_back(*cls);
    }
    return found;
}

std::optional<WeightRows> weights_of_table(const std::filesystem::path& path,
                                           const ClassList& classes, const std::string& source,
                                           const std::string& image_column) {
    if (!has_table_extension(path) || classes.size() < 2) return std::nullopt;
    const TableText file = read_table_text(path, most_bytes);
    const std::optional<ClassTable> found = class_table_of(file, classes, source, image_column);
    if (!found) return std::nullopt;
    const TableSample& sample = found->table.sample;
    const std::vector<LabelColumns::Flag>& flags = found->columns.flags;
    const std::optional<std::size_t> key =
        found->columns.id ? found->columns.id : found->columns.image;
    WeightRows rows;
    rows.source = source;
    rows.columns = flags.size();
    rows.said = fmt::format(
        "{}: soft labels: {} columns, one per class{}; images: {}", source, flags.size(),
        flags.size() < classes.size() ? fmt::format(" ({} classes have no column and count as 0)",
                                                    classes.size() - flags.size())
                                      : "",
        key ? "column " + shortened(sample.names[*key]) : "not named");
    bool numbers = true;
    read_table(std::string_view(file.text), found->table, [&](auto& cells) {
        std::vector<WeightRows::Weight> own;
        while (numbers && cells.next()) {
            own.clear();
            for (std::size_t f = 0; f < flags.size(); ++f) {
                const std::optional<double> value = number_of(cells[flags[f].column]);
                if (!value) {
                    // Rows with only "true" and "false" are label sets.
                    if (rows.holds_sets()) {
                        numbers = false;
                        return;
                    }
                    refuse(fmt::format("{} line {}: column {} is `{}`, not a number", source,
                                       cells.line(), sample.names[flags[f].column],
                                       shortened(cells[flags[f].column])));
                }
                if (*value != 0) own.push_back({found->class_of[f], *value});
            }
            std::ranges::sort(own, {}, &WeightRows::Weight::cls);
            rows.weights.insert(rows.weights.end(), own.begin(), own.end());
            rows.ends.push_back(rows.weights.size());
            rows.lines.push_back(cells.line());
            if (key) rows.keys.append(trimmed(cells[*key]));
        }
    });
    if (!numbers) return std::nullopt;
    return rows;
}

// ---- checks of the rows ----

std::string name_of_class(const ClassList& classes, std::int32_t c) {
    const auto at = static_cast<std::size_t>(c);
    return at < classes.size() ? classes.name(at) : std::to_string(c);
}

/// Returns the sum of each row. Throws bad_input for numbers that are no weights.
std::vector<double> checked_sums(const WeightRows& rows, const ClassList& classes, bool votes) {
    std::vector<double> sums;
    for (std::size_t r = 0; r < rows.ends.size(); ++r) {
        double sum = 0;
        for (const WeightRows::Weight& w : rows.row(r)) {
            if (!(w.value >= 0) || w.value > std::numeric_limits<float>::max())
                refuse(fmt::format("{}, class {}: {} is not a {}; allowed: {}", rows.where(r),
                                   shortened(name_of_class(classes, w.cls)), w.value,
                                   votes ? "count of votes" : "probability",
                                   votes ? "a number of 0 or more" : "a number from 0 to 1"));
            sum += w.value;
        }
        if (!votes && sum != 0 && std::abs(sum - 1) > most_rounding)
            refuse(fmt::format("{} sums to {:.6g}; the probabilities of a soft label sum to 1{}",
                               rows.where(r), sum,
                               rows.holds_whole_numbers()
                                   ? ". If the rows are counts of votes, add --label-votes, which "
                                     "divides each by its sum"
                                   : ""));
        sums.push_back(sum);
    }
    return sums;
}

void say_sums(const WeightRows& rows, const std::vector<double>& sums, bool votes,
              std::vector<std::string>& notes) {
    if (!rows.said.empty()) notes.push_back(rows.said);
    const auto none = std::ranges::count(sums, 0.0);
    if (none > 0)
        notes.push_back(fmt::format("{}: {} of {} rows are all 0: these images have no soft label",
                                    rows.source, none, sums.size()));
    double low = std::numeric_limits<double>::infinity(), high = 0;
    for (const double sum : sums) {
        if (sum == 0) continue;
        low = std::min(low, sum);
        high = std::max(high, sum);
    }
    if (votes && (low != 1 || high != 1)) {
        notes.push_back(
            fmt::format("{}: counts of votes, {:g} to {:g} per image; each row is "
                        "divided by its sum",
                        rows.source, low, high));
    } else if (low < 1 - most_unsaid || high > 1 + most_unsaid) {
        notes.push_back(fmt::format("{}: rows sum to {:.4f} to {:.4f}; each is divided by its sum",
                                    rows.source, low, high));
    }
}

/// The row of each item. It uses label sets, so that rows match items as in all other label files.
LabelSets rows_of_items(const WeightRows& rows, const Dataset& dataset, LabelMatch& match) {
    std::vector<std::int32_t> numbers(rows.ends.size());
    std::iota(numbers.begin(), numbers.end(), 0);
    LabelSets own = LabelSets::from_single(numbers);
    if (rows.keys.size() == 0) return rows_in_order(std::move(own), dataset, rows.source);
    return rows_by_key({.keys = rows.keys, .rows = std::move(own)}, dataset, rows.source, &match);
}

SoftLabels soft_labels_of(const WeightRows& rows, const LabelSets& row_of_item,
                          std::size_t classes) {
    SoftLabels labels;
    std::vector<double> weights(classes);
    for (std::size_t item = 0; item < row_of_item.size(); ++item) {
        std::ranges::fill(weights, 0.0);
        for (const std::int32_t row : row_of_item[item]) {
            for (const WeightRows::Weight& w : rows.row(static_cast<std::size_t>(row)))
                weights[static_cast<std::size_t>(w.cls)] = w.value;
        }
        labels.append(weights);
    }
    return labels;
}

}  // namespace

std::optional<SoftLabels> read_soft_labels(const std::filesystem::path& path,
                                           const Dataset& dataset, const ClassList& classes,
                                           bool votes, LabelMatch& match,
                                           std::vector<std::string>& notes,
                                           const std::string& image_column) {
    return with_note(fmt::format("reading the label sets {}", path.string()), [&] {
        match = {};
        const std::string source = path.filename().string();
        std::optional<WeightRows> rows =
            lower_extension(source) == ".npy"
                ? weights_of_npy(path, classes, source)
                : weights_of_table(path, classes, source, image_column);
        if (!rows && votes)
            refuse(
                fmt::format("{}: --label-votes is for counts of votes: an .npy array of (items, "
                            "{}), or a csv with a column per class",
                            source, classes.empty() ? "classes" : std::to_string(classes.size())));
        std::optional<SoftLabels> labels;
        if (!rows || (!votes && rows->holds_sets())) return labels;
        const std::vector<double> sums = checked_sums(*rows, classes, votes);
        const LabelSets row_of_item = rows_of_items(*rows, dataset, match);
        labels = soft_labels_of(*rows, row_of_item, std::max(rows->columns, classes.size()));
        say_sums(*rows, sums, votes, notes);
        return labels;
    });
}

}  // namespace assay
