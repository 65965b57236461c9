// ReaL's layout: a dense array of annotators x questions x answers that is almost entirely 0.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <unordered_set>

#include "annotation/votes_readers.h"
#include "assay/error.h"
#include "containers/npy_stream.h"
#include "containers/zip.h"
#include "core/file.h"
#include "core/parallel.h"
#include "core/refuse.h"
#include "core/text.h"
#include "data/crowd/crowd.h"

namespace assay {
namespace {

constexpr std::int64_t most_count = 255;
constexpr std::uint64_t most_annotators = 1'000'000;
constexpr std::uint64_t most_votes =
    100'000'000;  // limit for a small file that unpacks to a huge one: 1.6 GB
constexpr std::uint32_t no_question = UINT32_MAX;

/// The position of the first nonzero byte from `at` on, or the size. Almost all bytes are zero.
std::size_t next_nonzero(std::span<const std::byte> bytes, std::size_t at) {
    while (at + 64 <= bytes.size()) {
        std::array<std::uint64_t, 8> words;
        std::memcpy(words.data(), bytes.data() + at, 64);
        const std::uint64_t any =
            words[0] | words[1] | words[2] | words[3] | words[4] | words[5] | words[6] | words[7];
        if (any != 0) break;
        at += 64;
    }
    while (at < bytes.size() && bytes[at] == std::byte{0}) ++at;
    return at;
}

struct Tensor {
    std::uint64_t annotators = 0, questions = 0, answers = 0;
    struct Cell {
        std::uint32_t annotator, question;
        std::uint8_t answer, count;
    };
    std::vector<Cell> cells;  ///< by annotator, question, answer (reversed in a Fortran array)
    std::uint64_t votes = 0;
};

class TensorReader {
public:
    TensorReader(Tensor& out, const AnswerScale& scale) : out_(out), scale_(scale) {}

    void header(const ArrayHeader& header) {
        const auto& shape = header.view.shape;
        if (header.text.width > 0)
            refuse("array `tensor` contains text; expected numbers of votes");
        if (shape.size() != 3) {
            refuse(fmt::format(
                "array `tensor` has shape {}; expected (annotators, questions, answers)",
                header.view.shape_text()));
        }
        if (shape[2] != scale_.names.size()) {
            refuse(
                fmt::format("array `tensor` has {} answers (shape {}), the scale has {} ({}): name "
                            "them with --answers",
                            shape[2], header.view.shape_text(), scale_.names.size(),
                            fmt::join(scale_.names, ", ")));
        }
        // Each factor is checked separately, because a zero factor hides the others in the product.
        if (shape[0] > most_annotators || shape[1] > most_votes) {
            refuse(fmt::format(
                "array `tensor` has shape {}; at most {} annotators and {} questions are read",
                header.view.shape_text(), most_annotators, most_votes));
        }
        out_.annotators = shape[0];
        out_.questions = shape[1];
        out_.answers = shape[2];
        type_ = header.view.type();
        size_ = header.element_bytes();
        fortran_ = header.view.fortran;
    }

    void elements(std::uint64_t first, std::span<const std::byte> bytes) {
        for (std::size_t at = next_nonzero(bytes, 0); at < bytes.size();
             at = next_nonzero(bytes, at)) {
            const std::size_t index = at / size_;
            add(first + index, NumberSpan{type_, 1, bytes.subspan(index * size_, size_)});
            at = (index + 1) * size_;
        }
    }

private:
    void add(std::uint64_t index, const NumberSpan& value) {
        std::uint64_t annotator = 0, question = 0, answer = 0;
        if (fortran_) {
            annotator = index % out_.annotators;
            question = index / out_.annotators % out_.questions;
            answer = index / out_.annotators / out_.questions;
        } else {
            answer = index % out_.answers;
            question = index / out_.answers % out_.questions;
            annotator = index / out_.answers / out_.questions;
        }
        const double number = value.number(0);
        if (number == 0) return;  // -0.0
        if (!(number >= 1 && number <= most_count) || number != std::floor(number)) {
            refuse(fmt::format(
                "array `tensor`: element ({}, {}, {}) is {}; a number of votes is 0 to {}",
                annotator, question, answer, number, most_count));
        }
        const auto count = static_cast<std::uint8_t>(number);
        out_.votes += count;
        if (out_.votes >= most_votes) refuse("array `tensor` holds more than 100,000,000 votes");
        out_.cells.push_back({static_cast<std::uint32_t>(annotator),
                              static_cast<std::uint32_t>(question),
                              static_cast<std::uint8_t>(answer), count});
    }

