#include "store/table_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/error.h"
#include "core/refuse.h"
#include "core/text.h"
#include "store/cells.h"

namespace assay::store {
namespace {

[[noreturn]] void refuse_without_classes() {
    throw Error(ErrorCode::usage,
                "the file only holds the best classes of each image: pass the number of classes "
                "(--class-count) or their list (--classes)");
}

}  // namespace

TableBuilder::TableBuilder(const SourceOptions& options)
    : options_(options),
      classes_(options.class_count != 0 ? options.class_count
                                        : static_cast<std::uint32_t>(options.classes.size())),
      spool_(std::make_shared<Spool>(options.spool_folder)) {}

std::int32_t TableBuilder::class_of(std::string_view text) const {
    if (classes_ == 0 && options_.classes.empty()) refuse_without_classes();
    text = trimmed(text);
    if (const std::optional<std::int64_t> number = class_number(text)) {
        if (*number < 0 || *number >= static_cast<std::int64_t>(classes_)) {
            refuse(fmt::format("class {} is not among the {} classes", *number, classes_));
        }
        return static_cast<std::int32_t>(*number);
    }
    const std::optional<std::int32_t> found = options_.classes.find(text);
    if (!found) {
        refuse(fmt::format("`{}` is not a class{}", shortened(text),
                           options_.classes.empty()
                               ? "; a list of classes is needed to look names up"
                               : suggest(shortened(text), options_.classes.ids())));
    }
    return *found;
}

void TableBuilder::take_id(std::optional<std::string_view> id) {
    if (id && ids_.size() == rows_) ids_.append(*id);
    ++rows_;
    if (ids_.size() != 0 && ids_.size() != rows_)
        refuse("some rows have an id and others have none");
    any_truth_ = any_truth_ || truth_.has_value();
    truths_.append(truth_.value_or(""));
}

void TableBuilder::take_width(std::size_t width, bool top) {
    if (!top_) {
        if (width == 0) refuse("a row without scores");
        top_ = top;
        width_ = width;
        if (top && classes_ == 0) refuse_without_classes();
        if (top && width > classes_)
            refuse(fmt::format("{} entries in a row, of {} classes", width, classes_));
    }
    if (*top_ != top) refuse("some rows hold all scores, others only the best ones");
    if (width != width_)
        refuse(fmt::format("{} {}, but the rows before have {}", width, top ? "entries" : "scores",
                           width_));
}

void TableBuilder::add_full(std::optional<std::string_view> id, std::span<const float> scores) {
    take_width(scores.size(), false);
    take_id(id);
    spool_->append(std::as_bytes(scores));
}

void TableBuilder::add_entry(std::string_view id, TopEntry entry) {
    if (!pending_.empty() && pending_id_ != id) end_entries();
    if (pending_.empty() || !pending_truth_) pending_truth_ = truth_;
    pending_id_ = id;
    // If no class repeats, there cannot be more entries than classes. This bounds the row before it
    // is checked.
    if (classes_ != 0 && pending_.size() == classes_)
        refuse(fmt::format("more than {} entries for `{}`", classes_, shortened(id)));
    pending_.push_back(entry);
}

void TableBuilder::end_entries() {
    std::vector<TopEntry> entries;
    entries.swap(pending_);
    // The label of the line that is being read belongs to the next row.
    std::optional<std::string> next = std::exchange(truth_, std::move(pending_truth_));
    pending_truth_.reset();
    add_top(pending_id_, std::move(entries));
    truth_ = std::move(next);
}

void TableBuilder::add_top(std::optional<std::string_view> id, std::vector<TopEntry> entries) {
    with_note(fmt::format("reading the entries of `{}`",
                          id ? shortened(*id) : fmt::format("row {}", rows_)),
              [&] {
                  take_width(entries.size(), true);
                  std::sort(entries.begin(), entries.end(),
                            [](const TopEntry& a, const TopEntry& b) { return a.cls < b.cls; });
                  const auto twice = std::adjacent_find(
                      entries.begin(), entries.end(),
                      [](const TopEntry& a, const TopEntry& b) { return a.cls == b.cls; });
                  if (twice != entries.end())
                      refuse(fmt::format("class {} appears twice", twice->cls));
                  const bool has_nan =
                      std::any_of(entries.begin(), entries.end(),
                                  [](const TopEntry& e) { return std::isnan(e.score); });
                  // NaN cannot be ordered. Such rows keep their order, and are recorded as not
                  // finite later.
                  if (!has_nan) {
                      std::stable_sort(
                          entries.begin(), entries.end(),
                          [](const TopEntry& a, const TopEntry& b) { return a.score > b.score; });
                  }
                  take_id(id);
              });
    spool_->append(std::as_bytes(std::span(entries)));
}

ScoreSource TableBuilder::finish() {
    if (!pending_.empty()) end_entries();
    if (rows_ == 0) refuse("the file has no rows");
    ScoreSource source;
    source.rows = rows_;
    const std::span<const std::byte> bytes = spool_->finish();
    if (*top_) {
        source.classes = classes_;
        source.top = static_cast<std::uint32_t>(width_);
        source.entries = {reinterpret_cast<const TopEntry*>(bytes.data()),
                          bytes.size() / sizeof(TopEntry)};
    } else {
        source.classes = static_cast<std::uint32_t>(width_);
        const NumberSpan values{NumberType::f4, bytes.size() / sizeof(float), bytes};
        source.read = [values, width = width_](std::uint64_t first, std::uint32_t,
                                               std::span<float> out) {
            values.floats(first * width, out);
        };
    }
    if (ids_.size() != 0) source.ids = std::move(ids_);
    if (any_truth_) source.truth = std::move(truths_);
    source.owners.push_back(spool_);
    return source;
}

}  // namespace assay::store
