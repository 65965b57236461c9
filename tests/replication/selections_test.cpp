// Reading of annotations, cleaning of annotators, repeated answers, overlap of pools, and damaged
// or contradictory files.
#include "assay/replication/selections.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "assay/error.h"
#include "assay/replication/prepare.h"
#include "assay/replication/study.h"
#include "core/file.h"
#include "message_of.h"
#include "scratch.h"

namespace assay::replication {
namespace {

using testing::HasSubstr;

class Files : public testing::Test {
protected:
    std::filesystem::path write(const std::string& name, const std::string& text) {
        write_file_atomically(scratch_ / name, text);
        return scratch_ / name;
    }
    Scratch scratch_;
    StudyNames names_;
};

TEST_F(Files, CountsByImageAndLabel) {
    const auto path = write("s.csv",
                            "annotator,image,label,selected\n"
                            "w1,a.jpg,dog,1\nw2,a.jpg,dog,0\nw1,a.jpg,cat,0\nw3,b.jpg,dog,true\n");
    const Readings r = count_readings(read_selections(path, names_));
    ASSERT_EQ(r.size(), 3U);
    EXPECT_EQ(r.images[1], "a.jpg");
    EXPECT_EQ(names_.classes[r.classes[1]], "cat");
    EXPECT_EQ(r.annotators[0], 2);
    EXPECT_EQ(r.selected[0], 1);
    EXPECT_EQ(r.selected[2], 1);
    EXPECT_TRUE(is_raw_selections(path));
}

TEST_F(Files, FrequenciesComeBackAsTheyWere) {
    const auto path = write(
        "s.csv", "annotator,image,label,selected\nw1,\"a,1.jpg\",dog,1\nw2,\"a,1.jpg\",dog,0\n");
    const Readings r = count_readings(read_selections(path, names_));
    const auto again = write("f.csv", frequencies_csv(r, names_));
    EXPECT_FALSE(is_raw_selections(again));
    const Readings s = read_frequencies(again, names_);
    EXPECT_EQ(s.images, r.images);
    EXPECT_EQ(s.annotators, r.annotators);
    EXPECT_EQ(s.selected, r.selected);
    EXPECT_EQ(s.classes, r.classes);
}

TEST_F(Files, DamageIsNamedWithItsLine) {
    const std::string head = "annotator,image,label,selected\n";
    const auto read = [&](const std::string& text) {
        return message_of([&] { read_selections(write("x.csv", text), names_); });
    };
    EXPECT_THAT(read(head), HasSubstr("no annotation"));
    EXPECT_THAT(read(head + "w,a,c,2\n"), HasSubstr("line 2: selected `2` is neither 0 nor 1"));
    EXPECT_THAT(read(head + "w,a,c,1\n,a,c,1\n"), HasSubstr("line 3: annotator is empty"));
    EXPECT_THAT(read("annotator,image,selected\nw,a,1\n"), HasSubstr("label"));
    EXPECT_THAT(read(head + "w,a,c\n"), HasSubstr("line 2"));
    const auto frequencies = [&](const std::string& row) {
        return message_of([&] {
            read_frequencies(write("f.csv", "image,label,annotators,selected\n" + row), names_);
        });
    };
    EXPECT_THAT(frequencies("a,c,0,0\n"), HasSubstr("annotators `0`"));
    EXPECT_THAT(frequencies("a,c,3,4\n"), HasSubstr("selected `4` is not a number from 0 to 3"));
    EXPECT_THAT(frequencies("a,c,999999,4\n"), HasSubstr("annotators `999999`"));
    EXPECT_THAT(frequencies("a,c,3,1\na,c,3,1\n"), HasSubstr("twice"));
    EXPECT_THAT(frequencies(""), HasSubstr("no image"));
}

TEST_F(Files, ReadingsThatChoseTheImagesAreNotTaken) {
    const std::string header =
        "image,label,bucket,annotators,selected,held_out_annotators,held_out_selected\n";
    const auto chosen = write("chosen.csv", header + "a,dog,4,10,9,5,3\nb,dog,4,10,9,0,0\n");
    const Readings r = read_frequencies(chosen, names_);
    ASSERT_EQ(r.size(), 1U);
    EXPECT_EQ(r.annotators[0], 5);
    EXPECT_EQ(r.selected[0], 3);
    EXPECT_EQ(r.without_annotators, 1U);
    EXPECT_TRUE(r.held_out);
    const auto none = write("none.csv", header + "a,dog,4,10,9,0,0\n");
    EXPECT_THAT(message_of([&] { read_frequencies(none, names_); }),
                HasSubstr("its annotations chose these images"));
    // Annotations of the selection round are identified by annotator, image and label.
    const std::string columns = "annotator,image,label,selected,batch\n";
    const auto original = write("original.csv", columns + "w1,o,dog,1,g1\nw2,o,dog,0,g1\n");
    const auto round = write("round.csv", columns + "w1,a,dog,1,g2\nw3,a,dog,1,g2\n");
    const auto again =
        write("again.csv", columns + "w1,a,dog,0,g3\nw2,a,dog,1,g3\nw2,b,dog,1,g2\n");
    const auto after = write("after.csv", columns + "w2,a,dog,0,g3\nw4,a,dog,1,g3\n");
    PrepareOptions options;
    options.selected_by = {round};
    EXPECT_THAT(
        message_of([&] {
            prepare_sets({original, again}, options);
        }),
        AllOf(HasSubstr("again.csv: 2 of 3 annotations"), HasSubstr("annotator `w1` on `a`")));
    EXPECT_EQ(prepare_sets({original, after}, options).sets.size(), 2U);
    const auto counted = write("f.csv", "image,label,annotators,selected\na,dog,2,1\n");
    EXPECT_THAT(message_of([&] {
                    prepare_sets({original, counted}, options);
                }),
                HasSubstr("`selected_by` needs annotations"));
}

TEST_F(Files, OneSetIsNotTwo) {
    const auto one = write("one.csv", "image,label,annotators,selected\na,dog,5,3\nb,cat,5,2\n"),
               turned = write("two.csv", "image,label,annotators,selected\nb,cat,5,2\na,dog,5,3\n"),
               other =
                   write("three.csv", "image,label,annotators,selected\nb,cat,5,2\na,dog,5,4\n");
    EXPECT_THAT(message_of([&] {
                    prepare_sets({one, turned}, {});
                }),
                HasSubstr("hold the same images with the same annotations"));
    EXPECT_EQ(prepare_sets({one, other}, {}).sets.size(), 2U);
}

TEST_F(Files, TheFirstOfRepeatedAnswersCounts) {
    const auto path = write("s.csv",
                            "annotator,image,label,selected\n"
                            "w1,a,c,1\nw2,a,c,0\nw1,a,c,0\nw1,a,c,1\nw1,b,c,0\n");
    Selections set = read_selections(path, names_);
    const Duplicates d = remove_duplicates(set);
    EXPECT_EQ(d.removed, 2U);
    EXPECT_EQ(d.contradicting, 1U);
    const Readings r = count_readings(set);
    EXPECT_EQ(r.annotators[0], 2);
    EXPECT_EQ(r.selected[0], 1);
}

std::string batches(const std::string& annotator, int good, int lazy, int blind) {
    // There are batches of 48 images with 6 controls. A good annotator selects 10 true images, a
    // lazy one 5, and a careless one 10 and 2 controls.
    std::string out;
    for (int b = 0; b < good + lazy + blind; ++b) {
        const bool is_lazy = b >= good && b < good + lazy, is_blind = b >= good + lazy;
        for (int i = 0; i < 48; ++i) {
            const bool control = i >= 42;
            const bool selected = control ? is_blind && i < 44 : i < (is_lazy ? 5 : 10);
            out += annotator + ",p" + std::to_string(b) + "-" + std::to_string(i) + ",c,b" +
                   std::to_string(b) + "," + (control ? "1," : "0,") + (selected ? "1\n" : "0\n");
        }
    }
    return out;
}

TEST_F(Files, AnnotatorsWithThreeTenthsOfFlaggedBatchesGo) {
    const auto path = write("s.csv", "annotator,image,label,batch,control,selected\n" +
                                         batches("careful", 10, 0, 0) + batches("edge", 8, 1, 1) +
                                         batches("lazy", 7, 3, 0) + batches("blind", 7, 0, 3));
    Selections set = read_selections(path, names_);
    Selections* const sets[] = {&set};
    const CleaningReport report = clean(sets, names_, {});
    EXPECT_EQ(report.batches, 40U);
    EXPECT_EQ(report.flagged, 8U);
    EXPECT_EQ(report.too_few_selected, 4U);
    EXPECT_EQ(report.controls_selected, 4U);
    EXPECT_EQ(report.dropped(), 2U);  // 3 of 10 is 30 %, and 2 of 10 is less
    EXPECT_FALSE(report.annotators[1].dropped);
    EXPECT_TRUE(report.annotators[2].dropped);
    EXPECT_TRUE(report.annotators[3].dropped);
    EXPECT_EQ(report.annotations_after, 20U * 48);
    // Controls do not count as readings.
    EXPECT_EQ(count_readings(set).size(), 10U * 42);
    EXPECT_THROW(clean(sets, names_, {6, 1, 0}), Error);
    // 55 of 100 is 55 %, for any rounding of 0.55.
    Selections at =
        read_selections(write("at.csv", "annotator,image,label,batch,control,selected\n" +
                                            batches("exact", 45, 55, 0)),
                        names_);
    Selections* const exact[] = {&at};
    EXPECT_EQ(clean(exact, names_, {6, 1, 0.55}).annotations_after, 0U);
}

TEST_F(Files, CleaningNeedsBatchesAndControls) {
    Selections set =
        read_selections(write("s.csv", "annotator,image,label,selected\nw,a,c,1\n"), names_);
    Selections* const sets[] = {&set};
    EXPECT_THAT(message_of([&] { clean(sets, names_, {}); }), HasSubstr("batch"));
    Selections with = read_selections(
        write("t.csv", "annotator,image,label,selected,batch\nw,a,c,1,b\n"), names_);
    Selections* const other[] = {&with};
    EXPECT_THAT(message_of([&] { clean(other, names_, {}); }), HasSubstr("control"));
    Selections nameless = read_selections(
        write("u.csv", "annotator,image,label,selected,batch,control\nw,a,c,1,b,0\nw,d,c,1,,0\n"),
        names_);
    Selections* const third[] = {&nameless};
    EXPECT_THAT(message_of([&] { clean(third, names_, {}); }),
                HasSubstr("`d` in a batch without a name"));
}

TEST_F(Files, OverlapOfPools) {
    const std::string head = "annotator,image,label,selected\n";
    const auto read = [&](const std::string& name, const std::string& text) {
        return read_selections(write(name, head + text), names_);
    };
    const auto one = read("1.csv", "w1,a,c,1\nw2,a,c,1\nw2,b,d,0\n");
    const auto same = read("2.csv", "w1,x,c,1\nw2,x,c,1\nw2,y,d,0\n");
    EXPECT_EQ(overlap_warning(annotator_overlap(one, same)), "");
    const auto none = read("3.csv", "w8,x,c,1\nw9,x,c,1\n");
    EXPECT_THAT(overlap_warning(annotator_overlap(one, none)),
                HasSubstr("NO ANNOTATOR JUDGED BOTH SETS"));
    const auto few = read("4.csv", "w1,x,c,1\nw8,x,c,1\nw9,x,c,1\n");
    const AnnotatorOverlap o = annotator_overlap(one, few);
    EXPECT_EQ(o.common, 1U);
    EXPECT_NEAR(o.first_proportion, 1.0 / 3, 1e-15);
    EXPECT_NEAR(o.second_proportion, 1.0 / 3, 1e-15);
    EXPECT_THAT(overlap_warning(o), HasSubstr("FEW ANNOTATORS"));
    const auto elsewhere = read("5.csv", "w1,x,d,1\nw2,x,e,1\n");
    EXPECT_THAT(overlap_warning(annotator_overlap(one, elsewhere)), HasSubstr("same grids"));
    // The annotators and classes are the same, but each grid only has images of one set.
    const auto batched = [&](const std::string& name, const std::string& batch) {
        return read_selections(write(name, "annotator,image,label,selected,batch\nw1," + name +
                                               ",c,1," + batch + "\n"),
                               names_);
    };
    const auto first = batched("6.csv", "x"), mixed = batched("7.csv", "x"),
               apart = batched("8.csv", "y");
    EXPECT_EQ(overlap_warning(annotator_overlap(first, mixed)), "");
    EXPECT_THAT(overlap_warning(annotator_overlap(first, apart)),
                HasSubstr("Batches that show images of both"));
}

TEST_F(Files, RatersAreAnnotatorsToo) {
    EXPECT_TRUE(is_raw_selections(write("r.csv", "annotator,image,label,selected\nr1,a,c,1\n")));
    EXPECT_THAT(message_of([&] {
                    read_selections(write("t.csv", "annotator,image,label,selected,selected\n"),
                                    names_);
                }),
                HasSubstr("two columns are named selected"));
}

TEST_F(Files, KeepingAnnotatorsIsHypergeometric) {
    Readings r;
    for (int i = 0; i < 20000; ++i) {
        r.images.append("p" + std::to_string(i));
        r.classes.push_back(0);
        r.annotators.push_back(static_cast<std::uint16_t>(i % 2 == 0 ? 10 : 3));
        r.selected.push_back(static_cast<std::uint16_t>(i % 2 == 0 ? 6 : 3));
    }
    std::uint64_t left_out = 0;
    const Readings kept = keep_annotators(r, 4, 1, "test", &left_out);
    EXPECT_EQ(left_out, 10000U);
    const auto counts = kept.cells().images;
    const Thinning thin(CellGrid({10}), 4);
    for (std::size_t j = 0; j <= 4; ++j) {
        const double p = thin.row(6)[j];
        EXPECT_NEAR(counts[j] / 1e4, p, 5 * std::sqrt(p * (1 - p) / 1e4) + 1e-9) << j;
    }
}

class Joining : public Files {
protected:
    Readings readings(const std::string& name, const std::string& text) {
        return read_frequencies(write(name, "image,label,annotators,selected\n" + text), names_);
    }
    Hits hits(const std::string& name, const std::string& text) {
        return read_hits_csv(write(name, text));
    }
    /// Readings of the original and its hits (only for m). The replication has one image, x.jpg,
    /// and its hit.
    Study beside(const std::string& original, const std::string& original_hits) {
        return join_study(readings("1.csv", original), hits("h1.csv", "image,m\n" + original_hits),
                          readings("2.csv", "x.jpg,c,4,2\n"), hits("h2.csv", "image,m\nx.jpg,1\n"),
                          names_);
    }
};

TEST_F(Joining, WideAndLongFilesSayTheSame) {
    const Hits wide = hits("w.csv", "image,label,m1,m2\na,c,1,0\nb,c,0,\n");
    const Hits rows = hits("l.csv", "image,classifier,hit\na,m1,1\na,m2,0\nb,m1,0\n");
    EXPECT_EQ(wide.classifiers, (std::vector<std::string>{"m1", "m2"}));
    EXPECT_EQ(rows.classifiers, wide.classifiers);
    EXPECT_EQ(rows.hit, wide.hit);
    EXPECT_THAT(message_of([&] { hits("x.csv", "image,m1\na,3\n"); }),
                HasSubstr("line 2: hit `3` of `m1`"));
    EXPECT_THAT(message_of([&] { hits("x.csv", "image\na\n"); }), HasSubstr("no classifier"));
    EXPECT_THAT(message_of([&] { hits("x.csv", "image,m,m\na,1,1\n"); }), HasSubstr("two columns"));
    EXPECT_THAT(message_of([&] { hits("x.csv", "image,model,hit\na,m,1\na,m,1\n"); }),
                HasSubstr("twice"));
    std::string diagonal = "image,model,hit\n";  // 3000 rows, which would make 9 million entries
    for (int i = 0; i < 3000; ++i)
        diagonal += "p" + std::to_string(i) + ",m" + std::to_string(i) + ",1\n";
    EXPECT_THAT(message_of([&] { hits("x.csv", diagonal); }), HasSubstr("most hits are missing"));
}

TEST_F(Joining, WhatIsLeftOutIsSaid) {
    const Readings one = readings("1.csv", "a,c,4,2\nb,c,4,3\ne,c,1,1\n");
    const Readings two = readings("2.csv", "x,c,4,2\ny,d,4,3\nz,c,4,0\n");
    const Hits h1 = hits("h1.csv", "image,m1,m2\na,1,0\nb,1,1\ne,1,1\n");
    const Hits h2 = hits("h2.csv", "image,m2,m3,m1\nx,1,0,0\ny,1,1,\n");
    const Study study = join_study(one, h1, two, h2, names_);
    EXPECT_EQ(study.classifiers, (std::vector<std::string>{"m1", "m2"}));
    EXPECT_EQ(study.first.size(), 2U);   // e has one annotator
    EXPECT_EQ(study.second.size(), 1U);  // y lacks a hit of m1, and z lacks all
    EXPECT_EQ(study.second.hits[0], 0);
    EXPECT_EQ(study.second.hits[1], 1);
    EXPECT_TRUE(study.partial);
    std::string all;
    for (const auto& w : study.warnings) all += w + "\n";
    EXPECT_THAT(all, HasSubstr("m3"));
    EXPECT_THAT(all, HasSubstr("fewer than 2 annotators"));
    EXPECT_THAT(all, HasSubstr("1 of 3 images have no hits and 1 lack those of some classifier"));
}

TEST_F(Joining, FileNamesAloneAreEnough) {
    const Study study = beside("a.jpg,c,4,2\n", "val/c/a.png,1\n");
    EXPECT_EQ(study.first.size(), 1U);
    EXPECT_FALSE(study.partial);
    ASSERT_EQ(study.warnings.size(), 1U);
    EXPECT_THAT(study.warnings[0], HasSubstr("by file name only"));
}

TEST_F(Joining, AFileNameThatSeveralImagesHaveFindsNothing) {
    const Study study =
        beside("c/0.jpg,c,4,2\nd/0.jpg,d,4,2\nd/1.jpg,d,4,1\n", "val/0.png,1\nval/1.png,1\n");
    EXPECT_EQ(study.first.size(), 1U);
    EXPECT_TRUE(study.partial);
}

TEST_F(Joining, NothingInCommonIsAnError) {
    const Readings one = readings("1.csv", "a,c,4,2\n"), two = readings("2.csv", "x,d,4,2\n");
    const Hits h1 = hits("h1.csv", "image,m\na,1\n"), h2 = hits("h2.csv", "image,m\nx,1\n");
    EXPECT_THAT(message_of([&] { join_study(one, h2, two, h2, names_); }),
                HasSubstr("no image of 1.csv"));
    EXPECT_THAT(
        message_of([&] { join_study(one, h1, two, hits("h3.csv", "image,k\nx,1\n"), names_); }),
        HasSubstr("no classifier has hits on both sets"));
    const Study apart = join_study(one, h1, two, h2, names_);
    ASSERT_EQ(apart.warnings.size(), 2U);  // one side has class c, and the other d
    EXPECT_THAT(apart.warnings[0], HasSubstr("`c`"));
    EXPECT_THAT(message_of([&] {
                    join_study(readings("3.csv", "a,c,4,1\na,d,4,1\n"), h1, two, h2, names_);
                }),
                HasSubstr("several labels"));
}

}  // namespace
}  // namespace assay::replication
