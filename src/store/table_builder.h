// Collects rows of a table into a source of scores.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/score_source.h"
#include "store/spool.h"

namespace assay::store {

/// All rows must be full rows of one length, or lists of entries of one length. Errors are
/// bad_input and do not name the line, because the reader of the format adds it.
class TableBuilder {
public:
    explicit TableBuilder(const SourceOptions& options);

    /// Sets the image's own label for the next row or entry, or nothing if it has no label. If the
    /// format has labels, call this before each row or entry.
    void set_truth(std::optional<std::string> text) { truth_ = std::move(text); }

    void add_full(std::optional<std::string_view> id, std::span<const float> scores);
    /// Begins a row of entries, or continues it if `id` is that of the previous row (in a table
    /// with a line for each entry).
    void add_entry(std::string_view id, TopEntry entry);
    /// Adds a whole row of entries.
    void add_top(std::optional<std::string_view> id, std::vector<TopEntry> entries);
    /// The class with this number, id or unique name in the class list.
    std::int32_t class_of(std::string_view text) const;

    ScoreSource finish();

private:
    void take_id(std::optional<std::string_view> id);
    void take_width(std::size_t width, bool top);
    void end_entries();

    const SourceOptions& options_;
    std::uint32_t classes_;
    std::shared_ptr<Spool> spool_;
    std::uint64_t rows_ = 0;
    std::size_t width_ = 0;
    std::optional<bool> top_;
    StringColumn ids_;
    std::string pending_id_;
    std::optional<std::string> truth_, pending_truth_;
    StringColumn truths_;  ///< "": none
    bool any_truth_ = false;
    std::vector<TopEntry> pending_;
};

}  // namespace assay::store
