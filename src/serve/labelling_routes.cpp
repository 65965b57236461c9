#include "serve/labelling_routes.h"

#include <map>

#include "assay/error.h"
#include "serve/labelling_json.h"
#include "serve/refusal.h"
#include "study/secret.h"

namespace assay::serve {
namespace {

using labelling::Service;

HttpResponse json_response(std::string text) {
    HttpResponse response;
    response.type = "application/json";
    response.body = HttpBody(std::move(text));
    return response;
}

HttpResponse elsewhere() {
    throw Error(ErrorCode::internal, "this route has no texts and images");
}

/// Converts the service's errors about missing objects.
template <class Body>
auto or_not_found(Body&& body) {
    try {
        return body();
    } catch (const Error& error) {
        if (error.code() == ErrorCode::usage) throw Refusal(404, "not_found", error.message());
        throw;
    }
}

}  // namespace

PersonId LabellingRoutes::whose(std::string_view token) const {
    // Both tokens are always compared, so that the time does not reveal which of them matched.
    const bool organiser = study::same_secret(token, organiser_token_);
    bool revoked = false;
    const std::optional<PersonId> person = service_.person_of(token, &revoked);
    if (organiser) return organiser_id;
    if (person) return *person;
    if (revoked)
        throw Refusal(403, "revoked", "this link was revoked; ask the organiser for a new one");
    throw Refusal(401, "unknown_token",
                  "this link is unknown; check that it was copied completely");
}

std::filesystem::path LabellingRoutes::image_of(PersonId who, const GetImage& request) const {
    const auto path = service_.image_of(who, request.question);
    if (!path) throw Refusal(404, "not_found", "this link has no such image");
    return *path;
}

HttpResponse LabellingRoutes::answer(PersonId who, const LabellingRequest& request) {
    if (is_organisers(request) && who != organiser_id)
        throw Refusal(403, "not_organiser", "only the organiser can open this page");
    if (!is_organisers(request) && who == organiser_id)
        throw Refusal(401, "unknown_token",
                      "this is the organiser's link; annotators have links of their own");
    const auto person_response = [&](const labelling::Person& person) {
        return json_response(person_json(person, link_of_(person.token)));
    };
    struct Answer {
        Service& service;
        const LabellingRoutes& routes;
        PersonId who;
        const std::function<HttpResponse(const labelling::Person&)> person;

        HttpResponse operator()(const GetStrings&) const { return elsewhere(); }
        HttpResponse operator()(const GetImage&) const { return elsewhere(); }
        HttpResponse operator()(const GetWelcome&) const {
            return json_response(welcome_json(service.welcome(who)));
        }
        HttpResponse operator()(const PostWork& work) const {
            return json_response(
                work_json(service.work(who, work.given, work.holding, work.wanted)));
        }
        HttpResponse operator()(const GetScreen& asked) const {
            const auto screen = service.answered(who, asked.screen);
            if (!screen) throw Refusal(404, "not_found", "this link has not answered that screen");
            return json_response(screen_json(*screen));
        }
        HttpResponse operator()(const GetStatus&) const {
            std::map<PersonId, std::string> links;
            for (const labelling::Person& known : service.people())
                links[known.id] = routes.link_of_(known.token);
            return json_response(status_json(service.status(), [&](PersonId id) {
                const auto found = links.find(id);
                return found == links.end() ? std::string() : found->second;
            }));
        }
        HttpResponse operator()(const AddPerson& add) const {
            return person(service.add_person(add.name));
        }
        HttpResponse operator()(const RevokePerson& change) const {
            or_not_found([&] { service.revoke(change.person, change.revoked); });
            for (const labelling::Person& known : service.people())
                if (known.id == change.person) return person(known);
            throw Refusal(404, "not_found", "there is no such person");
        }
        HttpResponse operator()(const NewLink& change) const {
            return person(or_not_found([&] { return service.new_link(change.person); }));
        }
        HttpResponse operator()(const BlockAnnotator& block) const {
            or_not_found([&] { service.block(block.name, block.blocked, block.reason); });
            return json_response("{}");
        }
        HttpResponse operator()(const PauseWork& pause) const {
            service.pause(pause.paused);
            return json_response("{}");
        }
        HttpResponse operator()(const RetryImages&) const {
            service.retry_images();
            return json_response("{}");
        }
        HttpResponse operator()(const GetAnswers&) const {
            HttpResponse response;
            response.type = "text/csv; charset=utf-8";
            response.body = HttpBody(service.answers_csv());
            response.fields = {{"Content-Disposition", "attachment; filename=\"answers.csv\""}};
            return response;
        }
    };
    return std::visit(Answer{service_, *this, who, person_response}, request);
}

}  // namespace assay::serve
