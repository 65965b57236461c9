// That a struct is described as a result (assay/describe_result.h), for those who hold it:
//
//     ResultType result_type(ResultOf<GapLine>);
//
// json_of(line) is then its JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string_view>
#include <type_traits>

namespace assay {

struct Part;

struct ResultFacts {
    std::string_view name;         ///< of the TypeScript interface
    std::string_view help = {};    ///< one sentence without a full stop
    std::string_view schema = {};  ///< "assay.gap/2": the object has it as `schema`
    /// Columns of csv, in their order: "class=id,name,low=accuracy.interval.low". Behind = stands
    /// where the value is in JSON; without one it is called as the column. An estimate is its
    /// value; "score*" is that of an estimate with both ends: score, score_low, score_high.
    std::string_view columns = {};
};

/// A description, whatever it is of.
struct ResultType {
    ResultFacts facts;
    std::span<const Part> parts;
};

/// Stands for S where an overload is chosen.
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
/// Of a struct without a to_json() of its own.
template <IsResult S>
auto to_json(const S& object) {
    return json_of(object);
}

}  // namespace assay
