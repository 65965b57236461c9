#include "assay/derived/ensemble.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "assay/evaluate/score.h"
#include "core/parallel.h"
#include "derived/fit_rows.h"
#include "derived/written_rows.h"
#include "metric/agreement.h"
#include "store/full_rows.h"
#include "store/same_data.h"

namespace assay {
namespace derived {
namespace {

/// One row of scores of all members.
struct MemberRows {
    std::vector<float> buffer;
    std::vector<double> logits;         // logits of one member
    std::vector<double> probabilities;  // members x classes
};

class Members {
public:
    explicit Members(const std::vector<PredictionStore>& stores) {
        for (const PredictionStore& store : stores) readers_.emplace_back(store);
    }
    std::size_t size() const { return readers_.size(); }
    const RowReader& first() const { return readers_.front(); }
    std::uint32_t classes() const { return first().classes(); }

    RowStatus status(std::uint64_t row) const {
        for (const RowReader& reader : readers_)
            if (const RowStatus status = reader.status(row); status != RowStatus::ok) return status;
        return RowStatus::ok;
    }

    void read_probabilities(std::uint64_t row, MemberRows& rows) const {
        const std::size_t n = classes();
        rows.logits.resize(n);
        rows.probabilities.resize(n * size());
        for (std::size_t m = 0; m < size(); ++m) {
            read_logits(readers_[m], row, rows.buffer, rows.logits);
            double* p = rows.probabilities.data() + m * n;
            const double most = *std::ranges::max_element(rows.logits);
            double sum = 0;
            for (std::size_t c = 0; c < n; ++c) sum += p[c] = std::exp(rows.logits[c] - most);
            for (std::size_t c = 0; c < n; ++c) p[c] /= sum;
        }
    }

    void fill(std::uint64_t row, MeanOf of, std::span<float> scores) const {
        thread_local MemberRows rows;
        const auto members = static_cast<double>(size());
        const std::size_t n = scores.size();
        std::vector<double> sums(n, 0.0);
        if (of == MeanOf::logits) {
            rows.logits.resize(n);
            for (const RowReader& reader : readers_) {
                read_logits(reader, row, rows.buffer, rows.logits);
                for (std::size_t c = 0; c < n; ++c) sums[c] += rows.logits[c];
            }
            for (std::size_t c = 0; c < n; ++c) scores[c] = static_cast<float>(sums[c] / members);
            return;
        }
        read_probabilities(row, rows);
        for (std::size_t m = 0; m < size(); ++m)
            for (std::size_t c = 0; c < n; ++c) sums[c] += rows.probabilities[m * n + c];
        for (std::size_t c = 0; c < n; ++c)
            scores[c] = static_cast<float>(std::log(sums[c] / members));
    }

private:
    std::vector<RowReader> readers_;
};

double entropy_of(std::span<const double> p) {
    double sum = 0;
    for (const double one : p)
        if (one > 0) sum -= one * std::log(one);
    return sum;
}

/// A mean over items, from blocks that are combined in their order.
struct ItemMean {
    double sum = 0, squares = 0;
    std::uint64_t n = 0;
    void add(double value) {
        sum += value;
        squares += value * value;
        ++n;
    }
    void merge(const ItemMean& more) {
        sum += more.sum;
        squares += more.squares;
        n += more.n;
    }
    /// `most` is the largest value of an item. With `yes_or_no`, an item has 0 or that value.
    Estimate estimate(Unit unit, double most, bool yes_or_no, double level) const {
        Estimate out;
        out.unit = unit;
        out.n = n;
        if (n == 0) {
            out.undefined = "no item has scores of all members";
            return out;
        }
        const auto items = static_cast<double>(n);
        out.value = std::min(most, sum / items);
        if (n == 1) {
            out.note = "no interval from a single item";
            return out;
        }
        add_mean_interval(out, squares / (most * most), 1 / most, yes_or_no, level);
        return out;
    }
};

struct Disagreement {
    ItemMean agreement, information;

