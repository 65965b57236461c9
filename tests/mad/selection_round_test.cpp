#include "assay/mad/selection_round.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <mutex>
#include <set>

#include "assay/error.h"
#include "assay/image/encode.h"
#include "core/file.h"
#include "core/parallel.h"
#include "expected_mad.h"
#include "image/near_hash.h"
#include "mad/competition_items.h"
#include "mad/control_sample.h"
#include "mad/near_duplicates.h"
#include "mad/selection_scan.h"
#include "mad/selection_summary.h"
#include "mad/selection_work.h"
#include "mad/tally.h"
#include "made_competition.h"
#include "message_of.h"
#include "posterior_reference.h"
#include "real_predictions.h"

namespace assay::mad {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A reference implementation in memory, image by image, by the definition.
class SlowSelection {
public:
    explicit SlowSelection(const Competition& competition)
        : competition_(competition), distances_(competition.distances()) {}

    std::set<std::uint64_t> excluded;
    std::set<std::uint64_t> gone;                               ///< candidates that were rejected
    std::vector<std::uint64_t> stays;                           ///< places accepted before
    std::map<std::uint64_t, std::uint64_t> hashes;              ///< empty if not used
    std::uint64_t disagreeing = 0, candidates = 0;              ///< state of the last select()
    std::set<std::uint64_t> duplicates;                         ///< state of the last select()
    std::set<std::pair<std::uint64_t, std::uint16_t>> unclear;  ///< questions that nobody can judge
    std::set<std::uint64_t> turned_down;                        ///< images replaced by select()

    std::vector<std::uint64_t> select(std::uint32_t first, std::uint32_t second,
                                      const std::vector<std::string>& parents = {}) {
        const auto& a = competition_.classifiers().at(first);
        const auto& b = competition_.classifiers().at(second);
        SelectionRule rule = competition_.settings().rule;
        using reference_test::fnv1a, reference_test::mixed;
        rule.tie_key = mixed(mixed(rule.seed) ^ (mixed(fnv1a(b.name)) + mixed(fnv1a(a.name))));
        const StoredPredictions pa = competition_.predictions(a), pb = competition_.predictions(b);
        std::vector<Candidate> all;
        disagreeing = candidates = 0;
        duplicates.clear();
        turned_down.clear();
        for (std::uint64_t x = 0; x < competition_.images(); ++x) {
            const std::uint16_t l = pa.predictions().labels[x], m = pb.predictions().labels[x];
            const std::uint8_t p = pa.predictions().confidences[x],
                               q = pb.predictions().confidences[x];
            if (excluded.contains(x) || l == m || l == no_label || m == no_label) continue;
            ++disagreeing;
            if (p < a.threshold || q < b.threshold) continue;
            ++candidates;
            all.push_back({x, distances_.units(l, m), l, m, std::min(p, q), x});
        }
        std::sort(all.begin(), all.end(),
                  [&](const auto& x, const auto& y) { return comes_before(x, y, rule); });
        const auto parent = [&](std::uint64_t image) {
            const std::string own = std::string(competition_.dataset().ids[image]);
            return parents.empty() || parents[image].empty() ? own : parents[image];
        };
        std::set<std::string> gone_parents, taken_parents;
        for (const std::uint64_t x : gone) gone_parents.insert(parent(x));
        std::map<std::uint16_t, std::uint32_t> ones, twos;
        std::vector<Candidate> chosen;
        const auto take = [&](const Candidate& c) {
            ++ones[c.first_label];
            ++twos[c.second_label];
            taken_parents.insert(parent(c.image));
            chosen.push_back(c);
        };
        const auto stays_here = [&](std::uint64_t x) {
            return std::find(stays.begin(), stays.end(), x) != stays.end();
        };
        for (const Candidate& c : all)
            if (stays_here(c.image)) take(c);
        std::set<std::tuple<std::uint16_t, std::uint16_t, std::string>> seen;
        for (const Candidate& c : all) {
            if (chosen.size() >= rule.k) break;
            // Of images with one parent and the same two labels, only the first is a candidate.
            if (rule.one_of_a_parent &&
                !seen.emplace(c.first_label, c.second_label, parent(c.image)).second)
                continue;
            if (stays_here(c.image) || gone.contains(c.image)) continue;
            if (ones[c.first_label] >= rule.cap || twos[c.second_label] >= rule.cap) continue;
            if (rule.one_of_a_parent &&
                (gone_parents.contains(parent(c.image)) || taken_parents.contains(parent(c.image))))
                continue;
            const bool again =
                !hashes.empty() && std::any_of(chosen.begin(), chosen.end(), [&](const auto& d) {
                    return std::popcount(hashes.at(c.image) ^ hashes.at(d.image)) <=
                           static_cast<int>(*competition_.settings().near_duplicates);
                });
            if (unclear.contains({c.image, c.first_label}) ||
                unclear.contains({c.image, c.second_label})) {
                turned_down.insert(c.image);
                gone_parents.insert(parent(c.image));
            } else if (again) {
                duplicates.insert(c.image);
            } else {
                take(c);
            }
        }
        std::sort(chosen.begin(), chosen.end(),
                  [&](const auto& x, const auto& y) { return comes_before(x, y, rule); });
        std::vector<std::uint64_t> images;
        for (const Candidate& c : chosen) images.push_back(c.image);
        return images;
    }

private:
    const Competition& competition_;
    ClassDistances distances_;
};

/// The images of one pair, by place.
std::vector<std::uint64_t> images_in(const Competition& competition, std::uint32_t first,
                                     std::uint32_t second,
                                     SelectedState state = SelectedState::accepted) {
    std::vector<std::uint64_t> images;
    for (const PairRow& pair : read_pairs(competition.impl().database)) {
        if (pair.first != first || pair.second != second) continue;
        for (const SelectedRow& row : read_selected(competition.impl().database))
            if (row.pair == pair.id && row.state == state)
                images.push_back(static_cast<std::uint64_t>(row.image));
    }
    return images;
}

/// Answers of five annotators to a question: this many say "cannot say", and the others say yes.
void answer(Competition& competition, std::uint64_t image, std::uint16_t label, int cannot_say,
            int of = 5) {
    Database& database = competition.impl().database;
    database.prepare("INSERT INTO question (token, image, label, turn) VALUES (?, ?, ?, 0)")
        .bind(fmt::format("q{}-{}", image, label))
        .bind(static_cast<std::int64_t>(image))
        .bind(std::int64_t{label})
        .run();
    const std::int64_t question = database.last_row();
    for (int a = 0; a < of; ++a) {
        database
            .prepare(
                "INSERT INTO annotator (id, name, blocked) VALUES (?, ?, 0) "
                "ON CONFLICT DO NOTHING")
            .bind(std::int64_t{a + 1})
            .bind(fmt::format("annotator {}", a))
            .run();
        database
            .prepare(
                "INSERT INTO answer (question, annotator, answer, at, source, counts) "
                "VALUES (?, ?, ?, '', '', 1)")
            .bind(question)
            .bind(std::int64_t{a + 1})
            .bind(std::int64_t{a < cannot_say ? 2 : 1})
            .run();
    }
}

/// A communicator with one rank. It calls a function before it gathers.
class HookedComm : public Comm {
public:
    explicit HookedComm(std::function<void()> hook) : hook_(std::move(hook)) {}
    int rank() const override { return 0; }
    int size() const override { return 1; }
    std::vector<std::vector<std::byte>> all_gather(std::span<const std::byte> mine) override {
        return self_->all_gather(mine);
    }
    std::vector<std::vector<std::byte>> gather(std::span<const std::byte> mine, int root) override {
        if (hook_) std::exchange(hook_, nullptr)();
        return self_->gather(mine, root);
    }
    std::vector<std::byte> broadcast(std::span<const std::byte> mine, int root) override {
        return self_->broadcast(mine, root);
    }
    void all_reduce(std::span<std::int64_t> numbers) override { self_->all_reduce(numbers); }
    void barrier() override { self_->barrier(); }

private:
    std::unique_ptr<Comm> self_ = self_comm();
    std::function<void()> hook_;
};

void copy_competition(const std::filesystem::path& from, const std::filesystem::path& to) {
    std::filesystem::copy(from, to, std::filesystem::copy_options::recursive);
}

TEST(SelectionRound, OneDomainOfAPool) {
    const Scratch scratch;
    MadePool pool = random_pool(3, 3, 400);
    for (std::size_t i = 0; i < pool.images(); ++i)
        pool.parents.push_back(i % 4 == 1 ? "night" : i % 3 == 0 ? "day" : "");
    CompetitionSettings settings = made_settings(8);
    settings.threshold = .5;
    settings.where = "parent=night";
    Competition competition = make_competition(scratch.path(), pool, settings);
    EXPECT_LE(competition.classifiers()[0].scored, 100U);
    SelectOptions options;
    options.control = 40;
    const SelectionRound round = selected_once(competition, options);
    EXPECT_GT(round.accepted, 10U);
    EXPECT_EQ(round.control, 40U);
    for (const std::string& image : rows_of(
             competition.folder(), "SELECT image FROM selected UNION SELECT image FROM control"))
        EXPECT_EQ(std::stoul(image) % 4, 1U);
    // Later classifiers are scanned with the same settings, which cannot change.
    EXPECT_THAT(competition.add({(scratch / "runs" / "pool" / "net1").string()}, ""),
                testing::IsEmpty());
    InitOptions again;
    again.settings = settings;
    again.stores = {(scratch / "runs").string()};
    again.hierarchy = (scratch / "tree.csv").string();
    const auto refused = [&](const std::string& where, const std::string& name = "other") {
        again.settings.where = where;
        return message_of([&] { Competition::create(scratch / name, again); }, ErrorCode::usage);
    };
    EXPECT_THAT(refused("parent=day", "mad"),
                HasSubstr("with where `parent=night`, not `parent=day`"));
    EXPECT_THAT(refused("parent"), HasSubstr("`parent`; allowed: ATTRIBUTE=VALUE"));
    EXPECT_THAT(refused("domain=night"), HasSubstr("no attribute `domain`; they have: parent"));
    EXPECT_THAT(refused("parent=dusk"), HasSubstr("no image has this value; some have: , day"));
}

TEST(SelectionRound, ImagesOfOneParentAreOneClusterOfTheRanking) {
    const Scratch scratch;
    MadePool pool = random_pool(4, 3, 300);
    for (std::size_t i = 0; i < pool.images(); ++i)
        pool.parents.push_back(i % 5 == 0 ? "" : i % 2 == 0 ? "even" : "odd");
    Competition competition = make_competition(scratch.path(), pool, made_settings(20));
    selected_once(competition);
    const std::vector<SelectedRow> selected = read_selected(competition.impl().database);
    const ImageFacts facts = facts_of_images(competition, selected, {});
    const std::map<std::int64_t, std::uint64_t>& clusters = facts.clusters;
    std::set<std::uint64_t> different;
    for (const SelectedRow& row : selected) {
        const std::uint64_t cluster = clusters.at(row.image);
        if (row.image % 5 == 0) {
            EXPECT_EQ(cluster, static_cast<std::uint64_t>(row.image));
        } else {
            EXPECT_EQ(cluster % 2, static_cast<std::uint64_t>(row.image) % 2);
            different.insert(cluster);
        }
    }
    EXPECT_EQ(different.size(), 2U);
}

TEST(SelectionRound, SelectsByTheDefinitionAndOnlyOnce) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
        SCOPED_TRACE(seed);
        const Scratch scratch;
        const MadePool pool = random_pool(seed, 3, 700);
        CompetitionSettings settings = made_settings(6);
        settings.threshold = seed % 2 == 0 ? .8 : .5;
        settings.rule.ties = seed == 3   ? TieOrder::image
                             : seed == 4 ? TieOrder::pair
                                         : TieOrder::confidence;
        Competition competition = make_competition(scratch.path(), pool, settings);
        const SelectionRound round = selected_once(competition);
        ASSERT_EQ(round.pairs.size(), 3U);
        EXPECT_EQ(round.scanned, 3U);
        SlowSelection slow(competition);
        std::set<std::uint64_t> images;
        std::uint64_t accepted = 0;
        for (const auto& [first, second, at] :
             {std::tuple{0U, 1U, 0U}, {0U, 2U, 1U}, {1U, 2U, 2U}}) {
            const std::vector<std::uint64_t> expected = slow.select(first, second);
            ASSERT_FALSE(expected.empty());
            EXPECT_EQ(images_in(competition, first, second), expected);
            EXPECT_EQ(round.pairs[at].selected, expected.size());
            EXPECT_EQ(round.pairs[at].added, expected.size());
            EXPECT_EQ(round.pairs[at].candidates, slow.candidates);
            EXPECT_EQ(round.pairs[at].disagreeing, slow.disagreeing);
            images.insert(expected.begin(), expected.end());
            accepted += expected.size();
        }
        EXPECT_EQ(round.accepted, accepted);
        EXPECT_EQ(round.distinct, images.size());
        std::uint64_t scored = 0;
        for (std::size_t i = 0; i < pool.images(); ++i)
            scored += pool.labels[0][i] != no_label && pool.labels[1][i] != no_label &&
                              pool.labels[2][i] != no_label
                          ? 1
                          : 0;
        EXPECT_EQ(round.scored, scored);
        EXPECT_THAT(round.warnings, testing::Contains(HasSubstr("lack scores of some classifier")));

