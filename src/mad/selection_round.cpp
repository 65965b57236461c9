#include "assay/mad/selection_round.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <iterator>
#include <optional>
#include <set>
#include <type_traits>

#include "assay/error.h"
#include "core/hash.h"
#include "core/paths.h"
#include "mad/competition_settings.h"
#include "mad/control_sample.h"
#include "mad/selection_decisions.h"
#include "mad/selection_scan.h"
#include "mad/selection_summary.h"
#include "mad/selection_work.h"

namespace assay::mad {
namespace {

/// Sends rank 0's values to all ranks.
template <class T>
requires std::is_trivially_copyable_v<T> std::vector<T> broadcast_values(
    Comm& comm, const std::vector<T>& mine) {
    const std::vector<std::byte> bytes = comm.broadcast(std::as_bytes(std::span(mine)), 0);
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
}

/// Properties that must be equal on all ranks. Rank 0 may change k and the images' folder.
std::string competition_fingerprint(const Competition& competition) {
    Hasher hasher;
    std::map<std::string, std::string> text = settings_text(competition.settings());
    text.erase("k");
    for (const auto& [name, value] : text) {
        hasher.add_field(name);
        hasher.add_field(value);
    }
    hasher.add_field(competition.impl().items_hash);
    for (const CompetitionClassifier& one : competition.active()) {
        hasher.add_field(one.name);
        hasher.add_field(one.labels_hash);
        hasher.add_field(one.confidences_hash);
    }
    return hasher.digest();
}

/// The work and data of rank 0 only.
class SelectionLead {
public:
    SelectionLead(Competition& competition, const SelectOptions& options,
                  const ProgressCallback& progress)
        : competition_(competition), options_(options), progress_(progress) {}

    /// Checks the request and finds the pairs with work, without writing.
    void plan() {
        control_ = {.images = options_.control,
                    .reason = options_.reason,
                    .there = control_images(competition_)};
        if (!control_is_missing(competition_, control_.images)) control_.images = 0;
        decisions_.emplace(competition_, options_);
        for (const auto& [image, reason] : decisions_->excluded()) excluded_.push_back(image);
        unclear_ = unclear_questions(competition_);
        find({});
        if (competition_.settings().near_duplicates && !todo_.empty())
            hashes_.emplace(competition_);
    }
    bool anything_to_do() const { return !todo_.empty(); }
    const ControlWish& control() const { return control_; }
    const std::vector<std::uint64_t>& excluded() const { return excluded_; }

    void find(std::span<const std::uint64_t> parents) {
        todo_ = find_work(competition_, decisions_->excluded(), unclear_, parents);
        const auto only_k = [](const PairWork& work) { return !work.look; };
        dry_.clear();
        std::copy_if(todo_.begin(), todo_.end(), std::back_inserter(dry_), only_k);
        std::erase_if(todo_, only_k);
        facts_.scanned = todo_.size();
    }
    /// The classifiers whose predictions are needed.
    std::vector<std::uint32_t> classifiers() const {
        std::set<std::uint32_t> numbers;
        for (const PairWork& work : todo_) {
            numbers.insert(work.row.first);
            numbers.insert(work.row.second);
        }
        if (control_.images != 0)
            for (const CompetitionClassifier& one : competition_.active())
                numbers.insert(one.number);
        return {numbers.begin(), numbers.end()};
    }
    std::vector<PlannedPair> next_pairs() {
        const std::size_t count = std::min(next_batch(), todo_.size());
        now_.assign(std::make_move_iterator(todo_.begin()),
                    std::make_move_iterator(todo_.begin() + static_cast<std::ptrdiff_t>(count)));
        todo_.erase(todo_.begin(), todo_.begin() + static_cast<std::ptrdiff_t>(count));
        std::vector<PlannedPair> planned;
        for (const PairWork& work : now_) {
            planned.push_back({.first = work.row.first,
                               .second = work.row.second,
                               .k = competition_.settings().rule.k,
                               .reserves = work.reserves});
        }
        return planned;
    }
    void take(std::span<const ScannedPair> scanned) {
        for (const ScannedPair& pair : scanned)
            most_kept_ = std::max<std::uint64_t>(most_kept_, pair.kept.size());
        NearHashes* const hashes = hashes_ ? &*hashes_ : nullptr;
        choose_images(competition_, unclear_, now_, scanned, hashes, options_.threads, progress_);
        const auto is_chosen = [](const PairWork& work) { return !work.short_of_reserves; };
        if (std::any_of(now_.begin(), now_.end(), is_chosen))
            write([&] { write_work(competition_, now_, scanned, hashes); });
        for (PairWork& work : now_) {
            if (work.short_of_reserves) {
                work.reserves = 2 * work.reserves + 1;
                todo_.push_back(std::move(work));
                continue;
            }
            facts_.added[{work.row.first, work.row.second}] =
                static_cast<std::uint32_t>(work.list.size() - work.settled.size());
        }
    }
    /// Writes the decisions if no pair's images were written with them.
    void end() {
        if (decisions_->are_kept()) return;
        if (decisions_->change_anything() || !dry_.empty()) write([] {});
    }
    SelectionFacts& facts() { return facts_; }

private:
    /// Writes in one transaction, the first of which includes all decisions.
    void write(const std::function<void()>& rows) {
        Transaction all(competition_.impl().database);
        if (!decisions_->are_kept()) {
            decisions_->write();
            note_larger_k(competition_, dry_);
        }
        rows();
        all.commit();
        decisions_->kept();
    }
    /// Uses the planned number for a pair first, and then the actual numbers of earlier pairs.
    std::size_t next_batch() const {
        SelectionRule rule = competition_.settings().rule;
        for (const PairWork& work : todo_) rule.reserves = std::max(rule.reserves, work.reserves);
        const auto classes = static_cast<std::uint32_t>(competition_.classes().size());
        const std::uint64_t planned =
            most_kept_ == 0 ? planned_candidates(rule, classes) : 2 * most_kept_;
        return pairs_of_a_batch(std::min(planned, competition_.images()));
    }

