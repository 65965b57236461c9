#include "serve/labelling_requests.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "core/json_limits.h"
#include "core/text.h"
#include "serve/json_fields.h"
#include "serve/refusal.h"

namespace assay::serve {
namespace {

using nlohmann::json;

constexpr std::size_t most_screens = 16;

// ---- paths ----

[[noreturn]] void not_found() {
    throw Refusal(404, "not_found", "there is no such path");
}

/// What follows `prefix` in a path; it is a token by its form.
std::string token_of_path(std::string_view path, std::string_view prefix) {
    const std::string_view token = path.substr(prefix.size());
    if (!is_token(token)) not_found();
    return std::string(token);
}

void check_no_query(std::string_view query) {
    if (!query.empty())
        throw Refusal(400, "bad_request", "this path takes nothing after a question mark");
}

// ---- bodies ----

labelling::Answer parse_answer(const JsonFields& fields) {
    const std::string word = fields.text("answer", 16);
    try {
        return labelling::answer_named(word);
    } catch (const Error& error) {
        fields.refuse_field("answer", error.message());
    }
}

labelling::GivenScreen parse_given(const json& value, const std::string& place) {
    const JsonFields fields(value, place, {"screen", "key", "answers"});
    labelling::GivenScreen given;
    given.screen = fields.token("screen");
    given.key = fields.text("key", 64);
    if (!labelling::is_answer_key(given.key))
        fields.refuse_field("key", "it has 8 to 64 letters, digits and -");
    const json& answers = fields.list("answers", 10'000);
    given.answers.reserve(answers.size());
    for (std::size_t i = 0; i < answers.size(); ++i) {
        const JsonFields answer(answers[i], fmt::format("{}.answers[{}]", place, i),
                                {"question", "answer"});
        given.answers.emplace_back(answer.token("question"), parse_answer(answer));
    }
    return given;
}

PostWork parse_work(const json& value) {
    const JsonFields fields(value, "", {"given", "holding", "wanted"});
    PostWork work;
    const json& given = fields.list("given", most_screens);
    for (std::size_t i = 0; i < given.size(); ++i)
        work.given.push_back(parse_given(given[i], fmt::format("given[{}]", i)));
    for (const json& token : fields.list("holding", most_screens)) {
        if (!token.is_string() || !is_token(token.get_ref<const std::string&>()))
            fields.refuse_field("holding", "it lists the tokens of screens");
        work.holding.push_back(token);
    }
    work.wanted = static_cast<std::uint32_t>(fields.number("wanted", most_screens));
    return work;
}

LabellingRequest parse_change(std::int64_t person, const json& value) {
    const JsonFields fields(value, "", {"revoke", "new_link"});
    if (fields.has("revoke") == fields.has("new_link"))
        throw Refusal(400, "bad_request", "the request has one of `revoke` and `new_link`");
    if (fields.has("revoke")) return RevokePerson{person, fields.flag("revoke")};
    if (!fields.flag("new_link")) fields.refuse_field("new_link", "it is true");
    return NewLink{person};
}

BlockAnnotator parse_block(const json& value) {
    const JsonFields fields(value, "", {"name", "block", "reason"});
    BlockAnnotator block{fields.text("name", 200), fields.flag("block"), ""};
    if (fields.has("reason")) block.reason = fields.text("reason", 1000);
    return block;
}

// ---- the table ----

using ReadBody = LabellingRequest (*)(const json& body);
using ReadPath = LabellingRequest (*)(std::string_view path, std::string_view query);

struct LabellingRoute {
    std::string_view path;
    ReadPath get = nullptr;
    ReadBody post = nullptr;
};

template <class Request>
LabellingRequest plain(std::string_view, std::string_view query) {
    check_no_query(query);
    return Request{};
}

constexpr std::array<LabellingRoute, 8> labelling_routes = {{
    {"/api/strings", plain<GetStrings>, nullptr},
    {"/api/welcome", plain<GetWelcome>, nullptr},
    {"/api/work", nullptr, [](const json& body) -> LabellingRequest { return parse_work(body); }},
    {"/api/organiser/status", plain<GetStatus>, nullptr},
    {"/api/organiser/answers.csv", plain<GetAnswers>, nullptr},
    {"/api/organiser/people", nullptr,
     [](const json& body) -> LabellingRequest {
         return AddPerson{JsonFields(body, "", {"add"}).text("add", 200)};
     }},
    {"/api/organiser/block", nullptr,
     [](const json& body) -> LabellingRequest { return parse_block(body); }},
    {"/api/organiser/pause", nullptr,
     [](const json& body) -> LabellingRequest {
         return PauseWork{JsonFields(body, "", {"pause"}).flag("pause")};
     }},
}};

constexpr std::string_view screens_path = "/api/screen/";
constexpr std::string_view images_path = "/api/image/";
constexpr std::string_view people_path = "/api/organiser/people/";
constexpr std::string_view retry_path = "/api/organiser/retry";

void check_method(std::string_view method, std::string_view allowed) {
    if (method == allowed) return;
    Refusal refusal(405, "method", fmt::format("this path takes {} alone", allowed));
    refusal.fields = {{"Allow", std::string(allowed)}};
    throw refusal;
}

json body_of(std::string_view body) {
    // The reader of JSON would take it for the end.
    if (body.find('\0') != std::string_view::npos)
        throw Refusal(400, "bad_request", "the request has a NUL in it, which is no JSON");
    try {
        // {given: [{answers: [{question: ...}]}]}
        return parse_json(body, 6, 100'000);
    } catch (const Error& error) {
        throw Refusal(
            400, "bad_request",
            "the request is not the JSON that is expected: " + shortened(error.message(), 200));
    }
}

LabellingRequest parse_image(std::string_view path, std::string_view query) {
    if (!query.empty() && query != "size=small")
        throw Refusal(400, "bad_request", "after the question mark stands size=small, or nothing");
    return GetImage{token_of_path(path, images_path), !query.empty()};
}

std::int64_t person_of_path(std::string_view path) {
    std::uint64_t number = 0;
    if (!parse_number(path.substr(people_path.size()), number) || number > INT64_MAX) not_found();
    return static_cast<std::int64_t>(number);
}

}  // namespace

bool is_organisers(const LabellingRequest& request) {
    return request.index() >= LabellingRequest(GetStatus{}).index();
}

LabellingRequest parse_labelling_request(std::string_view method, std::string_view path,
                                         std::string_view query, std::string_view body) {
    for (const LabellingRoute& route : labelling_routes) {
        if (path != route.path) continue;
        check_method(method, route.get != nullptr ? "GET" : "POST");
        if (route.get != nullptr) return route.get(path, query);
        check_no_query(query);
        return route.post(body_of(body));
    }
    if (path.starts_with(images_path)) {
        check_method(method, "GET");
        return parse_image(path, query);
    }
    if (path.starts_with(screens_path)) {
        check_method(method, "GET");
        check_no_query(query);
        return GetScreen{token_of_path(path, screens_path)};
    }
    if (path.starts_with(people_path)) {
        const std::int64_t person = person_of_path(path);
        check_method(method, "POST");
        check_no_query(query);
        return parse_change(person, body_of(body));
    }
    if (path == retry_path) {
        check_method(method, "POST");
        check_no_query(query);
        (void)JsonFields(body_of(body), "", {});
        return RetryImages{};
    }
    not_found();
}

}  // namespace assay::serve
