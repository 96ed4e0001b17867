// Package contract is what the adapters of all releases have in common.
package contract

import "net/http"

// Statistics is what a server knows of the objects of a resource.
type Statistics struct {
	// State is ok, stale or notfound.
	State        string `json:"state"`
	Count        int64  `json:"count"`
	AverageBytes int64  `json:"averageBytes"`
}

type Estimate struct {
	InitialSeats      uint64 `json:"initialSeats"`
	FinalSeats        uint64 `json:"finalSeats"`
	AdditionalLatency int64  `json:"additionalLatencyNanoseconds"`
}

// An Estimator is one release's work estimator, asked about one request, whose context has the request info.
type Estimator func(r *http.Request, statistics Statistics, watches int, maxSeats uint64) Estimate

type Item struct {
	Lower  float64 `json:"lower"`
	Upper  float64 `json:"upper"`
	Target float64 `json:"target"`
}

// An Allocator is one release's computeConcurrencyAllocation.
type Allocator func(required int, items []Item) (seats []float64, proportion float64, err error)

// A Release has no allocator where levels do not borrow.
type Release struct {
	Estimate Estimator
	Allocate Allocator
}
