#include "serve/labelling_requests.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "core/json_limits.h"
#include "core/json_reader.h"
#include "core/text.h"
#include "serve/refusal.h"
#include "serve/tokens.h"

namespace assay::serve {
namespace {

using nlohmann::json;

constexpr std::size_t most_screens = 16;

// ---- paths ----

[[noreturn]] void not_found() {
    throw Refusal(404, "not_found", "this path does not exist");
}

/// The part of a path after `prefix`, which must have the form of a token.
std::string token_of_path(std::string_view path, std::string_view prefix) {
    const std::string_view token = path.substr(prefix.size());
    if (!is_token(token)) not_found();
    return std::string(token);
}

void check_no_query(std::string_view query) {
    if (!query.empty()) throw Refusal(400, "bad_request", "this path takes no query");
}

// ---- bodies ----

JsonReader reader_of(const json& body) {
    return JsonReader(body, {.whole = "the request", .refuse = [](std::string message) {
                                 throw Refusal(400, "bad_request", std::move(message));
                             }});
}

std::string token_of(const JsonReader& value) {
    if (!is_token(value.text())) value.refuse_as("1 to 64 letters, digits, - and _");
    return value.text();
}

labelling::Answer parse_answer(const JsonReader& value) {
    try {
        return labelling::answer_named(value.text(16));
    } catch (const Error& error) {
        value.refuse(error.message());
    }
}

labelling::GivenScreen parse_given(const JsonReader& fields) {
    fields.only({"screen", "key", "answers", "tags"});
    labelling::GivenScreen given;
    given.screen = token_of(fields["screen"]);
    given.key = fields["key"].text();
    if (!labelling::is_answer_key(given.key))
        fields["key"].refuse_as("8 to 64 letters, digits and -");
    for (const JsonReader& answer : fields["answers"].entries(10'000)) {
        answer.only({"question", "answer"});
        given.answers.emplace_back(token_of(answer["question"]), parse_answer(answer["answer"]));
    }
    if (fields.has("tags")) {
        for (const JsonReader& tag : fields["tags"].entries(100))
            given.tags.push_back(tag.text(1000));
    }
    return given;
}

PostWork parse_work(const json& body) {
    const JsonReader fields = reader_of(body);
    fields.only({"given", "holding", "wanted"});
    PostWork work;
    for (const JsonReader& given : fields["given"].entries(most_screens))
        work.given.push_back(parse_given(given));
    for (const JsonReader& token : fields["holding"].entries(most_screens))
        work.holding.push_back(token_of(token));
    work.wanted = static_cast<std::uint32_t>(fields["wanted"].whole(0, most_screens));
    return work;
}

LabellingRequest parse_change(std::int64_t person, const json& body) {
    const JsonReader fields = reader_of(body);
    fields.only({"revoke", "new_link"});
    if (body.contains("revoke") == body.contains("new_link"))
        fields.refuse("one of `revoke` and `new_link` is needed");
    if (body.contains("revoke")) return RevokePerson{person, fields["revoke"].truth()};
    if (!fields["new_link"].truth()) fields["new_link"].refuse_as("true");
    return NewLink{person};
}

BlockAnnotator parse_block(const json& body) {
    const JsonReader fields = reader_of(body);
    fields.only({"name", "block", "reason"});
    BlockAnnotator block{fields["name"].text(200), fields["block"].truth(), ""};
    if (body.contains("reason")) block.reason = fields["reason"].text(1000);
    return block;
}

/// Returns the only field.
JsonReader the_field(const json& body, std::string_view name) {
    const JsonReader fields = reader_of(body);
    fields.only({name});
    return fields[name];
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
         return AddPerson{the_field(body, "add").text(200)};
     }},
    {"/api/organiser/block", nullptr,
     [](const json& body) -> LabellingRequest { return parse_block(body); }},
    {"/api/organiser/pause", nullptr,
     [](const json& body) -> LabellingRequest {
         return PauseWork{the_field(body, "pause").truth()};
     }},
}};

constexpr std::string_view screens_path = "/api/screen/";
constexpr std::string_view images_path = "/api/image/";
constexpr std::string_view people_path = "/api/organiser/people/";
constexpr std::string_view retry_path = "/api/organiser/retry";

void check_method(std::string_view method, std::string_view allowed) {
    if (method == allowed) return;
    Refusal refusal(405, "method", fmt::format("this path only takes {}", allowed));
    refusal.fields = {{"Allow", std::string(allowed)}};
    throw refusal;
}

json body_of(std::string_view body) {
    // The JSON reader would treat this byte as the end.
    if (body.find('\0') != std::string_view::npos)
        throw Refusal(400, "bad_request", "the request has a NUL in it, which is not JSON");
    try {
        // The deepest form is {given: [{answers: [{question: ...}]}]}.
        return parse_json(body, 6, 100'000);
    } catch (const Error& error) {
        throw Refusal(400, "bad_request",
                      "the request is not the expected JSON: " + shortened(error.message(), 200));
    }
}

LabellingRequest parse_image(std::string_view path, std::string_view query) {
    if (!query.empty() && query != "size=small")
        throw Refusal(400, "bad_request",
                      "allowed after the question mark: size=small, or nothing");
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
        const json nothing = body_of(body);
        reader_of(nothing).only({});
        return RetryImages{};
    }
    not_found();
}

}  // namespace assay::serve
