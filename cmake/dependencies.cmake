# Every package that is searched for; the components link the targets they need.
include(${CMAKE_CURRENT_LIST_DIR}/link-dependencies.cmake)
# Headers alone: whoever links the library needs none of them.
find_package(Boost REQUIRED)
# libcurl is opened when a URL is read: src/data/remote/curl.h.
find_path(ASSAY_CURL_INCLUDE curl/curl.h REQUIRED)
find_path(ASSAY_TOMLPP_INCLUDE toml++/toml.h REQUIRED)
set(ASSAY_HEADER_ONLY Boost::headers)
if(ASSAY_PROGRAM)
    find_package(CLI11 REQUIRED)
endif()
if(ASSAY_TESTS)
    find_package(GTest REQUIRED)
endif()
if(ASSAY_BENCH)
    find_package(benchmark REQUIRED)
endif()
