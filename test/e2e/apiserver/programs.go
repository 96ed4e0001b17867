//go:build programs

// The upstream programs that the end-to-end tests run, named here so that go.mod and go.sum cover them.
package programs

import (
	_ "go.etcd.io/etcd/server/v3"
	_ "k8s.io/kubernetes/cmd/kube-apiserver"
	_ "k8s.io/kubernetes/cmd/kubectl"
)