    void add(const MemberRows& rows, std::size_t members, std::size_t classes) {
        std::vector<double> mean(classes, 0.0);
        std::vector<std::size_t> predicted(members);
        double entropies = 0;
        for (std::size_t m = 0; m < members; ++m) {
            const std::span own(rows.probabilities.data() + m * classes, classes);
            for (std::size_t c = 0; c < classes; ++c)
                mean[c] += own[c] / static_cast<double>(members);
            predicted[m] = static_cast<std::size_t>(std::ranges::max_element(own) - own.begin());
            entropies += entropy_of(own) / static_cast<double>(members);
        }
        std::size_t same = 0;
        for (std::size_t a = 0; a < members; ++a)
            for (std::size_t b = a + 1; b < members; ++b) same += predicted[a] == predicted[b];
        agreement.add(static_cast<double>(same) /
                      (static_cast<double>(members * (members - 1)) / 2));
        // The value is negative only because of rounding.
        information.add(std::max(0.0, entropy_of(mean) - entropies));
    }
};

Disagreement disagreement_of(const Members& members, std::uint64_t items, int threads) {
    constexpr std::uint64_t block = 256;
    std::vector<Disagreement> blocks(static_cast<std::size_t>((items + block - 1) / block));
    parallel_blocks(blocks.size(), resolve_threads(threads), [&](std::size_t b) {
        throw_if_stopped();
        MemberRows rows;
        for (std::uint64_t row = b * block; row < std::min(items, (b + 1) * block); ++row) {
            if (members.status(row) != RowStatus::ok) continue;
            members.read_probabilities(row, rows);
            blocks[b].add(rows, members.size(), members.classes());
        }
    });
    Disagreement all;
    for (const Disagreement& one : blocks) {
        all.agreement.merge(one.agreement);
        all.information.merge(one.information);
    }
    return all;
}

Estimate top1_of(const PredictionStore& store, const EnsembleOptions& options) {
    ScoreOptions how;
    how.metrics = {parse_metric("top1")};
    how.resampling.level = options.level;
    how.threads = options.threads;
    how.confusions = 0;
    return score_store(store, how, *self_comm()).measurements.at(0);
}

std::vector<PredictionStore> open_members(const EnsembleOptions& options) {
    std::vector<std::filesystem::path> folders;
    for (const std::filesystem::path& path : options.stores) {
        const std::vector<std::filesystem::path> found = find_stores(path);
        if (found.size() != 1)
            throw Error(ErrorCode::usage,
                        fmt::format("`{}` has {} stores; name the members one by one",
                                    path.string(), found.size()));
        if (std::ranges::find(folders, found[0]) != folders.end())
            throw Error(ErrorCode::usage, fmt::format("`{}` appears twice", path.string()));
        folders.push_back(found[0]);
    }
    if (folders.size() < 2)
        throw Error(ErrorCode::usage,
                    "an ensemble needs two or more members: `assay ensemble STORE STORE`");
    std::vector<PredictionStore> stores;
    for (const std::filesystem::path& folder : folders) {
        stores.push_back(PredictionStore::open(folder));
        store::require_full(stores.back());
        store::require_same(stores.front(), stores.back(),
                            {.images = false, .classes = true, .labels = true});
    }
    return stores;
}

}  // namespace
}  // namespace derived

std::string_view name_of(MeanOf of) {
    return words_of(of).at(static_cast<std::size_t>(of)).second;
}

EnsembleStore make_ensemble(const EnsembleOptions& options, const ProgressCallback& progress) {
    using namespace derived;
    const std::vector<PredictionStore> stores = open_members(options);
    const Members members(stores);
    const PredictionStore& first = stores.front();
    EnsembleStore result;
    result.model = options.name.empty() ? "ensemble" : options.name;
    result.dataset = first.spec().dataset_name;
    result.of = options.of;
    result.items = first.rows();
    nlohmann::json list = nlohmann::json::array(), ids = nlohmann::json::array();
    for (const PredictionStore& store : stores) {
        if (store.spec().model_name == result.model)
            throw Error(
                ErrorCode::usage,
                fmt::format("the ensemble and its member are both named `{}`; pass another --name",
                            store.folder().string()));
        list.push_back(store.folder().string());
        ids.push_back(store.spec().id);
        if (progress)
            progress({.step = "members", .done = result.members.size(), .total = stores.size()});
        result.members.push_back(
            {store.folder(), store.spec().model_name, top1_of(store, options)});
    }
    const Disagreement differ = disagreement_of(members, first.rows(), options.threads);
    result.agreement =
        differ.agreement.estimate(Unit::proportion, 1, stores.size() == 2, options.level);
    result.mutual_information = differ.information.estimate(
        Unit::nats, std::log(static_cast<double>(stores.size())), false, options.level);
    result.without_scores = result.items - result.agreement.n;
    if (result.without_scores > 0)
        result.warnings.push_back(
            fmt::format("{} of {} items have no scores, because a member lacks them",
                        result.without_scores, result.items));

    MadeStore made;
    made.model = result.model;
    made.dataset = result.dataset;
    made.kind = options.of == MeanOf::logits ? ScoreKind::logits : ScoreKind::log_probabilities;
    made.provenance = {
        {"command", options.command},
        {"ensemble",
         {{"of", name_of(options.of)}, {"members", std::move(list)}, {"stores", std::move(ids)}}}};
    made.identity =
        made.provenance.at("ensemble").at("stores").dump() + std::string(name_of(options.of));
    made.status = [&](std::uint64_t row) { return members.status(row); };
    made.fill = [&](std::uint64_t row, std::span<float> scores) {
        members.fill(row, options.of, scores);
    };
    result.store = write_store(members.first(), made, options.threads);
    result.top1 = top1_of(PredictionStore::open(result.store), options);
    if (progress) progress({.step = "members", .done = stores.size(), .total = stores.size()});
    return result;
}

}  // namespace assay
