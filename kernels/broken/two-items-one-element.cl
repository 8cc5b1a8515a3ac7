// Symptom: a few percent off, or a lot, or not at all; another result at every run.
// Run: lesson04 --only matmul_id0_columns --size 37x21x35
// Seen by: checker
