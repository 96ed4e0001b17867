package main

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/time/rate"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"
)

// A bucketQuestion is a sequence of operations on one bucket, at times that never decrease.
type bucketQuestion struct {
	Limit      float64           `json:"limit"`
	Burst      int               `json:"burst"`
	Operations []bucketOperation `json:"operations"`
}

type bucketOperation struct {
	// reserve, allow, cancel (of the reservation at index Value), setLimit, setBurst
	What        string  `json:"what"`
	Nanoseconds int64   `json:"nanoseconds"`
	Value       float64 `json:"value"`
}

type bucketStep struct {
	// Of a reservation its delay in nanoseconds, of allow 1 or 0.
	Result int64   `json:"result"`
	Tokens float64 `json:"tokens"`
}

func (q *bucketQuestion) answer() []bucketStep {
	start := time.Unix(1_700_000_000, 0)
	bucket := rate.NewLimiter(rate.Limit(q.Limit), q.Burst)
	reservations := map[int]*rate.Reservation{}
	steps := make([]bucketStep, len(q.Operations))
	for i, operation := range q.Operations {
		now := start.Add(time.Duration(operation.Nanoseconds))
		switch operation.What {
		case "reserve":
			reservations[i] = bucket.ReserveN(now, 1)
			steps[i].Result = int64(reservations[i].DelayFrom(now))
		case "allow":
			if bucket.AllowN(now, 1) {
				steps[i].Result = 1
			}
		case "cancel":
			reservations[int(operation.Value)].CancelAt(now)
		case "setLimit":
			bucket.SetLimitAt(now, rate.Limit(operation.Value))
		case "setBurst":
			bucket.SetBurstAt(now, int(operation.Value))
		}
		steps[i].Tokens = bucket.TokensAt(now)
	}
	return steps
}

// A callsQuestion has workers that make calls one after the other, through one limiter of client-go. Each call may have a
// deadline for its wait.
type callsQuestion struct {
	QPS     float32 `json:"qps"`
	Burst   int     `json:"burst"`
	Workers int     `json:"workers"`
	// How long each call takes once it is let through, and its deadline; 0: none.
	Latencies []int64 `json:"latencies"`
	Deadlines []int64 `json:"deadlines"`
}

type call struct {
	Arrived int64  `json:"arrived"`
	Waited  int64  `json:"waited"`
	Error   string `json:"error,omitempty"`
}

func (q *callsQuestion) answer(t *testing.T) []call {
	limiter := flowcontrol.NewTokenBucketRateLimiter(q.QPS, q.Burst)
	start := time.Now()
	calls := make([]call, len(q.Latencies))
	next := 0
	var workers sync.WaitGroup
	for range q.Workers {
		workers.Go(func() {
			for next < len(calls) {
				index := next
				next++
				calls[index] = throughLimiter(limiter, start, q.Deadlines[index])
				if calls[index].Error == "" {
					time.Sleep(time.Duration(q.Latencies[index]))
				}
			}
		})
	}
	workers.Wait()
	return calls
}

func throughLimiter(limiter flowcontrol.RateLimiter, start time.Time, deadline int64) call {
	ctx := context.Background()
	if deadline > 0 {
		limited, cancel := context.WithTimeout(ctx, time.Duration(deadline))
		defer cancel()
		ctx = limited
	}
	arrived := time.Now()
	err := limiter.Wait(ctx)
	answer := call{Arrived: int64(arrived.Sub(start)), Waited: int64(time.Since(arrived))}
	if err != nil {
		answer.Error = err.Error()
	}
	return answer
}

type retryQuestion struct {
	// The last one repeats.
	Responses  []retryResponse `json:"responses"`
	Opaque     bool            `json:"opaque"`
	MaxRetries int             `json:"maxRetries"`
}

type retryResponse struct {
	Code       int     `json:"code"`
	RetryAfter *string `json:"retryAfter"`
}

type retryAnswer struct {
	Sleeps []int64 `json:"sleeps"`
	Code   int     `json:"code"`
}

// A scripted transport answers as it is told, and takes note of when it was asked.
type scripted struct {
	responses []retryResponse
	asked     []time.Time
	last      int
}

func (s *scripted) RoundTrip(request *http.Request) (*http.Response, error) {
	next := s.responses[min(len(s.asked), len(s.responses)-1)]
	s.asked = append(s.asked, time.Now())
	s.last = next.Code
	header := http.Header{"Content-Type": []string{"text/plain"}}
	if next.RetryAfter != nil {
		header.Set("Retry-After", *next.RetryAfter)
	}
	return &http.Response{StatusCode: next.Code, Header: header, Body: io.NopCloser(strings.NewReader("")), Request: request}, nil
}

func (q *retryQuestion) answer(t *testing.T) *retryAnswer {
	transport := &scripted{responses: q.Responses}
	content := rest.ClientContentConfig{
		ContentType:  "application/json",
		GroupVersion: schema.GroupVersion{Version: "v1"},
		Negotiator:   runtime.NewClientNegotiator(scheme.Codecs.WithoutConversion(), schema.GroupVersion{Version: "v1"}),
	}
	client, err := rest.NewRESTClient(&url.URL{Scheme: "http", Host: "oracle"}, "/api/v1", content, flowcontrol.NewFakeAlwaysRateLimiter(), &http.Client{Transport: transport})
	if err != nil {
		panic(err)
	}
	request := client.Post().Resource("configmaps").MaxRetries(q.MaxRetries)
	if q.Opaque {
		request = request.Body(io.NopCloser(strings.NewReader("{}")))
	} else {
		request = request.Body([]byte("{}"))
	}
	request.Do(context.Background())
	answer := &retryAnswer{Code: transport.last, Sleeps: []int64{}}
	for i := 1; i < len(transport.asked); i++ {
		answer.Sleeps = append(answer.Sleeps, int64(transport.asked[i].Sub(transport.asked[i-1])))
	}
	return answer
}
