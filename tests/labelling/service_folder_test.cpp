#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "../message_of.h"
#include "../scratch.h"
#include "assay/annotation/votes.h"
#include "assay/labelling/folder.h"
#include "assay/replication/selections.h"
#include "core/database.h"
#include "small_study.h"

namespace assay::labelling {
namespace {

using State = TakenScreen::State;

class ServiceOfAFolder : public testing::Test {
protected:
    std::filesystem::path write(const std::string& name, const std::string& text) const {
        std::ofstream(scratch_ / name, std::ios::binary) << text;
        return scratch_ / name;
    }
    std::filesystem::path make(const std::string& csv, Task task, std::uint32_t votes) const {
        FolderOptions options;
        options.questions = write("questions.csv", csv);
        options.task = task;
        options.votes = votes;
        options.screen = 20;
        make_folder(scratch_ / "study", options);
        return scratch_ / "study";
    }
    std::string exported() const {
        std::string text;
        write_answers_csv(scratch_ / "study", [&](std::string_view piece) { text += piece; });
        return text;
    }
    /// Images 0 to 39 with two labels each. Every tenth is known not to show the label.
    static std::string grid_csv() {
        std::string csv = "image,label,control\n";
        for (const char* label : {"cat", "dog"})
            for (int i = 0; i < 40; ++i)
                csv += fmt::format("{}/{:02}.jpg,{},{}\n", label, i, label, i % 10 == 0 ? 1 : 0);
        return csv;
    }
    /// Selects images whose number is even.
    static GivenScreen click(const Screen& screen, const std::string& key,
                             const std::map<std::string, int>& number) {
        GivenScreen given{screen.token, key, {}};
        for (const Cell& cell : screen.cells)
            given.answers.push_back(
                {cell.question, number.at(cell.question) % 2 == 0 ? Answer::yes : Answer::no});
        return given;
    }
    /// The number of the image of each question of these screens, from its file's name.
    static std::map<std::string, int> numbers(const Service& service, const Screen& screen) {
        std::map<std::string, int> out;
        for (const Cell& cell : screen.cells)
            out[cell.question] = std::stoi(service.image_of(0, cell.question)->stem().string());
        return out;
    }
    Scratch scratch_;
};

TEST_F(ServiceOfAFolder, GridsAreSelectedAndReadAsSelections) {
    const auto folder = make(grid_csv(), Task::grid, 2);
    Service service(folder);
    std::uint64_t screens = 0;
    for (const char* name : {"anna", "ben", "cleo"}) {
        const std::int64_t person = service.add_person(name).id;
        for (;;) {
            const Work work = service.work(person, {}, {}, 1);
            if (work.screens.empty()) break;
            const Screen& screen = work.screens[0];
            EXPECT_EQ(screen.labels.size(), 1U) << "a grid is about one label";
            EXPECT_EQ(screen.cells.size(), 20U);
            const auto given =
                click(screen, fmt::format("key-{:08}", ++screens), numbers(service, screen));
            EXPECT_EQ(service.work(person, {given}, {}, 0).taken[0].state, State::recorded);
        }
    }
    // Four screens need answers from two people each, so nothing is left for the third person.
    EXPECT_EQ(screens, 8U);
    EXPECT_EQ(service.status().open, 0U);

    const auto csv = write("selections.csv", exported());
    replication::StudyNames names;
    const replication::Selections read = replication::read_selections(csv, names);
    EXPECT_EQ(read.rows.size(), 160U);
    EXPECT_EQ(names.annotators.size(), 2U);
    EXPECT_EQ(names.batches.size(), 4U);
    EXPECT_TRUE(read.has_controls);
    std::size_t controls = 0;
    for (const replication::Selection& row : read.rows) {
        const int number =
            std::stoi(std::filesystem::path(std::string(read.images[row.image])).stem().string());
        EXPECT_EQ(row.selected, number % 2 == 0);
        EXPECT_EQ(row.control, number % 10 == 0);
        controls += row.control ? 1 : 0;
    }
    EXPECT_EQ(controls, 16U);
}

TEST_F(ServiceOfAFolder, EveryAnswerIsWantedWhateverTheMajoritySays) {
    const auto folder = make("item,label\na.jpg,cat\nb.jpg,cat\n", Task::yes_no, 5);
    Service service(folder);
    for (const char* name : {"a", "b", "c", "d", "e", "f"}) {
        const std::int64_t person = service.add_person(name).id;
        for (;;) {
            const Work work = service.work(person, {}, {}, 1);
            if (work.screens.empty()) break;
            const GivenScreen given{work.screens[0].token,
                                    fmt::format("{}-{}", name, work.screens[0].token),
                                    {{work.screens[0].cells[0].question, Answer::yes}}};
            EXPECT_EQ(service.work(person, {given}, {}, 0).taken[0].state, State::recorded);
        }
    }
    EXPECT_EQ(service.status().answers, 10U);
    EXPECT_EQ(*service.status().agreement.value, 1.0);
}

TEST_F(ServiceOfAFolder, AllLabelsOfAnImageAreVotes) {
    const auto folder =
        make("item,label,class\na.jpg,n1,ant\na.jpg,n2,bee\na.jpg,n3,crane\nb.jpg,n1,ant\n",
             Task::labels, 1);
    Service service(folder);
    const std::int64_t anna = service.add_person("anna").id;
    const Work work = service.work(anna, {}, {}, 4);
    ASSERT_EQ(work.screens.size(), 2U);
    const Screen& many = work.screens[work.screens[0].cells.size() == 3 ? 0 : 1];
    ASSERT_EQ(many.labels.size(), 3U);
    GivenScreen given{many.token, "key-00000001", {}};
    for (const Cell& cell : many.cells) {
        const std::string& label = many.labels[cell.label].id;
        given.answers.push_back({cell.question, label == "n1"   ? Answer::yes
                                                : label == "n2" ? Answer::no
                                                                : Answer::cannot_say});
    }
    GivenScreen part = given;
    part.answers.pop_back();
    EXPECT_EQ(service.work(anna, {part}, {}, 0).taken[0].state, State::refused);
    EXPECT_EQ(service.work(anna, {given}, {}, 0).taken[0].state, State::recorded);
    EXPECT_EQ(service.work(anna, {given}, {}, 0).taken[0].state, State::repeated);
    const std::string csv = exported();
    for (const char* row :
         {"a.jpg,n1,ant,anna,yes", "a.jpg,n2,bee,anna,no", "a.jpg,n3,crane,anna,maybe"})
        EXPECT_THAT(csv, testing::HasSubstr(row));
}

TEST_F(ServiceOfAFolder, AGridIsShownWithoutImagesThatCannotBe) {
    const auto folder = make(grid_csv(), Task::grid, 1);
    Service service(folder);
    const std::int64_t anna = service.add_person("anna").id;
    const Screen screen = service.work(anna, {}, {}, 1).screens.at(0);
    const std::map<std::string, int> number = numbers(service, screen);
    service.image_failed(screen.cells[3].question, "it is damaged");
    // The page gets the screen with all images, and omits the one that it cannot show.
    GivenScreen given = click(screen, "key-00000001", number);
    given.answers.erase(given.answers.begin() + 3);
    EXPECT_EQ(service.work(anna, {given}, {}, 0).taken[0].state, State::recorded);
    std::uint64_t cells = 19;
    for (Work work = service.work(anna, {}, {}, 4); !work.screens.empty();
         work = service.work(anna, {}, {}, 4)) {
        for (const Screen& next : work.screens) {
            cells += next.cells.size();
            const auto all = click(next, "key-" + next.token, numbers(service, next));
            service.work(anna, {all}, {}, 0);
        }
    }
    EXPECT_EQ(cells, 79U);
    EXPECT_EQ(service.status().open, 0U);
    EXPECT_EQ(service.status().skipped, 1U);
    // After the image is repaired, only this image has open questions.
    service.retry_images();
    EXPECT_EQ(service.status().skipped, 0U);
    EXPECT_EQ(service.status().open, 1U);
    const Work last = service.work(anna, {}, {}, 4);
    ASSERT_EQ(last.screens.size(), 1U);
    ASSERT_EQ(last.screens[0].cells.size(), 1U);
    EXPECT_EQ(last.screens[0].cells[0].question, screen.cells[3].question);
    const auto only = click(last.screens[0], "key-00000002", numbers(service, last.screens[0]));
    EXPECT_EQ(service.work(anna, {only}, {}, 4).taken[0].state, State::recorded);
    const std::string csv = exported();
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 81);
}

TEST_F(ServiceOfAFolder, PartsOfATrainingGridCannotBeChangedEither) {
    std::string csv = "image,label,answer\n";
    for (int i = 0; i < 40; ++i)
        csv += fmt::format("{:02}.jpg,cat,{}\n", i, i % 2 == 0 ? "yes" : "no");
    const auto folder = make(csv, Task::grid, 3);
    Service service(folder);
    const std::int64_t anna = service.add_person("anna").id;
    const Screen screen = service.work(anna, {}, {}, 1).screens.at(0);
    ASSERT_TRUE(screen.training);
    const auto say = [&](const std::string& key, std::size_t cells, Answer answer) {
        GivenScreen given{screen.token, key, {}};
        for (std::size_t c = 0; c < cells; ++c)
            given.answers.push_back({screen.cells[c].question, answer});
        return service.work(anna, {given}, {}, 0).taken[0];
    };
    EXPECT_EQ(say("key-00000001", 4, Answer::yes).feedback.size(), 4U);
    EXPECT_EQ(say("key-00000002", 20, Answer::no).state, State::refused);
    // Some answers have the key of another delivery.
    EXPECT_EQ(say("key-00000001", 20, Answer::yes).state, State::refused);
    EXPECT_EQ(say("key-00000001", 4, Answer::yes).state, State::repeated);
    EXPECT_EQ(service.status().answers, 4U);
}

TEST_F(ServiceOfAFolder, TheOrganisersSumsAddUp) {
    const auto folder = make(grid_csv(), Task::grid, 1);
    Service service(folder);
    const std::int64_t anna = service.add_person("anna").id;
    const Screen screen = service.work(anna, {}, {}, 1).screens.at(0);
    const auto given = click(screen, "key-00000001", numbers(service, screen));
    service.work(anna, {given}, {}, 0);
    service.image_failed(screen.cells[0].question, "damaged after it was judged");
    const Screen next = service.work(anna, {}, {}, 1).screens.at(0);
    service.image_failed(next.cells[0].question, "damaged");
    const ServiceStatus& status = service.status();
    EXPECT_EQ(status.questions, 80U);
    EXPECT_EQ(status.settled, 20U);
    EXPECT_EQ(status.skipped, 1U);
    EXPECT_EQ(status.open, 59U);
    EXPECT_EQ(status.answers_left, 59U);
    EXPECT_EQ(status.problems.size(), 2U);
}

TEST_F(ServiceOfAFolder, SurvivesBeingKilledInTheMiddle) {
    const auto folder = make(grid_csv(), Task::grid, 1);
    std::string token;
    {
        Service service(folder);
        const std::int64_t anna = service.add_person("anna").id;
        const Screen screen = service.work(anna, {}, {}, 1).screens.at(0);
        token = screen.token;
        service.begin();
        service.work(anna, {click(screen, "key-00000001", numbers(service, screen))}, {}, 0);
        // A killed server leaves a transaction that never ended.
    }
    Service service(folder);
    EXPECT_EQ(service.status().answers, 0U);
    EXPECT_EQ(service.work(1, {}, {}, 1).screens.at(0).token, token);
    EXPECT_THAT(verify_folder(folder).problems, testing::IsEmpty());
}

}  // namespace
}  // namespace assay::labelling
