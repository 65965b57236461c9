assay_fuzz(boxes_voc boxes_voc.cpp DICTIONARY boxes LINKS assay_patchml)
assay_fuzz(boxes_coco boxes_coco.cpp DICTIONARY boxes LINKS assay_patchml)
assay_fuzz(boxes_csv boxes_csv.cpp DICTIONARY boxes LINKS assay_patchml)
