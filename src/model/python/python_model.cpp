#include "model/python/python_model.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <poll.h>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <random>
#include <tuple>
#include <utility>

#include "assay/error.h"
#include "core/hash.h"
#include "core/json_limits.h"
#include "core/json_reader.h"
#include "core/paths.h"
#include "model/isolated/channel.h"
#include "model/isolated/isolated_classifier.h"
#include "model/isolated/wire.h"
#include "model/isolated/wire_fields.h"
#include "model/python/interpreter.h"
#include "model/python/python_process.h"
#include "model/python/source.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using isolated::Arrival;
using isolated::MessageKind;
using isolated::RunningProcess;

/// The largest number of notes to accept while the process loads.
constexpr int most_said = 10'000;
/// A source that users cannot type: it starts the worker for ONNX files.
constexpr std::string_view source_of_onnx_files = "onnxruntime";

/// Reads the bytes behind a descriptor, which no process can change or truncate any more.
std::string bytes_in(const Descriptor& memory, std::uint64_t length) {
    struct stat facts {};
    constexpr int wanted = F_SEAL_SHRINK | F_SEAL_WRITE;
    const int seals = ::fcntl(memory.get(), F_GET_SEALS);
    if (seals < 0 || (seals & wanted) != wanted)
        isolated::wire_nonsense("a description in memory that is not sealed");
    if (::fstat(memory.get(), &facts) != 0 || static_cast<std::uint64_t>(facts.st_size) < length)
        isolated::wire_nonsense("a description that is shorter than it says");
    std::string bytes(static_cast<std::size_t>(length), '\0');
    for (std::size_t done = 0; done < bytes.size();) {
        const ssize_t n = retried([&] {
            return ::pread(memory.get(), bytes.data() + done, bytes.size() - done,
                           static_cast<off_t>(done));
        });
        if (n <= 0) isolated::wire_nonsense("a description that cannot be read");
        done += static_cast<std::size_t>(n);
    }
    return bytes;
}

/// Says why there is no model: the process ended before loading it.
Error ended_early(RunningProcess& process, const std::string& what) {
    const std::optional<int> status = process.status();
    if (status && WIFEXITED(*status) && WEXITSTATUS(*status) == python_too_old) {
        return Error(ErrorCode::usage, fmt::format("{}; name another Python: "
                                                   "ASSAY_PYTHON=/path/to/python",
                                                   process.words.line()));
    }
    return Error(ErrorCode::bad_input, fmt::format("the process that loads the model {} {}", what,
                                                   process.end_in_words(status)));
}

/// Sends names to a model that asks for them.
ClassTexts tell_names(RunningProcess& process, std::string_view message, const PythonStart& start) {
    isolated::MessageReader(message, MessageKind::wanted).finish();
    ClassTexts texts = class_texts(start);
    const Descriptor memory = memory_with(texts.json, "assay-names");
    // If the process is gone, the next wait reports that.
    isolated::send_message(
        process.control(),
        isolated::MessageWriter(MessageKind::names).number(texts.json.size()).take(),
        {memory.get()});
    return texts;
}

/// The next event from a process that loads. Kills the process if it is silent for too long.
Arrival next_of_loading(RunningProcess& process, const std::string& what,
                        const PythonStart& start) {
    const std::chrono::seconds chosen(start.model_timeout);
    const auto limit = chosen.count() > 0 ? chosen : isolated::longest_silence;
    const Arrival arrival = isolated::wait_while_it_works(process, process.control(), limit);
    if (arrival != Arrival::late) return arrival;
    process.end();
    throw Error(ErrorCode::bad_input,
                fmt::format("the process that loads the model {} did nothing for {} s, so it was "
                            "ended; allow more with --model-timeout SECONDS",
                            what, limit.count()));
}

