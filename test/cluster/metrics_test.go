package cluster

import (
	"bytes"
	"context"
	"testing"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"k8s.io/client-go/kubernetes"
)

// resource is a kind of objects as the API server's metrics name it.
type resource struct{ group, name string }

// writes counts the requests that the API server has got so far to write objects of each resource, subresources such as
// the status among them, by the resource and the verb.
func writes(t *testing.T, resources map[resource]bool) map[string]float64 {
	t.Helper()
	clientset, err := kubernetes.NewForConfig(shared.Config)
	must(t, err)
	text, err := clientset.Discovery().RESTClient().Get().AbsPath("/metrics").DoRaw(context.Background())
	must(t, err)
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	must(t, err)
	count := map[string]float64{}
	for _, metric := range families["apiserver_request_total"].GetMetric() {
		labels := map[string]string{}
		for _, pair := range metric.GetLabel() {
			labels[pair.GetName()] = pair.GetValue()
		}
		switch labels["verb"] {
		case "GET", "LIST", "WATCH":
			continue
		}
		if resources[resource{labels["group"], labels["resource"]}] {
			count[labels["verb"]+" "+labels["resource"]+"/"+labels["subresource"]] += metric.GetCounter().GetValue()
		}
	}
	return count
}
