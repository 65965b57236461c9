#include <algorithm>
#include <limits>

#include <fmt/core.h>

#include "assay/describe_result.h"
#include "assay/error.h"
#include "assay/replication/selections.h"
#include "containers/csv.h"
#include "containers/described_csv.h"
#include "core/file.h"
#include "core/text.h"

namespace assay::replication {
namespace {

constexpr std::size_t max_rows = std::numeric_limits<std::uint32_t>::max() - 1;

bool flag(const CsvReader& reader, std::size_t column, std::string_view name) {
    const std::string_view text = trimmed(reader[column]);
    if (text == "1" || text == "true" || text == "True") return true;
    if (text == "0" || text == "false" || text == "False") return false;
    throw reader.error(fmt::format("{} `{}` is neither 0 nor 1", name, shortened(text)));
}

std::string_view filled(const CsvReader& reader, std::size_t column, std::string_view name) {
    const std::string_view text = trimmed(reader[column]);
    if (text.empty()) throw reader.error(fmt::format("{} is empty", name));
    return text;
}

/// An (image, label) pair as one text. The separator is a byte that no text file uses, because
/// CsvReader only refuses zero bytes.
void pair_key(std::string& key, std::string_view image, std::string_view label) {
    key.assign(image);
    key += '\x1f';
    key += label;
}

}  // namespace

std::uint32_t Names::number(std::string_view text) {
    if (const auto found = numbers_.find(text); found != numbers_.end()) return found->second;
    const auto next = static_cast<std::uint32_t>(texts_.size());
    texts_.emplace_back(text);
    numbers_.emplace(text, next);
    return next;
}

std::size_t Names::find(std::string_view text) const {
    const auto found = numbers_.find(text);
    return found == numbers_.end() ? texts_.size() : found->second;
}

bool is_raw_selections(const std::filesystem::path& path) {
    // Only the header is read, because annotation files may be large.
    std::string text = read_start(path, std::size_t{1} << 16);
    const std::size_t begin = std::min(text.size(), text.find_first_not_of("\r\n"));
    text.resize(std::min(text.size(), text.find_first_of("\r\n", begin)));
    const CsvReader reader(text, path.filename().string());
    return reader.find_column({"annotator", "worker", "rater"}).has_value();
}

Selections read_selections(const std::filesystem::path& path, StudyNames& names) {
    const std::string text = read_text(path, std::uint64_t{16} << 30);
    CsvReader reader(text, path.filename().string());
    const std::size_t annotator = reader.column({"annotator", "worker", "rater"});
    const std::size_t image = reader.column({"image", "picture", "id", "path"});
    const std::size_t label = reader.column({"label", "class"});
    const std::size_t selected = reader.column({"selected"});
    const auto batch = reader.find_column({"batch", "grid", "hit"});
    const auto control = reader.find_column({"control"});

    Selections set;
    set.source = path.filename().string();
    set.has_batches = batch.has_value();
    set.has_controls = control.has_value();
    Names pairs;
    std::string key;
    while (reader.next()) {
        if (set.rows.size() >= max_rows) throw reader.error("too many annotations");
        Selection row;
        row.annotator = names.annotators.number(filled(reader, annotator, "annotator"));
        const std::string_view image_text = filled(reader, image, "image");
        const std::string_view label_text = filled(reader, label, "label");
        pair_key(key, image_text, label_text);
        row.image = pairs.number(key);
        if (row.image == set.image_class.size()) {
            set.images.append(image_text);
            set.image_class.push_back(names.classes.number(label_text));
        }
        row.selected = flag(reader, selected, "selected");
        row.control = control && flag(reader, *control, "control");
        if (batch) row.batch = names.batches.number(trimmed(reader[*batch]));
        set.rows.push_back(row);
    }
    if (set.rows.empty())
        throw Error(ErrorCode::bad_input, fmt::format("{} holds no annotation", path.string()));
    return set;
}

Readings count_readings(const Selections& set) {
    std::vector<std::uint32_t> annotators(set.image_class.size(), 0),
        selected(set.image_class.size(), 0);
    std::vector<bool> control(set.image_class.size(), false);
    for (const Selection& row : set.rows) {
        if (row.control) {
            control[row.image] = true;
            continue;
        }
        ++annotators[row.image];
        selected[row.image] += row.selected ? 1U : 0U;
    }
    Readings readings;
    readings.source = set.source;
    for (std::size_t i = 0; i < annotators.size(); ++i) {
        if (annotators[i] == 0) {
            readings.without_annotators += control[i] ? 0U : 1U;
            continue;
        }
        if (annotators[i] > max_annotators) {
            throw Error(
                ErrorCode::bad_input,
                fmt::format("{}: image `{}` has {} annotators; at most {} are supported",
                            set.source, shortened(set.images[i]), annotators[i], max_annotators));
        }
        readings.images.append(set.images[i]);
        readings.classes.push_back(set.image_class[i]);
        readings.annotators.push_back(static_cast<std::uint16_t>(annotators[i]));
        readings.selected.push_back(static_cast<std::uint16_t>(selected[i]));
    }
    return readings;
}

Readings read_frequencies(const std::filesystem::path& path, StudyNames& names) {
    const std::string text = read_text(path);
    CsvReader reader(text, path.filename().string());
    const std::size_t image = reader.column({"image", "picture", "id", "path"});
    const std::size_t label = reader.column({"label", "class"});
    const bool chosen = reader.find_column({"held_out_annotators"}).has_value();
    const char *n_name = chosen ? "held_out_annotators" : "annotators",
               *k_name = chosen ? "held_out_selected" : "selected";
    const std::size_t annotators = reader.column({n_name});
    const std::size_t selected = reader.column({k_name});
    if (reader.find_column({"set"})) {
        throw reader.error("the table has several sets (column `set`), but a file must hold one");
    }
    Readings readings;
    readings.source = path.filename().string();
    readings.held_out = chosen;
    Names pairs;
    std::string key;
    while (reader.next()) {
        std::uint64_t n = 0, k = 0;
        if (!parse_number(trimmed(reader[annotators]), n) || (n < 1 && !chosen) ||
            n > max_annotators) {
            throw reader.error(fmt::format("{} `{}` is not a number from {} to {}", n_name,
                                           shortened(reader[annotators]), chosen ? 0 : 1,
                                           max_annotators));
        }
        if (!parse_number(trimmed(reader[selected]), k) || k > n) {
            throw reader.error(fmt::format("{} `{}` is not a number from 0 to {}, the annotators",
                                           k_name, shortened(reader[selected]), n));
        }
        const std::string_view image_text = filled(reader, image, "image");
        const std::string_view label_text = filled(reader, label, "label");
        pair_key(key, image_text, label_text);
        if (n == 0) {
            ++readings.without_annotators;
            continue;
        }
        if (pairs.number(key) != readings.size()) {
            throw reader.error(fmt::format("image `{}` appears twice for label `{}`",
                                           shortened(image_text), shortened(label_text)));
        }
        readings.images.append(image_text);
        readings.classes.push_back(names.classes.number(label_text));
        readings.annotators.push_back(static_cast<std::uint16_t>(n));
        readings.selected.push_back(static_cast<std::uint16_t>(k));
    }
    if (readings.size() == 0 && readings.without_annotators > 0) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("{}: its annotations chose these images, and no annotator was held "
                                "out, so all images look easy to select. Collect annotations after "
                                "the selection, or hold annotators out of it",
                                path.string()));
    }
    if (readings.size() == 0)
        throw Error(ErrorCode::bad_input, fmt::format("{} holds no image", path.string()));
    return readings;
}

