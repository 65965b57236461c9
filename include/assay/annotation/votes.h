// Votes: annotators' answers to questions "does this label fit this image?".
//
// A question is a (image, label) pair; an annotator answers it with one of K answers, ordered from
// "no" to "yes". Any annotator may skip any question. Images and labels are texts here;
// build_label_sets (aggregate.h) turns labels into classes.
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
    /// The worth of each answer as a vote for the label, in [0, 1]: a / (K - 1), so that a "maybe"
    /// counts half.
    double worth(std::size_t answer) const;
    /// Finds an answer by name (ignoring ASCII case and surrounding blanks), else by number 0..K-1
    /// if no name is a number. -1 if there is none.
    int find(std::string_view text) const;
};
/// Throws usage for fewer than 2 or more than 64 names, an empty or repeated one.
AnswerScale answer_scale(std::vector<std::string> names);

/// Faults in a table of votes: counted by kind, with the first few of each as sentences.
class VoteProblems {
public:
    struct Kind {
        std::string what;  ///< "unknown answer"
        std::uint64_t count = 0;
        std::vector<std::string>
            examples;  ///< "votes.csv line 17: answer `perhaps`; known: no, maybe, yes"
    };
    static constexpr std::size_t most_examples = 5;

    /// `example` is called only while more examples are needed.
    void add(std::string_view what, const std::function<std::string()>& example);
    const std::vector<Kind>& kinds() const noexcept { return kinds_; }
    std::uint64_t count(std::string_view what) const;
    std::uint64_t total() const;

private:
    std::vector<Kind> kinds_;
};

/// Answers by question, in CSR arrays. Memory: 4 bytes per answer and 16 per question, plus each
/// text once.
struct Votes {
    AnswerScale scale;
    StringColumn annotators;
    StringColumn items;                         ///< distinct images, in the order of occurrence
    StringColumn labels;                        ///< distinct labels, in the order of occurrence
    std::vector<std::uint32_t> question_item;   ///< Q positions in `items`
    std::vector<std::uint32_t> question_label;  ///< Q positions in `labels`
    std::vector<std::uint64_t>
        begin;  ///< Q + 1: answers of question q are codes[begin[q], begin[q + 1])
    std::vector<std::uint32_t> codes;  ///< annotator * K + answer, ascending within a question
    std::uint64_t read =
        0;  ///< votes in the file; codes.size() of them are kept, and `problems` lists the others
    std::uint64_t repeated = 0;  ///< votes by an annotator who had answered that question before
    std::uint64_t pooled =
        0;  ///< questions that were asked before under other names, and are merged with those
    /// Each annotator said which class an image shows. Such a vote is stored as a yes to its class,
    /// and a no to every other class that somebody chose for the image.
    bool which_class = false;
    std::uint64_t implied = 0;       ///< answers of no that follow from a yes to another class
    std::vector<std::string> notes;  ///< the interpretation of columns, and ignored data
    VoteProblems problems;

    std::uint64_t used() const noexcept { return codes.size() - implied; }
    std::size_t answers() const noexcept { return scale.names.size(); }
    std::size_t questions() const noexcept { return question_item.size(); }
    std::span<const std::uint32_t> of(std::size_t question) const {
        return std::span(codes).subspan(begin[question], begin[question + 1] - begin[question]);
    }
};

/// The treatment of an annotator's second answer to a question.
enum class Repeats {
    first,  ///< the first one counts (an annotator who sees a question again is not a second
            ///< annotator)
    last,   ///< the last one counts
    all,    ///< all count, as for the patients of Dawid and Skene (1979), who were asked several
            ///< times
    refuse  ///< an error
};
/// Reads "first", "last", "all" or "error". Throws usage.
Repeats repeats_named(std::string_view name);

/// Says which texts mean the same. Each text of Votes::items and Votes::labels has a number.
/// Texts with the same number >= 0 name one image (or label); a negative number means "no other
/// name".
struct VoteMeanings {
    std::vector<std::int64_t> items, labels;
};
/// Called once, after reading everything: `texts` has its items, labels and questions, but no
/// answers yet.
using MeaningsOf = std::function<VoteMeanings(const Votes& texts)>;

struct VotesOptions {
    AnswerScale scale{};
    Repeats repeats = Repeats::first;
    std::vector<std::string> annotators{};  ///< the known annotators; empty accepts all
    int threads = 0;                        ///< 0 means one per core; it does not affect results
    MeaningsOf meanings{};                  ///< if unset, no two texts mean the same
};

/// Reads votes:
///
/// - Texts (.csv, .tsv, .json, .jsonl, .manifest, .xml): every layout of data/crowd/crowd.h.
///   Answers are names of the scale or numbers. If the scale is no, maybe, yes, also y, true,
///   unsure and the like are accepted. With that scale, answers that are all 0 or 1 mean no and
///   yes. For which-class votes, see Votes::which_class.
///
/// - .npz as ReaL publishes it. `tensor` (annotators x questions x answers, any number type) holds
///   how often an annotator gave an answer, 0 or 1. Counts above 1 have no order, so `repeats` does
///   not apply to them, and all count. `info` (questions x 2 texts) holds image and label. `ids`
///   holds the annotators, as numbers or texts. If it is absent, they are 0, 1, ...
///
/// Votes of unknown annotators, with unknown answers, or without an annotator, image or label are
/// counted and listed in `problems`. Repeated votes are, too. A question that is repeated in
/// `info`, or has several names with one meaning, is one question. An annotator's second answer to
/// it counts as repeated. A file that is not of this form throws bad_input with the place. Examples
/// are columns, arrays, shapes or number types that do not fit, fractions or negative numbers as
/// counts, and damaged archives. Cost: one read; 925,000 votes in a .npz of 419 MB unpacked take
/// about 0.9 s.
Votes read_votes(const std::filesystem::path& path, const VotesOptions& options = {});

/// For votes from other sources: add one vote at a time, then call build().
class VotesBuilder {
public:
    explicit VotesBuilder(AnswerScale scale);
    ~VotesBuilder();
    VotesBuilder(VotesBuilder&&) noexcept;

    /// The number of a text; a new text gets the next one. Throws bad_input beyond 2^31 texts.
    std::uint32_t annotator(std::string_view name);
    std::uint32_t question(std::string_view item, std::string_view label);
    /// annotator and question are numbers from above; answer < K. `further` means one more class of
    /// the item that the annotator chose together with the previous one.
    void add(std::uint32_t annotator, std::uint32_t question, std::uint32_t answer,
             bool further = false);
    VoteProblems& problems();
    /// `source` is the file's name in messages. Throws bad_input with Repeats::refuse. The builder
    /// is empty afterwards.
    Votes build(Repeats repeats, std::string_view source, const MeaningsOf& meanings = {});
    /// For which-class votes: the added answers are the last answer ("yes") to the classes that
    /// annotators chose. If some chose several, Votes::which_class is false, and each class is
    /// decided separately. Throws bad_input if more than 10^8 answers follow.
    Votes build_classes(Repeats repeats, std::string_view source, const MeaningsOf& meanings = {});
    /// Replaces the answer `from` by `to` in all votes added so far.
    void replace_answer(std::uint32_t from, std::uint32_t to);
    std::size_t votes() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace assay