        const std::string before = all_rows(competition.folder());
        const SelectionRound again = selected_once(competition);
        EXPECT_EQ(all_rows(competition.folder()), before);
        EXPECT_EQ(again.scanned, 0U);
        EXPECT_EQ(again.pairs[0].added, 0U);
        EXPECT_EQ(again.accepted, round.accepted);
    }
}

// Rows are the same for any number of ranks and threads, and every rank returns the same round.
TEST(SelectionRound, RanksAndThreadsDoNotMatter) {
    const Scratch scratch;
    MadePool pool = random_pool(11, 4, 900);
    for (std::size_t i = 0; i < pool.images(); ++i)
        pool.parents.push_back(i % 3 == 0 ? "" : pool.id(i / 3 * 3));
    CompetitionSettings settings = made_settings(9);
    settings.rule.one_of_a_parent = true;
    settings.rule.reserves = 1;
    { make_competition(scratch.path(), pool, settings); }
    const std::filesystem::path exclude = scratch / "exclude.csv";
    write_file_atomically(exclude, "image,reason\n" + pool.id(5) + ",drawing\n");
    std::string expected, round;
    for (const int ranks : {1, 2, 3, 4}) {
        for (const int threads : {1, 4}) {
            const std::filesystem::path here = scratch / fmt::format("mad-{}-{}", ranks, threads);
            copy_competition(scratch / "mad", here);
            SelectOptions options;
            options.exclude = exclude;
            options.control = 40;
            options.threads = threads;
            std::mutex mutex;
            std::vector<std::string> rounds;
            run_thread_ranks(ranks, [&](Comm& comm) {
                Competition competition =
                    Competition::open(here, comm.rank() == 0 ? Competition::Access::write
                                                             : Competition::Access::read);
                const std::string mine = packed_round(select_images(competition, options, comm));
                const std::lock_guard lock(mutex);
                rounds.push_back(mine);
            });
            if (expected.empty()) {
                expected = all_rows(here);
                round = rounds[0];
            }
            EXPECT_EQ(all_rows(here), expected) << ranks << " ranks, " << threads << " threads";
            EXPECT_EQ(rounds, std::vector<std::string>(static_cast<std::size_t>(ranks), round));
        }
    }
    EXPECT_EQ(packed_round(unpacked_round(round)), round);
    const Competition competition = Competition::open(scratch / "mad-1-1");
    SlowSelection slow(competition);
    slow.excluded = {5};
    EXPECT_EQ(images_in(competition, 1, 3), slow.select(1, 3, pool.parents));
}

