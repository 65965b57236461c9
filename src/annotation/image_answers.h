// Files of votes as counts: what people answered about each image of a data set.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "annotation/item_finder.h"
#include "assay/data/dataset.h"

namespace assay {

/// Answers about one class of an image.
struct ClassAnswers {
    std::uint64_t yes = 0, no = 0, cannot = 0;
    std::uint64_t all() const { return yes + no + cannot; }
    /// True if at least four fifths could not say.
    bool cannot_be_said() const { return all() > 0 && 5 * cannot >= 4 * all(); }
};

/// Answers about one image.
class ImageAnswers {
public:
    /// Answers about this class. Each person who named another class answered no to it.
    ClassAnswers about(std::int32_t cls) const;
    /// Known classes that some answer is about, ascending.
    std::vector<std::int32_t> classes() const;
    /// Number of people who each named the class of the image.
    std::uint64_t choosers() const noexcept { return choosers_; }
    /// Number of answers that about_others() of the reader does not count. It includes choices of
    /// unknown classes, because they are answers of no to the known ones.
    std::uint64_t answers() const noexcept { return answers_; }

private:
    friend class ImageAnswerReader;
    struct Counts {
        ClassAnswers asked;
        std::uint64_t chosen = 0;  ///< answers by people who each named the class of the image
    };
    std::map<std::int32_t, Counts> classes_;
    std::uint64_t choosers_ = 0, answers_ = 0;
};

/// Reads any number of files of votes. The data set must outlive it.
class ImageAnswerReader {
public:
    /// `classes` is the number of classes if the data set does not name them. Numbers above the
    /// last class are no classes.
    ImageAnswerReader(const Dataset& dataset, std::uint32_t classes);

    /// Adds the answers of a file. Texts that mean the same image or class are merged. Throws as
    /// read_votes(), and bad_input if no label of the file is a class.
    void add(const std::filesystem::path& file, int threads);

    const std::map<std::uint64_t, ImageAnswers>& images() const noexcept { return images_; }
    /// Number of answers about other images, and to questions about unknown classes.
    std::uint64_t about_others() const noexcept { return about_others_; }
    const std::vector<std::string>& notes() const noexcept { return notes_; }

private:
    std::int32_t class_of(std::string_view text) const;

    const Dataset& dataset_;
    const std::uint32_t number_of_classes_;
    ItemFinder finder_;
    std::map<std::uint64_t, ImageAnswers> images_;
    std::uint64_t about_others_ = 0;
    std::vector<std::string> notes_;
};

}  // namespace assay