/// Waits until the process describes what it has loaded. `texts` receives the names that it was
/// sent.
ModelDescription described_by(RunningProcess& process, const std::string& what,
                              const PythonStart& start, ClassTexts& texts) {
    for (int notes = 0;; ++notes) {
        std::vector<Descriptor> along;
        std::optional<std::string> message;
        if (next_of_loading(process, what, start) == Arrival::message)
            message = isolated::receive_message(process.control(), &along);
        if (!message) throw ended_early(process, what);
        switch (isolated::kind_of(*message)) {
            case MessageKind::said:
                if (notes == most_said) isolated::wire_nonsense("notes without end");
                if (const std::string note = isolated::said(*message); start.say) start.say(note);
                continue;
            case MessageKind::wanted:
                if (!texts.classes.empty()) isolated::wire_nonsense("a second question for names");
                texts = tell_names(process, *message, start);
                continue;
            case MessageKind::failed:
                throw isolated::failure(*message);
            case MessageKind::described:
                break;
            default:
                isolated::wire_nonsense("something other than a description of its model");
        }
        isolated::Described described = isolated::described(*message);
        if (along.size() != 1) isolated::wire_nonsense("a description without its text");
        return read_description(bytes_in(along.front(), described.length),
                                std::move(described.framework));
    }
}

std::shared_ptr<PythonModel> loaded_by(std::shared_ptr<RunningProcess> process,
                                       const std::string& what, const PythonStart& start) {
    ClassTexts texts;
    ModelDescription description = described_by(*process, what, start, texts);
    if (start.say) {
        for (const std::string& note : description.notes) start.say(note);
        if (description.identity.empty()) {
            start.say(fmt::format(
                "nothing identifies {}, so a later run cannot resume its predictions", what));
        }
    }
    return std::make_shared<PythonModel>(std::move(process), std::move(description),
                                         std::move(texts));
}

std::shared_ptr<PythonModel> loaded(const std::string& source, const fs::path& checkpoint,
                                    const PythonStart& start) {
    if (kind_of_source(source) == "process") {
        int descriptor = -1;
        const std::string_view number = name_in_source(source);
        const auto [end, code] =
            std::from_chars(number.data(), number.data() + number.size(), descriptor);
        if (code != std::errc() || end != number.data() + number.size()) descriptor = -1;
        return loaded_by(process_at(descriptor), source, start);
    }
    const Interpreter python = find_interpreter();
    std::vector<std::string> arguments = {source};
    if (!checkpoint.empty()) arguments.push_back(checkpoint.string());
    return with_note(fmt::format("loading {} in {} (chosen by {})",
                                 checkpoint.empty() ? source : checkpoint.string(),
                                 python.program.string(), python.chosen_by),
                     [&] {
                         return loaded_by(start_worker(python, arguments, start.offline),
                                          checkpoint.empty() ? source : checkpoint.string(), start);
                     });
}

bool still_runs(const RunningProcess& process) {
    pollfd told{process.gone(), POLLIN, 0};
    return process.gone() < 0 || retried([&] { return ::poll(&told, 1, 0); }) == 0;
}

}  // namespace

std::string PythonModel::file_hash() const {
    if (!description_.identity.empty())
        return hash_text("model in Python " + description_.identity);
    // A random value per process as the model's identity, so that its stores belong together.
    static const std::string own = [] {
        std::random_device device;
        return fmt::format("{:08x}{:08x}{:08x}{:08x}", device(), device(), device(), device());
    }();
    return hash_text("model in Python without identity " + own + description_.name);
}

