// Looks up a few images of a competition among the many in items.csv.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "assay/mad/competition.h"
#include "mad/competition_rows.h"

namespace assay::mad {

/// Finds images of items.csv without keeping them in memory.
class ItemReader {
public:
    /// Cost: one pass over the file. Throws bad_input if its bytes differ from the recorded ones.
    explicit ItemReader(const Competition& competition);
    ~ItemReader();
    ItemReader(ItemReader&&) noexcept;
    /// The ids and paths of these images, in order. `numbers` must be ascending. Cost: about 4,096
    /// lines per image, or a pass over the file if it has quoted fields.
    std::vector<ImageRow> rows(const std::vector<std::uint64_t>& numbers) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Calls visit(number, id, path) for every image. Cost: one pass over the file.
void visit_items(const Competition& competition,
                 const std::function<void(std::uint64_t number, std::string_view id,
                                          std::string_view path)>& visit);
/// Calls visit(number, id, value) for every image. Returns false without reading if items.csv is
/// missing or has no such attribute. Cost: one pass over the file.
bool visit_attribute(const Competition& competition, std::string_view attribute,
                     const std::function<void(std::uint64_t number, std::string_view id,
                                              std::string_view value)>& visit);
/// Calls visit(number, id) for every image. Cost: one pass over the file.
void visit_ids(const Competition& competition,
               const std::function<void(std::uint64_t number, std::string_view id)>& visit);

}  // namespace assay::mad
