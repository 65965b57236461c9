#include "model/isolated/model_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "assay/error.h"
#include "model/isolated/batch_layout.h"
#include "model/isolated/channel.h"
#include "model/isolated/cost_wire.h"
#include "model/isolated/sandbox.h"
#include "model/isolated/shared_buffer.h"
#include "model/isolated/wire.h"

namespace assay::isolated {
namespace {

/// If memory runs out, the kernel should kill this process and not the waiting program. Damaged
/// models should not write core dumps.
void be_expendable() {
    if (const Descriptor score(::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC));
        score.get() >= 0) {
        [[maybe_unused]] const auto written = ::write(score.get(), "1000", 4);
    }
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
}

/// A CUDA driver opens its devices for writing if LibTorch asks for them, which the limits refuse.
/// LibTorch asks once per process, even on the CPU (for example for gradients). So it asks here,
/// while the devices are hidden.
void see_no_devices(const TorchPlugin& framework) {
    for (const char* name : {"CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES"}) ::setenv(name, "", 1);
    framework.cuda();
}

/// Returns the limits that are not available, as text.
std::vector<std::string> take_limits(const OpenRequest& request, const TorchPlugin& framework) {
    if (!request.limited) return {"a graphics processor may be used"};
    see_no_devices(framework);
    std::vector<std::string> missing;
    auto readable = files_of_the_framework();
    readable.push_back(request.spec.path);
    if (!has_one_thread())
        missing.emplace_back("Landlock: threads that the framework had started before");
    if (auto why = limit_files(readable)) missing.push_back(std::move(*why));
    if (auto why = limit_calls()) missing.push_back(std::move(*why));
    return missing;
}

/// A call that the limits refused is the real reason, whatever the framework reports, because some
/// operators swallow such an error.
std::optional<Error> refusal_of(const std::optional<Error>& met) {
    constexpr std::string_view denied = "Permission denied";
    if (const auto attempt = first_refused_call()) {
        return Error(ErrorCode::bad_input,
                     fmt::format("the model's code tried to {}, which models may not do{}{}",
                                 *attempt, met ? ": " : "", met ? met->message() : ""));
    }
    if (!met || met->message().find(denied) == std::string::npos) return met;
    return Error(met->code(),
                 met->message() + " (models may read their own file and the system's libraries)");
}

template <class Body>
std::string answer(Body&& body) {
    std::string message;
    std::optional<Error> met;
    try {
        message = body();
    } catch (const Error& error) {
        met = error;
    } catch (const std::bad_alloc&) {
        met = Error(ErrorCode::out_of_memory, "out of memory");
    } catch (const std::exception& error) {
        met = Error(ErrorCode::bad_input, error.what());
    }
    const std::optional<Error> refused = refusal_of(met);
    return refused ? text_of(*refused) : message;
}

std::vector<std::uint32_t> numbers_in(std::span<const float> part) {
    std::vector<std::uint32_t> numbers(part.size());
    if (!part.empty()) std::memcpy(numbers.data(), part.data(), part.size_bytes());
    return numbers;
}

void compute(Classifier& classifier, const Batch& asked, std::span<float> all) {
    const BatchLayout layout(asked);
    if (!asked.loss) return classifier.scores(layout.input(all), asked.images, layout.scores(all));
    const auto labels = numbers_in(layout.labels(all));
    const auto targets = numbers_in(layout.targets(all));
    for (const auto& numbers : {labels, targets}) {
        for (const std::uint32_t cls : numbers) {
            if (cls >= classifier.facts().classes)
                throw Error(ErrorCode::internal, "a label is outside the model's classes");
        }
    }
    std::vector<double> losses(asked.images);
    classifier.gradients({*asked.loss, layout.input(all), labels, targets},
                         {layout.scores(all), losses, layout.gradient(all)});
    if (!losses.empty())
        std::memcpy(layout.losses(all).data(), losses.data(), layout.losses(all).size_bytes());
}

/// Returns false if the other end is gone.
bool serve_cost(Classifier& classifier, int lane, std::string_view message) {
    std::vector<std::string> parts;
    const std::string reply = answer([&] {
        parts = parts_of(classifier.cost(cost_request(message)));
        return std::string();
    });
    if (!reply.empty()) return send_message(lane, reply);
    return std::ranges::all_of(parts,
                               [&](const std::string& part) { return send_message(lane, part); });
}

/// Answers requests on one channel, batch by batch.
void serve_lane(Classifier& classifier, Descriptor lane) {
    std::unique_ptr<SharedBuffer> buffer;
    if (!send_message(lane.get(), text_of(MessageKind::ready))) return;
    for (;;) {
        std::vector<Descriptor> larger;
        const auto message = receive_message(lane.get(), &larger);
        if (!message) return;
        if (!message->empty() && kind_of(*message) == MessageKind::measure) {
            if (!serve_cost(classifier, lane.get(), *message)) return;
            continue;
        }
        const std::string reply = answer([&] {
            const Batch asked = batch(*message);
            if (!larger.empty()) {
                buffer.reset();
                buffer = std::make_unique<SharedBuffer>(std::move(larger.front()));
            }
            if (!buffer || BatchLayout(asked).floats() > buffer->floats().size())
                throw Error(ErrorCode::internal, "a batch is larger than its buffer");
            compute(classifier, asked, buffer->floats());
            return text_of(MessageKind::done);
        });
        if (!send_message(lane.get(), reply)) return;
    }
}

}  // namespace

void run_model(const OpenPlugin& plugin, std::string_view request, Descriptor control,
               Descriptor output) {
    ::dup2(output.get(), STDERR_FILENO);
    be_expendable();
    std::unique_ptr<Classifier> classifier;
    const std::string opening = answer([&] {
        const OpenRequest asked = open_request(request);
        Opened opened;
        const TorchPlugin& framework = plugin();
        opened.missing = take_limits(asked, framework);
        classifier = framework.open(asked.spec, asked.options);
        opened.facts = classifier->facts();
        return text_of(opened);
    });
    if (!send_message(control.get(), opening) || kind_of(opening) != MessageKind::opened)
        ::_exit(0);
    for (;;) {
        std::vector<Descriptor> lane;
        if (!receive_message(control.get(), &lane)) break;
        if (lane.empty()) continue;
        const int end = lane.front().release();
        try {
            std::thread(serve_lane, std::ref(*classifier), Descriptor(end)).detach();
        } catch (const std::system_error& error) {
            // The descriptor is closed, so the program must use the existing channels.
            ::close(end);
        }
    }
    ::_exit(0);
}

}  // namespace assay::isolated