// The images of a pair depend on that pair alone.
TEST(SelectionRound, OtherClassifiersLeaveAPairAsItIs) {
    const Scratch scratch;
    const MadePool pool = random_pool(3, 4, 600);
    Competition competition = make_competition(scratch.path(), pool, made_settings(5), 3);
    selected_once(competition);
    constexpr std::string_view old_rows =
        "SELECT p.candidates||' '||p.disagreeing||' '||p.k||' '||s.pair||' '||image||' '||place||"
        "' '||turn||' '||units||' '||state||' '||asked FROM selected AS s JOIN pair AS p ON "
        "p.id = s.pair WHERE p.second < 3 ORDER BY s.pair, image";
    const std::vector<std::string> before = rows_of(competition.folder(), old_rows);
    competition.add({save_classifier(scratch / "runs", pool, 3)}, "", 1);
    const SelectionRound added = selected_once(competition);
    EXPECT_EQ(added.scanned, 3U);
    EXPECT_EQ(added.pairs.size(), 6U);
    EXPECT_EQ(rows_of(competition.folder(), old_rows), before);
    competition.remove("net1", "");
    const std::string all = all_rows(competition.folder());
    const SelectionRound fewer = selected_once(competition);
    EXPECT_EQ(fewer.scanned, 0U);
    EXPECT_EQ(fewer.pairs.size(), 3U);
    EXPECT_EQ(all_rows(competition.folder()), all);
    // Starting with all four classifiers gives the same images in the same random order.
    const Scratch other;
    Competition whole = make_competition(other.path(), pool, made_settings(5));
    selected_once(whole);
    for (const auto& [i, j] : {std::pair{0U, 2U}, {0U, 3U}, {2U, 3U}})
        EXPECT_EQ(images_in(competition, i, j), images_in(whole, i, j));
    EXPECT_EQ(turn_of(7, "a", "b", 3), turn_of(7, "b", "a", 3));
    EXPECT_NE(turn_of(7, "a", "b", 3), turn_of(7, "a", "c", 3));
    EXPECT_NE(turn_of(7, "a", "b", 3), turn_of(8, "a", "b", 3));
}

TEST(SelectionRound, UnclearImagesAreReplacedByTheNext) {
    const Scratch scratch;
    const MadePool pool = random_pool(21, 3, 800);
    CompetitionSettings settings = made_settings(8);
    settings.rule.reserves = 2;  // fewer than will be rejected, so another pass is needed
    Competition competition = make_competition(scratch.path(), pool, settings);
    selected_once(competition);
    SlowSelection slow(competition);
    RandomStream random(1, "unclear images of tests");
    for (int times = 0; times < 3; ++times) {
        std::vector<SelectedRow> rows;
        for (const SelectedRow& row : read_selected(competition.impl().database))
            if (row.state == SelectedState::accepted && row.pair == 2) rows.push_back(row);
        std::set<std::uint64_t> unclear;
        for (const SelectedRow& row : rows) {
            if (random.below(3) != 0) continue;
            const bool second = random.below(2) == 0;
            const auto image = static_cast<std::uint64_t>(row.image);
            answer(competition, image, second ? row.second_label : row.first_label, 4);
            unclear.insert(image);
        }
        slow.gone.insert(unclear.begin(), unclear.end());
        slow.stays.clear();
        for (const SelectedRow& row : rows)
            if (!unclear.contains(static_cast<std::uint64_t>(row.image)))
                slow.stays.push_back(static_cast<std::uint64_t>(row.image));
        const SelectionRound round = selected_once(competition);
        const std::vector<std::uint64_t> expected = slow.select(0, 2);
        EXPECT_EQ(images_in(competition, 0, 2), expected);
        EXPECT_EQ(round.pairs[1].replaced, slow.gone.size());
        EXPECT_EQ(round.pairs[1].added, expected.size() - slow.stays.size());
        const std::string before = all_rows(competition.folder());
        selected_once(competition);
        EXPECT_EQ(all_rows(competition.folder()), before);
    }
    EXPECT_GT(slow.gone.size(), 3U);
    EXPECT_THAT(
        rows_of(competition.folder(),
                "SELECT reason FROM decision WHERE kind = 'replaced' LIMIT 1"),
        ElementsAre(testing::StartsWith("4 of 5 annotators cannot say whether it shows c")));
}

// Answers after the deciding ones are not counted in the reason.
TEST(SelectionRound, TheReasonCountsTheAnswersThatDecide) {
    const Scratch scratch;
    Competition competition =
        make_competition(scratch.path(), random_pool(24, 2, 100), made_settings(3));
    selected_once(competition);
    const SelectedRow row = read_selected(competition.impl().database).at(0);
    answer(competition, static_cast<std::uint64_t>(row.image), row.first_label, 4, 9);
    selected_once(competition);
    EXPECT_THAT(
        rows_of(competition.folder(), "SELECT reason FROM decision WHERE kind = 'replaced'"),
        ElementsAre(testing::StartsWith("4 of 5 annotators cannot say")));
}

TEST(SelectionRound, ImagesThatPeopleCanJudgeStay) {
    const Scratch scratch;
    const MadePool pool = random_pool(22, 2, 400);
    Competition competition = make_competition(scratch.path(), pool, made_settings(5));
    selected_once(competition);
    const std::vector<SelectedRow> rows = read_selected(competition.impl().database);
    const auto image = [&](std::size_t i) { return static_cast<std::uint64_t>(rows.at(i).image); };
    answer(competition, image(0), rows[0].first_label, 3);     // of five, a majority can say
    answer(competition, image(1), rows[1].first_label, 2, 2);  // two of two: not yet settled
    std::uint16_t third = 0;
    while (third == rows[2].first_label || third == rows[2].second_label) ++third;
    answer(competition, image(2), third, 5);  // this pair does not need the question
    const std::string before = all_rows(competition.folder());
    EXPECT_EQ(selected_once(competition).scanned, 0U);
    EXPECT_EQ(all_rows(competition.folder()), before);
    // The reason also does not count answers that do not count.
    answer(competition, image(3), rows[3].second_label, 4);
    competition.impl().database.execute("UPDATE annotator SET blocked = 1 WHERE id <= 4");
    EXPECT_EQ(selected_once(competition).scanned, 0U);
    competition.impl().database.execute("UPDATE annotator SET blocked = 0");
    EXPECT_EQ(selected_once(competition).scanned, 1U);
    EXPECT_EQ(images_in(competition, 0, 1, SelectedState::replaced),
              std::vector<std::uint64_t>{image(3)});
}

// The known answer to a gold question overrides people's answers. The tally counts it, so its image
// stays.
TEST(SelectionRound, ImagesOfGoldQuestionsStay) {
    const Scratch scratch;
    const MadePool pool = random_pool(23, 2, 400);
    Competition competition = make_competition(scratch.path(), pool, made_settings(5));
    selected_once(competition);
    const SelectedRow row = read_selected(competition.impl().database).at(1);
    answer(competition, static_cast<std::uint64_t>(row.image), row.second_label, 5);
    competition.impl().database.execute("UPDATE question SET gold = 1");
    const std::string before = all_rows(competition.folder());
    EXPECT_EQ(selected_once(competition).scanned, 0U);
    EXPECT_EQ(all_rows(competition.folder()), before);
    competition.impl().database.execute("UPDATE question SET gold = NULL");
    EXPECT_EQ(selected_once(competition).scanned, 1U);
}

