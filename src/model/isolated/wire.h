// What the messages say. Those of a model's process are input like any other: sizes, counts and
// kinds are held against what is allowed before anything is believed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/error.h"
#include "assay/model/classifier.h"

namespace assay::isolated {

enum class MessageKind : std::uint8_t {
    ready,      ///< the launcher has opened the plug-in; a channel has its thread
    open,       ///< OpenRequest
    opened,     ///< Opened
    failed,     ///< an Error
    ended,      ///< wait status of a model's process, from the launcher
    lane,       ///< one more channel for batches: its descriptor comes along
    batch,      ///< Batch; a larger buffer may come along
    done,       ///< the scores are in the buffer
    measure,    ///< CostRequest
    cost,       ///< a part of a ModelCost (cost_wire.h)
    described,  ///< Described, first of a process of Python; its JSON comes along
    said,       ///< a note of such a process, before that
    wanted,     ///< before that, too: it asks for class names
    names,      ///< the answer; its JSON comes along
};

/// What a process of Python is asked to speak (docs/formats.md).
inline constexpr std::uint64_t python_protocol = 1;
inline constexpr std::uint64_t most_description = std::uint64_t{64} << 20;

struct Described {
    std::uint64_t version = python_protocol;
    std::string framework;
    std::uint64_t length = 0;  ///< bytes of the JSON, at most most_description
};

/// What a model's process is told of the model: what the plug-in asks of a ModelSpec.
struct OpenRequest {
    ModelSpec spec;             ///< `classes` keeps its number only
    ClassifierOptions options;  ///< without `isolate`
    bool limited = true;        ///< files, sockets and other processes are out of its reach
};

struct Opened {
    ModelFacts facts;
    std::vector<std::string> missing;  ///< limits that this kernel does not offer, in words
};

/// What is asked of the images in the buffer (batch_layout.h).
struct Batch {
    std::uint64_t images = 0;
    std::uint64_t input = 0;        ///< floats
    std::uint64_t output = 0;       ///< floats
    std::optional<Loss> loss = {};  ///< set: its gradient, too
};

std::string text_of(MessageKind kind);
std::string text_of(const OpenRequest& request);
std::string text_of(const Opened& opened);
/// Long messages and notes are cut.
std::string text_of(const Error& error);
std::string text_of(const Batch& batch);
std::string text_of(const CostRequest& request);
std::string text_of_end(int wait_status);
std::string text_of(const Described& described);
std::string text_of_said(std::string_view note);

/// All throw bad_input: cut short, too long, of another kind, a value out of its range.
MessageKind kind_of(std::string_view message);
OpenRequest open_request(std::string_view message);
/// Classes at most 2^24, a fixed batch at most 2^16, devices and lanes at most 1024.
Opened opened(std::string_view message);
Error failure(std::string_view message);
Batch batch(std::string_view message);
CostRequest cost_request(std::string_view message);
int end_of(std::string_view message);
/// Of another version: says which.
Described described(std::string_view message);
std::string said(std::string_view message);

}  // namespace assay::isolated
