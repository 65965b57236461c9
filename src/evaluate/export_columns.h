// The columns of an exported item with their types, for columnar files.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "containers/column_table.h"
#include "evaluate/export_fields.h"

namespace assay {

/// The columns of an item with `top` best classes, in order. The parameter `scores` is the name of
/// the column with all scores, or "" without one. The number of scores is `classes`.
std::vector<ColumnSpec> item_columns(std::size_t top, const std::string& scores,
                                     std::uint32_t classes);

/// Appends an item to a table of item_columns(); create one object per item.
class ColumnFields final : public LineFields {
public:
    explicit ColumnFields(ColumnTable& table) : table_(table) {}
    void text(const std::string& name, std::string_view value) override;
    void whole(const std::string& name, std::int64_t value) override;
    void real(const std::string& name, double value) override;
    void single(const std::string& name, float value) override;
    void flag(const std::string& name, bool value) override;
    void absent(const std::string& name) override;
    void end() override;
    void labels(std::span<const std::int32_t> labels,
                const std::vector<std::string>& names) override;
    void scores(std::span<const float> scores) override;

private:
    ColumnRows& next(const std::string& name, bool there);

    ColumnTable& table_;
    std::size_t at_ = 0;
};

}  // namespace assay