// One round is enough if answers for other pairs already show that an image is unclear.
TEST(SelectionRound, ImagesKnownToBeUnclearAreNotAccepted) {
    for (const std::uint32_t reserves : {30U, 1U}) {
        for (const bool parents : {false, true}) {
            const Scratch scratch;
            MadePool pool = random_pool(24, 3, 600);
            for (std::size_t i = 0; parents && i < pool.images(); ++i)
                pool.parents.push_back(pool.id(i / 4 * 4));
            CompetitionSettings settings = made_settings(8);
            settings.rule.reserves = reserves;
            settings.rule.one_of_a_parent = parents;
            Competition competition = make_competition(scratch.path(), pool, settings, 2);
            selected_once(competition);
            competition.add({save_classifier(scratch / "runs", pool, 2)}, "", 1);
            SlowSelection slow(competition);
            // Makes unclear half of the images that the new pair would select, and then half of
            // their replacements.
            for (int times = 0; times < 3; ++times) {
                const std::vector<std::uint64_t> list = slow.select(1, 2, pool.parents);
                for (std::size_t i = 0; i < list.size(); i += 2) {
                    const std::uint16_t label = pool.labels[i % 4 == 0 ? 1 : 2][list[i]];
                    if (!slow.unclear.emplace(list[i], label).second) continue;
                    note_images(competition, {list[i]});
                    answer(competition, list[i], label, 4);
                }
            }
            const std::vector<std::uint64_t> list = slow.select(1, 2, pool.parents);
            ASSERT_GT(slow.turned_down.size(), 5U);
            const SelectionRound round = selected_once(competition);
            EXPECT_EQ(images_in(competition, 1, 2), list);
            std::vector<std::uint64_t> down = images_in(competition, 1, 2, SelectedState::replaced);
            EXPECT_EQ(std::set(down.begin(), down.end()), slow.turned_down);
            EXPECT_EQ(round.pairs[2].replaced, slow.turned_down.size());
            EXPECT_EQ(round.pairs[2].added, list.size());
            EXPECT_EQ(rows_of(competition.folder(),
                              "SELECT subject FROM decision WHERE kind = 'replaced' AND reason "
                              "LIKE '4 of 5 annotators cannot say%' AND value = 'net1 and net2'")
                          .size(),
                      slow.turned_down.size());
            const std::string rows = all_rows(competition.folder());
            EXPECT_EQ(selected_once(competition).scanned, 0U);
            EXPECT_EQ(all_rows(competition.folder()), rows);
        }
    }
}

TEST(SelectionRound, ExcludedImagesAreNoCandidates) {
    const Scratch scratch;
    const MadePool pool = random_pool(31, 2, 500);
    Competition competition = make_competition(scratch.path(), pool, made_settings(6));
    selected_once(competition);
    const std::vector<std::uint64_t> before = images_in(competition, 0, 1);
    const std::uint64_t out = before.at(2);
    SelectOptions options;
    options.exclude = scratch / "out.csv";
    options.reason = "seen by eye";
    write_file_atomically(options.exclude, fmt::format("reason,image\na drawing,{}\n,{}\n,{}\n",
                                                       pool.id(out), pool.id(499), pool.id(499)));
    const SelectionRound round = selected_once(competition, options);
    EXPECT_EQ(round.excluded, 2U);
    EXPECT_EQ(round.pairs[0].replaced, 1U);
    SlowSelection slow(competition);
    slow.excluded = {out, 499};
    for (const std::uint64_t x : before)
        if (x != out) slow.stays.push_back(x);
    EXPECT_EQ(images_in(competition, 0, 1), slow.select(0, 1));
    EXPECT_EQ(round.pairs[0].candidates, slow.candidates);
    EXPECT_THAT(rows_of(competition.folder(),
                        "SELECT kind||': '||subject||': '||reason FROM decision "
                        "WHERE kind IN ('excluded', 'replaced') ORDER BY id"),
                ElementsAre(fmt::format("excluded: {}: a drawing", pool.id(out)),
                            fmt::format("excluded: {}: seen by eye", pool.id(499)),
                            fmt::format("replaced: {}: it is excluded: a drawing", pool.id(out))));
    const std::string rows = all_rows(competition.folder());
    EXPECT_EQ(selected_once(competition, options).scanned, 0U);
    EXPECT_EQ(all_rows(competition.folder()), rows);

    write_file_atomically(options.exclude, fmt::format("image\n{}\nimage0012.png\n", pool.id(1)));
    const std::string message = message_of([&] { selected_once(competition, options); });
    EXPECT_THAT(message, HasSubstr("out.csv line 3: `image0012.png` is not an image of"));
    EXPECT_THAT(message, HasSubstr("did you mean `image0"));
    write_file_atomically(options.exclude, "image\nquite another name\n");
    EXPECT_THAT(message_of([&] { selected_once(competition, options); }),
                HasSubstr("; ids look like `image00000.png`"));
    EXPECT_EQ(all_rows(competition.folder()), rows);  // the file has all rows, or none
    write_file_atomically(options.exclude, "picture\nx\n");
    EXPECT_THAT(message_of([&] { selected_once(competition, options); }), HasSubstr("picture"));
}

// A change of the settings is only written together with its selection.
TEST(SelectionRound, ARoundThatFailsChangesNothing) {
    const Scratch scratch;
    const MadePool pool = random_pool(32, 3, 500);
    Competition competition = make_competition(scratch.path(), pool, made_settings(4));
    selected_once(competition);
    const std::string rows = all_rows(competition.folder());
    const std::filesystem::path root = competition.image_root();
    SelectOptions options;
    options.k = 9;
    options.images = scratch.path();
    const auto fails = [&](ErrorCode code = ErrorCode::bad_input) {
        const std::string message = message_of([&] { selected_once(competition, options); }, code);
        EXPECT_EQ(all_rows(competition.folder()), rows);
        EXPECT_EQ(competition.settings().rule.k, 4U);
        EXPECT_EQ(competition.image_root(), root);
        return message;
    };
    options.exclude = scratch / "out.csv";
    write_file_atomically(options.exclude, "image\nimage00001.png\nimage0012.png\n");
    EXPECT_THAT(fails(), HasSubstr("out.csv line 3"));
    write_file_atomically(options.exclude, "image\nimage00001.png\n");
    options.images = scratch / "nowhere";
    EXPECT_THAT(fails(), HasSubstr("no such folder"));
    options.images = scratch.path();
    options.k = 3;
    EXPECT_THAT(fails(ErrorCode::usage), HasSubstr("cannot be reduced to 3"));
    options.k = 9;
    const std::filesystem::path file = scratch / "mad/predictions/net2.confidences.npy";
    const std::string bytes = read_text(file);
    write_file_atomically(file, bytes.substr(0, bytes.size() / 2));
    EXPECT_THAT(fails(), HasSubstr("net2.confidences.npy"));
    write_file_atomically(file, bytes);
    // Another process has changed k since this one opened the competition.
    Competition::open(scratch / "mad", Competition::Access::write).set_k(7, "");
    EXPECT_THAT(message_of([&] { selected_once(competition, options); }, ErrorCode::busy),
                HasSubstr("another process has changed k"));
    EXPECT_THAT(rows_of(competition.folder(), "SELECT image FROM exclusion"), IsEmpty());

    Competition again = Competition::open(scratch / "mad", Competition::Access::write);
    const SelectionRound round = selected_once(again, options);
    EXPECT_EQ(round.settings.rule.k, 9U);
    EXPECT_EQ(again.image_root(), scratch.path());
    EXPECT_EQ(Competition::open(scratch / "mad").settings().rule.k, 9U);
    EXPECT_EQ(Competition::open(scratch / "mad").image_root(), scratch.path());
    EXPECT_EQ(round.excluded, 1U);
    SlowSelection slow(again);
    slow.excluded = {1};
    EXPECT_EQ(images_in(again, 0, 2), slow.select(0, 2));
}