namespace {

struct FrequencyRow {
    std::string_view image, label;
    std::uint16_t annotators, selected;
    double frequency() const { return static_cast<double>(selected) / annotators; }
};
ResultType result_type(ResultOf<FrequencyRow>) {
    using Of = FrequencyRow;
    static constexpr auto rows = describe_result<Of>(
        {.name = "FrequencyRow", .columns = "image,label,annotators,selected,frequency"},
        {part<&Of::image>({}), part<&Of::label>({}), part<&Of::annotators>({}),
         part<&Of::selected>({}), part<&Of::frequency>({})});
    return rows;
}

}  // namespace

std::string frequencies_csv(const Readings& readings, const StudyNames& names) {
    std::string out;
    DescribedCsv<FrequencyRow> csv(out);
    for (std::size_t i = 0; i < readings.size(); ++i) {
        csv.add({readings.images[i], names.classes[readings.classes[i]], readings.annotators[i],
                 readings.selected[i]});
    }
    return out;
}

CellCounts Readings::cells() const {
    std::vector<bool> there(static_cast<std::size_t>(max_annotators) + 1, false);
    for (const std::uint16_t n : annotators) there[n] = true;
    std::vector<int> ns;
    for (int n = 1; n <= max_annotators; ++n) {
        if (there[static_cast<std::size_t>(n)]) ns.push_back(n);
    }
    CellCounts counts{CellGrid(std::move(ns)), {}};
    counts.images.assign(counts.grid.size(), 0.0);
    for (std::size_t i = 0; i < size(); ++i)
        counts.images[counts.grid.cell(annotators[i], selected[i])] += 1;
    return counts;
}

}  // namespace assay::replication