    Competition& competition_;
    const SelectOptions& options_;
    const ProgressCallback& progress_;
    ControlWish control_;
    std::optional<SelectionDecisions> decisions_;
    std::vector<std::uint64_t> excluded_;
    UnclearQuestions unclear_;
    std::vector<PairWork> todo_, now_;
    std::vector<PairWork> dry_;  ///< pairs for which only a larger k is recorded
    std::optional<NearHashes> hashes_;
    std::uint64_t most_kept_ = 0;  ///< the most candidates of a pair so far
    SelectionFacts facts_;
};

}  // namespace

SelectionRound select_images(Competition& competition, const SelectOptions& options, Comm& comm,
                             const ProgressCallback& progress) {
    const bool lead_here = comm.rank() == 0;
    SelectionLead lead(competition, options, progress);
    agree_on(comm, "the competition", competition_fingerprint(competition));
    agree(comm, [&] {
        if (lead_here) lead.plan();
    });

    const bool look = any(comm, lead_here && lead.anything_to_do());
    std::vector<std::uint64_t> parents;
    bool no_parents = false;
    if (competition.settings().rule.one_of_a_parent && look) {
        agree(comm, [&] {
            bool found = false;
            parents = parents_of(competition, &found);
            no_parents = !found;
            if (lead_here) lead.find(parents);
        });
    }
    SelectionScan scan(competition, parents, comm, options.threads, progress);
    const std::vector<std::uint64_t> excluded = broadcast_values(comm, lead.excluded());
    // Runs before anything is written, so that damaged predictions have no effect.
    scan.open(
        broadcast_values(comm, lead_here ? lead.classifiers() : std::vector<std::uint32_t>()));
    for (bool more = look; more;) {
        std::vector<PlannedPair> mine;
        if (lead_here) mine = lead.next_pairs();
        const std::vector<PlannedPair> pairs = broadcast_values(comm, mine);
        more = !pairs.empty();
        if (!more) break;
        const std::vector<ScannedPair> scanned = scan.scan(pairs, excluded);
        agree(comm, [&] {
            if (lead_here) lead.take(scanned);
        });
    }

    agree(comm, [&] {
        if (lead_here) lead.end();
    });

    ControlWish control = lead.control();
    control.images = broadcast_values(comm, std::vector<std::uint64_t>{control.images}).at(0);
    if (control.images != 0) {
        const std::vector<std::span<const std::uint16_t>> labels = scan.labels();
        sample_control(competition, control, labels, scan.part().begin, options.threads, comm);
    }
    lead.facts().scored = scan.scored();
    lead.facts().no_parents = no_parents;
    SelectionRound round;
    agree(comm, [&] {
        if (lead_here) round = summary_of(competition, lead.facts());
    });
    const std::string text = lead_here ? packed_round(round) : std::string();
    const std::vector<std::byte> bytes = comm.broadcast(std::as_bytes(std::span(text)), 0);
    return lead_here ? round
                     : unpacked_round({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace assay::mad
