#include "evaluate/export_columns.h"

#include <fmt/format.h>

#include "assay/error.h"
#include "core/terminal_text.h"

namespace assay {

std::vector<ColumnSpec> item_columns(std::size_t top, const std::string& scores,
                                     std::uint32_t classes) {
    using enum ColumnType;
    std::vector<ColumnSpec> all = {{"dataset", text, true},
                                   {"model", text, true},
                                   {"id", text},
                                   {"filepath", text},
                                   {"label", int32},
                                   {"label_name", text, true},
                                   {"labels", int32s},
                                   {"predicted", int32},
                                   {"predicted_name", text, true},
                                   {"correct", boolean},
                                   {"confidence", float32},
                                   {"margin", float32},
                                   {"label_probability", float32},
                                   {"loss", float64},
                                   {"status", text, true}};
    for (std::size_t k = 1; k <= top; ++k) {
        const std::string name = fmt::format("top{}", k);
        all.push_back({name, int32});
        all.push_back({name + "_name", text, true});
        all.push_back({name + "_probability", float32});
    }
    if (!scores.empty()) all.push_back({scores, float32s, false, classes});
    return all;
}

ColumnRows& ColumnFields::next(const std::string& name, bool there) {
    if (at_ >= table_.specs.size() || (!name.empty() && table_.specs[at_].name != name)) {
        throw Error(ErrorCode::internal,
                    fmt::format("the column `{}` of an item is not where it was announced", name));
    }
    ColumnRows& rows = table_.columns[at_++];
    rows.there.push_back(there ? 1 : 0);
    return rows;
}

void ColumnFields::text(const std::string& name, std::string_view value) {
    ColumnRows& rows = next(name, true);
    // A file name need not be UTF-8, but a column of text must be.
    const std::size_t before = rows.text.size();
    rows.text += is_utf8(value) ? std::string(value) : without_controls(value);
    rows.sizes.push_back(static_cast<std::uint32_t>(rows.text.size() - before));
}
void ColumnFields::whole(const std::string& name, std::int64_t value) {
    next(name, true).int32.push_back(static_cast<std::int32_t>(value));
}
void ColumnFields::real(const std::string& name, double value) {
    next(name, true).float64.push_back(value);
}
void ColumnFields::single(const std::string& name, float value) {
    next(name, true).float32.push_back(value);
}
void ColumnFields::flag(const std::string& name, bool value) {
    next(name, true).boolean.push_back(value ? 1 : 0);
}
void ColumnFields::absent(const std::string& name) {
    next(name, false);
}
void ColumnFields::end() {
    if (at_ != table_.specs.size())
        throw Error(ErrorCode::internal, "an item has fewer columns than were announced");
}

void ColumnFields::labels(std::span<const std::int32_t> labels,
                          const std::vector<std::string>& names) {
    if (labels.size() == 1) {
        whole("label", labels[0]);
    } else {
        absent("label");
    }
    std::string all;
    for (const std::string& name : names) all += (all.empty() ? "" : "; ") + name;
    if (labels.empty()) {
        absent("label_name");
    } else {
        text("label_name", all);
    }
    ColumnRows& rows = next("labels", true);
    rows.sizes.push_back(static_cast<std::uint32_t>(labels.size()));
    rows.int32.insert(rows.int32.end(), labels.begin(), labels.end());
}

void ColumnFields::scores(std::span<const float> scores) {
    ColumnRows& rows = next("", !scores.empty());
    if (scores.empty()) return;
    rows.sizes.push_back(static_cast<std::uint32_t>(scores.size()));
    rows.float32.insert(rows.float32.end(), scores.begin(), scores.end());
}

}  // namespace assay