// Ids with commas and quotes are quoted in items.csv, so that one item may have several lines.
TEST(ItemReader, FindsImagesWithoutReadingThemAll) {
    for (const std::string prefix : {"image", "an \"image\", "}) {
        const Scratch scratch;
        MadePool pool = random_pool(91, 2, 9000);
        pool.prefix = prefix;
        const Competition competition = make_competition(scratch.path(), pool, made_settings(2));
        const std::vector<std::uint64_t> numbers = {0, 1, 4095, 4096, 8191, 8192, 8999};
        const ItemReader items(competition);
        const std::vector<ImageRow> rows = items.rows(numbers);
        ASSERT_EQ(rows.size(), numbers.size());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            EXPECT_EQ(rows[i].number, static_cast<std::int64_t>(numbers[i]));
            EXPECT_EQ(rows[i].id, pool.id(numbers[i]));
            EXPECT_EQ(rows[i].path, pool.id(numbers[i]));
        }
        EXPECT_THAT(message_of([&] { items.rows({3, 9000}); }), HasSubstr("no image 9000"));
        std::uint64_t next = 0;
        visit_ids(competition, [&](std::uint64_t number, std::string_view id) {
            ASSERT_EQ(number, next++);
            ASSERT_EQ(id, pool.id(number));
        });
        EXPECT_EQ(next, 9000U);
        write_file_atomically(scratch / "mad/items.csv",
                              read_text(scratch / "mad/items.csv") + "\n");
        EXPECT_THAT(message_of([&] { ItemReader{competition}; }),
                    HasSubstr("differ from the recorded ones"));
    }
}

TEST(SelectionRound, MoreImagesLater) {
    const Scratch scratch;
    const MadePool pool = random_pool(41, 2, 400);
    Competition competition = make_competition(scratch.path(), pool, made_settings(4));
    selected_once(competition);
    const std::vector<std::uint64_t> first = images_in(competition, 0, 1);
    SelectOptions options;
    options.k = 9;
    EXPECT_EQ(selected_once(competition, options).pairs[0].added, 5U);
    SlowSelection slow(competition);
    EXPECT_EQ(images_in(competition, 0, 1), slow.select(0, 1));
    const std::vector<std::uint64_t> grown = images_in(competition, 0, 1);
    for (const std::uint64_t x : first) EXPECT_EQ(std::count(grown.begin(), grown.end(), x), 1);
    // At most 16 places are possible: eight labels, twice each. The pair has no more images and is
    // not scanned again.
    options.k = 200;
    const SelectionRound dry = selected_once(competition, options);
    EXPECT_EQ(dry.scanned, 1U);
    EXPECT_LE(dry.pairs[0].selected, 16U);
    EXPECT_THAT(dry.warnings, testing::Contains(HasSubstr("have fewer than 200 images")));
    EXPECT_EQ(selected_once(competition, options).scanned, 0U);
    options.k = 300;
    EXPECT_EQ(selected_once(competition, options).scanned, 0U);
    EXPECT_THAT(rows_of(competition.folder(), "SELECT k FROM pair"), ElementsAre("300"));
    options.k = 100;
    EXPECT_THAT(message_of([&] { selected_once(competition, options); }, ErrorCode::usage),
                HasSubstr("cannot be reduced to 100"));
}

TEST(SelectionRound, PairsWithNothingToAsk) {
    const Scratch scratch;
    MadePool pool = random_pool(51, 2, 100);
    pool.names.push_back("copy");
    pool.labels.push_back(pool.labels[0]);
    pool.probabilities.push_back(pool.probabilities[1]);
    pool.names.push_back("shy");
    pool.labels.push_back(pool.labels[1]);
    pool.labels[3][7] = no_label;
    pool.probabilities.push_back(std::vector<float>(100, .3F));
    CompetitionSettings settings = made_settings(50);
    settings.rule.cap = 50;
    settings.threshold = .9;
    Competition competition = make_competition(scratch.path(), pool, settings);
    const SelectionRound round = selected_once(competition);
    EXPECT_THAT(round.warnings,
                testing::IsSupersetOf(
                    {HasSubstr("`net0` and `copy` predict the same label for every image"),
                     HasSubstr("`net1` and `shy` agree on every image"),
                     HasSubstr("no prediction of `shy` reaches its threshold 0.9"),
                     HasSubstr("pairs have fewer than 50 images on which both are confident")}));
    EXPECT_THAT(
        round.warnings,
        testing::Contains(HasSubstr("they share a rank; to remove one, type `assay mad remove ")));
    EXPECT_EQ(round.pairs[1].disagreeing, 0U);
    EXPECT_EQ(round.pairs[1].selected, 0U);
    EXPECT_EQ(selected_once(competition).scanned, 0U);
    const Report report = report_of(round);
    EXPECT_EQ(report.result["pairs"].size(), 6U);
    EXPECT_EQ(report.result["schema"], "assay.mad_selection/1");
}

TEST(SelectionRound, OfTwoEqualClassifiersNoneCanBeRemoved) {
    const Scratch scratch;
    MadePool pool = random_pool(52, 1, 50);
    pool.names.push_back("copy");
    pool.labels.push_back(pool.labels[0]);
    pool.probabilities.push_back(pool.probabilities[0]);
    pool.probabilities[1][0] = .81F;  // another classifier, ordered by its confidence
    pool.probabilities[0][0] = .9F;
    Competition competition = make_competition(scratch.path(), pool, made_settings(5));
    EXPECT_THAT(selected_once(competition).warnings,
                testing::Contains(testing::EndsWith("and they share a rank")));
}

// The advice names the settings that exclude images, in options that may be combined.
TEST(SelectionRound, AdviceIsByTheSettings) {
    const Scratch scratch;
    MadePool pool = random_pool(52, 2, 300);
    for (std::size_t i = 0; i < pool.images(); ++i) pool.parents.push_back(pool.id(i / 50 * 50));
    int made = 0;
    const auto warning = [&](CapMode mode, bool parents, std::optional<double> confident) {
        CompetitionSettings settings = made_settings(60);
        settings.rule.mode = mode;
        settings.rule.one_of_a_parent = parents;
        settings.threshold = .5;
        settings.confident = confident;
        Competition competition =
            make_competition(scratch / fmt::format("a{}", made++), pool, settings);
        for (const std::string& text : selected_once(competition).warnings)
            if (text.find("but fewer than 60 images") != std::string::npos) return text;
        return std::string("none");
    };
    EXPECT_THAT(warning(CapMode::none, true, {}),
                testing::AllOf(HasSubstr("fewer than 60 images of different parents ("),
                               HasSubstr("(`assay mad init` without --one-of-a-parent, or with a "
                                         "lower --threshold)"),
                               testing::Not(HasSubstr("cap"))));
    EXPECT_THAT(
        warning(CapMode::side, false, .9),
        testing::AllOf(HasSubstr("fewer than 60 images within the cap of 2 of a label ("),
                       HasSubstr("with a larger --cap, or with a larger --confident)"),
                       testing::Not(HasSubstr("--threshold")), testing::Not(HasSubstr("parent"))));
    EXPECT_THAT(warning(CapMode::shared, true, 1.0),
                testing::AllOf(HasSubstr("of a label of either classifier and of different par"),
                               testing::EndsWith("(`assay mad init` with a larger --cap, or "
                                                 "without --one-of-a-parent) has more")));
    EXPECT_THAT(warning(CapMode::official, false, {}),
                HasSubstr("among the first 2 that show a label, one of each two labels ("));
}

