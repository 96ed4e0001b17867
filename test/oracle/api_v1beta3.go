//go:build v1beta3

package main

import (
	api "k8s.io/api/flowcontrol/v1beta3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	client "k8s.io/client-go/kubernetes/typed/flowcontrol/v1beta3"
)

// The API version that upstream's controller works with: v1beta3 in Kubernetes 1.26 to 1.28.
type (
	FlowSchema                 = api.FlowSchema
	PriorityLevelConfiguration = api.PriorityLevelConfiguration
	QueuingConfiguration       = api.QueuingConfiguration
)

const limitResponseQueue = api.LimitResponseTypeQueue

func flowcontrolClient(clientset *fake.Clientset) client.FlowcontrolV1beta3Interface {
	return clientset.FlowcontrolV1beta3()
}

func limitedLevel(name string) *PriorityLevelConfiguration {
	return &PriorityLevelConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: api.PriorityLevelConfigurationSpec{
			Type: api.PriorityLevelEnablementLimited,
			Limited: &api.LimitedPriorityLevelConfiguration{
				NominalConcurrencyShares: 1,
				LimitResponse:            api.LimitResponse{Type: api.LimitResponseTypeReject},
			},
		},
	}
}
