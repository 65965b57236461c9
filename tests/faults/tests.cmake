# Commands that continue, fail or are killed at each of their system calls (campaign.py). Only some
# of the faults are tried here. tools/campaign tries all.
find_program(ASSAY_PYTHON python3)
if(ASSAY_PYTHON)
    add_library(failing_calls MODULE faults/failing_calls.cpp)
    target_link_libraries(failing_calls PRIVATE assay_flags ${CMAKE_DL_LIBS})
    add_dependencies(failing_calls assay)
    if(TARGET assay_torch)
        add_dependencies(failing_calls assay_torch)
        set(torch_faults --torch-slice 100)
    else()
        set(torch_faults --no-torch)
    endif()
    assay_test_case(faults SLOW LABEL faults COMMAND ${ASSAY_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/faults/campaign.py
        --program $<TARGET_FILE:assay> --interposer $<TARGET_FILE:failing_calls> --source ${PROJECT_SOURCE_DIR}
        --slice 50 ${torch_faults})
else()
    message(WARNING "without python3 the faults campaign is not run")
endif()
