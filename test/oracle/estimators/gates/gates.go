// Package gates stands in for the feature gates of all releases, of which a newer module does not know most any more.
package gates

import (
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/feature"
)

var on = map[string]bool{}

// Set switches the named gates on and all others off.
func Set(names []string) {
	clear(on)
	for _, name := range names {
		on[name] = true
	}
}

func Enabled(name string) bool { return on[name] }

func init() {
	feature.DefaultFeatureSupportChecker = etcd{}
}

// etcd supports what lists from the watch cache need exactly while their gate is on: of newer releases there is no gate.
type etcd struct{ feature.FeatureSupportChecker }

func (etcd) Supports(storage.Feature) bool { return Enabled("ConsistentListFromCache") }