// If caps limit a list more than k does, a sketch holds nearly all candidates.
TEST(SelectionScan, PairsOfABatchByWhatTheyHold) {
    SelectionRule rule;  // k 30, cap 3, 30 reserves
    EXPECT_EQ(pairs_of_a_batch(planned_candidates(rule, 1000)), 256U);
    // 2 (1471 + 30) = 3002 images, at most 3 for each of 1000 labels. 33 in each of 10^6 cells
    // at 32 bytes are 1.06 GB.
    rule.k = 1471;
    EXPECT_EQ(planned_candidates(rule, 1000), 33'000'000U);
    EXPECT_EQ(pairs_of_a_batch(planned_candidates(rule, 1000)), 1U);
    EXPECT_EQ(pairs_of_a_batch(1'000'000), 16U);  // the limit is 512 MiB / 32 MB
    EXPECT_EQ(pairs_of_a_batch(0), 256U);
    // Few classes have few cells.
    EXPECT_EQ(pairs_of_a_batch(planned_candidates(rule, 10)), 256U);
    rule.mode = CapMode::none;
    EXPECT_EQ(pairs_of_a_batch(planned_candidates(rule, 1000)), 256U);
}

// ---- Near duplicates --------------------------------------------------------------------------

/// Random soft blobs. `noise` changes pixels by one or two levels.
Image blobs(std::uint64_t seed, int noise, int width = 48, int height = 40) {
    Image image{.width = width, .height = height, .pixels = {}};
    RandomStream shape(seed, "images of tests"), grain(seed * 100 + noise, "grain of tests");
    double f[6];
    for (double& v : f) v = shape.uniform() * 6;
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            const double u = double(x) / width, v = double(y) / height;
            const double light = std::sin(f[0] * u * 3 + f[1]) + std::cos(f[2] * v * 3 + f[3]) +
                                 std::sin((f[4] * u + f[5] * v) * 3);
            const int level = static_cast<int>(128 + 40 * light) +
                              (noise == 0 ? 0 : static_cast<int>(grain.below(3)) - 1);
            for (int c = 0; c < 3; ++c)
                image.pixels.push_back(static_cast<std::uint8_t>(std::clamp(level, 0, 255)));
            image.pixels.push_back(255);
        }
    }
    return image;
}

TEST(NearHash, ChangesLittleWhereTheImageDoes) {
    Image flat{.width = 5, .height = 9, .pixels = std::vector<std::uint8_t>(180, 90)};
    EXPECT_EQ(near_hash(flat), 0U);  // all coefficients are 0, and none is above their median
    const std::uint64_t hash = near_hash(blobs(1, 0));
    EXPECT_LE(std::popcount(hash), 32);  // at most half of 64 coefficients are above the median
    EXPECT_GE(std::popcount(hash), 28);
    EXPECT_LE(std::popcount(hash ^ near_hash(blobs(1, 1))), 4);
    EXPECT_LE(std::popcount(hash ^ near_hash(blobs(1, 0, 96, 80))), 6);
    EXPECT_GE(std::popcount(hash ^ near_hash(blobs(2, 0))), 14);
    // If an image is mirrored from left to right, coefficients of odd horizontal frequency get the
    // opposite sign, and the others do not change.
    const Image image = blobs(3, 0, 32, 32);
    Image mirrored = image;
    for (std::size_t y = 0; y < 32; ++y)
        for (std::size_t x = 0; x < 32; ++x)
            std::copy_n(image.pixels.data() + 4 * (32 * y + 31 - x), 4,
                        mirrored.pixels.data() + 4 * (32 * y + x));
    EXPECT_GE(std::popcount(near_hash(image) ^ near_hash(mirrored)), 16);
}

class NearDuplicateRounds : public testing::Test {
protected:
    void make(std::uint32_t reserves) {
        pool_ = random_pool(61, 3, 60);
        for (std::size_t i = 0; i < pool_.images(); ++i) {
            save_png(blobs(100 + i / 6, static_cast<int>(i % 6)),
                     scratch_ / "images" / pool_.id(i));
        }
        settings_ = made_settings(7);
        settings_.rule.cap = 4;
        settings_.rule.reserves = reserves;
        settings_.threshold = .4;
        settings_.near_duplicates = 6;
    }
    Scratch scratch_;
    MadePool pool_;
    CompetitionSettings settings_;
};

TEST_F(NearDuplicateRounds, OnlyTheFirstIsSelected) {
    std::filesystem::create_directory(scratch_ / "images");
    for (const std::uint32_t reserves : {30U, 0U}) {
        make(reserves);
        Competition competition =
            make_competition(scratch_ / fmt::format("r{}", reserves), pool_, settings_);
        SelectOptions options;
        options.images = scratch_ / "images";
        options.threads = 2;
        const SelectionRound round = selected_once(competition, options);
        SlowSelection slow(competition);
        for (std::size_t i = 0; i < pool_.images(); ++i)
            slow.hashes[i] = near_hash(load_image(scratch_ / "images" / pool_.id(i)));
        std::size_t at = 0, duplicates = 0;
        for (const auto& [first, second] : {std::pair{0U, 1U}, {0U, 2U}, {1U, 2U}}) {
            EXPECT_EQ(images_in(competition, first, second), slow.select(first, second));
            std::vector<std::uint64_t> found =
                images_in(competition, first, second, SelectedState::duplicate);
            EXPECT_EQ(std::set(found.begin(), found.end()), slow.duplicates);
            EXPECT_EQ(round.pairs[at++].duplicates, slow.duplicates.size());
            duplicates += slow.duplicates.size();
        }
        EXPECT_GT(duplicates, 2U);
        for (const std::string& row :
             rows_of(competition.folder(), "SELECT number||' '||near_hash FROM image")) {
            const std::size_t blank = row.find(' ');
            EXPECT_EQ(static_cast<std::uint64_t>(std::stoll(row.substr(blank))),
                      slow.hashes.at(std::stoull(row)));
        }
        EXPECT_THAT(rows_of(competition.folder(),
                            "SELECT reason FROM decision WHERE kind = 'duplicate' LIMIT 1"),
                    ElementsAre(testing::MatchesRegex(
                        "nearly the same as image.*: [0-6] of 64 bits of their hashes differ")));
        const std::string rows = all_rows(competition.folder());
        EXPECT_EQ(selected_once(competition, options).scanned, 0U);
        EXPECT_EQ(all_rows(competition.folder()), rows);
    }
}

// The second of two near duplicates counts again if the first has left the list.
TEST_F(NearDuplicateRounds, ADuplicateOutlivesItsOriginal) {
    std::filesystem::create_directory(scratch_ / "images");
    for (const bool parents : {false, true}) {
        make(2);
        // Images with the same i / 6 are near duplicates, and have different parents.
        for (std::size_t i = 0; parents && i < pool_.images(); ++i)
            pool_.parents.push_back(pool_.id(i % 20));
        settings_.rule.one_of_a_parent = parents;
        Competition competition =
            make_competition(scratch_ / fmt::format("p{}", parents), pool_, settings_);
        SelectOptions options;
        options.images = scratch_ / "images";
        options.threads = 2;
        selected_once(competition, options);
        SlowSelection slow(competition);
        for (std::size_t i = 0; i < pool_.images(); ++i)
            slow.hashes[i] = near_hash(load_image(scratch_ / "images" / pool_.id(i)));
        EXPECT_EQ(images_in(competition, 0, 1), slow.select(0, 1, pool_.parents));
        ASSERT_FALSE(slow.duplicates.empty());
        const std::set<std::uint64_t> duplicates = slow.duplicates;
        std::size_t returned = 0;
        for (int times = 0; times < 4; ++times) {
            const std::vector<std::uint64_t> list = images_in(competition, 0, 1);
            slow.excluded.insert(list.at(0));
            slow.stays.assign(list.begin() + 1, list.end());
            options.exclude = scratch_ / "out.csv";
            write_file_atomically(options.exclude, "image\n" + pool_.id(list[0]) + "\n");
            selected_once(competition, options);
            const std::vector<std::uint64_t> now = images_in(competition, 0, 1);
            EXPECT_EQ(now, slow.select(0, 1, pool_.parents));
            returned += static_cast<std::size_t>(std::count_if(
                now.begin(), now.end(), [&](std::uint64_t x) { return duplicates.contains(x); }));
            const std::string rows = all_rows(competition.folder());
            EXPECT_EQ(selected_once(competition, options).scanned, 0U);
            EXPECT_EQ(all_rows(competition.folder()), rows);
        }
        EXPECT_GT(returned, 0U) << parents;
    }
}

