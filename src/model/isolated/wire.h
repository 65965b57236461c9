// The content of messages. Messages from a model's process are untrusted input: sizes, counts and
// kinds are checked before they are used.
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
    ready,      ///< the launcher has opened the plug-in, or a channel has its thread
    open,       ///< OpenRequest
    opened,     ///< Opened
    failed,     ///< an Error
    ended,      ///< wait status of a model's process, sent by the launcher
    lane,       ///< an additional channel for batches, with its descriptor
    batch,      ///< a Batch, optionally with a larger buffer
    done,       ///< the scores are in the buffer
    measure,    ///< CostRequest
    cost,       ///< a part of a ModelCost (cost_wire.h)
    described,  ///< Described, the first message of a Python process, with its JSON
    said,       ///< a note from a Python process, before `described`
    wanted,     ///< a request for class names by a Python process, before `described`
    names,      ///< the answer to `wanted`, with its JSON
};

/// The protocol version for Python processes (docs/formats.md).
inline constexpr std::uint64_t python_protocol = 1;
inline constexpr std::uint64_t most_description = std::uint64_t{64} << 20;

struct Described {
    std::uint64_t version = python_protocol;
    std::string framework;
    std::uint64_t length = 0;  ///< bytes of the JSON, at most most_description
};

/// The message that describes the model: the parts of a ModelSpec that the plug-in needs.
struct OpenRequest {
    ModelSpec spec;             ///< only the number of `classes` is sent
    ClassifierOptions options;  ///< options without `isolate`
    bool limited = true;        ///< deny access to files, sockets and other processes
};

struct Opened {
    ModelFacts facts;
    std::vector<std::string> missing;  ///< limits that this kernel lacks, as text
};

/// A request about the images in the buffer (batch_layout.h).
struct Batch {
    std::uint64_t images = 0;
    std::uint64_t input = 0;        ///< floats
    std::uint64_t output = 0;       ///< floats
    std::optional<Loss> loss = {};  ///< if set, also computes its gradient
};

std::string text_of(MessageKind kind);
std::string text_of(const OpenRequest& request);
std::string text_of(const Opened& opened);
/// Truncates long messages and notes.
std::string text_of(const Error& error);
std::string text_of(const Batch& batch);
std::string text_of(const CostRequest& request);
std::string text_of_end(int wait_status);
std::string text_of(const Described& described);
std::string text_of_said(std::string_view note);

/// These throw bad_input for truncated, long or unexpected messages, and values out of range.
MessageKind kind_of(std::string_view message);
OpenRequest open_request(std::string_view message);
/// The limits are 2^24 classes, a fixed batch of 2^16, and 1024 devices and lanes.
Opened opened(std::string_view message);
Error failure(std::string_view message);
Batch batch(std::string_view message);
CostRequest cost_request(std::string_view message);
int end_of(std::string_view message);
/// For another version, the error names this version.
Described described(std::string_view message);
std::string said(std::string_view message);

}  // namespace assay::isolated
