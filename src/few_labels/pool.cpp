#include "few_labels/pool.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "assay/error.h"
#include "core/parallel.h"
#include "core/refuse.h"
#include "store/same_data.h"

namespace assay::few_labels {
namespace {

void check_store(const PredictionStore& store, const RowReader& reader) {
    const std::string where = store.folder().string();
    if (!store.complete())
        refuse(
            fmt::format("{}: {} of its {} shards are missing; complete it with the same "
                        "`assay predict` command",
                        where, store.missing_shards(), store.shards()));
    if (!reader.has_probabilities())
        refuse(
            fmt::format("{}: it has labels without confidences, and the sample is drawn by "
                        "confidence; import probabilities or logits",
                        where));
}

}  // namespace

Pool::Pool(std::vector<PredictionStore> stores, std::size_t founders)
    : stores_(std::move(stores)), founders_(founders > 0 ? founders : stores_.size()) {
    if (stores_.empty()) throw Error(ErrorCode::usage, "no predictions are named");
    for (const PredictionStore& store : stores_) {
        readers_.emplace_back(store);
        check_store(store, readers_.back());
        store::require_same(stores_.front(), store, {.images = true, .classes = true});
    }
}

bool Pool::read(std::uint64_t row, ImagePredictions& out) const {
    const std::size_t models = readers_.size();
    out.labels.resize(models);
    out.confidences.resize(models);
    out.consensus.assign(models, 0);
    thread_local std::vector<RankedClass> best;
    out.contested = out.differ = false;
    for (std::size_t m = 0; m < models; ++m) {
        if (readers_[m].top(row, 1, best) != RowStatus::ok || best.empty()) return false;
        const auto confidence = static_cast<double>(best[0].probability);
        if (!std::isfinite(confidence)) return false;
        out.labels[m] = best[0].cls;
        out.confidences[m] = confidence;
        out.differ = out.differ || out.labels[m] != out.labels[0];
        if (m + 1 == founders_) out.contested = out.differ;
    }
    const auto all = static_cast<double>(founders_);
    double consensus = 0, unsure = 0, apart = 0;
    for (std::size_t m = 0; m < models; ++m) {
        double sum = 0, same = 0;
        for (std::size_t k = 0; k < founders_; ++k) {
            if (out.labels[k] != out.labels[m]) continue;
            sum += out.confidences[k];
            ++same;
        }
        const bool joined = m >= founders_;
        const double q = joined ? (sum + out.confidences[m]) / (all + 1) : sum / all;
        out.consensus[m] = q;
        if (joined) continue;
        consensus += q;
        unsure += q * (1 - q);
        apart += q * (1 - same / all);
    }
    out.mean_consensus = consensus / all;
    out.unsure = unsure / all;
    out.apart = apart / all;
    return true;
}

void Pool::for_blocks(std::uint64_t first, std::size_t blocks, int threads,
                      const std::function<void(std::size_t block, std::uint64_t begin,
                                               std::uint64_t end)>& body) const {
    throw_if_stopped();
    parallel_blocks(blocks, resolve_threads(threads), [&](std::size_t block) {
        const std::uint64_t begin = first + block * block_rows;
        body(block, begin, std::min(rows(), begin + block_rows));
    });
}

void Pool::for_each_round(
    int threads, const ProgressCallback& progress, std::string_view step,
    const std::function<void(std::uint64_t first, std::span<const ImageFacts> facts)>& take) const {
    std::vector<ImageFacts> facts;
    for (std::uint64_t first = 0; first < rows(); first += block_rows * round_blocks) {
        const std::uint64_t count = std::min(rows() - first, block_rows * round_blocks);
        const auto blocks = static_cast<std::size_t>((count + block_rows - 1) / block_rows);
        facts.assign(count, {});
        for_blocks(first, blocks, threads,
                   [&](std::size_t, std::uint64_t begin, std::uint64_t end) {
                       ImagePredictions image;
                       for (std::uint64_t row = begin; row < end; ++row) {
                           if (!read(row, image)) continue;
                           facts[row - first] = {image.mean_consensus, image.unsure, image.apart,
                                                 true, image.contested};
                       }
                   });
        take(first, facts);
        if (progress) progress({.step = std::string(step), .done = first + count, .total = rows()});
    }
}

}  // namespace assay::few_labels
