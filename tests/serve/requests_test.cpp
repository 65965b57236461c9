// A network request becomes a typed request, or is refused with a status.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serve/labelling_requests.h"
#include "serve/refusal.h"

namespace assay::serve {
namespace {

using testing::HasSubstr;

/// The error, such as "404 not_found: there is no such path", or "" if the request is accepted.
std::string fault_of(const std::string& method, const std::string& path,
                     const std::string& body = "", const std::string& query = "") {
    try {
        parse_labelling_request(method, path, query, body);
        return "";
    } catch (const Refusal& refusal) {
        return std::to_string(refusal.status()) + " " + refusal.code() + ": " + refusal.what();
    }
}

const std::string work =
    R"({"given": [{"screen": "s1", "key": "12345678", "answers": [{"question": "q1", "answer": "cannot-say"}]}],
        "holding": ["s2"], "wanted": 4})";

TEST(LabellingRequests, AreRead) {
    const LabellingRequest request = parse_labelling_request("POST", "/api/work", "", work);
    const auto& posted = std::get<PostWork>(request);
    ASSERT_EQ(posted.given.size(), 1U);
    EXPECT_EQ(posted.given[0].screen, "s1");
    EXPECT_EQ(posted.given[0].key, "12345678");
    ASSERT_EQ(posted.given[0].answers.size(), 1U);
    EXPECT_EQ(posted.given[0].answers[0].first, "q1");
    EXPECT_EQ(posted.given[0].answers[0].second, labelling::Answer::cannot_say);
    EXPECT_EQ(posted.holding, std::vector<std::string>{"s2"});
    EXPECT_EQ(posted.wanted, 4U);

    const auto image = parse_labelling_request("GET", "/api/image/q1", "size=small", "");
    EXPECT_TRUE(std::get<GetImage>(image).small);
    const auto link =
        parse_labelling_request("POST", "/api/organiser/people/7", "", R"({"new_link": true})");
    EXPECT_EQ(std::get<NewLink>(link).person, 7);
    EXPECT_TRUE(is_organisers(link));
    EXPECT_FALSE(is_organisers(image));
    for (const char* path : {"/api/strings", "/api/welcome", "/api/organiser/status",
                             "/api/organiser/answers.csv", "/api/screen/abc"})
        EXPECT_EQ(fault_of("GET", path), "") << path;
    EXPECT_EQ(fault_of("POST", "/api/organiser/retry", "{}"), "");
    EXPECT_EQ(fault_of("POST", "/api/organiser/pause", R"({"pause": true})"), "");
    EXPECT_EQ(fault_of("POST", "/api/organiser/people", R"({"add": "anna"})"), "");
    EXPECT_EQ(fault_of("POST", "/api/organiser/block", R"({"name": "anna", "block": true})"), "");
}

TEST(LabellingRequests, KnowNoOtherPaths) {
    for (const char* path :
         {"/api/", "/api/Welcome", "/api/welcome/", "/api/image/", "/api/image/../x",
          "/api/image/%2e%2e%2fetc", "/api/image/a/b", "/api/image/a.jpg", "/api/screen/",
          "/api/organiser/people/", "/api/organiser/people/-1", "/api/organiser/people/1x",
          "/api/organiser/people/99999999999999999999", "/api//welcome"})
        EXPECT_THAT(fault_of("GET", path), HasSubstr("404 not_found")) << path;
    EXPECT_THAT(fault_of("GET", "/api/image/" + std::string(65, 'a')), HasSubstr("404"));
}

TEST(LabellingRequests, HaveOneMethodEach) {
    EXPECT_THAT(fault_of("GET", "/api/work"), HasSubstr("405 method: this path only takes POST"));
    EXPECT_THAT(fault_of("POST", "/api/welcome", "{}"),
                HasSubstr("405 method: this path only takes GET"));
    EXPECT_THAT(fault_of("POST", "/api/image/a", "{}"), HasSubstr("405"));
    EXPECT_THAT(fault_of("GET", "/api/organiser/people/1"), HasSubstr("405"));
}