    Tensor& out_;
    const AnswerScale& scale_;
    NumberType type_ = NumberType::f8;
    std::size_t size_ = 8;
    bool fortran_ = false;
};

/// The question number of each row of `info`.
struct Info {
    std::uint64_t rows = 0;
    std::vector<std::uint32_t> question;  ///< no_question: the row lacks an image or a label
};

class InfoReader {
public:
    InfoReader(Info& out, VotesBuilder& builder, VoteProblems& problems)
        : out_(out), builder_(builder), problems_(problems) {}

    void header(const ArrayHeader& header) {
        const auto& shape = header.view.shape;
        if (header.text.width == 0) {
            refuse(fmt::format(
                "array `info` holds numbers ({}); expected texts: image and label of each question",
                name_of(header.view.type())));
        }
        if (shape.size() != 2 || shape[1] != 2 || header.view.fortran) {
            refuse(fmt::format(
                "array `info` has shape {}{}; expected (questions, 2): image and label",
                header.view.shape_text(), header.view.fortran ? ", in Fortran order" : ""));
        }
        if (shape[0] >= most_votes) refuse("array `info` has more than 100,000,000 rows");
        out_.rows = shape[0];
        type_ = header.text;
    }

    void elements(std::uint64_t first, std::span<const std::byte> bytes) {
        const std::size_t size = type_.width * type_.size;
        for (std::size_t at = 0; at < bytes.size(); at += size, ++first) {
            std::string& text = first % 2 == 0 ? item_ : label_;
            text.clear();
            append_text(bytes.subspan(at, size), type_, text);
            if (first % 2 == 1) row(first / 2);
        }
    }

private:
    void row(std::uint64_t row) {
        const std::string_view item = trimmed(item_), label = trimmed(label_);
        if (item.empty() || label.empty()) {
            problems_.add("question without an image or label", [&] {
                return fmt::format("array `info`, row {}: no {}", row,
                                   item.empty() ? "image" : "label");
            });
            out_.question.push_back(no_question);
            return;
        }
        const std::uint32_t number = builder_.question(item, label);
        if (number < seen_) {
            problems_.add("question that appears twice", [&] {
                return fmt::format("array `info`, row {}: `{}` and label `{}`", row,
                                   shortened(item), shortened(label));
            });
        }
        seen_ = std::max(seen_, number + 1);
        out_.question.push_back(number);
    }

