// Tests which files `assay serve` leaves if it fails, and its exit status.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <optional>

#include "core/file.h"
#include "program.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Serve : public testing::Test {
protected:
    Serve() {
        write_file_atomically(questions(), "item,label\na.png,cat\nb.png,cat\n");
        fs::create_directory(scratch_ / "elsewhere");
    }
    std::string questions() const { return scratch_ / "q.csv"; }
    std::string study() const { return scratch_ / "q-study"; }

    Scratch scratch_;
};

/// Starts `assay serve`, and waits until it reports that it runs. It prints the links before.
class Served {
public:
    explicit Served(std::vector<std::string> words) {
        words.insert(words.begin(), {ASSAY_PROGRAM, "serve", "--port", "0"});
        if (::pipe(ends_) != 0) throw std::runtime_error("no pipe");
        program_.emplace(words, std::vector<std::string>{}, ends_[1]);
        ::close(ends_[1]);
        EXPECT_TRUE(program_->runs_until([&] {
            return program_->err().find("Ctrl-C stops it") != std::string::npos;
        })) << program_->err();
    }
    ~Served() { ::close(ends_[0]); }
    Outcome stop() {
        ::kill(program_->pid(), SIGINT);
        return program_->wait();
    }

private:
    int ends_[2] = {};
    std::optional<Program> program_;
};

TEST_F(Serve, OptionsOfTheServerAreJudgedBeforeAFolderIsMade) {
    for (const std::vector<std::string>& wrong :
         std::vector<std::vector<std::string>>{{"--host", "9.9.9.9"},
                                               {"--connections", "0"},
                                               {"--strings", questions()},
                                               {"--url", "labels.example.org"},
                                               {"--votes", "0"}}) {
        std::vector<std::string> words = {"serve", "--questions", questions(), "--port", "0"};
        words.insert(words.end(), wrong.begin(), wrong.end());
        EXPECT_EQ(assay_run(words).status, 2) << wrong[0];
        EXPECT_FALSE(fs::exists(study())) << wrong[0];
    }
}

TEST_F(Serve, AStudyThatAnotherServesStaysAsItIs) {
    Served first({"--questions", questions(), "--images", scratch_ / "elsewhere"});
    const Outcome second =
        assay_run({"serve", study(), "--images", scratch_.path(), "--port", "0"});
    EXPECT_EQ(second.status, 2);
    EXPECT_THAT(second.err, HasSubstr("in use"));
    EXPECT_THAT(second.err, HasSubstr("serving"));
    const Outcome ended = first.stop();
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("next: assay labels export"));
    // No image exists, and a warning says where the program looks for images.
    const std::string place = "start at " + (scratch_ / "elsewhere").string();
    EXPECT_THAT(Served({study()}).stop().err, HasSubstr(place));
    const Outcome moved = Served({study(), "--images", scratch_.path()}).stop();
    EXPECT_EQ(moved.status, 0);
    EXPECT_THAT(moved.err, testing::Not(HasSubstr(place)));
}

TEST_F(Serve, AnswersThatCannotBeReadAtTheEndAreAFailure) {
    Served server({"--questions", questions()});
    fs::remove_all(study());
    const Outcome ended = server.stop();
    EXPECT_EQ(ended.status, 2);
    EXPECT_THAT(ended.err, HasSubstr("the answers cannot be counted right now"));
}

TEST_F(Serve, WarnsOfANetworkThatOthersReach) {
    Served alone({"--questions", questions(), "--host", "0:0:0:0:0:0:0:1", "--url",
                  "HTTPS://labels.example.org"});
    EXPECT_THAT(alone.stop().err, testing::Not(HasSubstr("others can reach")));
    Served open({study(), "--host", "0.0.0.0", "--url", "https://labels.example.org"});
    EXPECT_THAT(open.stop().err, HasSubstr("--host 127.0.0.1"));
}

}  // namespace
}  // namespace assay
