#include <fmt/format.h>

#include "assay/error.h"
#include "c/objects.h"
#include "containers/npy.h"
#include "store/matrix_rows.h"

namespace assay::c {
namespace {

NumberType type_of(std::int32_t type) {
    switch (type) {
        case ASSAY_FLOAT16:
            return NumberType::f2;
        case ASSAY_FLOAT32:
            return NumberType::f4;
        case ASSAY_FLOAT64:
            return NumberType::f8;
        case ASSAY_BFLOAT16:
            return NumberType::bf16;
        case ASSAY_UINT8:
            return NumberType::u1;
        case ASSAY_UINT16:
            return NumberType::u2;
        case ASSAY_UINT32:
            return NumberType::u4;
        case ASSAY_UINT64:
            return NumberType::u8;
        case ASSAY_INT8:
            return NumberType::i1;
        case ASSAY_INT16:
            return NumberType::i2;
        case ASSAY_INT32:
            return NumberType::i4;
        case ASSAY_INT64:
            return NumberType::i8;
        default:
            throw Error(ErrorCode::usage, fmt::format("unknown array type {}", type));
    }
}

}  // namespace

ScoreMatrix matrix_of(const assay_array* scores) {
    if (scores == nullptr) throw Error(ErrorCode::usage, "no scores are given");
    const assay_array& a = *scores;
    if (a.dimensions != 1 && a.dimensions != 2) {
        throw Error(
            ErrorCode::usage,
            fmt::format(
                "the array has {} dimensions; scores need two, predicted classes and labels one",
                a.dimensions));
    }
    const bool two = a.dimensions == 2;
    constexpr std::int64_t most_columns = 1 << 24;
    if (a.shape[0] < 0 || (two && (a.shape[1] < 1 || a.shape[1] > most_columns))) {
        throw Error(ErrorCode::usage,
                    fmt::format("the array has {} x {} elements; 1 to {} columns are allowed",
                                a.shape[0], two ? a.shape[1] : 1, most_columns));
    }
    if (a.data == nullptr && a.shape[0] > 0)
        throw Error(ErrorCode::usage, "the array has no data (null pointer)");
    return {a.data,
            type_of(a.type),
            static_cast<std::uint64_t>(a.shape[0]),
            two ? static_cast<std::uint32_t>(a.shape[1]) : 0,
            a.strides[0],
            two ? a.strides[1] : 0};
}

LabelSets labels_of(const assay_array& labels) {
    const ScoreMatrix numbers = matrix_of(&labels);
    if (numbers.columns != 0)
        throw Error(ErrorCode::usage,
                    "labels must be one whole number per row, or a set of them per row");
    if (is_float(numbers.type)) {
        throw Error(ErrorCode::usage, fmt::format("labels of type {}: whole numbers are needed",
                                                  name_of(numbers.type)));
    }
    LabelSets sets;
    std::vector<std::byte> buffer;
    for (std::uint64_t row = 0; row < numbers.rows; ++row) {
        const std::int64_t label = store::numbers_of(numbers, row, buffer).integer(0);
        if (label < -1 || label > INT32_MAX) {
            throw Error(
                ErrorCode::bad_input,
                fmt::format(
                    "the label of row {} is {}; allowed: a class 0, 1, ..., or -1 for no label",
                    row, label));
        }
        const auto c = static_cast<std::int32_t>(label);
        sets.append(std::span(&c, label < 0 ? 0 : 1));
    }
    return sets;
}

LabelSets sets_of(const assay_sets& sets) {
    if (sets.offsets == nullptr) throw Error(ErrorCode::usage, "the label sets have no offsets");
    const std::span offsets(sets.offsets, static_cast<std::size_t>(sets.items) + 1);
    const std::uint64_t labels = offsets.back();
    if (labels > 0 && sets.classes == nullptr)
        throw Error(ErrorCode::usage, "the label sets have no classes");
    HeldArray<std::uint64_t> ends;
    ends.append(offsets);
    HeldArray<std::int32_t> classes;
    classes.append(std::span(sets.classes, static_cast<std::size_t>(labels)));
    return {std::move(ends), std::move(classes)};
}

StringColumn texts_of(const assay_texts& texts) {
    if (texts.count > 0 && texts.ends == nullptr)
        throw Error(ErrorCode::usage, "the texts have no end offsets");
    HeldArray<std::uint64_t> ends;
    ends.append(std::span(texts.ends, static_cast<std::size_t>(texts.count)));
    const std::size_t size = texts.count == 0 ? 0 : static_cast<std::size_t>(ends.back());
    if (size > 0 && texts.text == nullptr) throw Error(ErrorCode::usage, "texts without letters");
    HeldArray<char> text;
    text.append(std::span(texts.text, size));
    return {std::move(text), std::move(ends)};
}

const PredictionStore& store_of(const assay_store* store) {
    if (store == nullptr) throw Error(ErrorCode::usage, "no store is given");
    return *store->store;
}

}  // namespace assay::c
