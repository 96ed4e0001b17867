package main

import (
	"context"

	"k8s.io/apiserver/pkg/util/flowcontrol/debug"
	fq "k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing"
	"k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/eventclock"
	"k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/queueset"
	"k8s.io/apiserver/pkg/util/flowcontrol/metrics"
	"k8s.io/apiserver/pkg/util/flowcontrol/request"
)

type hashKey struct{}

// withHashReceiver has the hash of the request's flow written to target.
func withHashReceiver(ctx context.Context, target *uint64) context.Context {
	return context.WithValue(ctx, hashKey{}, target)
}

// The observing queue sets are upstream's own in what they accept as configuration; of requests they only take the hash.
type observingFactory struct{ inner fq.QueueSetFactory }

func newObservingFactory(clock eventclock.Interface) fq.QueueSetFactory {
	return observingFactory{queueset.NewQueueSetFactory(clock)}
}

func (f observingFactory) BeginConstruction(config fq.QueuingConfig, requests metrics.RatioedGaugePair, seats metrics.RatioedGauge, demand metrics.Gauge) (fq.QueueSetCompleter, error) {
	completer, err := f.inner.BeginConstruction(config, requests, seats, demand)
	return observingCompleter{completer}, err
}

type observingCompleter struct{ inner fq.QueueSetCompleter }

func (c observingCompleter) Complete(config fq.DispatchingConfig) fq.QueueSet {
	return observingQueueSet{c.inner.Complete(config)}
}

type observingQueueSet struct{ inner fq.QueueSet }

func (s observingQueueSet) BeginConfigChange(config fq.QueuingConfig) (fq.QueueSetCompleter, error) {
	completer, err := s.inner.BeginConfigChange(config)
	return observingCompleter{completer}, err
}

func (s observingQueueSet) IsIdle() bool { return s.inner.IsIdle() }

func (s observingQueueSet) Dump(includeRequestDetails bool) debug.QueueSetDump {
	return s.inner.Dump(includeRequestDetails)
}

func (s observingQueueSet) StartRequest(ctx context.Context, _ *request.WorkEstimate, hash uint64, _, _ string, _, _ interface{}, _ fq.QueueNoteFn) (fq.Request, bool) {
	*ctx.Value(hashKey{}).(*uint64) = hash
	return nil, false
}
