package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"
	api "k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/plugin/pkg/admission/eventratelimit"
)

type eventsQuestion struct {
	// The configuration file of the plugin.
	Configuration string         `json:"configuration"`
	Events        []chargedEvent `json:"events"`
}

type chargedEvent struct {
	Nanoseconds int64  `json:"nanoseconds"`
	Group       string `json:"group"`
	Kind        string `json:"kind"`
	Operation   string `json:"operation"`
	DryRun      bool   `json:"dryRun"`
	Namespace   string `json:"namespace"`
	User        string `json:"user"`
	Source      struct {
		Component string `json:"component"`
		Host      string `json:"host"`
	} `json:"source"`
	InvolvedObject struct {
		Kind       string `json:"kind"`
		Namespace  string `json:"namespace"`
		Name       string `json:"name"`
		UID        string `json:"uid"`
		APIVersion string `json:"apiVersion"`
	} `json:"involvedObject"`
}

type eventsAnswer struct {
	// Why the server does not start.
	Refused string `json:"refused,omitempty"`
	// Per event: the message of the refusal, "" where it is let through.
	Messages []string `json:"messages"`
}

func (q *eventsQuestion) answer(t *testing.T) *eventsAnswer {
	plugins := admission.NewPlugins()
	eventratelimit.Register(plugins)
	plugin, err := plugins.InitPlugin(eventratelimit.PluginName, strings.NewReader(q.Configuration), admission.PluginInitializers{})
	if err != nil {
		return &eventsAnswer{Refused: err.Error()}
	}
	validating := plugin.(admission.ValidationInterface)
	start := time.Now()
	answer := &eventsAnswer{Messages: make([]string, len(q.Events))}
	for i := range q.Events {
		event := &q.Events[i]
		time.Sleep(time.Until(start.Add(time.Duration(event.Nanoseconds))))
		attributes := event.attributes()
		if !validating.Handles(attributes.GetOperation()) {
			continue
		}
		if err := validating.Validate(context.Background(), attributes, nil); err != nil {
			answer.Messages[i] = err.Error()
		}
	}
	return answer
}

func (e *chargedEvent) attributes() admission.Attributes {
	object := &api.Event{
		Source: api.EventSource{Component: e.Source.Component, Host: e.Source.Host},
		InvolvedObject: api.ObjectReference{
			Kind: e.InvolvedObject.Kind, Namespace: e.InvolvedObject.Namespace, Name: e.InvolvedObject.Name,
			UID: types.UID(e.InvolvedObject.UID), APIVersion: e.InvolvedObject.APIVersion,
		},
	}
	kind := schema.GroupVersionKind{Group: e.Group, Version: "v1", Kind: e.Kind}
	resource := schema.GroupVersionResource{Group: e.Group, Version: "v1", Resource: "events"}
	who := &user.DefaultInfo{Name: e.User}
	return admission.NewAttributesRecord(object, nil, kind, e.Namespace, "", resource, "", admission.Operation(e.Operation), nil, e.DryRun, who)
}
