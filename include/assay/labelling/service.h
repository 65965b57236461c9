// A running labeling study: decides who may answer and who is asked what next, stores answers as
// they arrive, and reports to the organizer. It has no network code: assay::serve provides HTTP.
//
// Answers that arrive together are one transaction. Results of calls between begin() and commit()
// must not be sent before commit() has returned. After a failure the service returns to the state
// of the files.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/estimate.h"
#include "assay/labelling/task.h"
#include "assay/study/person.h"

namespace assay::labelling {

struct ServiceOptions {
    /// The number of training questions: everybody first answers these questions with known
    /// answers, and then sees the answer. At most half of those that exist are used. Their answers
    /// count like any others, because they are given before the feedback. 0 means no training.
    std::uint32_t training = 5;
    /// The number of screens that one person holds at a time, including the visible one.
    std::uint32_t ahead = 4;
    /// After this time without activity, the screens that a person holds are released.
    std::chrono::seconds lease{15 * 60};
    /// For a competition, as in FolderOptions::definitions.
    std::filesystem::path definitions;
    /// For a competition: tags that the page suggests first.
    std::vector<std::string> tags;
    /// Returns seconds since some moment, for tests; if empty, a steady clock is used.
    std::function<double()> clock;
};

using study::Person;

struct Cell {
    std::string question;     ///< token, which also identifies its image
    std::uint32_t label = 0;  ///< index into Screen::labels
};
struct Screen {
    std::string token;  ///< names it
    bool training = false;
    std::vector<LabelText> labels;
    std::vector<Cell> cells;
    /// This person's earlier answers, if the screen is shown again: one per cell, or empty.
    std::vector<Answer> said;
    std::vector<std::string> tags;  ///< of these answers
};

/// A person's answers to a screen.
struct GivenScreen {
    std::string screen;
    std::string key;  ///< 8 to 64 letters, digits and -; a repeated delivery has the same key
    /// Every question of the screen, once. For a grid, those whose images could be shown.
    std::vector<std::pair<std::string, Answer>> answers;
    /// For a competition: words that the person adds, such as why classifiers fail on the image.
    std::vector<std::string> tags = {};
};
/// A key: 8 to 64 letters, digits and -.
bool is_answer_key(std::string_view key);

struct Feedback {
    std::string question;
    Answer known = Answer::no;
    bool correct = false;
};
struct TakenScreen {
    enum class State : std::uint8_t {
        recorded,
        repeated,  ///< the same key with the same answers arrived before
        refused,   ///< for the reason in `message`; nothing of it is stored, and repeating it will
                   ///< not help
    };
    std::string key;
    State state = State::recorded;
    std::string message;
    std::vector<Feedback> feedback;  ///< feedback for training screens
};

struct Work {
    enum class State : std::uint8_t {
        work,
        paused,   ///< paused by the organizer; answers are still accepted
        nothing,  ///< no question is left for this person now
    };
    State state = State::work;
    std::vector<TakenScreen> taken;  ///< one for each given screen, in order
    std::vector<Screen> screens;     ///< further screens, in the order of asking
    /// The numbers of screens that this person has answered, and could still be asked.
    std::uint64_t answered = 0, left = 0;
    std::uint32_t training = 0, training_done = 0;
};

/// The first data that a page requests.
struct Welcome {
    std::string study;  ///< unique to this folder, but reveals nothing about it
    std::string title;
    std::string name;
    Task task = Task::yes_no;
    std::uint32_t ahead = 0;
    std::uint32_t training = 0, training_done = 0;
    bool paused = false;
    /// Tags to suggest: those of ServiceOptions, and then those of the answers so far, the most
    /// used first. Nothing if this study takes no tags.
    std::optional<std::vector<std::string>> tags;
};

struct PersonStatus {
    std::int64_t id = 0;  ///< id of the person; 0 for an annotator without a link
    std::string name;
    bool revoked = false, blocked = false;
    bool here = false;  ///< was active in the last two minutes
    std::uint64_t answers = 0, yes = 0, cannot_say = 0;
    std::uint64_t holding = 0;                 ///< screens
    std::optional<double> seconds_per_screen;  ///< median, without breaks of five minutes or more
    Estimate gold;                             ///< proportion of known answers given correctly
    Estimate agreement;                        ///< with the majority of other annotators, if any
    std::vector<std::string> findings;         ///< evidence against the annotator
};
struct ImageProblem {
    std::string question;  ///< token
    std::string image;     ///< id
    std::string path;
    std::string why;
};
struct ServiceStatus {
    std::string title;
    Task task = Task::yes_no;
    std::string folder;
    /// Counts of questions that are asked: settled (or with all answers), open, or skipped because
    /// an image is missing.
    std::uint64_t questions = 0, settled = 0, open = 0, skipped = 0;
    std::uint64_t known = 0;      ///< number of known `questions`
    std::uint64_t untouched = 0;  ///< `open` questions without a counting answer
    std::uint64_t unclear = 0;    ///< `settled` questions that people cannot judge
    std::uint64_t answers = 0;
    /// The smallest number of answers until nothing is open, and the hours that people like the
    /// current ones need for them.
    std::uint64_t answers_left = 0;
    std::optional<double> hours_left;
    /// The proportion of agreeing pairs of answers to a question, averaged over questions.
    Estimate agreement;
    bool paused = false;
    std::vector<PersonStatus> people;
    std::vector<ImageProblem> problems;  ///< the first hundred
    std::vector<std::string> outlook;    ///< sentences about the results so far and the next steps
    std::vector<std::string> warnings;
    double seconds_old = 0;  ///< age of these numbers in seconds
};

/// Not thread-safe: use one thread at a time.
class Service {
public:
    /// `folder` is a competition or a folder of questions. Only one service at a time can open it.
    /// Throws bad_input for another kind of folder, a damaged one, or one without questions. Throws
    /// busy if another server has it open; io.
    explicit Service(const std::filesystem::path& folder, const ServiceOptions& options = {});
    ~Service();
    Service(Service&&) noexcept;

