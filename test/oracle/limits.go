package main

import (
	"context"
	"sync"
	"time"
	"unsafe"

	"k8s.io/apiserver/pkg/util/flowcontrol"
	"k8s.io/apiserver/pkg/util/flowcontrol/debug"
	fq "k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing"
	"k8s.io/apiserver/pkg/util/flowcontrol/metrics"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/component-base/metrics/legacyregistry"
)

// borrowingPeriod is what the levels want from one borrowing round to the next.
type borrowingPeriod []struct {
	Nanoseconds int64              `json:"nanoseconds"`
	Seats       map[string]float64 `json:"seats"`
}

// A round holds what upstream's metrics show after it, by level where that applies.
type round struct {
	FairFraction float64                 `json:"fairFraction"`
	Levels       map[string]*levelLimits `json:"levels"`
}

type levelLimits struct {
	Nominal       float64 `json:"nominal"`
	Lower         float64 `json:"lower"`
	Upper         float64 `json:"upper"`
	Current       float64 `json:"current"`
	HighWatermark float64 `json:"highWatermark"`
	Average       float64 `json:"average"`
	Deviation     float64 `json:"deviation"`
	Smoothed      float64 `json:"smoothed"`
	Target        float64 `json:"target"`
	// MaxSeats is 0 for none.
	MaxSeats uint64 `json:"maxSeats"`
}

// Upstream's digestion of a configuration and its borrowing round, which run on their own otherwise. The results of the
// former are not looked at.
//
//go:linkname digest k8s.io/apiserver/pkg/util/flowcontrol.(*configController).lockAndDigestConfigObjects
func digest(controller unsafe.Pointer, levels []*PriorityLevelConfiguration, schemas []*FlowSchema) []struct{}

//go:linkname updateBorrowing k8s.io/apiserver/pkg/util/flowcontrol.(*configController).updateBorrowing
func updateBorrowing(controller unsafe.Pointer)

// The metrics belong to the whole process.
var measuring sync.Mutex

// limits runs upstream's controller over the levels, without requests but with the demands that they would cause, and
// returns what its metrics show after the digestion and after each period.
func limits(serverSeats int, priorityLevels []*PriorityLevelConfiguration, periods []borrowingPeriod) []round {
	measuring.Lock()
	defer measuring.Unlock()
	metrics.Register()
	legacyregistry.Reset()

	clock := &steppedClock{now: time.Unix(1_700_000_000, 0)}
	demands := demandFactory{}
	clientset := fake.NewSimpleClientset()
	upstream := flowcontrol.NewTestable(flowcontrol.TestableConfig{
		Name:                   "oracle",
		Clock:                  clock,
		AsFieldManager:         flowcontrol.ConfigConsumerAsFieldManager,
		FoundToDangling:        func(found bool) bool { return !found },
		InformerFactory:        informers.NewSharedInformerFactory(clientset, 0),
		FlowcontrolClient:      flowcontrolClient(clientset),
		ServerConcurrencyLimit: serverSeats,
		ReqsGaugeVec:           metrics.PriorityLevelConcurrencyGaugeVec,
		ExecSeatsGaugeVec:      metrics.PriorityLevelExecutionSeatsGaugeVec,
		QueueSetFactory:        demands,
	})
	controller := (*[2]unsafe.Pointer)(unsafe.Pointer(&upstream))[1]
	digest(controller, priorityLevels, nil)
	rounds := []round{measure(upstream)}
	for _, period := range periods {
		for _, segment := range period {
			for level, seats := range segment.Seats {
				demands[level].Set(seats)
			}
			clock.now = clock.now.Add(time.Duration(segment.Nanoseconds))
		}
		updateBorrowing(controller)
		rounds = append(rounds, measure(upstream))
	}
	return rounds
}

func measure(upstream flowcontrol.Interface) round {
	families, err := legacyregistry.DefaultGatherer.Gather()
	if err != nil {
		panic(err)
	}
	measured := round{Levels: map[string]*levelLimits{}}
	level := func(name string) *levelLimits {
		if measured.Levels[name] == nil {
			measured.Levels[name] = &levelLimits{MaxSeats: upstream.GetMaxSeats(name)}
		}
		return measured.Levels[name]
	}
	fields := map[string]func(*levelLimits) *float64{
		"nominal_limit_seats":         func(l *levelLimits) *float64 { return &l.Nominal },
		"lower_limit_seats":           func(l *levelLimits) *float64 { return &l.Lower },
		"upper_limit_seats":           func(l *levelLimits) *float64 { return &l.Upper },
		"current_limit_seats":         func(l *levelLimits) *float64 { return &l.Current },
		"demand_seats_high_watermark": func(l *levelLimits) *float64 { return &l.HighWatermark },
		"demand_seats_average":        func(l *levelLimits) *float64 { return &l.Average },
		"demand_seats_stdev":          func(l *levelLimits) *float64 { return &l.Deviation },
		"demand_seats_smoothed":       func(l *levelLimits) *float64 { return &l.Smoothed },
		"target_seats":                func(l *levelLimits) *float64 { return &l.Target },
	}
	const prefix = "apiserver_flowcontrol_"
	for _, family := range families {
		if family.GetName() == prefix+"seat_fair_frac" {
			measured.FairFraction = family.GetMetric()[0].GetGauge().GetValue()
		}
		for name, field := range fields {
			if family.GetName() != prefix+name {
				continue
			}
			for _, sample := range family.GetMetric() {
				*field(level(sample.GetLabel()[0].GetValue())) = sample.GetGauge().GetValue()
			}
		}
	}
	return measured
}

type steppedClock struct{ now time.Time }

func (c *steppedClock) Now() time.Time                        { return c.now }
func (c *steppedClock) Since(instant time.Time) time.Duration { return c.now.Sub(instant) }

// A demandFactory makes queue sets that do nothing and keeps, by level, where they would report their demand.
type demandFactory map[string]metrics.Gauge

func (f demandFactory) BeginConstruction(config fq.QueuingConfig, _ metrics.RatioedGaugePair, _ metrics.RatioedGauge, demand metrics.Gauge) (fq.QueueSetCompleter, error) {
	f[config.Name] = demand
	return idleQueueSet{}, nil
}

type idleQueueSet struct{}

func (s idleQueueSet) Complete(fq.DispatchingConfig) fq.QueueSet { return s }

func (s idleQueueSet) BeginConfigChange(fq.QueuingConfig) (fq.QueueSetCompleter, error) {
	return s, nil
}

func (s idleQueueSet) IsIdle() bool { return true }

func (s idleQueueSet) Dump(bool) debug.QueueSetDump { return debug.QueueSetDump{} }

func (s idleQueueSet) StartRequest(context.Context, *fcrequest.WorkEstimate, uint64, string, string, interface{}, interface{}, fq.QueueNoteFn) (fq.Request, bool) {
	return nil, true
}