TEST(LabellingRequests, AreRefusedWithTheField) {
    const auto fault = [](const std::string& from, const std::string& to) {
        std::string body = work;
        const std::size_t at = body.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        return fault_of("POST", "/api/work", body.replace(at, from.size(), to));
    };
    EXPECT_THAT(fault("\"wanted\": 4", "\"wanted\": 17"),
                HasSubstr("`wanted` is 17; allowed: a whole number from 0 to 16"));
    EXPECT_THAT(fault("\"wanted\": 4", "\"wanted\": -1"), HasSubstr("`wanted`"));
    EXPECT_THAT(fault("\"wanted\": 4", "\"wanted\": 1.5"), HasSubstr("`wanted`"));
    EXPECT_THAT(fault("\"wanted\": 4", "\"wanted\": \"4\""), HasSubstr("`wanted`"));
    EXPECT_THAT(fault(", \"wanted\": 4", ""), HasSubstr("`wanted` is missing"));
    EXPECT_THAT(fault("\"wanted\"", "\"wnated\""), HasSubstr("did you mean `wanted`?"));
    EXPECT_THAT(fault("12345678", "1234567"), HasSubstr("`given[0].key`"));
    EXPECT_THAT(fault("12345678", "1234567/"), HasSubstr("`given[0].key`"));
    EXPECT_THAT(fault("12345678", std::string(65, '1')), HasSubstr("`given[0].key`"));
    EXPECT_THAT(fault("\"s1\"", "\"\""),
                HasSubstr("`given[0].screen` is \"\"; allowed: 1 to 64 letters"));
    EXPECT_THAT(fault("\"s1\"", "null"), HasSubstr("`given[0].screen`"));
    EXPECT_THAT(fault("\"q1\"", "\"q/1\""), HasSubstr("`given[0].answers[0].question`"));
    EXPECT_THAT(fault("cannot-say", "maybe"), HasSubstr("`given[0].answers[0].answer`"));
    EXPECT_THAT(fault("[\"s2\"]", "{}"), HasSubstr("`holding` is {}; allowed: a list"));
    EXPECT_THAT(fault("[\"s2\"]", "[2]"), HasSubstr("`holding[0]` is 2; allowed: a text"));
    EXPECT_THAT(fault("\"s2\"",
                      "\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\","
                      "\"a\",\"a\",\"a\",\"a\",\"a\",\"a\""),
                HasSubstr("allowed: a list of at most 16"));
    EXPECT_THAT(fault("\"s2\"", "\"\xff\""), HasSubstr("400 bad_request"));  // invalid UTF-8
    EXPECT_THAT(fault_of("POST", "/api/work", ""), HasSubstr("400 bad_request"));
    EXPECT_THAT(fault_of("POST", "/api/work", work + '\0'), HasSubstr("400 bad_request"));
    EXPECT_THAT(fault_of("POST", "/api/work", std::string(1, '\0') + work), HasSubstr("400"));
    EXPECT_THAT(fault_of("POST", "/api/work", "[]"),
                HasSubstr("the request is []; allowed: an object"));
    EXPECT_THAT(fault_of("POST", "/api/work", std::string(60'000, '[')), HasSubstr("400"));
    EXPECT_THAT(fault_of("POST", "/api/work", "{\"wanted\": 1, \"wanted\": 2}"), HasSubstr("400"));
    EXPECT_THAT(fault_of("POST", "/api/organiser/people/1", "{}"), HasSubstr("one of `revoke`"));
    EXPECT_THAT(fault_of("POST", "/api/organiser/people/1", R"({"new_link": false})"),
                HasSubstr("`new_link`"));
    EXPECT_THAT(fault_of("POST", "/api/organiser/retry", R"({"x": 1})"), HasSubstr("`x`"));
    EXPECT_THAT(fault_of("GET", "/api/image/a", "", "size=huge"), HasSubstr("400"));
    EXPECT_THAT(fault_of("GET", "/api/welcome", "", "a"), HasSubstr("400"));
}

}  // namespace
}  // namespace assay::serve
