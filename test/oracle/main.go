// Command oracle answers questions about API Priority and Fairness with upstream's own code.
//
// Every line on standard input is one question, every line on standard output one answer; answers carry the id of their
// question and come in any order. See question for the kinds.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"

	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
	"k8s.io/klog/v2"
)

type question struct {
	ID int `json:"id"`
	// classify:    flowSchemas, priorityLevels, requests -> levels, answers
	// requestInfo: requests -> answers
	// bootstrap:   -> objects
	// limits:      priorityLevels, serverSeats, periods -> rounds
	// benchLoad:   flowSchemas (in the order to try), requests -> nothing
	// benchRound:  passes -> nanoseconds (of one classification)
	Kind           string                        `json:"kind"`
	FlowSchemas    []*FlowSchema                 `json:"flowSchemas"`
	PriorityLevels []*PriorityLevelConfiguration `json:"priorityLevels"`
	Requests       []requestLine                 `json:"requests"`
	Passes         int                           `json:"passes"`
	ServerSeats    int                           `json:"serverSeats"`
	Periods        []borrowingPeriod             `json:"periods"`
}

type reply struct {
	ID          int           `json:"id"`
	Error       string        `json:"error,omitempty"`
	Levels      []text        `json:"levels,omitempty"`
	Answers     []answer      `json:"answers,omitempty"`
	Objects     *defaultLists `json:"objects,omitempty"`
	Nanoseconds float64       `json:"nanoseconds,omitempty"`
	Rounds      []round       `json:"rounds,omitempty"`
}

type defaultLists struct {
	MandatoryFlowSchemas    []*FlowSchema                 `json:"mandatoryFlowSchemas"`
	SuggestedFlowSchemas    []*FlowSchema                 `json:"suggestedFlowSchemas"`
	MandatoryPriorityLevels []*PriorityLevelConfiguration `json:"mandatoryPriorityLevels"`
	SuggestedPriorityLevels []*PriorityLevelConfiguration `json:"suggestedPriorityLevels"`
}

func main() {
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)

	input := bufio.NewReaderSize(os.Stdin, 1<<20)
	output := bufio.NewWriterSize(os.Stdout, 1<<20)
	var writing sync.Mutex
	var pending sync.WaitGroup
	// Starting a controller means waiting for its informers, so more questions are worked on than there are cores.
	slots := make(chan struct{}, 4*runtime.GOMAXPROCS(0))
	benchmark := &matcherBenchmark{}

	for {
		line, readErr := input.ReadBytes('\n')
		if len(line) > 1 {
			slots <- struct{}{}
			pending.Add(1)
			go func() {
				defer pending.Done()
				defer func() { <-slots }()
				encoded, err := json.Marshal(answerLine(line, benchmark))
				if err != nil {
					panic(err)
				}
				writing.Lock()
				defer writing.Unlock()
				output.Write(encoded)
				output.WriteByte('\n')
				output.Flush()
			}()
		}
		if readErr != nil {
			break
		}
	}
	pending.Wait()
}

func answerLine(line []byte, benchmark *matcherBenchmark) (out reply) {
	var asked question
	if err := json.Unmarshal(line, &asked); err != nil {
		return reply{Error: err.Error()}
	}
	out.ID = asked.ID
	defer func() {
		if failure := recover(); failure != nil {
			out = reply{ID: asked.ID, Error: fmt.Sprint(failure)}
		}
	}()
	switch asked.Kind {
	case "classify":
		controller := startController(asked.FlowSchemas, asked.PriorityLevels)
		defer controller.stop()
		out.Levels = controller.levels
		out.Answers = make([]answer, len(asked.Requests))
		for i := range asked.Requests {
			out.Answers[i] = controller.classify(&asked.Requests[i])
		}
	case "requestInfo":
		out.Answers = make([]answer, len(asked.Requests))
		for i := range asked.Requests {
			out.Answers[i], _ = parse(&asked.Requests[i])
		}
	case "bootstrap":
		out.Objects = &defaultLists{
			MandatoryFlowSchemas:    bootstrap.MandatoryFlowSchemas,
			SuggestedFlowSchemas:    bootstrap.SuggestedFlowSchemas,
			MandatoryPriorityLevels: bootstrap.MandatoryPriorityLevelConfigurations,
			SuggestedPriorityLevels: bootstrap.SuggestedPriorityLevelConfigurations,
		}
	case "limits":
		out.Rounds = limits(asked.ServerSeats, asked.PriorityLevels, asked.Periods)
	case "benchLoad":
		benchmark.load(asked.FlowSchemas, asked.Requests)
	case "benchRound":
		out.Nanoseconds = benchmark.round(asked.Passes)
	default:
		out.Error = "unknown kind " + asked.Kind
	}
	return out
}
