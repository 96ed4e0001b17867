// Empty on purpose: see bench.go.