std::shared_ptr<PythonModel> load_in_python(const std::string& source, const fs::path& checkpoint,
                                            const PythonStart& start) {
    using Key = std::tuple<std::string, std::string, bool>;
    static std::mutex mutex;
    static std::map<Key, std::weak_ptr<PythonModel>> running;
    const std::string whole = whole_source(source);
    const fs::path file = checkpoint.empty() ? fs::path() : absolute_path(checkpoint);
    const Key key{whole, file.string(), start.offline};
    const std::scoped_lock lock(mutex);
    std::erase_if(running, [](const auto& entry) { return entry.second.expired(); });
    if (const auto found = running.find(key); found != running.end()) {
        const auto model = found->second.lock();
        const bool same = model && (model->texts().classes.empty() ||
                                    model->texts().json == class_texts(start).json);
        if (same && still_runs(*model->process())) return model;
    }
    auto model = loaded(whole, file, start);
    if (const auto found = running.find(key); found != running.end()) {
        if (const auto before = found->second.lock()) model->share_gate_of(*before);
    }
    if (kind_of_source(whole) != "process" && !model->description().identity.empty()) {
        PythonStart quiet = start;
        quiet.say = {};
        // `start` may refer to objects that no longer exist at that time.
        quiet.classes = [classes = model->texts().classes] { return classes; };
        model->restarted_by([whole, file, quiet] { return load_in_python(whole, file, quiet); });
    }
    running[key] = model;
    // A descriptor can be used only once, so a second request with other settings must reuse the
    // process. It ends with the program, after all static objects.
    static auto& given = *new std::vector<std::shared_ptr<PythonModel>>;
    if (kind_of_source(whole) == "process") given.push_back(model);
    return model;
}

std::shared_ptr<PythonModel> load_in_onnxruntime(const fs::path& file,
                                                 const ClassifierOptions& options) {
    PythonStart start;
    start.offline = options.offline;
    start.model_timeout = options.model_timeout;
    return loaded(std::string(source_of_onnx_files), absolute_path(file), start);
}

SourceNames names_in_python(const std::string& pattern, const ClassifierOptions& options) {
    const Interpreter python = find_interpreter();
    PythonStart start;
    start.model_timeout = options.model_timeout;
    return with_note(
        fmt::format("listing {} in {} (chosen by {})", pattern, python.program.string(),
                    python.chosen_by),
        [&] {
            // Most lists are part of the library; a hub's list is fetched.
            const bool offline = options.offline || kind_of_source(pattern) != "hf";
            const auto process = start_worker(python, {"--names", pattern}, offline);
            std::vector<Descriptor> along;
            std::optional<std::string> message;
            if (next_of_loading(*process, pattern, start) == Arrival::message)
                message = isolated::receive_message(process->control(), &along);
            if (!message) throw ended_early(*process, pattern);
            if (isolated::kind_of(*message) == MessageKind::failed)
                throw isolated::failure(*message);
            if (isolated::kind_of(*message) != MessageKind::described || along.size() != 1)
                isolated::wire_nonsense("something other than names of models");
            constexpr int depth = 4;
            const nlohmann::json all =
                parse_json(bytes_in(along.front(), isolated::described(*message).length), depth);
            const JsonReader fields(all, {"what the process sends"});
            SourceNames found{fields["library"].text(), {}, fields["left_out"].whole()};
            for (const JsonReader& name : fields["names"].entries()) {
                const std::vector<JsonReader> pair = name.entries();
                if (pair.size() != 2) name.refuse_as("a name and an accuracy");
                SourceNames::Name& row = found.names.emplace_back();
                row.source = pair[0].text();
                if (!pair[1].json().is_null()) row.accuracy = pair[1].number();
            }
            return found;
        });
}

std::unique_ptr<Classifier> open_python(const ModelSpec& spec, const ClassifierOptions& options) {
    isolated::LoadedProcess loaded{spec.python->process(), spec.python->gate()};
    if (spec.python->again()) {
        loaded.again = [model = spec.python]() mutable {
            auto next = model->again()();
            if (next->description().identity != model->description().identity) {
                throw Error(
                    ErrorCode::bad_input,
                    fmt::format("{} was reloaded and has different weights now; rerun the command",
                                model->description().name));
            }
            model = std::move(next);
            return model->process();
        };
    }
    return isolated::open_in(std::move(loaded), spec, options, options.isolate == Isolation::on);
}

}  // namespace assay
