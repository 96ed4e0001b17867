package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"math"
	"testing"
	"time"

	"github.com/cilium/cilium/pkg/command"
	"github.com/cilium/cilium/pkg/rate"
)

// What daemon/restapi/api_limits.go of the release has; that package needs the whole agent.
var ciliumDefaults = map[string]rate.APILimiterParameters{
	"endpoint-create": {
		AutoAdjust: true, EstimatedProcessingDuration: 2 * time.Second, RateLimit: 0.5, RateBurst: 4,
		ParallelRequests: 4, MinParallelRequests: 2, SkipInitial: 4, MaxWaitDuration: 60 * time.Second,
	},
	"endpoint-delete": {
		AutoAdjust: true, EstimatedProcessingDuration: 200 * time.Millisecond, ParallelRequests: 4, MinParallelRequests: 4,
	},
	"endpoint-get": {
		AutoAdjust: true, EstimatedProcessingDuration: 200 * time.Millisecond, RateLimit: 4, RateBurst: 4,
		ParallelRequests: 4, MinParallelRequests: 2, SkipInitial: 4, MaxWaitDuration: 10 * time.Second,
	},
	"endpoint-patch": {
		AutoAdjust: true, EstimatedProcessingDuration: time.Second, RateLimit: 0.5, RateBurst: 4,
		ParallelRequests: 4, SkipInitial: 4, MaxWaitDuration: 15 * time.Second,
	},
	"endpoint-list": {
		AutoAdjust: true, EstimatedProcessingDuration: 300 * time.Millisecond, RateLimit: 1, RateBurst: 4,
		ParallelRequests: 2, MinParallelRequests: 2,
	},
}

type ciliumParameters struct {
	// Infinite rates are the largest number there is.
	RateLimit         float64 `json:"rateLimit"`
	RateBurst         int     `json:"rateBurst"`
	ParallelRequests  int     `json:"parallelRequests"`
	MinParallel       int     `json:"minParallelRequests"`
	MaxParallel       int     `json:"maxParallelRequests"`
	MeanOver          int     `json:"meanOver"`
	SkipInitial       int     `json:"skipInitial"`
	MinWait           int64   `json:"minWait"`
	MaxWait           int64   `json:"maxWait"`
	Estimated         int64   `json:"estimated"`
	AutoAdjust        bool    `json:"autoAdjust"`
	Log               bool    `json:"log"`
	DelayedAdjustment float64 `json:"delayedAdjustment"`
	MaxAdjustment     float64 `json:"maxAdjustment"`
}

func limiters(apiRateLimit string, observer rate.MetricsObserver) (set *rate.APILimiterSet, names []string, failure string) {
	defer func() {
		if panicked := recover(); panicked != nil {
			failure = "panic: " + panicked.(error).Error()
		}
	}()
	config, err := command.ToStringMapStringE(apiRateLimit)
	if err != nil {
		return nil, nil, err.Error()
	}
	set, err = rate.NewAPILimiterSet(slog.New(slog.NewTextHandler(io.Discard, nil)), config, ciliumDefaults, observer)
	if err != nil {
		return nil, nil, err.Error()
	}
	for name := range config {
		names = append(names, name)
	}
	return set, names, ""
}

func parameters(apiRateLimit string) (map[string]ciliumParameters, string) {
	set, names, failure := limiters(apiRateLimit, nil)
	if failure != "" {
		return nil, failure
	}
	groups := map[string]ciliumParameters{}
	for _, name := range names {
		p := set.Limiter(name).Parameters()
		groups[name] = ciliumParameters{
			RateLimit: finite(float64(p.RateLimit)), RateBurst: p.RateBurst, ParallelRequests: p.ParallelRequests,
			MinParallel: p.MinParallelRequests, MaxParallel: p.MaxParallelRequests, MeanOver: p.MeanOver,
			SkipInitial: p.SkipInitial, MinWait: int64(p.MinWaitDuration), MaxWait: int64(p.MaxWaitDuration),
			Estimated: int64(p.EstimatedProcessingDuration), AutoAdjust: p.AutoAdjust, Log: p.Log,
			DelayedAdjustment: finite(p.DelayedAdjustmentFactor), MaxAdjustment: finite(p.MaxAdjustmentFactor),
		}
	}
	return groups, ""
}

