#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "../message_of.h"
#include "../scratch.h"
#include "assay/mad/competition.h"
#include "containers/npy.h"
#include "core/database.h"
#include "core/file.h"
#include "mad/competition_rows.h"
#include "small_pool.h"

namespace assay::mad {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class MadCompetition : public ::testing::Test {
protected:
    MadCompetition() {
        write_file_atomically(scratch / "tree.csv", small_hierarchy());
        write_small_store(runs(), "a", {{0, .91}, {1, .804}, {2, 1}, {-1, 0}, {3, .2}});
        write_small_store(runs(), "b", {{0, .5}, {0, .999}, {3, .85}, {1, .9}, {3, .2}});
        options.stores = {runs().string()};
        options.hierarchy = (scratch / "tree.csv").string();
    }
    std::filesystem::path runs() const { return scratch / "runs"; }
    std::filesystem::path folder() const { return scratch / "mad"; }
    Competition create() const { return Competition::create(folder(), options); }

    Scratch scratch;
    InitOptions options;
    int runs_ = 0;
};

TEST_F(MadCompetition, KeepsThreeBytesOfEachPrediction) {
    options.settings.rule.k = 7;
    options.settings.seed = 12345678901234567890ULL;
    create();
    const Competition there = Competition::open(folder());
    EXPECT_EQ(there.images(), 5U);
    EXPECT_EQ(there.settings().name, "mad");
    EXPECT_EQ(there.settings().rule.k, 7U);
    EXPECT_EQ(there.settings().rule.seed, 12345678901234567890ULL);
    EXPECT_EQ(there.classes().ids(), (std::vector<std::string>{"cat", "dog", "car", "bus"}));
    EXPECT_EQ(there.dataset().ids[4], "images/00004.png");
    ASSERT_EQ(there.classifiers().size(), 2U);
    const CompetitionClassifier& a = there.classifiers()[0];
    EXPECT_EQ(a.name, "a");
    EXPECT_EQ(a.threshold, 160);  // .8 of 200 steps
    EXPECT_EQ(a.scored, 4U);
    EXPECT_EQ(a.confident, 3U);
    const StoredPredictions stored = there.predictions(a);
    EXPECT_THAT(stored.predictions().labels, ElementsAre(0, 1, 2, no_label, 3));
    // floor(200 p) for .91, .804, 1, no score and .2, where .2 as a float is slightly more than .2.
    EXPECT_THAT(stored.predictions().confidences, ElementsAre(182, 160, 200, 0, 40));
    // cat to dog goes up to animal and down, by edges of 2^-1. cat to car is 2 (1 + 1/2).
    EXPECT_DOUBLE_EQ(there.distances()(0, 1), 1.0);
    EXPECT_DOUBLE_EQ(there.distances()(0, 2), 3.0);
    EXPECT_THAT(verify_competition(folder()).problems, IsEmpty());
}

TEST_F(MadCompetition, StoresOfAttacksAreNoClassifiersUnlessTheyAreNamed) {
    const std::string attacked =
        write_small_store(runs(), "a@pgd-linf-8_255", {{1, 1}, {0, 1}, {3, 1}, {2, 1}, {0, 1}})
            .string();
    Competition made = create();
    const auto names = [&] {
        std::vector<std::string> all;
        for (const CompetitionClassifier& one : made.active()) all.push_back(one.name);
        return all;
    };
    EXPECT_THAT(names(), ElementsAre("a", "b"));
    EXPECT_THAT(report_of(made).warnings, ElementsAre(HasSubstr("1 store of an attack")));
    EXPECT_THAT(report_of(create()).warnings, ElementsAre(HasSubstr("1 store of an attack")));
    EXPECT_THAT(report_of(Competition::open(folder())).warnings, IsEmpty());
    EXPECT_THAT(made.add({attacked}, ""), ElementsAre("a@pgd-linf-8_255"));
    EXPECT_THAT(report_of(made).warnings, IsEmpty());
}

TEST_F(MadCompetition, AThresholdMayBeAProportionOfTheImages) {
    options.settings.confident = .5;
    const Competition made = create();
    // Two of the four scored images of a reach .91, and three of the five of b reach .85.
    EXPECT_EQ(made.classifiers()[0].threshold, 182);
    EXPECT_EQ(made.classifiers()[1].threshold, 170);
    EXPECT_EQ(made.classifiers()[1].confident, 3U);
}

TEST_F(MadCompetition, IsMadeWholeOrNotAtAll) {
    write_small_store(runs(), "c", {{0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 1}});
    std::filesystem::remove(runs() / "pool" / "c" / "shards" / "000000.json");
    EXPECT_THAT(message_of([&] { create(); }), HasSubstr("1 of its 1 shards are missing"));
    EXPECT_FALSE(std::filesystem::exists(folder()));
    for (const auto& entry : std::filesystem::directory_iterator(scratch.path()))
        EXPECT_NE(entry.path().extension(), ".tmp") << entry.path();
}

TEST_F(MadCompetition, RefusesWhatCannotCompete) {
    const auto refused = [&](ErrorCode code = ErrorCode::bad_input) {
        return message_of([&] { create(); }, code);
    };
    options.stores = {(runs() / "pool" / "a").string()};
    EXPECT_THAT(refused(ErrorCode::usage), HasSubstr("two classifiers, but"));
    options.stores = {runs().string()};
    options.hierarchy = "imagenet";
    EXPECT_THAT(refused(), HasSubstr("`car` (the name of 2 nodes: take their ids)"));
    write_file_atomically(scratch / "loop.csv", small_hierarchy() + "animal,cat\nkitten,cat\n");
    options.hierarchy = (scratch / "loop.csv").string();
    EXPECT_THAT(refused(), HasSubstr("cat"));
    write_file_atomically(scratch / "roots.csv", small_hierarchy() + "cat,second\n");
    options.hierarchy = (scratch / "roots.csv").string();
    EXPECT_THAT(refused(), HasSubstr("second"));
    options.hierarchy = (scratch / "tree.csv").string();
    options.settings.rule.k = 0;
    EXPECT_THAT(refused(ErrorCode::usage), HasSubstr("k is 0"));
    options.settings.rule.k = 30;
    options.settings.votes = 4;
    EXPECT_THAT(refused(ErrorCode::usage), HasSubstr("odd"));
    options.settings.votes = 5;
    std::filesystem::create_directories(folder() / "mine");
    EXPECT_THAT(refused(ErrorCode::usage), HasSubstr("not an empty folder"));
    EXPECT_TRUE(std::filesystem::exists(folder() / "mine"));
    std::filesystem::remove(folder() / "mine");
    create();                                      // an empty folder is accepted
    EXPECT_EQ(create().classifiers().size(), 2U);  // the same command is repeated
    write_file_atomically(scratch / "copy.csv", small_hierarchy());
    options.hierarchy = (scratch / "copy.csv").string();  // another file with the same hierarchy
    EXPECT_EQ(create().classifiers().size(), 2U);
    write_file_atomically(scratch / "copy.csv", small_hierarchy() + "kitten,cat\nbike,thing\n");
    options.settings.distance = DistanceReading::hop_full;
    EXPECT_THAT(refused(ErrorCode::usage), HasSubstr("with distance `tree_path`"));
    options.settings.distance = DistanceReading::tree_path;
    // entries that are not above any class are ignored
    EXPECT_EQ(create().classifiers().size(), 2U);
    write_file_atomically(scratch / "copy.csv",
                          "child,parent\ncat,root\ndog,root\ncar,root\nbus,root\n");
    EXPECT_THAT(refused(ErrorCode::usage), HasSubstr("a different hierarchy"));
    options.hierarchy = (scratch / "tree.csv").string();
    options.settings.rule.cap = 4;
    EXPECT_THAT(refused(ErrorCode::usage), HasSubstr("with cap `3`, not `4`"));
    options.settings.rule.cap = 3;
    write_small_store(runs(), "third", {{3, .9}, {3, .9}, {3, .9}, {3, .9}, {3, .9}});
    EXPECT_THAT(refused(ErrorCode::usage), HasSubstr("without these scores of `third`"));
}

TEST_F(MadCompetition, DistancesOfAFile) {
    const std::string good =
        "class,bus,cat,dog,car\ncat,2,0,.5,2\ndog,2,0.5,0,2\ncar,.25,2,2,0\nbus,0,2,2,.25\n";
    options.settings.distance = DistanceReading::matrix;
    EXPECT_THAT(message_of([&] { create(); }, ErrorCode::usage),
                HasSubstr("`--distance FILE.csv`"));
    options.distances = scratch / "far.csv";
    const auto refused = [&](const std::string& from, const std::string& to) {
        std::string text = good;
        text.replace(text.find(from), from.size(), to);
        write_file_atomically(options.distances, text);
        return message_of([&] { create(); });
    };
    EXPECT_THAT(refused("dog,2,0.5,0,2", "dog,2,0.5,1,2"),
                HasSubstr("line 3: column dog is `1`, the distance of a class to itself"));
    EXPECT_THAT(refused("cat,2,0,.5", "cat,2,0,-1"),
                HasSubstr("line 2: column dog is `-1`; allowed: 0 up to below 4096"));
    EXPECT_THAT(refused("cat,2,0,.5", "cat,2,0,near"), HasSubstr("column dog is `near`"));
    EXPECT_THAT(refused("cat,2,0,.5", "cat,2,0,.75"),
                HasSubstr("line 2: cat to dog is 0.75, but dog to cat is 0.5 in line 3"));
    EXPECT_THAT(refused("class,bus", "class,boat"),
                HasSubstr("`boat` is not one of the 4 classes"));
    EXPECT_THAT(refused("class,bus", "class,cat"), HasSubstr("class cat has two columns"));
    EXPECT_THAT(refused("bus,0,2,2,.25\n", ""), HasSubstr("class bus has no row"));
    EXPECT_THAT(refused("bus,0", "car,0"),
                HasSubstr("class car appears twice; it is also in line 4"));
    write_file_atomically(options.distances, good);
    {
        const Competition made = create();
        const ClassDistances distances = made.distances();
        EXPECT_EQ(distances.reading(), DistanceReading::matrix);
        EXPECT_EQ(distances(0, 1), .5);
        EXPECT_EQ(distances(3, 2), .25);
        EXPECT_EQ(distances(0, 3), 2);
        EXPECT_EQ(distances(2, 2), 0);
    }
    EXPECT_EQ(create().settings().distance, DistanceReading::matrix);  // repeats the same command
    write_file_atomically(options.distances,
                          "class,cat,dog,car,bus\ncat,0,1,1,1\ndog,1,0,1,1\ncar,1,1,0,1\n"
                          "bus,1,1,1,0\n");
    EXPECT_THAT(message_of([&] { create(); }, ErrorCode::usage),
                HasSubstr("different class distances"));
    // The competition no longer needs the file, and detects changes in its own copy.
    std::filesystem::remove(options.distances);
    EXPECT_EQ(Competition::open(folder()).distances()(0, 1), .5);
    write_file_atomically(folder() / "distances.npy", std::string("nothing"));
    EXPECT_THAT(message_of([&] { Competition::open(folder()).distances(); }),
                HasSubstr("its bytes differ from the recorded ones"));
    EXPECT_THAT(verify_competition(folder()).problems, testing::Not(IsEmpty()));
}

TEST_F(MadCompetition, TheWholeGraphIsSearchedOnceOrRefused) {
    options.settings.distance = DistanceReading::graph_full_min;
    create();
    EXPECT_TRUE(std::filesystem::exists(folder() / "distances.npy"));
    const Competition there = Competition::open(folder());
    const ClassDistances kept = there.distances(),
                         anew(there.hierarchy(), there.classes(), DistanceReading::graph_full_min);
    EXPECT_EQ(kept.reading(), DistanceReading::graph_full_min);
    EXPECT_TRUE(std::equal(kept.all().begin(), kept.all().end(), anew.all().begin()));
    // Older competitions do not have that row.
    Database(folder() / "competition.sqlite", Database::Access::write)
        .execute("DELETE FROM setting WHERE name = 'distances_hash'");
    EXPECT_EQ(Competition::open(folder()).distances()(0, 1), kept(0, 1));
    options.hierarchy = "imagenet";
    for (const auto& [reading, instead] :
         {std::pair{DistanceReading::graph_full_min, "graph-closure-min"},
          {DistanceReading::graph_full_max, "graph-closure-max"},
          {DistanceReading::hop_full, "hop"}}) {
        options.settings.distance = reading;
        EXPECT_THAT(
            message_of([&] { Competition::create(scratch / "other", options); }, ErrorCode::usage),
            testing::AllOf(HasSubstr("the ancestors of its classes"),
                           HasSubstr(fmt::format("`--distance {}`", instead))));
    }
}

TEST_F(MadCompetition, SettingsOfEarlierCompetitionsAreRead) {
    options.settings.single_precision = false;
    create();
    options.settings.single_precision = true;
    {
        Database database(folder() / "competition.sqlite", Database::Access::write);
        database.execute("UPDATE setting SET value = '1' WHERE name = 'hashed_ties'");
        database.execute("DELETE FROM setting WHERE name IN ('where', 'single_precision')");
    }
    const CompetitionSettings settings = Competition::open(folder()).settings();
    EXPECT_EQ(settings.rule.ties, TieOrder::image);
    EXPECT_EQ(settings.where, "");
    EXPECT_FALSE(settings.single_precision);
    options.settings.rule.ties = TieOrder::image;
    EXPECT_EQ(create().classifiers().size(), 2U);  // the same command is repeated
    options.settings.rule.ties = TieOrder::pair;
    EXPECT_THAT(message_of([&] { create(); }, ErrorCode::usage),
                HasSubstr("with hashed_ties `image`, not `pair`"));
}

TEST_F(MadCompetition, AddingAndRemovingLeaveTheOthersAsTheyAre) {
    Competition made = create();
    const std::string before = read_text(folder() / "predictions" / "a.labels.npy");
    const auto added = [&](std::string_view name) {
        return made.add({(runs() / "pool" / std::string(name)).string()}, "why not");
    };
    EXPECT_THAT(message_of([&] { made.remove("a", ""); }, ErrorCode::usage),
                HasSubstr("two classifiers"));
    EXPECT_THAT(added("a"), IsEmpty());

    write_small_store(runs(), "third", {{3, .9}, {3, .9}, {3, .9}, {3, .9}, {3, .9}});
    EXPECT_THAT(added("third"), ElementsAre("third"));
    EXPECT_EQ(made.classifiers()[2].number, 2U);
    EXPECT_THAT(message_of([&] { made.remove("thirt", ""); }, ErrorCode::usage),
                HasSubstr("did you mean `third`"));
    EXPECT_TRUE(made.remove("a", "broken"));
    EXPECT_FALSE(made.remove("a", "broken"));
    EXPECT_EQ(made.active().size(), 2U);
    EXPECT_EQ(Competition::open(folder()).active().size(), 2U);
    EXPECT_THAT(added("a"), ElementsAre("a"));
    EXPECT_TRUE(Competition::open(folder()).classifiers()[0].active);
    EXPECT_EQ(read_text(folder() / "predictions" / "a.labels.npy"), before);

    Statement row = made.impl().database.prepare(
        "SELECT kind, subject, reason FROM decision "
        "WHERE kind IN ('removed', 'restored')");
    ASSERT_TRUE(row.step());
    EXPECT_EQ(row.text(1) + row.text(2), "abroken");
    ASSERT_TRUE(row.step());
    EXPECT_EQ(row.text(0), "restored");

    // Other scores under an existing name, other images and other classes are refused.
    write_small_store(scratch / "other", "a", {{1, .9}, {1, .9}, {1, .9}, {1, .9}, {1, .8}});
    Dataset images = small_images(5);
    images.classes = ClassList({"cat", "dog", "car", "tram"});
    write_small_store(scratch / "classes", "d", {{1, .9}, {1, .9}, {1, .9}, {1, .9}, {1, .8}},
                      &images);
    write_small_store(scratch / "few", "e", {{1, .9}});
    const auto refused = [&](const char* where, ErrorCode code = ErrorCode::bad_input) {
        return message_of([&] { made.add({(scratch / where).string()}, ""); }, code);
    };
    EXPECT_THAT(refused("other", ErrorCode::usage), HasSubstr("another classifier `a`"));
    EXPECT_THAT(refused("classes"), HasSubstr("class 3 is `bus` and `tram`"));
    EXPECT_THAT(refused("few"), HasSubstr("different images"));
    EXPECT_EQ(Competition::open(folder()).classifiers().size(), 3U);
}

TEST_F(MadCompetition, ANameOfARemovedOneTakesItBack) {
    write_small_store(runs(), "third", {{3, .9}, {3, .9}, {3, .9}, {3, .9}, {3, .9}});
    Competition made = create();
    made.remove("third", "");
    std::filesystem::remove_all(runs());
    EXPECT_THAT(made.add({"third"}, ""), ElementsAre("third"));
    EXPECT_EQ(Competition::open(folder()).active().size(), 3U);
    EXPECT_THAT(made.add({"third"}, ""), IsEmpty());
    EXPECT_THAT(message_of([&] { made.add({"fourth"}, ""); }), HasSubstr("fourth"));
}

TEST_F(MadCompetition, PredictionsThatAreDamagedAreMendedByTheirStore) {
    Competition made = create();
    const std::filesystem::path labels = folder() / "predictions" / "a.labels.npy";
    const std::string before = read_text(labels);
    std::ofstream(labels, std::ios::binary | std::ios::trunc) << "damaged";
    EXPECT_THAT(made.add({(runs() / "pool" / "a").string()}, ""), IsEmpty());
    EXPECT_EQ(read_text(labels), before);
    for (const auto& entry : std::filesystem::directory_iterator(folder() / "predictions"))
        EXPECT_EQ(entry.path().extension(), ".npy") << entry.path();
}

// Two processes opened the competition at the same time. The second sees the changes of the first
// before it decides.
TEST_F(MadCompetition, WhatAnotherProcessDecidedCounts) {
    write_small_store(runs(), "third", {{3, .9}, {3, .9}, {3, .9}, {3, .9}, {3, .9}});
    Competition one = create(), two = Competition::open(folder(), Competition::Access::write);
    write_small_store(scratch / "x", "late", {{3, .9}, {2, .9}, {3, .9}, {3, .9}, {3, .9}});
    write_small_store(scratch / "y", "late", {{1, .9}, {1, .9}, {1, .9}, {3, .9}, {3, .9}});
    EXPECT_THAT(one.add({(scratch / "x").string()}, ""), ElementsAre("late"));
    EXPECT_THAT(message_of([&] { two.add({(scratch / "y").string()}, ""); }, ErrorCode::usage),
                HasSubstr("another classifier `late` with different predictions"));
    EXPECT_THAT(verify_competition(folder()).problems, IsEmpty());
    EXPECT_EQ(two.classifiers().size(), 4U);

    one.set_k(50, "");
    EXPECT_THAT(message_of([&] { two.set_k(40, ""); }, ErrorCode::usage),
                HasSubstr("k is 50 and cannot be reduced to 40; to rank with fewer images, type "
                          "`assay mad rank "));
    one.remove("a", "");
    two.remove("b", "");
    EXPECT_THAT(message_of([&] { one.remove("third", ""); }, ErrorCode::usage),
                HasSubstr("two classifiers"));
}

TEST_F(MadCompetition, NamedClassesAreFoundAmongThoseThatAStoreKnows) {
    write_file_atomically(scratch / "turned.txt", "bus\ncar\ndog\ncat\n");
    options.classes = (scratch / "turned.txt").string();
    const Competition made = create();
    const StoredPredictions stored = made.predictions(made.classifiers()[0]);
    EXPECT_THAT(stored.predictions().labels, ElementsAre(3, 2, 1, no_label, 0));
    EXPECT_THAT(message_of(
                    [&] {
                        options.classes.clear();
                        create();
                    },
                    ErrorCode::usage),
                HasSubstr("different classes: class 0 is `bus` and `cat`"));
    std::filesystem::remove_all(folder());
    write_file_atomically(scratch / "other.txt", "bus\ncar\ndog\nhorse\n");
    options.classes = (scratch / "other.txt").string();
    write_file_atomically(scratch / "horse.csv", small_hierarchy() + "horse,animal\n");
    options.hierarchy = (scratch / "horse.csv").string();
    EXPECT_THAT(message_of([&] { create(); }), HasSubstr("its classes differ from those of"));
}

TEST_F(MadCompetition, AFolderMayBeTypedWithASlash) {
    const std::filesystem::path typed = (folder() / "").string();
    Competition::create(typed, options);
    EXPECT_EQ(Competition::open(folder()).settings().name, "mad");
    EXPECT_EQ(Competition::create(typed, options).classifiers().size(), 2U);
}

TEST_F(MadCompetition, RowsThatNameNothingAreRefused) {
    Competition made = create();
    Database& database = made.impl().database;
    database.execute(
        "PRAGMA foreign_keys = OFF;"
        "INSERT INTO pair (id, first, second, candidates, disagreeing, k) "
        "VALUES (1, 0, 1, 1, 1, 30);"
        "INSERT INTO image (number, id, path) VALUES (2, 'x', 'x');"
        "INSERT INTO selected VALUES (1, 2, 0, 0, 60000, 1, 0, 0, 'accepted', 0, NULL)");
    EXPECT_THAT(message_of([&] { read_selected(database); }), HasSubstr("allowed: 0 to 3"));
    database.execute("UPDATE selected SET first_label = 0");
    EXPECT_EQ(read_selected(database).size(), 1U);
    database.execute("DELETE FROM image");
    EXPECT_THAT(message_of([&] { read_selected(database); }),
                HasSubstr("a row names image 2, which is not in the competition"));
    EXPECT_EQ(verify_competition(folder()).problems.empty(), false);
}

// A store records its images, so other files under the same ids are detected.
TEST_F(MadCompetition, ImagesThatHadOtherFilesAreRefused) {
    const Dataset images = small_images(3);
    const auto write = [&](const std::string& name, std::uint64_t salt) {
        StoreSpec spec;
        spec.dataset_name = "pool";
        spec.model_name = name;
        spec.rows = 3;
        spec.classes = 4;
        spec.kind = ScoreKind::probabilities;
        spec.storage = StorageFormat::full_f32;
        spec.model_hash = hash_text(name);
        spec.provenance_json = "{}";
        const std::filesystem::path runs_of = scratch / ("files" + name);
        StoreWriter writer = StoreWriter::open(runs_of, spec, images);
        const std::vector<float> scores = {.9F, .1F, 0, 0, 0, .9F, .1F, 0, 0, 0, .9F, .1F};
        const std::vector<ImageFile> files = {{10, 1}, {20, 2}, {30, 3 + salt}};
        writer.write_shard(0, scores, std::vector<RowState>(3, RowState::ok), {}, "", files);
        const std::string where = writer.folder().string();
        writer.finish();
        return where;
    };
    InitOptions filed = options;
    filed.stores = {write("p", 0), write("q", 0)};
    Competition made = Competition::create(folder(), filed);
    EXPECT_THAT(message_of([&] { made.add({write("r", 7)}, ""); }),
                HasSubstr("some of its images 0 to 2 are not the files that `p` saw"));
    EXPECT_EQ(made.classifiers().size(), 2U);
    EXPECT_THAT(made.add({write("s", 0)}, ""), ElementsAre("s"));
}

TEST_F(MadCompetition, ClassesInAnotherOrderAreTheSameClasses) {
    Competition made = create();
    Dataset images = small_images(5);
    images.classes = ClassList({"bus", "car", "dog", "cat"});
    write_small_store(scratch / "turned", "d", {{0, 1}, {1, 1}, {2, 1}, {3, 1}, {0, 1}}, &images);
    made.add({(scratch / "turned").string()}, "");
    const StoredPredictions stored = made.predictions(made.classifiers()[2]);
    EXPECT_THAT(stored.predictions().labels, ElementsAre(3, 2, 1, 0, 3));
}

TEST_F(MadCompetition, DamageIsFoundAndNamed) {
    create();
    const std::filesystem::path file = folder() / "competition.sqlite";
    const std::string whole = read_text(file);
    const auto opened = [&] {
        return message_of([&] {
            Competition::open(folder()).distances();
            const study::StudyCheck check = verify_competition(folder());
            if (!check.problems.empty()) throw Error(ErrorCode::bad_input, check.problems.front());
        });
    };
    const auto overwrite = [](const std::filesystem::path& path, const std::string& bytes) {
        std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    };
    overwrite(file, whole.substr(0, whole.size() / 2));
    EXPECT_THAT(opened(), HasSubstr("damaged"));
    overwrite(file, "a text");
    EXPECT_THAT(opened(), HasSubstr("not an SQLite database"));
    overwrite(file, "");
    EXPECT_THAT(opened(), HasSubstr("another program"));
    overwrite(file, whole);
    {
        Database database(file, Database::Access::write);
        database.execute("INSERT INTO schema_version VALUES (99, 'then', 'newer')");
    }
    EXPECT_THAT(opened(), HasSubstr("version 99"));
    std::filesystem::remove(folder() / "competition.sqlite-wal");
    std::filesystem::remove(folder() / "competition.sqlite-shm");
    overwrite(file, whole);

    const std::filesystem::path labels = folder() / "predictions" / "a.labels.npy";
    std::string bytes = read_text(labels);
    bytes.back() ^= 1;
    overwrite(labels, bytes);
    EXPECT_THAT(opened(), HasSubstr("a.labels.npy: its bytes differ from the recorded ones"));
    overwrite(labels, bytes.substr(0, bytes.size() - 2));
    EXPECT_THAT(opened(), HasSubstr("a.labels.npy"));
    std::filesystem::remove(labels);
    EXPECT_THAT(opened(), HasSubstr("a.labels.npy"));
}

TEST_F(MadCompetition, AnotherWriterIsWaitedForAndThenNamed) {
    create();
    Competition one = Competition::open(folder(), Competition::Access::write);
    Competition two = Competition::open(folder(), Competition::Access::write);
    two.impl().database.execute("PRAGMA busy_timeout = 50");
    Transaction held(one.impl().database);
    EXPECT_THAT(message_of([&] { two.set_k(31, ""); }, ErrorCode::busy),
                HasSubstr("another process is writing it"));
    // Readers do not wait for the writer.
    EXPECT_EQ(Competition::open(folder()).settings().rule.k, 30U);
}

TEST_F(MadCompetition, AFolderThatMayOnlyBeReadIsRead) {
    if (::geteuid() == 0) GTEST_SKIP() << "SKIPPED: the superuser may write everywhere";
    create();
    std::filesystem::permissions(
        folder(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
    EXPECT_EQ(Competition::open(folder()).images(), 5U);
    EXPECT_THAT(
        message_of([&] { Competition::open(folder(), Competition::Access::write).set_k(40, ""); },
                   ErrorCode::io),
        HasSubstr("competition.sqlite"));
    std::filesystem::permissions(folder(), std::filesystem::perms::owner_all);
}

TEST_F(MadCompetition, MoreImagesMayBeWantedNotFewer) {
    Competition made = create();
    made.set_k(45, "more");
    EXPECT_EQ(Competition::open(folder()).settings().rule.k, 45U);
    EXPECT_THAT(message_of([&] { made.set_k(10, ""); }, ErrorCode::usage),
                HasSubstr("45 and cannot be reduced to 10; to rank with fewer images, type"));
}

// Names that other programs could not read are refused before they are stored.
TEST_F(MadCompetition, NamesThatAreNoTextAreRefused) {
    const auto refused = [&](const std::string& id, const std::string& label) {
        Dataset images = small_images(5);
        images.ids = {};
        for (const std::string& name :
             {std::string("a"), id, std::string("c"), std::string("d"), std::string("e")})
            images.ids.append(name);
        images.classes = ClassList({"cat", label, "car", "bus"});
        const std::filesystem::path runs = scratch / fmt::format("runs{}", ++runs_);
        for (const char* name : {"one", "two"})
            write_small_store(runs, name, {{0, 1}, {1, 1}, {2, 1}, {3, 1}, {0, 1}}, &images);
        InitOptions other = options;
        other.settings.distance = DistanceReading::zero_one;
        other.stores = {runs.string()};
        return message_of(
            [&] { Competition::create(scratch / fmt::format("mad{}", runs_), other); });
    };
    EXPECT_THAT(refused("caf\xe9.jpg", "dog"),
                HasSubstr("the id of image 1 is `caf\\xe9.jpg`; allowed: text in UTF-8"));
    EXPECT_THAT(refused("b", "d\x1bg"), HasSubstr("the name of class 1 is `d\\x1bg`"));
    EXPECT_FALSE(is_competition(scratch / "mad1"));
}

TEST_F(MadCompetition, AForeignChangeOfTheRowsIsRefused) {
    create();
    {
        Database database(folder() / "competition.sqlite", Database::Access::write);
        database.execute("UPDATE setting SET value = 'nan' WHERE name = 'threshold'");
    }
    EXPECT_THAT(message_of([&] { Competition::open(folder()); }),
                HasSubstr("the setting threshold is nan; allowed: a number from 0 to 1"));
}

}  // namespace
}  // namespace assay::mad
