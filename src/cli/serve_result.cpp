#include "cli/serve_result.h"

#include "assay/describe_result.h"
#include "cli/outputs.h"
#include "core/json_text.h"

namespace assay::cli {

ResultType result_type(ResultOf<ServedPerson>) {
    static constexpr auto rows = describe_result<ServedPerson>(
        {.name = "ServedPerson"}, {
                                      part<&ServedPerson::id>({}),
                                      part<&ServedPerson::name>({}),
                                      part<&ServedPerson::link>({.help = "Null if it was revoked"}),
                                      part<&ServedPerson::revoked>({}),
                                  });
    return rows;
}

ResultType result_type(ResultOf<ServedLinks>) {
    static constexpr auto rows = describe_result<ServedLinks>(
        {.name = "ServedLinks",
         .help = "What `assay serve` prints when it starts",
         .schema = "assay.serve/1"},
        {
            part<&ServedLinks::url>({}),
            part<&ServedLinks::report>({.help = "A link to a report", .omitted = true}),
            part<&ServedLinks::organiser>(
                {.help = "A link to a competition or a folder of questions", .omitted = true}),
            part<&ServedLinks::people>(
                {.help = "The annotators, each with a link", .omitted = true}),
        });
    return rows;
}

void print_served(const ServedLinks& links) {
    write_result("-", json_text(json_of(links)));
}

}  // namespace assay::cli
