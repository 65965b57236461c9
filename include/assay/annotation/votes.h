// Votes: annotators' answers to questions "does this label fit this image?".
//
// A question is a (image, label) pair; an annotator answers it with one of K answers, which stand
// in an order from "no" to "yes". Any annotator may leave any question out. Images and labels are
// texts here; build_label_sets (aggregate.h) turns labels into classes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/data/dataset.h"

namespace assay {

/// The K answers that annotators may give, from "no" (first) to "yes" (last).
struct AnswerScale {
    std::vector<std::string> names = {"no", "maybe", "yes"};
    /// What each answer is worth as a vote for the label, in [0, 1]: a / (K - 1), so that a "maybe"
    /// counts half.
    double worth(std::size_t answer) const;
    /// By name (ASCII case and blanks around do not matter), else by number 0..K-1 where no name is
    /// a number. -1: none.
    int find(std::string_view text) const;
};
/// Throws usage: fewer than 2 or more than 64 names, an empty one, one twice.
AnswerScale answer_scale(std::vector<std::string> names);

/// What a table of votes holds although it should not: counted by kind, the first few of each kept
/// as sentences.
class VoteProblems {
public:
    struct Kind {
        std::string what;  ///< "unknown answer"
        std::uint64_t count = 0;
        std::vector<std::string>
            examples;  ///< "votes.csv line 17: answer `perhaps`; known: no, maybe, yes"
    };
    static constexpr std::size_t most_examples = 5;

    /// `example` is called only while there is room for one more.
    void add(std::string_view what, const std::function<std::string()>& example);
    const std::vector<Kind>& kinds() const noexcept { return kinds_; }
    std::uint64_t count(std::string_view what) const;
    std::uint64_t total() const;

private:
    std::vector<Kind> kinds_;
};

/// Answers by question, in CSR arrays. Memory: 4 bytes per answer and 16 per question, and the
/// texts once each.
struct Votes {
    AnswerScale scale;
    StringColumn annotators;
    StringColumn items;                        ///< distinct images, in the order in which they come
    StringColumn labels;                       ///< distinct labels, likewise
    std::vector<std::uint32_t> question_item;  ///< Q indices into items
    std::vector<std::uint32_t> question_label;  ///< Q indices into labels
    std::vector<std::uint64_t>
        begin;  ///< Q + 1: answers of question q are codes[begin[q], begin[q + 1])
    std::vector<std::uint32_t> codes;  ///< annotator * K + answer, ascending within a question
    std::uint64_t read =
        0;  ///< votes in the file; codes.size() of them are kept, the rest is in `problems`
    std::uint64_t repeated = 0;  ///< votes of an annotator who had answered that question before
    std::uint64_t pooled =
        0;  ///< questions that were asked before under other names, and are one with those
    /// Annotators said which class an image shows, one each. Such a vote is kept as a yes to its
    /// class and a no to every other class that somebody chose for the image.
    bool which_class = false;
    std::uint64_t implied = 0;       ///< of codes: the answers no that follow from another class
    std::vector<std::string> notes;  ///< what was taken for what, and what was not counted
    VoteProblems problems;

    std::uint64_t used() const noexcept { return codes.size() - implied; }
    std::size_t answers() const noexcept { return scale.names.size(); }
    std::size_t questions() const noexcept { return question_item.size(); }
    std::span<const std::uint32_t> of(std::size_t question) const {
        return std::span(codes).subspan(begin[question], begin[question + 1] - begin[question]);
    }
};

/// What becomes of the second answer of one annotator to one question.
enum class Repeats {
    first,  ///< the first one counts (an annotator who sees a question again is no second
            ///< annotator)
    last,   ///< the last one counts
    all,    ///< all count, as the patients of Dawid and Skene (1979) were asked several times
    refuse  ///< an error
};
/// "first", "last", "all", "error". Throws usage.
Repeats repeats_named(std::string_view name);

/// Which texts mean the same: one number for each of Votes::items and Votes::labels. Texts of one
/// number >= 0 are one image (or label) under several names; a negative one stands for itself.
struct VoteMeanings {
    std::vector<std::int64_t> items, labels;
};
/// Called once, when all is read: `texts` has its items, labels and questions, and no answers yet.
using MeaningsOf = std::function<VoteMeanings(const Votes& texts)>;

struct VotesOptions {
    AnswerScale scale{};
    Repeats repeats = Repeats::first;
    std::vector<std::string> annotators{};  ///< the annotators that are known; empty: all are
    int threads = 0;                        ///< 0: one per core; the result does not depend on it
    MeaningsOf meanings{};                  ///< unset: every text stands for itself
};

/// Reads votes:
///  - texts (.csv, .tsv, .json, .jsonl, .manifest, .xml): every layout of data/crowd/crowd.h.
///    Answers are names of the scale or numbers; where it is no, maybe, yes, also y, true, unsure
///    and the like, and answers that are only 0 and 1 are no and yes. Which-class votes: see
///    Votes::which_class;
///  - .npz as ReaL publishes it: `tensor` of annotators x questions x answers, any number type,
///    holding how often an annotator gave an answer (0 or 1; `repeats` does not apply to counts
///    above 1: they say no order, and all count); `info` of questions x 2 texts (image, label);
///    `ids` of annotators (numbers or texts; absent: 0, 1, ...).
/// Votes of unknown annotators, with unknown answers, without an annotator, image or label, and
/// repeated ones are counted and listed in `problems`; a question that stands twice in `info`, or
/// under several names of one meaning, is one question, and what an annotator says of it twice is
/// repeated. A file that is not of this form (columns, arrays, shapes or number types that do not
/// fit, fractions or negative numbers as counts, damaged archives) throws bad_input with the place.
/// Cost: one read; 925,000 votes in a .npz of 419 MB unpacked take about 0.9 s.
Votes read_votes(const std::filesystem::path& path, const VotesOptions& options = {});

/// For votes that come from elsewhere: one vote at a time, then build().
class VotesBuilder {
public:
    explicit VotesBuilder(AnswerScale scale);
    ~VotesBuilder();
    VotesBuilder(VotesBuilder&&) noexcept;

    /// Numbers of texts, given on first sight. Throws bad_input beyond 2^31 of a kind.
    std::uint32_t annotator(std::string_view name);
    std::uint32_t question(std::string_view item, std::string_view label);
    /// annotator and question from above, answer < K. `further`: one more class of the item that
    /// the annotator chose with the one that was added before.
    void add(std::uint32_t annotator, std::uint32_t question, std::uint32_t answer,
             bool further = false);
    VoteProblems& problems();
    /// `source` names the file in messages. Throws bad_input with Repeats::refuse. The builder is
    /// empty afterwards.
    Votes build(Repeats repeats, std::string_view source, const MeaningsOf& meanings = {});
    /// Which-class votes: what was added are the last answers ("yes") to the classes that
    /// annotators chose. If some chose several, Votes::which_class is false: each class is settled
    /// by itself. Throws bad_input: more than 10^8 answers follow from them.
    Votes build_classes(Repeats repeats, std::string_view source, const MeaningsOf& meanings = {});
    /// So far, `to` was meant where `from` was added.
    void replace_answer(std::uint32_t from, std::uint32_t to);
    std::size_t votes() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace assay
