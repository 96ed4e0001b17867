package main

import (
	"bufio"
	"net/http"
	"net/url"
	"strings"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/server/filters"
)

// requestLine is one request: an identity with a request line, or with attributes that no URL needs to have.
type requestLine struct {
	User       string               `json:"user"`
	Groups     []string             `json:"groups"`
	Method     string               `json:"method"`
	URL        string               `json:"url"`
	Attributes *request.RequestInfo `json:"attributes"`
}

type answer struct {
	// refused: the HTTP server or the request parser answers with Status
	// bypass: long-running
	// classified
	// panicked: upstream's code did
	Outcome    string      `json:"outcome"`
	Status     int         `json:"status,omitempty"`
	Attributes *attributes `json:"attributes,omitempty"`

	Schema        text `json:"schema,omitempty"`
	SchemaStandIn bool `json:"schemaStandIn,omitempty"`
	Level         text `json:"level,omitempty"`
	LevelStandIn  bool `json:"levelStandIn,omitempty"`
	// What the queue set of the level was given; hand only where the level has more than one queue.
	Distinguisher text   `json:"distinguisher"`
	Hash          uint64 `json:"hash,string"`
	Hand          []int  `json:"hand,omitempty"`
	Panic         string `json:"panic,omitempty"`
}

type attributes struct {
	IsResourceRequest bool   `json:"isResourceRequest"`
	Path              text   `json:"path"`
	Verb              text   `json:"verb"`
	APIPrefix         text   `json:"apiPrefix"`
	APIGroup          text   `json:"apiGroup"`
	APIVersion        text   `json:"apiVersion"`
	Namespace         text   `json:"namespace"`
	Resource          text   `json:"resource"`
	Subresource       text   `json:"subresource"`
	Name              text   `json:"name"`
	Parts             []text `json:"parts"`
}

// As kube-apiserver sets them up: k8s.io/apiserver pkg/server/config.go (NewRequestInfoResolver) and
// k8s.io/kubernetes pkg/controlplane/apiserver (BuildGenericConfig).
var (
	requestInfoFactory = request.RequestInfoFactory{
		APIPrefixes:          sets.NewString("api", "apis"),
		GrouplessAPIPrefixes: sets.NewString("api"),
	}
	longRunning = filters.BasicLongRunningRequestCheck(
		sets.NewString("watch", "proxy"),
		sets.NewString("attach", "exec", "proxy", "log", "portforward"),
	)
)

// parse reads a request as the server does before APF sees it. The attributes are nil for refused requests.
func parse(line *requestLine) (answer, *request.RequestInfo) {
	info := line.Attributes
	var httpRequest *http.Request
	if info == nil {
		var err error
		httpRequest, err = readRequest(line.Method, line.URL)
		if err != nil {
			return answer{Outcome: "refused", Status: http.StatusBadRequest}, nil
		}
		if httpRequest.Method == http.MethodOptions && httpRequest.RequestURI == "*" {
			// net/http answers it itself.
			return answer{Outcome: "refused", Status: http.StatusOK}, nil
		}
		info, err = requestInfoFactory.NewRequestInfo(httpRequest)
		if err != nil {
			return answer{Outcome: "refused", Status: http.StatusInternalServerError}, nil
		}
	}
	out := answer{Attributes: &attributes{
		IsResourceRequest: info.IsResourceRequest,
		Path:              text(info.Path),
		Verb:              text(info.Verb),
		APIPrefix:         text(info.APIPrefix),
		APIGroup:          text(info.APIGroup),
		APIVersion:        text(info.APIVersion),
		Namespace:         text(info.Namespace),
		Resource:          text(info.Resource),
		Subresource:       text(info.Subresource),
		Name:              text(info.Name),
		Parts:             texts(info.Parts),
	}}
	// Only watches among the long-running requests are seen by APF: pkg/server/filters/priority-and-fairness.go.
	if longRunning(httpRequest, info) && info.Verb != "watch" {
		out.Outcome = "bypass"
	}
	return out, info
}

// readRequest parses a request line as net/http does. Blanks, which end the target in HTTP/1.1, are taken as in HTTP/2.
func readRequest(method, target string) (*http.Request, error) {
	blanks := strings.ReplaceAll(target, " ", "_")
	raw := method + " " + blanks + " HTTP/1.1\r\nHost: oracle\r\n\r\n"
	httpRequest, err := http.ReadRequest(bufio.NewReader(strings.NewReader(raw)))
	if err != nil || blanks == target {
		return httpRequest, err
	}
	if method == http.MethodConnect && !strings.HasPrefix(target, "/") {
		target = "http://" + target
	}
	httpRequest.URL, err = url.ParseRequestURI(target)
	return httpRequest, err
}
