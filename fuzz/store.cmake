assay_fuzz(safetensors safetensors.cpp LINKS assay_store)
assay_fuzz(import_table import_table.cpp LINKS assay_store)
assay_fuzz(store_json store_json.cpp LINKS assay_store)