// finite keeps JSON from failing; NaN becomes the smallest number that there is, and comes from ours as well.
func finite(value float64) float64 {
	switch {
	case math.IsNaN(value):
		return math.SmallestNonzeroFloat64
	case math.IsInf(value, 1):
		return math.MaxFloat64
	case math.IsInf(value, -1):
		return -math.MaxFloat64
	}
	return value
}

type ciliumQuestion struct {
	APIRateLimit string          `json:"apiRateLimit"`
	Group        string          `json:"group"`
	Requests     []ciliumRequest `json:"requests"`
}

// Times in nanoseconds; at times that never decrease.
type ciliumRequest struct {
	At         int64 `json:"at"`
	Processing int64 `json:"processing"`
	// When the caller gives up, after its arrival; 0: never.
	Patience int64 `json:"patience"`
	// What the handler fails with; 0: it succeeds.
	HandlerCode int `json:"handlerCode"`
}

type ciliumOutcome struct {
	Outcome    string  `json:"outcome"`
	ReturnCode int     `json:"returnCode"`
	Wait       int64   `json:"wait"`
	Finished   int64   `json:"finished"`
	Error      string  `json:"error"`
	Factor     float64 `json:"factor"`
	Parallel   int     `json:"parallel"`
	RateLimit  float64 `json:"rateLimit"`
	Burst      int     `json:"burst"`
	InFlight   int     `json:"inFlight"`
	Mean       float64 `json:"mean"`
	MeanWait   float64 `json:"meanWait"`
}

// An observer takes note of what the metrics would say after the request that finishes now.
type observer struct{ last rate.MetricsValues }

func (o *observer) ProcessedRequest(_ string, values rate.MetricsValues) { o.last = values }

func (q *ciliumQuestion) answer(t *testing.T) ([]ciliumOutcome, string) {
	seen := &observer{}
	set, _, failure := limiters(q.APIRateLimit, seen)
	if failure != "" {
		return nil, failure
	}
	start := time.Now()
	outcomes := make([]ciliumOutcome, len(q.Requests))
	done := make(chan struct{})
	for i := range q.Requests {
		go func() {
			asked := &q.Requests[i]
			time.Sleep(time.Duration(asked.At))
			outcomes[i] = asked.through(set, q.Group, seen)
			outcomes[i].Finished = int64(time.Since(start))
			done <- struct{}{}
		}()
	}
	for range q.Requests {
		<-done
	}
	return outcomes, ""
}

func (r *ciliumRequest) through(set *rate.APILimiterSet, group string, seen *observer) ciliumOutcome {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if r.Patience > 0 {
		timer := time.AfterFunc(time.Duration(r.Patience), cancel)
		defer timer.Stop()
	}
	request, err := set.Wait(ctx, group)
	message := ""
	if err != nil {
		message = err.Error()
	} else {
		time.Sleep(time.Duration(r.Processing))
		if r.HandlerCode > 0 {
			request.Error(errors.New("handler"), r.HandlerCode)
		} else {
			request.Done()
		}
	}
	values := seen.last
	outcome := values.Outcome
	if outcome == "" {
		outcome = "success"
		if values.Error != nil {
			outcome = "fail"
		}
	}
	return ciliumOutcome{
		Outcome: outcome, ReturnCode: values.ReturnCode, Wait: int64(values.WaitDuration), Error: message,
		Factor: finite(values.AdjustmentFactor), Parallel: values.ParallelRequests, RateLimit: finite(float64(values.Limit)),
		Burst: values.Burst, InFlight: values.CurrentRequestsInFlight, Mean: finite(values.MeanProcessingDuration),
		MeanWait: finite(values.MeanWaitDuration),
	}
}
