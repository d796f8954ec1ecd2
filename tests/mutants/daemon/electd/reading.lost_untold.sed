# A document that cannot be read for lack of memory is forgotten.
# test: unit/electd/test_electd
s/document_lose(document);/document_done(document);/
