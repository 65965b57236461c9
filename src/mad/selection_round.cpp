#include "assay/mad/selection_round.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <type_traits>

#include "assay/error.h"
#include "core/hash.h"
#include "core/paths.h"
#include "mad/control_sample.h"
#include "mad/exclusions.h"
#include "mad/selection_scan.h"
#include "mad/selection_summary.h"
#include "mad/selection_work.h"
#include "mad/settings.h"

namespace assay::mad {
namespace {

/// Pairs whose candidates are in memory at a time, at most about 2 MiB each.
constexpr std::size_t pairs_at_once = 256;

/// Rank 0's values on all.
template <class T>
requires std::is_trivially_copyable_v<T> std::vector<T> broadcast_values(
    Comm& comm, const std::vector<T>& mine) {
    const std::vector<std::byte> bytes = comm.broadcast(std::as_bytes(std::span(mine)), 0);
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
}

/// What all ranks must have opened alike; k and the folder of images may be changed by rank 0.
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

/// What rank 0 alone does and knows.
class SelectionLead {
public:
    SelectionLead(Competition& competition, const SelectOptions& options,
                  const ProgressCallback& progress)
        : competition_(competition), options_(options), progress_(progress) {}

    void decide_first() {
        control_ = control_is_missing(competition_, options_.control) ? options_.control : 0;
        if (options_.k) competition_.set_k(*options_.k, options_.reason);
        if (!options_.images.empty() && absolute_path(options_.images) != competition_.image_root())
            competition_.set_image_root(options_.images, options_.reason);
        if (!options_.exclude.empty())
            exclude_images(competition_, options_.exclude, options_.reason);
        for (const auto& [image, reason] : read_exclusions(competition_))
            excluded_.push_back(image);
        find({});
        if (competition_.settings().near_duplicates && !todo_.empty())
            hashes_.emplace(competition_);
    }
    bool anything_to_do() const { return !todo_.empty(); }
    std::uint64_t control() const { return control_; }
    const std::vector<std::uint64_t>& excluded() const { return excluded_; }

    void find(std::span<const std::uint64_t> parents) {
        todo_ = find_work(competition_, parents);
        const auto only_k = [](const PairWork& work) { return !work.look; };
        if (std::any_of(todo_.begin(), todo_.end(), only_k)) note_larger_k(competition_, todo_);
        std::erase_if(todo_, only_k);
        facts_.scanned = todo_.size();
    }
    std::vector<PlannedPair> next_pairs() {
        const std::size_t count = std::min(pairs_at_once, todo_.size());
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
        NearHashes* const hashes = hashes_ ? &*hashes_ : nullptr;
        choose_images(competition_, now_, scanned, hashes, options_.threads, progress_);
        write_work(competition_, now_, scanned, hashes);
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
    SelectionFacts& facts() { return facts_; }

private:
    Competition& competition_;
    const SelectOptions& options_;
    const ProgressCallback& progress_;
    std::uint64_t control_ = 0;
    std::vector<std::uint64_t> excluded_;
    std::vector<PairWork> todo_, now_;
    std::optional<NearHashes> hashes_;
    SelectionFacts facts_;
};

}  // namespace

SelectionRound select_images(Competition& competition, const SelectOptions& options, Comm& comm,
                             const ProgressCallback& progress) {
    const bool lead_here = comm.rank() == 0;
    SelectionLead lead(competition, options, progress);
    agree_on(comm, "the competition", competition_fingerprint(competition));
    agree(comm, [&] {
        if (lead_here) lead.decide_first();
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

    const std::uint64_t control =
        broadcast_values(comm, std::vector<std::uint64_t>{lead.control()}).at(0);
    if (control != 0) {
        const std::vector<std::span<const std::uint16_t>> labels = scan.labels();
        sample_control(competition, control, options.reason, labels, scan.part().begin,
                       options.threads, comm);
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
