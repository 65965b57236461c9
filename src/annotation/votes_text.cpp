// Reads votes in text files from any tool.
#include <fmt/format.h>

#include <unordered_set>

#include "annotation/votes_readers.h"
#include "assay/error.h"
#include "core/file.h"
#include "core/refuse.h"
#include "core/text.h"
#include "data/crowd/crowd.h"

namespace assay {
namespace {

/// Maps the texts of a file to the scale's answers.
class Answers {
public:
    explicit Answers(const AnswerScale& scale)
        : scale_(scale), words_(scale.names == AnswerScale().names) {}

    /// -1 means none.
    int find(std::string_view text) {
        std::uint64_t number = 0;
        if (text.ends_with(".0") && parse_number(text.substr(0, text.size() - 2), number))
            text.remove_suffix(2);  // pandas writes integers as 1.0 if a column has empty cells
        int found = scale_.find(text);
        if (found < 0 && words_) {
            if (const auto said = crowd::said_by(text))
                found = *said == crowd::Said::no ? 0 : *said == crowd::Said::yes ? 2 : 1;
        }
        zero_or_one_ = zero_or_one_ && (found < 0 || text == "0" || text == "1");
        if (found >= 0 && words_) note_form(text);
        return found;
    }
    /// A word among the answers that makes 1 ambiguous, or "". With a 2 among the answers, 1 is not
    /// ambiguous.
    std::string_view word_beside_one() const {
        return one_ && !two_ ? std::string_view(first_word_) : std::string_view();
    }
    /// True if 1 means the last of two answers, and not the second of three.
    bool only_zero_and_one() const { return words_ && zero_or_one_; }

private:
    void note_form(std::string_view text) {
        if (text == "1") {
            one_ = true;
        } else if (text == "2") {
            two_ = true;
        } else if (text != "0" && first_word_.empty()) {
            first_word_ = text;
        }
    }

    const AnswerScale& scale_;
    bool words_;  ///< the answers are no, maybe, yes, so synonyms are known
    bool zero_or_one_ = true, one_ = false, two_ = false;
    std::string first_word_;
};

class TextVotes {
public:
    TextVotes(const std::string& source, const VotesOptions& options)
        : source_(source),
          options_(options),
          known_(options.annotators.begin(), options.annotators.end()),
          answers_(options.scale),
          builder_(options.scale) {}

    Votes read(std::string_view text) {
        const crowd::Sink sink{.take = [this](const crowd::Vote& vote,
                                              const crowd::Where& where) { take(vote, where); },
                               .problem =
                                   [this](std::string_view kind, const crowd::Where& message) {
                                       ++rows_;
                                       builder_.problems().add(kind, message);
                                   }};
        crowd::Reading reading = crowd::read_votes(text, source_, sink);
        const std::uint64_t unknown = builder_.problems().count("unknown answer");
        if (unknown > 0 && builder_.votes() == 0) {
            refuse(
                fmt::format("{}: none of {} is known (the first is `{}`); allowed: "
                            "{}. --answers LIST names others, from no to yes",
                            source_, how_many(unknown, "answer"), first_unknown_,
                            fmt::join(options_.scale.names, ", ")));
        }
        if (const std::string_view word = answers_.word_beside_one();
            !reading.which_class && !word.empty()) {
            refuse(fmt::format(
                "{}: some answers are words (`{}`) and some are the number 1, which may mean yes "
                "or maybe. If it means yes, pass --answers no,yes; otherwise replace it by `maybe`",
                source_, shortened(word)));
        }
        if (!reading.which_class && builder_.votes() > 0 && answers_.only_zero_and_one()) {
            builder_.replace_answer(1, 2);
            reading.notes.push_back(
                fmt::format("{}: all answers are 0 or 1 and are read as no and yes (--answers "
                            "no,maybe: as no and maybe)",
                            source_));
        }
        Votes votes = reading.which_class
                          ? builder_.build_classes(options_.repeats, source_, options_.meanings)
                          : builder_.build(options_.repeats, source_, options_.meanings);
        votes.read = rows_;
        if (with_several_ > 0) {
            reading.notes.push_back(fmt::format(
                "{}: {} chose several classes. Each is a yes to these and a no to the other "
                "classes chosen for the image",
                source_, how_many(with_several_, "answer")));
        }
        votes.notes = std::move(reading.notes);
        return votes;
    }

private:
    void problem(std::string_view kind, const crowd::Where& where,
                 const std::function<std::string()>& message) {
        // The message is built only while examples are needed, because a table may have a million
        // bad rows.
        builder_.problems().add(kind, [&] { return fmt::format("{}: {}", where(), message()); });
    }

    void take(const crowd::Vote& vote, const crowd::Where& where) {
        with_several_ += vote.further && !further_ ? 1U : 0U;
        further_ = vote.further;
        ++rows_;
        const bool which_class = vote.label.empty();
        if (vote.annotator.empty() || vote.item.empty()) {
            problem("vote without an annotator, image or label", where,
                    [&] { return vote.annotator.empty() ? "no annotator" : "no image"; });
            return;
        }
        if (!known_.empty() && known_.find(std::string(vote.annotator)) == known_.end()) {
            problem("unknown annotator", where, [&] {
                return fmt::format("annotator `{}`{}", shortened(vote.annotator),
                                   suggest(shortened(vote.annotator), options_.annotators));
            });
            return;
        }
        const int found = which_class ? static_cast<int>(options_.scale.names.size()) - 1
                                      : answers_.find(vote.answer);
        if (found < 0) {
            if (first_unknown_.empty()) first_unknown_ = shortened(vote.answer);
            problem("unknown answer", where, [&] {
                return vote.answer.empty()
                           ? std::string("no answer")
                           : fmt::format("answer `{}`{}", shortened(vote.answer),
                                         suggest(shortened(vote.answer), options_.scale.names));
            });
            return;
        }
        const std::uint32_t annotator = builder_.annotator(vote.annotator);
        const std::string_view label = which_class ? vote.answer : vote.label;
        const std::uint32_t question =
            vote.item.find("/data/") == std::string_view::npos
                ? builder_.question(vote.item, label)
                : builder_.question(crowd::image_of_address(vote.item), label);
        builder_.add(annotator, question, static_cast<std::uint32_t>(found), vote.further);
    }

    const std::string& source_;
    const VotesOptions& options_;
    std::unordered_set<std::string> known_;
    Answers answers_;
    VotesBuilder builder_;
    std::uint64_t rows_ = 0, with_several_ = 0;
    bool further_ = false;  ///< true if the vote belongs to the previous one
    std::string first_unknown_;
};

}  // namespace

Votes read_votes_text(std::string_view text, const std::string& source,
                      const VotesOptions& options) {
    return TextVotes(source, options).read(text);
}

}  // namespace assay