    // ---- people ----
    /// A known person keeps their link. Throws usage for a name that is empty, has more than 200
    /// bytes or control characters.
    Person add_person(std::string_view name);
    std::vector<Person> people() const;
    /// The person with this token. Nothing if nobody has it, or if it was revoked (then `revoked`
    /// is set). The time does not depend on the token.
    std::optional<std::int64_t> person_of(std::string_view token, bool* revoked = nullptr) const;
    /// Replaces the person's link, which becomes invalid. Throws usage for an unknown person.
    Person new_link(std::int64_t person);
    void revoke(std::int64_t person, bool revoked);
    /// Excludes an annotator's answers from all results, or includes them again. They stay stored.
    void block(std::string_view name, bool blocked, std::string_view reason);

    // ---- work ----
    Welcome welcome(std::int64_t person) const;
    /// Accepts given screens in order, and returns further ones. `holding` are the tokens of
    /// screens that the page has and has not answered; these stay reserved, and others that the
    /// person held are released.
    Work work(std::int64_t person, const std::vector<GivenScreen>& given,
              const std::vector<std::string>& holding, std::uint32_t wanted);
    /// A screen that this person answered before, for review and correction. Nothing for any other
    /// screen, and for a training screen.
    std::optional<Screen> answered(std::int64_t person, std::string_view screen) const;
    /// The image file of a question that this person was ever given (organizer: 0, any question).
    /// Nothing if they may not see it.
    std::optional<std::filesystem::path> image_of(std::int64_t person,
                                                  std::string_view question) const;
    /// Reports an image that cannot be shown. Its questions are not asked until retry_images().
    void image_failed(std::string_view question, std::string_view why);
    void retry_images();

    // ---- the organiser ----
    void pause(bool paused);
    /// Cost: reads all answers. The result is cached until something changes.
    const ServiceStatus& status();
    /// The answers so far, for the reader of this task (for competitions, as `assay mad answers`
    /// reads it).
    std::string answers_csv() const;

    // ---- transactions ----
    void begin();
    /// Returns whether there were answers or annotators to write. Throws io, busy: then nothing is
    /// stored, and the service has read the files again.
    bool commit();
    /// Call it instead of commit() after an exception. Nothing is stored.
    void abandon();
    /// Reads the changes of other programs; cheap if there are none.
    void refresh();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace assay::labelling
