package main

import (
	"time"
	_ "unsafe" // for go:linkname

	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/util/flowcontrol"
)

// Upstream's rule matcher, which its package does not export. The empty linkname.s lets the compiler accept a function
// without body.
//
//go:linkname matchesFlowSchema k8s.io/apiserver/pkg/util/flowcontrol.matchesFlowSchema
func matchesFlowSchema(digest flowcontrol.RequestDigest, flowSchema *FlowSchema) bool

// matcherBenchmark times the linear scan of upstream's startRequest over requests that are parsed already.
type matcherBenchmark struct {
	schemas []*FlowSchema
	digests []flowcontrol.RequestDigest
	matched int
}

// load keeps the schemas in the given order and the requests that APF sees.
func (b *matcherBenchmark) load(schemas []*FlowSchema, lines []requestLine) {
	b.schemas, b.digests = schemas, nil
	for i := range lines {
		if _, info := parse(&lines[i]); info != nil {
			digest := flowcontrol.RequestDigest{
				RequestInfo: info,
				User:        &user.DefaultInfo{Name: lines[i].User, Groups: lines[i].Groups},
			}
			b.digests = append(b.digests, digest)
		}
	}
}

// round classifies all requests a number of times and returns the nanoseconds that one classification took.
func (b *matcherBenchmark) round(passes int) float64 {
	started := time.Now()
	for pass := 0; pass < passes; pass++ {
		for i := range b.digests {
			for _, schema := range b.schemas {
				if matchesFlowSchema(b.digests[i], schema) {
					b.matched++
					break
				}
			}
		}
	}
	return float64(time.Since(started).Nanoseconds()) / float64(passes*len(b.digests))
}
