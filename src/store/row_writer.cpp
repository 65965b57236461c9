#include "assay/store/row_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>

#include "assay/error.h"
#include "store/begun_rows.h"
#include "store/layout.h"
#include "store/manifest.h"
#include "store/matrix_rows.h"
#include "store/parts.h"

namespace assay {

namespace fs = std::filesystem;
using namespace store;

namespace {

using Clock = std::chrono::steady_clock;

/// The rows of an incomplete shard.
struct Begun {
    std::vector<float> scores;
    std::vector<TopEntry> entries;  // entries of predicted classes
    std::vector<bool> there;
    std::uint32_t left = 0;
    // rows [first, end) of scores that are not saved yet
    std::vector<std::pair<std::uint32_t, std::uint32_t>> unkept;
};

StoreWriter opened(const fs::path& runs, const StoreSpec& spec, const Dataset& dataset) {
    if (spec.model_hash.empty() && is_store_folder(runs / spec.dataset_name / spec.model_name)) {
        throw Error(ErrorCode::usage,
                    fmt::format("the store `{}` exists and may belong to another model: pass the "
                                "model's file or its identity, or use another name",
                                (runs / spec.dataset_name / spec.model_name).string()));
    }
    return StoreWriter::open(runs, spec, dataset);
}

}  // namespace

struct RowWriter::Impl {
    StoreWriter writer;
    const ComputedOn on;
    mutable std::mutex mutex;
    std::map<std::size_t, Begun> begun;  // by shard
    Clock::time_point kept = Clock::now();

    /// Includes rows that an earlier writer saved for incomplete shards.
    Impl(StoreWriter opened, ComputedOn computed)
        : writer(std::move(opened)), on(std::move(computed)) {
        for (std::size_t s = 0; s < writer.shards() && !of_classes(); ++s) {
            if (writer.has(s)) {
                forget_rows(writer.folder(), s);  // a killed run may have left them
            } else {
                resume(s);
            }
        }
    }
    ~Impl() {
        try {
            keep();
        } catch (...) {  // the shard is computed again
        }
    }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    const StoreSpec& spec() const { return writer.spec(); }
    bool of_classes() const { return spec().kind == ScoreKind::labels; }

    Begun& begin(std::size_t shard) {
        Begun& to = begun[shard];
        if (to.there.empty()) {
            to.left = writer.rows_in(shard);
            to.there.assign(to.left, false);
            to.scores.resize(of_classes() ? 0 : std::size_t{to.left} * spec().classes);
            to.entries.resize(of_classes() ? to.left : 0);
        }
        return to;
    }
    std::span<float> scores_of(Begun& shard, std::uint32_t row) const {
        return std::span(shard.scores).subspan(std::size_t{row} * spec().classes, spec().classes);
    }

    void resume(std::size_t shard) {
        for (const BegunRows& rows : kept_rows(writer.folder(), spec(), on, shard)) {
            Begun& to = begin(shard);
            const auto at = static_cast<std::uint32_t>(rows.first_row - writer.first_row(shard));
            for (std::uint32_t r = 0; r < rows.states.size(); ++r) {
                if (to.there[at + r]) continue;
                to.there[at + r] = true;
                --to.left;
                const auto row =
                    std::span(rows.scores).subspan(std::size_t{r} * spec().classes, spec().classes);
                std::ranges::copy(row, scores_of(to, at + r).begin());
            }
        }
        const auto found = begun.find(shard);
        if (found == begun.end() || found->second.left > 0) return;
        write(shard, found->second);
        begun.erase(found);
    }

    bool late() const {
        const std::lock_guard lock(mutex);
        return Clock::now() - kept >= keep_rows_every;
    }

    /// Saves rows that are only in buffers.
    void keep() {
        const std::lock_guard lock(mutex);
        kept = Clock::now();
        for (auto& [shard, buffer] : begun) {
            std::vector<BegunRows> all;
            for (const auto& [first, end] : buffer.unkept) {
                BegunRows rows;
                rows.first_row = writer.first_row(shard) + first;
                rows.states.assign(end - first, RowState::ok);
                const auto scores = std::span(buffer.scores)
                                        .subspan(std::size_t{first} * spec().classes,
                                                 std::size_t{end - first} * spec().classes);
                rows.scores.assign(scores.begin(), scores.end());
                all.push_back(std::move(rows));
            }
            keep_rows(writer.folder(), spec(), on, shard, all);
            buffer.unkept.clear();
        }
    }

    void write(std::size_t shard, const Begun& whole) {
        const std::vector<RowState> states(whole.there.size(), RowState::ok);
        if (of_classes()) {
            writer.write_entries(shard, whole.entries, states, {}, "");
        } else {
            writer.write_shard(shard, whole.scores, states, {}, "");
        }
    }

