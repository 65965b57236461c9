if(TARGET assay_commands)
    assay_fuzz(configuration configuration.cpp DICTIONARY configuration LINKS assay_commands)
endif()
