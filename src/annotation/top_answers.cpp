#include "top_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/error.h"
#include "core/softmax.h"
#include "core/topk.h"

namespace assay {
namespace {

/// probability of a score = exp(score - shift) * factor, or the score itself.
struct Softmax {
    float shift = 0;
    float factor = 1;
    bool plain = false;
    float operator()(float score) const { return plain ? score : exp_f32(score - shift) * factor; }
};

Softmax softmax_of(std::span<const float> row, ScoreKind kind) {
    if (kind == ScoreKind::probabilities) return {0, 1, true};
    const float largest = scan_row(row, -1).max;
    return {largest, static_cast<float>(1 / exp_sums(row, largest).sum), false};
}

/// The stores of one data set's folder share its class list.
void check_same_classes(const PredictionStore& one, const PredictionStore& two) {
    if (one.folder().parent_path() == two.folder().parent_path()) return;
    const std::string difference = first_difference(one.dataset().classes, two.dataset().classes);
    if (difference.empty()) return;
    throw Error(ErrorCode::usage,
                fmt::format("`{}` and `{}` have other classes, or the same in another order: {}",
                            one.folder().string(), two.folder().string(), difference));
}

}  // namespace

AnswerStore::AnswerStore(PredictionStore store)
    : store_(std::move(store)),
      once_(std::make_unique<std::once_flag[]>(store_.shards())),
      shards_(store_.shards()) {}

bool AnswerStore::is_full() const {
    return store_.spec().storage == StorageFormat::full_f32 ||
           store_.spec().storage == StorageFormat::full_f16;
}

std::uint32_t AnswerStore::depth() const noexcept {
    return is_full()                                       ? store_.classes()
           : store_.spec().storage == StorageFormat::top_k ? store_.spec().top_k
                                                           : 1;
}

const PredictionStore::Shard* AnswerStore::shard_of(std::uint64_t row) const {
    const auto index = static_cast<std::size_t>(row / store_.spec().shard_rows);
    std::call_once(once_[index], [&] {
        const std::filesystem::path record =
            store_.folder() / "shards" / fmt::format("{:06}.json", index);
        std::error_code ignored;
        // A store that is still being written lacks shards: that is no damage.
        if (store_.complete() || std::filesystem::exists(record, ignored))
            shards_[index] = store_.shard(index);
    });
    return shards_[index] ? &*shards_[index] : nullptr;
}

std::span<const float> AnswerStore::full_row(const PredictionStore::Shard& shard,
                                             std::uint32_t local,
                                             std::vector<float>& buffer) const {
    const std::size_t classes = store_.classes();
    if (const auto mapped = shard.f32(); !mapped.empty())
        return mapped.subspan(local * classes, classes);
    buffer.resize(classes);
    shard.read_rows(local, 1, buffer);
    return buffer;
}

bool AnswerStore::read(std::uint64_t row, std::size_t k, std::vector<TopAnswer>& out,
                       std::string* why) const {
    out.clear();
    const auto* shard = shard_of(row);
    if (shard == nullptr) {
        if (why != nullptr) *why = "not scored yet";
        return false;
    }
    const auto local = static_cast<std::uint32_t>(row - shard->first_row);
    if (const RowState state = shard->states()[local]; state != RowState::ok) {
        if (why != nullptr) {
            *why = state == RowState::unreadable ? "unreadable" : "scores are not finite";
            for (const RowError& error : shard->errors()) {
                if (error.row == row) *why += ": " + error.message;
            }
        }
        return false;
    }
    if (is_full()) {
        thread_local std::vector<float> buffer;
        thread_local std::vector<std::int32_t> order;
        const auto scores = full_row(*shard, local, buffer);
        top_k(scores, k, order);
        const Softmax softmax = softmax_of(scores, store_.spec().kind);
        for (const std::int32_t c : order)
            out.push_back({c, softmax(scores[static_cast<std::size_t>(c)])});
        return true;
    }
    double log_sum_exp = 0;
    const auto entries = shard->top(local, log_sum_exp);
    const bool plain = store_.spec().storage == StorageFormat::label ||
                       store_.spec().kind == ScoreKind::probabilities;
    for (std::size_t i = 0; i < std::min(k, entries.size()); ++i) {
        const double score = static_cast<double>(entries[i].score);
        out.push_back(
            {entries[i].cls, static_cast<float>(plain ? score : std::exp(score - log_sum_exp))});
    }
    return true;
}

std::optional<AnswerStore::Place> AnswerStore::place_of(std::uint64_t row, std::int32_t cls) const {
    thread_local std::vector<TopAnswer> answers;
    if (is_full()) {
        const auto* shard = shard_of(row);
        if (shard == nullptr || cls < 0 || static_cast<std::uint32_t>(cls) >= store_.classes())
            return std::nullopt;
        const auto local = static_cast<std::uint32_t>(row - shard->first_row);
        if (shard->states()[local] != RowState::ok) return std::nullopt;
        thread_local std::vector<float> buffer;
        const auto scores = full_row(*shard, local, buffer);
        const RowScan scan = scan_row(scores, cls);
        return Place{static_cast<std::size_t>(scan.rank),
                     softmax_of(scores, store_.spec().kind)(scores[static_cast<std::size_t>(cls)])};
    }
    if (!read(row, depth(), answers)) return std::nullopt;
    for (std::size_t i = 0; i < answers.size(); ++i) {
        if (answers[i].cls == cls) return Place{i, answers[i].probability};
    }
    return std::nullopt;
}

std::optional<std::uint32_t> AnswerStore::hits(std::uint64_t row,
                                               std::span<const std::int32_t> labels) const {
    if (labels.empty() || labels.size() > depth()) return std::nullopt;
    thread_local std::vector<TopAnswer> answers;
    if (!read(row, labels.size(), answers)) return std::nullopt;
    std::uint32_t count = 0;
    for (const TopAnswer& answer : answers)
        count += std::find(labels.begin(), labels.end(), answer.cls) != labels.end() ? 1 : 0;
    return count;
}

std::vector<std::unique_ptr<AnswerStore>> open_answer_stores(
    const std::vector<std::string>& paths) {
    std::vector<std::unique_ptr<AnswerStore>> out;
    for (const std::string& path : paths) {
        for (const auto& folder : find_stores(path)) {
            with_note(fmt::format("opening `{}`", folder.string()), [&] {
                out.push_back(std::make_unique<AnswerStore>(PredictionStore::open(folder)));
            });
            const StoreSpec &first = out.front()->store().spec(),
                            &spec = out.back()->store().spec();
            if (spec.ids_hash != first.ids_hash || spec.rows != first.rows) {
                throw Error(
                    ErrorCode::usage,
                    fmt::format("`{}` and `{}` are of different items: give models of one data set",
                                out.front()->store().folder().string(), folder.string()));
            }
            if (spec.classes != first.classes) {
                throw Error(ErrorCode::usage,
                            fmt::format("`{}` has {} classes, `{}` has {}",
                                        out.front()->store().folder().string(), first.classes,
                                        folder.string(), spec.classes));
            }
            check_same_classes(out.front()->store(), out.back()->store());
        }
    }
    return out;
}

}  // namespace assay