    /// Copies rows [from, from + n) of the matrix into the shard, from its row `at` on. Returns the
    /// shard if it is now complete.
    std::optional<Begun> take(std::size_t shard, std::uint32_t at, const ScoreMatrix& scores,
                              std::uint64_t from, std::uint32_t n, std::uint64_t& taken) {
        // The rows are read before taking the lock. Rows that already exist are dropped later.
        std::vector<float> rows(of_classes() ? 0 : std::size_t{n} * spec().classes);
        std::vector<TopEntry> entries;
        if (of_classes()) {
            entries = read_predicted(scores, from, n, spec().classes);
        } else {
            read_rows(scores, from, n, rows);
        }
        const std::lock_guard lock(mutex);
        if (writer.has(shard)) return std::nullopt;
        Begun& to = begin(shard);
        for (std::uint32_t r = 0; r < n; ++r) {
            if (to.there[at + r]) continue;
            to.there[at + r] = true;
            --to.left;
            ++taken;
            if (of_classes()) {
                to.entries[at + r] = entries[r];
                continue;
            }
            std::copy_n(rows.begin() + static_cast<std::ptrdiff_t>(std::size_t{r} * spec().classes),
                        spec().classes, scores_of(to, at + r).begin());
            if (!to.unkept.empty() && to.unkept.back().second == at + r) {
                ++to.unkept.back().second;
            } else {
                to.unkept.emplace_back(at + r, at + r + 1);
            }
        }
        if (to.left > 0) return std::nullopt;
        Begun whole = std::move(to);
        begun.erase(shard);
        return whole;
    }
};

RowWriter::RowWriter(const fs::path& runs, StoreSpec spec, const Dataset& dataset)
    : impl_(std::make_unique<Impl>(opened(runs, spec, dataset), computed_on_of(spec))) {}
RowWriter::~RowWriter() = default;
RowWriter::RowWriter(RowWriter&&) noexcept = default;

const StoreSpec& RowWriter::spec() const noexcept {
    return impl_->spec();
}
const fs::path& RowWriter::folder() const noexcept {
    return impl_->writer.folder();
}
const std::string& RowWriter::lock_warning() const noexcept {
    return impl_->writer.lock_warning();
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> RowWriter::missing() const {
    const std::lock_guard lock(impl_->mutex);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> runs;
    const auto add = [&](std::uint64_t begin, std::uint64_t end) {
        if (!runs.empty() && runs.back().second == begin) {
            runs.back().second = end;
        } else {
            runs.emplace_back(begin, end);
        }
    };
    const StoreWriter& writer = impl_->writer;
    for (std::size_t s = 0; s < writer.shards(); ++s) {
        if (writer.has(s)) continue;
        const std::uint64_t first = writer.first_row(s);
        const auto buffer = impl_->begun.find(s);
        if (buffer == impl_->begun.end()) {
            add(first, first + writer.rows_in(s));
            continue;
        }
        for (std::uint32_t r = 0; r < writer.rows_in(s); ++r) {
            if (!buffer->second.there[r]) add(first + r, first + r + 1);
        }
    }
    return runs;
}

std::uint64_t RowWriter::write(std::uint64_t first, const ScoreMatrix& scores) {
    const StoreSpec& spec = impl_->spec();
    check_numbers(scores);
    const std::uint32_t columns = impl_->of_classes() ? 0 : spec.classes;
    if (scores.columns != columns) {
        throw Error(
            ErrorCode::usage,
            impl_->of_classes()
                ? fmt::format(
                      "{} columns, but the store holds predicted classes, one number per row",
                      scores.columns)
                : fmt::format("{} columns for the scores of {} classes", scores.columns,
                              spec.classes));
    }
    if (first > spec.rows || scores.rows > spec.rows - first) {
        throw Error(ErrorCode::usage,
                    fmt::format("rows {} to {} do not exist in a store of {} rows", first,
                                first + scores.rows - 1, spec.rows));
    }
    std::uint64_t taken = 0;
    for (std::uint64_t done = 0; done < scores.rows;) {
        const std::uint64_t row = first + done;
        const auto shard = static_cast<std::size_t>(row / spec.shard_rows);
        const auto at = static_cast<std::uint32_t>(row % spec.shard_rows);
        const auto n = static_cast<std::uint32_t>(
            std::min<std::uint64_t>(scores.rows - done, impl_->writer.rows_in(shard) - at));
        if (const auto whole = impl_->take(shard, at, scores, done, n, taken)) {
            impl_->write(shard, *whole);
        }
        done += n;
    }
    if (impl_->late()) impl_->keep();
    return taken;
}

void RowWriter::finish() {
    if (const auto rest = missing(); !rest.empty()) {
        throw Error(ErrorCode::usage, fmt::format("rows {} to {} were not written",
                                                  rest.front().first, rest.front().second - 1));
    }
    impl_->writer.finish();
}

}  // namespace assay
