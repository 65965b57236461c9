// Stores the findings of a round as rows.
#include <fmt/format.h>

#include <set>

#include "assay/error.h"
#include "mad/selection_work.h"
#include "study/decisions.h"

namespace assay::mad {
namespace {

/// The statements for all pairs of a transaction, which are prepared once.
class PairWriter {
public:
    PairWriter(Competition& competition, std::map<std::int64_t, ImageRow> images)
        : database_(competition.impl().database),
          settings_(competition.settings()),
          images_(std::move(images)),
          find_(database_.prepare("SELECT id FROM pair WHERE first = ? AND second = ?")),
          count_(database_.prepare("SELECT count(*), count(CASE state WHEN 'accepted' THEN 1 END) "
                                   "FROM selected WHERE pair = ?")),
          update_pair_(database_.prepare(
              "UPDATE pair SET candidates = ?, disagreeing = ?, k = ? WHERE id = ?")),
          insert_pair_(database_.prepare("INSERT INTO pair (first, second, candidates, "
                                         "disagreeing, k) VALUES (?, ?, ?, ?, ?)")),
          give_up_(database_.prepare("UPDATE selected SET state = 'replaced', decision = ? WHERE "
                                     "pair = ? AND image = ?")),
          move_(database_.prepare("UPDATE selected SET place = ? WHERE pair = ? AND image = ? AND "
                                  "place <> ?")),
          insert_(database_.prepare(
              "INSERT INTO selected (pair, image, place, turn, first_label, second_label, units, "
              "confidence, state, asked, decision) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?) "
              "ON CONFLICT (pair, image) DO UPDATE SET place = excluded.place, "
              "state = excluded.state, decision = excluded.decision WHERE state = 'duplicate'")),
          find_reason_(database_.prepare(
              "SELECT reason FROM selected JOIN decision ON decision.id = decision "
              "WHERE pair = ? AND image = ? AND state = 'duplicate'")) {}

    void write(const PairWork& work, const ScannedPair& scanned) {
        check_unchanged(work);
        const std::int64_t pair = pair_row(work, scanned);
        const std::string name = fmt::format("{} and {}", work.first, work.second);
        for (const LeavingPlace& place : work.leaving) {
            const std::int64_t decision = decide(database_, DecisionKind::replaced,
                                                 id_of(place.row.image), name, place.reason);
            give_up_.run(decision, pair, place.row.image);
        }
        for (const FoundUnclear& one : work.unclear) {
            const std::int64_t decision =
                decide(database_, DecisionKind::replaced,
                       id_of(static_cast<std::int64_t>(one.image.image)), name, one.reason);
            insert(work, pair, one.image, one.place, SelectedState::replaced, decision);
        }
        for (const FoundDuplicate& one : work.duplicates) {
            const std::string reason =
                fmt::format("nearly the same as {}: {} of 64 bits of their hashes differ",
                            id_of(static_cast<std::int64_t>(one.of)), one.bits);
            const auto image = static_cast<std::int64_t>(one.image.image);
            if (is_decided(pair, image, reason)) continue;
            const std::int64_t decision =
                decide(database_, DecisionKind::duplicate, id_of(image), name, reason);
            insert(work, pair, one.image, one.place, SelectedState::duplicate, decision);
        }
        std::set<std::uint64_t> there;
        for (const Candidate& c : work.settled) there.insert(c.image);
        for (std::uint32_t place = 0; place < work.list.size(); ++place) {
            const Candidate& c = work.list[place];
            if (there.contains(c.image)) {
                move_.run(place, pair, c.image, place);
            } else {
                insert(work, pair, c, place, SelectedState::accepted, std::nullopt);
            }
        }
    }

private:
    const std::string& id_of(std::int64_t image) const { return images_.at(image).id; }

    /// Checks again, because no lock was held during the search.
    void check_unchanged(const PairWork& work) {
        find_.bind(std::int64_t{work.row.first}).bind(std::int64_t{work.row.second});
        const std::int64_t id = find_.step() ? find_.integer(0) : 0;
        find_.reset();
        count_.bind(id).step();
        const bool same = id == work.row.id && count_.count(0) == work.rows &&
                          count_.count(1) == work.settled.size() + work.leaving.size();
        count_.reset();
        if (!same)
            throw Error(ErrorCode::busy,
                        fmt::format("{}: another process has selected images for {} and {} in the "
                                    "meantime; rerun the command",
                                    database_.path().string(), work.first, work.second));
    }

    /// True if it was already recorded as this near duplicate.
    bool is_decided(std::int64_t pair, std::int64_t image, const std::string& reason) {
        const bool decided = find_reason_.bind(pair).bind(image).step();
        const bool same = decided && find_reason_.text(0) == reason;
        find_reason_.reset();
        return same;
    }

    std::int64_t pair_row(const PairWork& work, const ScannedPair& scanned) {
        const auto candidates = static_cast<std::int64_t>(scanned.candidates);
        const auto disagreeing = static_cast<std::int64_t>(scanned.disagreeing);
        const std::int64_t k = settings_.rule.k;
        if (work.row.id != 0) {
            update_pair_.run(candidates, disagreeing, k, work.row.id);
            return work.row.id;
        }
        insert_pair_.run(work.row.first, work.row.second, candidates, disagreeing, k);
        return database_.last_row();
    }
    void insert(const PairWork& work, std::int64_t pair, const Candidate& c, std::uint32_t place,
                SelectedState state, std::optional<std::int64_t> decision) {
        const std::uint32_t turn = turn_of(settings_.seed, work.first, work.second, c.image);
        insert_.run(pair, c.image, place, turn, c.first_label, c.second_label, c.units,
                    c.confidence, name_of(state), decision);
    }

    Database& database_;
    const CompetitionSettings& settings_;
    std::map<std::int64_t, ImageRow> images_;
    Statement find_, count_, update_pair_, insert_pair_, give_up_, move_, insert_, find_reason_;
};

}  // namespace

void note_larger_k(Competition& competition, const std::vector<PairWork>& work) {
    Statement update = competition.impl().database.prepare("UPDATE pair SET k = ? WHERE id = ?");
    for (const PairWork& pair : work)
        if (!pair.look) update.run(competition.settings().rule.k, pair.row.id);
}

void write_work(Competition& competition, std::span<const PairWork> work,
                std::span<const ScannedPair> scanned, NearHashes* hashes) {
    Database& database = competition.impl().database;
    std::vector<std::uint64_t> images;
    for (const PairWork& pair : work) {
        if (pair.short_of_reserves) continue;
        for (const Candidate& c : pair.list) images.push_back(c.image);
        for (const FoundUnclear& one : pair.unclear) images.push_back(one.image.image);
        for (const FoundDuplicate& one : pair.duplicates) images.push_back(one.image.image);
    }
    note_images(competition, images);
    PairWriter writer(competition, read_images(database));
    for (std::size_t p = 0; p < work.size(); ++p)
        if (!work[p].short_of_reserves) writer.write(work[p], scanned[p]);
    if (hashes != nullptr) hashes->write(competition);
}

}  // namespace assay::mad
