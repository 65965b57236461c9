// Declares that a struct is described as a result (assay/describe_result.h), for code that uses it:
//
//     ResultType result_type(ResultOf<GapLine>);
//
// json_of(line) then returns its JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string_view>
#include <type_traits>

namespace assay {

struct Part;

struct ResultFacts {
    std::string_view name;         ///< name of the TypeScript interface
    std::string_view help = {};    ///< one sentence without a full stop
    std::string_view schema = {};  ///< "assay.gap/2": the value of the object's `schema`
    /// Columns of csv, in their order: "class=id,name,low=accuracy.interval.low". The part after =
    /// is the path of the value in JSON, by default the name of the column. An estimate appears as
    /// its value. "score*" means three columns of an estimate: score, score_low, score_high.
    std::string_view columns = {};
};

/// A description of any struct.
struct ResultType {
    ResultFacts facts;
    std::span<const Part> parts;
};

/// Stands for S when the compiler chooses an overload.
template <class S>
struct ResultOf {};

template <class S>
concept IsResult =
    std::is_same_v<decltype(result_type(ResultOf<std::remove_cv_t<S>>{})), ResultType>;

nlohmann::json json_of_result(const ResultType& type, const void* object);

template <IsResult S>
auto json_of(const S& object) {
    return json_of_result(result_type(ResultOf<S>{}), &object);
}
/// Defined for structs without their own to_json().
template <IsResult S>
auto to_json(const S& object) {
    return json_of(object);
}

}  // namespace assay
