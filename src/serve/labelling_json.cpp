#include "serve/labelling_json.h"

#include <nlohmann/json.hpp>

namespace assay::serve {
namespace {

/// Objects keep the order in which their members were written.
using Json = nlohmann::ordered_json;

std::string written(const Json& value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json json_of(const labelling::Screen& screen) {
    Json labels = Json::array(), cells = Json::array(), said = Json::array();
    for (const labelling::LabelText& label : screen.labels) {
        labels.push_back({{"id", label.id},
                          {"name", label.name},
                          {"definition", label.definition},
                          {"synonyms", label.synonyms}});
    }
    for (const labelling::Cell& cell : screen.cells)
        cells.push_back({{"question", cell.question}, {"label", cell.label}});
    for (const labelling::Answer answer : screen.said)
        said.push_back(study::words_for(answer).word);
    return {{"screen", screen.token},      {"training", screen.training},
            {"labels", std::move(labels)}, {"cells", std::move(cells)},
            {"said", std::move(said)},     {"tags", screen.tags}};
}

std::string_view name_of_state(labelling::TakenScreen::State state) {
    switch (state) {
        case labelling::TakenScreen::State::recorded:
            return "recorded";
        case labelling::TakenScreen::State::repeated:
            return "repeated";
        case labelling::TakenScreen::State::refused:
            return "refused";
    }
    return "";
}

std::string_view name_of_state(labelling::Work::State state) {
    switch (state) {
        case labelling::Work::State::work:
            return "work";
        case labelling::Work::State::paused:
            return "paused";
        case labelling::Work::State::nothing:
            return "nothing";
    }
    return "";
}

Json json_of(const labelling::TakenScreen& taken) {
    Json feedback = Json::array();
    for (const labelling::Feedback& one : taken.feedback) {
        feedback.push_back({{"question", one.question},
                            {"known", study::words_for(one.known).word},
                            {"correct", one.correct}});
    }
    return {{"key", taken.key},
            {"state", name_of_state(taken.state)},
            {"message", taken.message},
            {"feedback", std::move(feedback)}};
}

template <class Number>
Json or_null(const std::optional<Number>& number) {
    return number ? Json(*number) : Json(nullptr);
}

Json json_of(const Estimate& estimate) {
    Json out = {{"value", or_null(estimate.value)}};
    out["low"] = estimate.interval ? Json(estimate.interval->low) : Json(nullptr);
    out["high"] = estimate.interval ? Json(estimate.interval->high) : Json(nullptr);
    out["n"] = estimate.n;
    if (!estimate.value) out["reason"] = estimate.undefined;
    return out;
}

Json json_of(const labelling::PersonStatus& person) {
    return {{"id", person.id},
            {"name", person.name},
            {"revoked", person.revoked},
            {"blocked", person.blocked},
            {"here", person.here},
            {"answers", person.answers},
            {"yes", person.yes},
            {"cannot_say", person.cannot_say},
            {"holding", person.holding},
            {"seconds_per_screen", or_null(person.seconds_per_screen)},
            {"gold", json_of(person.gold)},
            {"agreement", json_of(person.agreement)},
            {"findings", person.findings}};
}

}  // namespace

std::string welcome_json(const labelling::Welcome& welcome) {
    const Json tags = welcome.tags ? Json(*welcome.tags) : Json(nullptr);
    return written({{"version", 1},
                    {"study", welcome.study},
                    {"title", welcome.title},
                    {"name", welcome.name},
                    {"task", labelling::name_of(welcome.task)},
                    {"ahead", welcome.ahead},
                    {"training", welcome.training},
                    {"training_done", welcome.training_done},
                    {"paused", welcome.paused},
                    {"tags", tags}});
}

std::string work_json(const labelling::Work& work) {
    Json taken = Json::array(), screens = Json::array();
    for (const labelling::TakenScreen& one : work.taken) taken.push_back(json_of(one));
    for (const labelling::Screen& one : work.screens) screens.push_back(json_of(one));
    return written({{"state", name_of_state(work.state)},
                    {"taken", std::move(taken)},
                    {"screens", std::move(screens)},
                    {"answered", work.answered},
                    {"left", work.left},
                    {"training", work.training},
                    {"training_done", work.training_done}});
}

std::string screen_json(const labelling::Screen& screen) {
    return written(json_of(screen));
}

std::string person_json(const labelling::Person& person, const std::string& link) {
    return written(
        {{"id", person.id}, {"name", person.name}, {"link", link}, {"revoked", person.revoked}});
}

std::string status_json(const labelling::ServiceStatus& status,
                        const std::function<std::string(std::int64_t)>& link_of) {
    Json people = Json::array(), problems = Json::array();
    for (const labelling::PersonStatus& person : status.people) {
        people.push_back(json_of(person));
        if (const std::string link = link_of(person.id); !link.empty())
            people.back()["link"] = link;
    }
    for (const labelling::ImageProblem& problem : status.problems) {
        problems.push_back({{"question", problem.question},
                            {"image", problem.image},
                            {"path", problem.path},
                            {"why", problem.why}});
    }
    Json out = {{"title", status.title},
                {"task", labelling::name_of(status.task)},
                {"folder", status.folder},
                {"questions", status.questions},
                {"known", status.known},
                {"settled", status.settled},
                {"open", status.open},
                {"untouched", status.untouched},
                {"unclear", status.unclear},
                {"skipped", status.skipped},
                {"answers", status.answers},
                {"answers_left", status.answers_left},
                {"hours_left", or_null(status.hours_left)},
                {"agreement", json_of(status.agreement)},
                {"paused", status.paused},
                {"people", std::move(people)},
                {"problems", std::move(problems)},
                {"outlook", status.outlook},
                {"warnings", status.warnings},
                {"seconds_old", status.seconds_old}};
    return written(out);
}

}  // namespace assay::serve