    Info& out_;
    VotesBuilder& builder_;
    VoteProblems& problems_;
    TextType type_;
    std::string item_, label_;
    std::uint32_t seen_ = 0;
};

/// Names of the annotators: texts or integers.
std::vector<std::string> read_ids(const ZipArchive& archive, const ZipEntry& entry) {
    std::vector<std::string> names;
    ArrayHeader array;
    stream_array(
        archive, entry,
        [&](const ArrayHeader& header) {
            if (header.view.shape.size() != 1) {
                refuse(fmt::format("array `ids` has shape {}; expected (annotators,)",
                                   header.view.shape_text()));
            }
            array = header;
        },
        [&](std::uint64_t, std::span<const std::byte> piece) {
            const std::size_t size = array.element_bytes();
            for (std::size_t at = 0; at < piece.size(); at += size) {
                const auto element = piece.subspan(at, size);
                std::string name;
                if (array.text.width > 0) {
                    append_text(element, array.text, name);
                } else {
                    name = std::to_string(NumberSpan{array.view.type(), 1, element}.integer(0));
                }
                names.emplace_back(trimmed(name));
            }
        });
    std::unordered_set<std::string_view> seen;
    for (const std::string& name : names) {
        if (name.empty()) refuse("array `ids` holds an empty name");
        if (!seen.insert(name).second)
            refuse(fmt::format("array `ids` holds annotator `{}` twice", shortened(name)));
    }
    return names;
}

const ZipEntry& entry_named(const ZipArchive& archive, std::string_view name) {
    if (const ZipEntry* found = archive.find(std::string(name) + ".npy")) return *found;
    std::string known;
    for (const ZipEntry& entry : archive.entries()) {
        if (known.size() < 200) known += (known.empty() ? "" : ", ") + shortened(entry.name);
    }
    refuse(
        fmt::format("no array `{}`; votes are kept in `tensor` (annotators x questions x answers), "
                    "`info` (image and "
                    "label of each question) and `ids`; the file holds: {}",
                    name, known));
}

}  // namespace

Votes read_votes_npz(std::span<const std::byte> bytes, const std::string& source,
                     const VotesOptions& options) {
    const ZipArchive archive(bytes);
    const ZipEntry& tensor_entry = entry_named(archive, "tensor");
    const ZipEntry& info_entry = entry_named(archive, "info");
    const ZipEntry* ids_entry = archive.find("ids.npy");

    Tensor tensor;
    Info info;
    VotesBuilder builder(options.scale);
    // The two arrays are unpacked in parallel, because unpacking is most of the work.
    parallel_blocks(2, resolve_threads(options.threads), [&](std::size_t task) {
        const auto feed = [&](const ZipEntry& entry, auto& reader) {
            stream_array(
                archive, entry, [&](const ArrayHeader& header) { reader.header(header); },
                [&](std::uint64_t first, std::span<const std::byte> piece) {
                    reader.elements(first, piece);
                });
        };
        if (task == 0) {
            TensorReader reader(tensor, options.scale);
            feed(tensor_entry, reader);
        } else {
            InfoReader reader(info, builder, builder.problems());
            feed(info_entry, reader);
        }
    });
    if (info.rows != tensor.questions) {
        refuse(fmt::format("array `tensor` has {} questions, `info` has {} rows", tensor.questions,
                           info.rows));
    }
    std::vector<std::string> names;
    if (ids_entry != nullptr) {
        names = read_ids(archive, *ids_entry);
        if (names.size() != tensor.annotators) {
            refuse(fmt::format("array `tensor` has {} annotators, `ids` has {} names",
                               tensor.annotators, names.size()));
        }
    } else {
        for (std::uint64_t r = 0; r < tensor.annotators; ++r) names.push_back(std::to_string(r));
    }

    const std::unordered_set<std::string_view> known(options.annotators.begin(),
                                                     options.annotators.end());
    std::vector<std::uint32_t> annotator(names.size());
    for (std::size_t r = 0; r < names.size(); ++r) {
        const bool strange = !known.empty() && known.find(names[r]) == known.end();
        annotator[r] = strange ? no_question : builder.annotator(names[r]);
    }
    for (const Tensor::Cell& cell : tensor.cells) {
        for (unsigned i = 0; i < cell.count; ++i) {
            if (annotator[cell.annotator] == no_question) {
                builder.problems().add("unknown annotator", [&] {
                    return fmt::format(
                        "{}: annotator `{}`{}", source, shortened(names[cell.annotator]),
                        suggest(shortened(names[cell.annotator]), options.annotators));
                });
            } else if (info.question[cell.question] == no_question) {
                builder.problems().add("vote without an annotator, image or label", [&] {
                    return fmt::format("{}: question {}", source, cell.question);
                });
            } else {
                builder.add(annotator[cell.annotator], info.question[cell.question], cell.answer);
            }
        }
    }
    // Counts have no order, so none of them is the first.
    const Repeats repeats = options.repeats == Repeats::refuse ? Repeats::refuse : Repeats::all;
    Votes votes = builder.build(repeats, source, options.meanings);
    votes.read = tensor.votes;
    return votes;
}

Votes read_votes(const std::filesystem::path& path, const VotesOptions& options) {
    return with_note(fmt::format("reading the votes {}", path.string()), [&] {
        const std::string extension = lower_extension(path.string()),
                          source = path.filename().string();
        const bool text = crowd::may_hold_votes(extension);
        if (!text && extension != ".npz") {
            refuse(fmt::format("`{}` is not a file of votes: known are {} and .npz", source,
                               fmt::join(crowd::text_extensions, ", ")));
        }
        const MappedFile file(path);
        return text ? read_votes_text(file.text(), source, options)
                    : read_votes_npz(file.bytes(), source, options);
    });
}

}  // namespace assay
