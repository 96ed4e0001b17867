package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/server/mux"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	"k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/eventclock"
	"k8s.io/apiserver/pkg/util/flowcontrol/metrics"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"
	"k8s.io/apiserver/pkg/util/shufflesharding"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

// sentinel is the name of a priority level of our own: once the controller lists it, it has digested all objects.
const sentinel = "oracle-sentinel"

// controller is upstream's config controller with one set of objects in force.
type controller struct {
	flowcontrol.Interface
	// levels are the names of the levels in force, without the sentinel, sorted by bytes.
	levels  []text
	dealers map[string]*shufflesharding.Dealer
	stop    func()
}

// startController runs upstream's controller over the objects, as they would come from the API server. They are neither
// defaulted nor validated here. It panics where a name occurs twice.
func startController(flowSchemas []*FlowSchema, priorityLevels []*PriorityLevelConfiguration) *controller {
	var objects []runtime.Object
	for _, schema := range flowSchemas {
		schema.UID = types.UID("schema-" + schema.Name)
		objects = append(objects, schema)
	}
	for _, level := range append(priorityLevels, limitedLevel(sentinel)) {
		level.UID = types.UID("level-" + level.Name)
		objects = append(objects, level)
	}
	clientset := fake.NewSimpleClientset(objects...)
	// The controller writes the Dangling condition; nobody here reads it.
	clientset.PrependReactor("patch", "flowschemas", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, &FlowSchema{}, nil
	})

	factory := informers.NewSharedInformerFactory(clientset, 0)
	clock := eventclock.Real{}
	upstream := flowcontrol.NewTestable(flowcontrol.TestableConfig{
		Name:                   "oracle",
		Clock:                  clock,
		AsFieldManager:         flowcontrol.ConfigConsumerAsFieldManager,
		FoundToDangling:        func(found bool) bool { return !found },
		InformerFactory:        factory,
		FlowcontrolClient:      flowcontrolClient(clientset),
		ServerConcurrencyLimit: 600,
		ReqsGaugeVec:           metrics.PriorityLevelConcurrencyGaugeVec,
		ExecSeatsGaugeVec:      metrics.PriorityLevelExecutionSeatsGaugeVec,
		QueueSetFactory:        newObservingFactory(clock),
	})
	stopped := make(chan struct{})
	factory.Start(stopped)
	go upstream.Run(stopped)

	started := &controller{
		Interface: upstream,
		dealers:   map[string]*shufflesharding.Dealer{},
		stop:      func() { close(stopped) },
	}
	started.levels = waitForLevels(upstream)
	return started
}

// waitForLevels returns the levels in force once the objects have been digested.
func waitForLevels(upstream flowcontrol.Interface) []text {
	handler := mux.NewPathRecorderMux("oracle")
	upstream.Install(handler)
	dump := httptest.NewRequest(http.MethodGet, "/debug/api_priority_and_fairness/dump_priority_levels", nil)
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, dump)
		var names []text
		digested := false
		for _, row := range bytes.Split(recorder.Body.Bytes(), []byte("\n"))[1:] {
			name, _, found := bytes.Cut(row, []byte(","))
			switch {
			case !found:
			case string(name) == sentinel:
				digested = true
			default:
				names = append(names, text(name))
			}
		}
		if digested {
			return names
		}
	}
	panic("the controller did not digest the objects within a minute")
}

// classify asks the controller for the way of one request.
func (c *controller) classify(line *requestLine) (out answer) {
	out, info := parse(line)
	if out.Outcome != "" {
		return out
	}
	defer func() {
		if failure := recover(); failure != nil {
			out.Outcome = "panicked"
			out.Panic = fmt.Sprint(failure)
		}
	}()
	out.Outcome = "classified"
	var chosen *PriorityLevelConfiguration
	note := func(schema *FlowSchema, level *PriorityLevelConfiguration, distinguisher string) {
		chosen = level
		out.Schema, out.Level = text(schema.Name), text(level.Name)
		out.SchemaStandIn = schema == bootstrap.MandatoryFlowSchemaExempt || schema == bootstrap.MandatoryFlowSchemaCatchAll
		out.LevelStandIn = level == bootstrap.MandatoryPriorityLevelConfigurationExempt ||
			level == bootstrap.MandatoryPriorityLevelConfigurationCatchAll
		out.Distinguisher = text(distinguisher)
	}
	estimate := func() fcrequest.WorkEstimate { return fcrequest.WorkEstimate{InitialSeats: 1} }
	digest := flowcontrol.RequestDigest{
		RequestInfo: info,
		User:        &user.DefaultInfo{Name: line.User, Groups: line.Groups},
	}
	c.Handle(withHashReceiver(context.Background(), &out.Hash), digest, note, estimate, func(bool) {}, func() {})

	if limited := chosen.Spec.Limited; limited != nil && limited.LimitResponse.Type == limitResponseQueue {
		if queuing := limited.LimitResponse.Queuing; queuing.Queues > 1 {
			out.Hand = c.dealer(chosen.Name, queuing).DealIntoHand(out.Hash, nil)
		}
	}
	return out
}

func (c *controller) dealer(level string, queuing *QueuingConfiguration) *shufflesharding.Dealer {
	dealer := c.dealers[level]
	if dealer == nil {
		var err error
		dealer, err = shufflesharding.NewDealer(int(queuing.Queues), int(queuing.HandSize))
		if err != nil {
			panic(err)
		}
		c.dealers[level] = dealer
	}
	return dealer
}
