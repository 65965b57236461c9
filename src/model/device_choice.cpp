#include "model/device_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "assay/error.h"

namespace assay {
namespace {

[[noreturn]] void refuse_device(const std::string& wanted, const std::string& why) {
    throw Error(ErrorCode::usage, fmt::format("device \"{}\": {}", wanted, why));
}

/// Reads "0,1" as 0 and 1.
std::vector<int> numbers_in(const std::string& wanted, std::string_view list) {
    std::vector<int> numbers;
    for (;;) {
        const std::string_view one = list.substr(0, list.find(','));
        int number = 0;
        const auto [stop, code] = std::from_chars(one.data(), one.data() + one.size(), number);
        if (one.empty() || stop != one.data() + one.size() || code != std::errc{} || number < 0)
            refuse_device(wanted, "a number or a list must follow \"cuda:\", as in cuda:0,1");
        if (std::ranges::find(numbers, number) != numbers.end())
            refuse_device(wanted, fmt::format("{} appears twice", number));
        numbers.push_back(number);
        if (one.size() == list.size()) break;
        list.remove_prefix(one.size() + 1);
    }
    std::ranges::sort(numbers);
    return numbers;
}

std::string shown_name(const std::string& name) {
    return name.empty() ? std::string("a device of unknown name") : name;
}

/// All devices of the first device's type. A note lists the other devices.
std::vector<int> all_of_one_type(const std::vector<std::string>& visible, DeviceChoice& choice) {
    std::vector<int> numbers;
    for (std::size_t i = 0; i < visible.size(); ++i) {
        if (visible[i] == visible.front()) {
            numbers.push_back(static_cast<int>(i));
            continue;
        }
        choice.notes.push_back(
            fmt::format("cuda:{} ({}) is not used: its last bits differ from those of cuda:0 ({})",
                        i, shown_name(visible[i]), shown_name(visible.front())));
    }
    return numbers;
}

void check_listed(const std::string& wanted, const std::vector<int>& numbers,
                  const std::vector<std::string>& visible) {
    const auto name = [&](int number) { return visible[static_cast<std::size_t>(number)]; };
    if (static_cast<std::size_t>(numbers.back()) >= visible.size()) {
        refuse_device(wanted, visible.size() == 1
                                  ? std::string("the only CUDA device is cuda:0")
                                  : fmt::format("there are {} CUDA devices, cuda:0 to cuda:{}",
                                                visible.size(), visible.size() - 1));
    }
    for (const int number : numbers) {
        if (name(number) == name(numbers.front())) continue;
        refuse_device(wanted, fmt::format("cuda:{} is {} but cuda:{} is {}, and their last bits "
                                          "differ; use devices of one type",
                                          numbers.front(), shown_name(name(numbers.front())),
                                          number, shown_name(name(number))));
    }
}

std::vector<int> dealt_out(const std::vector<int>& numbers, std::uint32_t process,
                           std::uint32_t processes) {
    if (processes > numbers.size()) return {numbers[process % numbers.size()]};
    std::vector<int> own;
    for (std::size_t i = process; i < numbers.size(); i += processes) own.push_back(numbers[i]);
    return own;
}

}  // namespace

DeviceChoice choose_devices(const std::string& wanted, const std::vector<std::string>& visible,
                            std::uint32_t process, std::uint32_t processes,
                            const std::string& framework) {
    constexpr std::string_view prefix = "cuda:";
    DeviceChoice choice;
    if (wanted == "cpu" || (wanted == "auto" && visible.empty())) return choice;
    const bool listed = wanted.starts_with(prefix);
    if (wanted != "auto" && wanted != "cuda" && !listed) {
        throw Error(ErrorCode::usage,
                    fmt::format("unknown device \"{}\"; allowed: auto, cpu, cuda, cuda:N, cuda:N,M",
                                wanted));
    }
    std::vector<int> numbers;
    if (listed) numbers = numbers_in(wanted, std::string_view(wanted).substr(prefix.size()));
    if (visible.empty()) {
        refuse_device(wanted,
                      fmt::format("{} finds no CUDA device here; use cpu or auto", framework));
    }
    if (listed) {
        check_listed(wanted, numbers, visible);
    } else {
        numbers = all_of_one_type(visible, choice);
    }
    choice.numbers = dealt_out(numbers, process, std::max(processes, 1U));
    choice.type = visible[static_cast<std::size_t>(numbers.front())];
    return choice;
}

}  // namespace assay
