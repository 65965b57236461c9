// Whether tests run under the address sanitizer. Tests that repeat a step to hit a rare moment
// use fewer repetitions then.
#pragma once

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ASSAY_SANITIZED 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define ASSAY_SANITIZED 1
#endif

namespace assay {

#ifdef ASSAY_SANITIZED
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

}  // namespace assay
