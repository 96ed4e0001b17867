// Sends requests through client-go with a small bucket, and logs as components do. Everything it prints comes from
// client-go and klog, errors included.
package main

import (
	"context"
	"flag"
	"os"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
)

func main() {
	klog.InitFlags(nil)
	host := flag.String("host", "", "address of the API server")
	authority := flag.String("ca", "", "file of its certificate authority")
	token := flag.String("token", "", "bearer token")
	path := flag.String("path", "/api/v1/namespaces", "what is read")
	qps := flag.Float64("qps", 5, "QPS of the client")
	burst := flag.Int("burst", 10, "burst of the client")
	calls := flag.Int("calls", 1, "calls at once")
	timeout := flag.Duration("timeout", time.Minute, "for each call")
	retries := flag.Int("retries", 10, "of each call, after a Retry-After")
	flag.Parse()
	defer klog.Flush()

	client, err := rest.UnversionedRESTClientFor(&rest.Config{
		Host:            *host,
		BearerToken:     *token,
		TLSClientConfig: rest.TLSClientConfig{CAFile: *authority},
		QPS:             float32(*qps),
		Burst:           *burst,
		ContentConfig: rest.ContentConfig{
			GroupVersion:         &schema.GroupVersion{Version: "v1"},
			NegotiatedSerializer: scheme.Codecs.WithoutConversion(),
		},
	})
	if err != nil {
		klog.ErrorS(err, "No client")
		os.Exit(1)
	}
	var group sync.WaitGroup
	for range *calls {
		group.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), *timeout)
			defer cancel()
			if err := client.Get().AbsPath(*path).MaxRetries(*retries).Do(ctx).Error(); err != nil {
				klog.ErrorS(err, "Call failed")
			}
		})
	}
	group.Wait()
}
