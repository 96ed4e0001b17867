// Command estimators answers with the work estimators and allocations of many releases of k8s.io/apiserver, each as written
// in its own sources. What is generated beside it fills in releases.
//
// Every line on standard input is one question, every line on standard output its answer, in the same order.
package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http/httptest"
	"os"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/klog/v2"
	"oracle/estimators/contract"
	"oracle/estimators/gates"
)

var releases = map[string]contract.Release{}

type question struct {
	Release     string               `json:"release"`
	Estimates   []estimateQuestion   `json:"estimates"`
	Allocations []allocationQuestion `json:"allocations"`
}

type estimateQuestion struct {
	Method     string              `json:"method"`
	URL        string              `json:"url"`
	Statistics contract.Statistics `json:"statistics"`
	Watches    int                 `json:"watches"`
	// MaxSeats of the level, 0 for none.
	MaxSeats uint64   `json:"maxSeats"`
	Gates    []string `json:"gates"`
}

type allocationQuestion struct {
	Required int             `json:"required"`
	Items    []contract.Item `json:"items"`
}

type reply struct {
	Estimates   []contract.Estimate `json:"estimates"`
	Allocations []allocation        `json:"allocations"`
}

type allocation struct {
	Seats      []float64 `json:"seats"`
	Proportion float64   `json:"proportion"`
	Error      string    `json:"error,omitempty"`
}

var requestInfoFactory = request.RequestInfoFactory{
	APIPrefixes:          sets.NewString("api", "apis"),
	GrouplessAPIPrefixes: sets.NewString("api"),
}

func main() {
	klog.SetLogger(klog.New(nil))
	questions := json.NewDecoder(bufio.NewReader(os.Stdin))
	answers := json.NewEncoder(os.Stdout)
	for {
		var asked question
		if err := questions.Decode(&asked); err == io.EOF {
			return
		} else if err != nil {
			panic(err)
		}
		if err := answers.Encode(answer(&asked)); err != nil {
			panic(err)
		}
	}
}

func answer(asked *question) (out reply) {
	release := releases[asked.Release]
	for i := range asked.Estimates {
		out.Estimates = append(out.Estimates, estimate(release, &asked.Estimates[i]))
	}
	for _, problem := range asked.Allocations {
		seats, proportion, err := release.Allocate(problem.Required, problem.Items)
		solved := allocation{Seats: seats, Proportion: proportion}
		if err != nil {
			solved.Error = err.Error()
		}
		out.Allocations = append(out.Allocations, solved)
	}
	return out
}

func estimate(release contract.Release, asked *estimateQuestion) contract.Estimate {
	gates.Set(asked.Gates)
	httpRequest := httptest.NewRequest(asked.Method, asked.URL, nil)
	info, err := requestInfoFactory.NewRequestInfo(httpRequest)
	if err != nil {
		panic(err)
	}
	ctx := request.WithRequestInfo(httpRequest.Context(), info)
	return release.Estimate(httpRequest.WithContext(ctx), asked.Statistics, asked.Watches, asked.MaxSeats)
}