TEST_F(NearDuplicateRounds, ImagesThatCannotBeReadAreNamed) {
    std::filesystem::create_directory(scratch_ / "images");
    make(30);
    Competition competition = make_competition(scratch_.path(), pool_, settings_);
    SelectOptions options;
    options.images = scratch_ / "images";
    const std::vector<std::uint64_t> list = SlowSelection(competition).select(0, 1);
    write_file_atomically(scratch_ / "images" / pool_.id(list.at(0)), "no image");
    const std::string message = message_of([&] { selected_once(competition, options); });
    EXPECT_THAT(message, HasSubstr(pool_.id(list[0])));
    const std::string command = "`assay mad select " + competition.folder().string();
    EXPECT_THAT(message, HasSubstr(command + " --images FOLDER`"));
    EXPECT_THAT(message, HasSubstr(command + " --exclude FILE`"));
    EXPECT_THAT(rows_of(competition.folder(), "SELECT image FROM selected"), IsEmpty());
    EXPECT_EQ(competition.image_root(), "");
}

// ---- The control sample ------------------------------------------------------------------------

TEST(ControlSample, StrataAndSizes) {
    // categories: agree, agree (one has scores), no scores, differ, agree
    const std::vector<std::uint16_t> a = {1, no_label, no_label, 2, 3};
    const std::vector<std::uint16_t> b = {1, 5, no_label, 4, 3};
    const std::vector<std::span<const std::uint16_t>> labels = {a, b};
    const ControlDraw draw = draw_control(labels, 10, 0, 100, 1);
    EXPECT_EQ(draw[0].images, 3U);
    EXPECT_EQ(draw[1].images, 1U);
    std::set<std::uint64_t> agree;
    for (const auto& [hash, image] : draw[0].drawn) agree.insert(image);
    EXPECT_THAT(agree, ElementsAre(10, 11, 14));
    EXPECT_EQ(draw[1].drawn.at(0).second, 13U);
    using Sizes = std::array<std::uint64_t, 2>;
    EXPECT_EQ(control_sizes(draw, 2), (Sizes{1, 1}));
    EXPECT_EQ(control_sizes(draw, 3), (Sizes{2, 1}));  // the second stratum has no more images
    EXPECT_EQ(control_sizes(draw, 9), (Sizes{3, 1}));
    EXPECT_THAT(message_of([&] { control_sizes(draw, 1); }, ErrorCode::usage),
                HasSubstr("agree on 3 images and differ on 1"));
    ControlDraw all_differ = draw;
    all_differ[0] = {};
    EXPECT_EQ(control_sizes(all_differ, 1), (Sizes{0, 1}));
}

// Each image of a stratum is drawn equally often over the seeds, and so is each pair of images.
TEST(ControlSampleSimulation, EveryImageIsEquallyLikely) {
    std::vector<std::uint16_t> a(30, 1), b(30, 1);
    for (std::size_t i = 20; i < 30; ++i) b[i] = 2;
    const std::vector<std::span<const std::uint16_t>> labels = {a, b};
    std::vector<int> times(30, 0);
    int both = 0;
    constexpr int seeds = 20'000;
    for (int seed = 0; seed < seeds; ++seed) {
        const ControlDraw draw = draw_control(labels, 0, static_cast<std::uint64_t>(seed), 6, 1);
        const auto sizes = control_sizes(draw, 12);
        ASSERT_EQ(sizes[0] + sizes[1], 12U);
        std::set<std::uint64_t> drawn;
        for (std::size_t s = 0; s < 2; ++s)
            for (std::size_t i = 0; i < sizes[s]; ++i) drawn.insert(draw[s].drawn[i].second);
        for (const std::uint64_t image : drawn) ++times[image];
        both += drawn.contains(0) && drawn.contains(1) ? 1 : 0;
    }
    // 6 of 20 and 6 of 10. Five standard errors: 5 sqrt(.3 .7 / 20000) = .0162, and .0173 for .6.
    // A pair has 6 5 / (20 19) = .0789, and five standard errors are .0095.
    for (std::size_t i = 0; i < 30; ++i)
        EXPECT_NEAR(times[i] / double{seeds}, i < 20 ? .3 : .6, i < 20 ? .0162 : .0173) << i;
    EXPECT_NEAR(both / double{seeds}, 30.0 / 380, .0095);
}

TEST(ControlSample, PartsMakeTheSameSampleAndItGrows) {
    const MadePool pool = random_pool(71, 3, 5000);
    const auto part = [&](std::size_t begin, std::size_t count) {
        std::vector<std::span<const std::uint16_t>> labels;
        for (const auto& of : pool.labels) labels.push_back(std::span(of).subspan(begin, count));
        return labels;
    };
    const ControlDraw whole = draw_control(part(0, 5000), 0, 9, 200, 1);
    ControlDraw merged = draw_control(part(0, 1234), 0, 9, 200, 3);
    merge(merged, draw_control(part(1234, 0), 1234, 9, 200, 2), 200);
    merge(merged, draw_control(part(1234, 3766), 1234, 9, 200, 4), 200);
    const ControlDraw smaller = draw_control(part(0, 5000), 0, 9, 50, 2);
    for (std::size_t s = 0; s < control_strata; ++s) {
        EXPECT_EQ(merged[s].images, whole[s].images);
        EXPECT_EQ(merged[s].drawn, whole[s].drawn);
        ASSERT_EQ(whole[s].drawn.size(), 200U);
        EXPECT_TRUE(
            std::equal(smaller[s].drawn.begin(), smaller[s].drawn.end(), whole[s].drawn.begin()));
    }
}

TEST(ControlSample, IsDrawnOnceAndMayGrow) {
    const Scratch scratch;
    const MadePool pool = random_pool(72, 4, 800);
    Competition competition = make_competition(scratch.path(), pool, made_settings(3), 3);
    SelectOptions options;
    options.control = 20;
    EXPECT_EQ(selected_once(competition, options).control, 20U);
    const std::vector<ControlRow> first = read_control(competition.impl().database);
    std::uint64_t agree = 0;
    for (std::size_t i = 0; i < pool.images(); ++i) {
        std::set<std::uint16_t> labels;
        for (std::size_t c = 0; c < 3; ++c)
            if (pool.labels[c][i] != no_label) labels.insert(pool.labels[c][i]);
        agree += labels.size() == 1 ? 1 : 0;
    }
    for (const ControlRow& row : first) {
        EXPECT_EQ(row.stratum_sample, 10U);
        if (row.stratum == 0) {
            EXPECT_EQ(row.stratum_images, agree);
        }
    }
    const std::string rows = all_rows(competition.folder());
    selected_once(competition, options);
    EXPECT_EQ(all_rows(competition.folder()), rows);
    options.control = 31;
    EXPECT_EQ(selected_once(competition, options).control, 31U);
    std::set<std::int64_t> images;
    for (const ControlRow& row : read_control(competition.impl().database)) {
        images.insert(row.image);
        EXPECT_EQ(row.stratum_sample, row.stratum == 0 ? 15U : 16U);
    }
    for (const ControlRow& row : first) EXPECT_TRUE(images.contains(row.image));
    options.control = 30;
    EXPECT_THAT(message_of([&] { selected_once(competition, options); }, ErrorCode::usage),
                HasSubstr("cannot be reduced to 30"));
    competition.add({save_classifier(scratch / "runs", pool, 3)}, "", 1);
    options.control = 31;
    EXPECT_EQ(selected_once(competition, options).control, 31U);
    options.control = 40;
    EXPECT_THAT(message_of([&] { selected_once(competition, options); }, ErrorCode::usage),
                HasSubstr("cannot grow"));
}

