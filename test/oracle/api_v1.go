//go:build !v1beta3

package main

import (
	api "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	client "k8s.io/client-go/kubernetes/typed/flowcontrol/v1"
)

// The API version that upstream's controller works with: v1 since Kubernetes 1.29.
type (
	FlowSchema                 = api.FlowSchema
	PriorityLevelConfiguration = api.PriorityLevelConfiguration
	QueuingConfiguration       = api.QueuingConfiguration
)

const limitResponseQueue = api.LimitResponseTypeQueue

func flowcontrolClient(clientset *fake.Clientset) client.FlowcontrolV1Interface {
	return clientset.FlowcontrolV1()
}

func limitedLevel(name string) *PriorityLevelConfiguration {
	shares := int32(1)
	return &PriorityLevelConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: api.PriorityLevelConfigurationSpec{
			Type: api.PriorityLevelEnablementLimited,
			Limited: &api.LimitedPriorityLevelConfiguration{
				NominalConcurrencyShares: &shares,
				LimitResponse:            api.LimitResponse{Type: api.LimitResponseTypeReject},
			},
		},
	}
}
