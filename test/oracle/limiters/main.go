// Command limiters answers questions about the limiters around API Priority and Fairness with upstream's own code: the
// token bucket of client-go, the admission plugin EventRateLimit, and the API limiter of the Cilium agent.
//
// Every line on standard input is one question, every line on standard output its answer, in order. Time is virtual: what
// would take an hour takes microseconds, and every wait is exact.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"testing"
	"testing/synctest"

	"k8s.io/klog/v2"
)

type question struct {
	// bucket: bucket -> steps
	// calls:  calls -> calls
	// retry:  retry -> retry
	// events: events -> events
	// option: apiRateLimit -> error or parameters
	// cilium: cilium -> requests
	Kind         string          `json:"kind"`
	Bucket       *bucketQuestion `json:"bucket"`
	Calls        *callsQuestion  `json:"calls"`
	Retry        *retryQuestion  `json:"retry"`
	Events       *eventsQuestion `json:"events"`
	APIRateLimit string          `json:"apiRateLimit"`
	Cilium       *ciliumQuestion `json:"cilium"`
}

type reply struct {
	Error    string                      `json:"error,omitempty"`
	Steps    []bucketStep                `json:"steps,omitempty"`
	Calls    []call                      `json:"calls,omitempty"`
	Retry    *retryAnswer                `json:"retry,omitempty"`
	Events   *eventsAnswer               `json:"events,omitempty"`
	Groups   map[string]ciliumParameters `json:"groups,omitempty"`
	Requests []ciliumOutcome             `json:"requests,omitempty"`
}

func main() {
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	// One at a time: what happens at one instant happens in the order in which it was made ready.
	runtime.GOMAXPROCS(1)
	match := func(string, string) (bool, error) { return true, nil }
	// Virtual time is to be had within tests alone.
	testing.Main(match, []testing.InternalTest{{Name: "oracle", F: serve}}, nil, nil)
}

func serve(t *testing.T) {
	input := bufio.NewReaderSize(os.Stdin, 1<<20)
	output := bufio.NewWriterSize(os.Stdout, 1<<20)
	for {
		line, readErr := input.ReadBytes('\n')
		if len(line) > 1 {
			encoded, err := json.Marshal(answerLine(t, line))
			if err != nil {
				panic(err)
			}
			output.Write(encoded)
			output.WriteByte('\n')
			output.Flush()
		}
		if readErr != nil {
			return
		}
	}
}

func answerLine(t *testing.T, line []byte) (out reply) {
	var asked question
	if err := json.Unmarshal(line, &asked); err != nil {
		return reply{Error: err.Error()}
	}
	switch asked.Kind {
	case "bucket":
		out.Steps = asked.Bucket.answer()
	case "calls":
		synctest.Test(t, func(t *testing.T) { out.Calls = asked.Calls.answer(t) })
	case "retry":
		synctest.Test(t, func(t *testing.T) { out.Retry = asked.Retry.answer(t) })
	case "events":
		synctest.Test(t, func(t *testing.T) { out.Events = asked.Events.answer(t) })
	case "option":
		out.Groups, out.Error = parameters(asked.APIRateLimit)
	case "cilium":
		synctest.Test(t, func(t *testing.T) { out.Requests, out.Error = asked.Cilium.answer(t) })
	default:
		out.Error = fmt.Sprintf("unknown kind %q", asked.Kind)
	}
	return out
}