// If a smaller sample were written after a larger one, images of both would have wrong
// probabilities.
TEST(ControlSample, TwoProcessesDoNotMixTheirSamples) {
    const Scratch scratch;
    const MadePool pool = random_pool(73, 3, 800);
    Competition first = make_competition(scratch.path(), pool, made_settings(3));
    selected_once(first);
    Competition second = Competition::open(scratch / "mad", Competition::Access::write);
    SelectOptions few, many;
    few.control = 20;
    many.control = 60;
    std::string rows;
    HookedComm comm([&] {
        EXPECT_EQ(selected_once(second, many).control, 60U);
        rows = all_rows(scratch / "mad");
    });
    EXPECT_THAT(message_of([&] { select_images(first, few, comm); }, ErrorCode::busy),
                HasSubstr("another process has drawn control images"));
    EXPECT_EQ(all_rows(scratch / "mad"), rows);
    EXPECT_EQ(selected_once(first, many).control, 60U);
    for (const ControlRow& row : read_control(first.impl().database))
        EXPECT_EQ(row.stratum_sample, 30U);
}

// ---- Errors ------------------------------------------------------------------------------------

TEST(SelectionRound, DamagedPredictionsAreRefused) {
    const Scratch scratch;
    const MadePool pool = random_pool(81, 2, 300);
    { make_competition(scratch.path(), pool, made_settings(3)); }
    const std::filesystem::path file = scratch / "mad/predictions/net1.labels.npy";
    std::string bytes = read_text(file);
    bytes[bytes.size() - 100] = static_cast<char>(bytes[bytes.size() - 100] ^ 1);
    write_file_atomically(file, bytes);
    Competition competition = Competition::open(scratch / "mad", Competition::Access::write);
    EXPECT_THAT(message_of([&] { selected_once(competition); }),
                HasSubstr("net1.labels.npy: its bytes differ from the recorded ones"));
    for (const int ranks : {2, 3}) {
        std::string message;
        run_thread_ranks(ranks, [&](Comm& comm) {
            Competition mine =
                Competition::open(scratch / "mad", comm.rank() == 0 ? Competition::Access::write
                                                                    : Competition::Access::read);
            const std::string text = message_of([&] { select_images(mine, {}, comm); });
            if (comm.rank() == 0) message = text;
        });
        EXPECT_THAT(message, HasSubstr("net1.labels.npy"));
    }
    std::filesystem::remove(file);
    EXPECT_THAT(message_of([&] { selected_once(competition); }), HasSubstr("net1.labels.npy"));
    EXPECT_THAT(rows_of(scratch / "mad", "SELECT id FROM pair"), IsEmpty());
}

TEST(SelectionRound, ADatabaseThatMayOnlyBeReadIsSaidSo) {
    const Scratch scratch;
    const MadePool pool = random_pool(82, 2, 100);
    { make_competition(scratch.path(), pool, made_settings(3)); }
    Competition competition = Competition::open(scratch / "mad");
    EXPECT_THAT(message_of([&] { selected_once(competition); }, ErrorCode::io),
                HasSubstr("is read-only"));
}

// Nothing is locked during the scan, so the second process gets an error.
TEST(SelectionRound, TwoProcessesDoNotMixTheirRows) {
    const Scratch scratch;
    const MadePool pool = random_pool(84, 2, 300);
    { make_competition(scratch.path(), pool, made_settings(4)); }
    Competition first = Competition::open(scratch / "mad", Competition::Access::write);
    Competition second = Competition::open(scratch / "mad", Competition::Access::write);
    bool once = true;
    const std::string message = message_of(
        [&] {
            select_images(first, {}, *self_comm(), [&](const Progress&) {
                if (std::exchange(once, false)) selected_once(second);
            });
        },
        ErrorCode::busy);
    EXPECT_THAT(message, HasSubstr("another process has selected images for net0 and net1"));
    const std::string rows = all_rows(scratch / "mad");
    EXPECT_EQ(selected_once(first).scanned, 0U);
    EXPECT_EQ(all_rows(scratch / "mad"), rows);
}

// After an interruption or a kill, the same command completes the selection with the same rows.
TEST(SelectionRound, GoesOnAfterAStop) {
    const Scratch scratch;
    const MadePool pool = random_pool(83, 3, 9000);
    { make_competition(scratch.path(), pool, made_settings(6)); }
    copy_competition(scratch / "mad", scratch / "whole");
    SelectOptions options;
    options.control = 10;
    options.threads = 1;
    for (const bool killed : {false, true}) {
        const pid_t child = ::fork();  // a request to stop is valid until the process ends
        if (child == 0) {
            int heard = 0;
            try {
                Competition competition =
                    Competition::open(scratch / "mad", Competition::Access::write);
                select_images(competition, options, *self_comm(), [&](const Progress& progress) {
                    if (!killed) request_stop();
                    if (killed && progress.done > 8000) ::kill(::getpid(), SIGKILL);
                });
            } catch (const Error& error) {
                heard = error.code() == ErrorCode::interrupted ? 1 : 0;
            }
            ::_exit(heard == 1 ? 0 : 1);
        }
        int status = -1;
        ::waitpid(child, &status, 0);
        EXPECT_EQ(status, killed ? SIGKILL : 0);
    }
    Competition competition = Competition::open(scratch / "mad", Competition::Access::write);
    selected_once(competition, options);
    Competition whole = Competition::open(scratch / "whole", Competition::Access::write);
    selected_once(whole, options);
    EXPECT_EQ(all_rows(competition.folder()), all_rows(whole.folder()));
}

// ---- A real run --------------------------------------------------------------------------------

// Six classifiers on 11,000 variants of photographs, through stores and a competition's folder.
TEST(SelectionRound, RealRunThroughTheFolder) {
    ASSAY_EXPECTED_MAD(expected);
    ASSAY_REAL_PREDICTIONS(real);
    MadePool pool;
    pool.classes = imagenet_classes();
    pool.labels = real->labels;
    for (std::size_t c = 0; c < RealPredictions::classifiers; ++c) {
        pool.names.push_back(fmt::format("net{}", c));
        auto& own = pool.probabilities.emplace_back();
        for (const double p : real->confidences[c]) own.push_back(static_cast<float>(p));
    }
    for (const nlohmann::json& run : expected["real_run"]) {
        SCOPED_TRACE(run["name"]);
        const Scratch scratch;
        InitOptions options;
        options.settings.threshold = run["T"];
        options.settings.rule.k = run["k"];
        for (std::size_t c = 0; c < 6; ++c)
            options.stores.push_back(save_classifier(scratch / "runs", pool, c));
        Competition competition = Competition::create(scratch / "mad", options);
        const SelectionRound round = selected_once(competition);
        EXPECT_EQ(round.questions, run["unique_questions"]);
        std::map<std::int64_t, PairCounts> counts;
        for (const PairRow& pair : read_pairs(competition.impl().database)) {
            counts[pair.id].first = pair.first;
            counts[pair.id].second = pair.second;
        }
        for (const SelectedRow& row : read_selected(competition.impl().database)) {
            const auto cls = real->truths[static_cast<std::size_t>(row.image)];
            count(counts.at(row.pair), Settled{row.first_label == cls, false, 5},
                  Settled{row.second_label == cls, false, 5});
        }
        ASSERT_EQ(counts.size(), 15U);
        for (const auto& [id, pair] : counts) {
            EXPECT_EQ(pair.n(), run["n"][pair.first][pair.second]);
            EXPECT_EQ(pair.first_correct(), run["correct"][pair.first][pair.second]);
            EXPECT_EQ(pair.second_correct(), run["correct"][pair.second][pair.first]);
        }
    }
}

}  // namespace
}  // namespace assay::mad
