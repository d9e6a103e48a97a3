//go:build faults

package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/example/memcached-operator/test/requests"
)

// maxMiB is half of the pod's memory limit, in resident MiB.
const maxMiB = 128

// threePods returns a sync of a cache with three pods.
func threePods() map[string]any { return decode(requests.Sync(3)) }

func decode(body []byte) (request map[string]any) {
	if err := json.Unmarshal(body, &request); err != nil {
		panic(err)
	}
	return request
}

func encode(request map[string]any) []byte {
	body, err := json.Marshal(request)
	if err != nil {
		panic(err)
	}
	return body
}

// Specs of 250 kB: the hook keeps two Services with the first one, and none with the second one.
var (
	longSpec = `{"x":"` + strings.Repeat("a", 250_000) + `"}`
	manySpec = "[{}" + strings.Repeat(",{}", 250_000/3) + "]"
)

// keep returns a sync of a Memcached with an invalid spec and with Services that were applied with a spec. Who may edit one namespace can label any
// Service so that Metacontroller adopts it, and write any annotation.
func keep(services int, spec string) []byte {
	request := threePods()
	request["parent"].(map[string]any)["spec"] = map[string]any{"size": 1, "cache": map[string]any{"maxItemSize": "100Mi"}}
	group := request["children"].(map[string]any)["Service.v1"].(map[string]any)
	for i := range services {
		name := fmt.Sprintf("adopted-%d", i)
		last := fmt.Sprintf(`{"apiVersion":"v1","kind":"Service","metadata":{"name":%q},"spec":%s}`, name, spec)
		group[name] = map[string]any{"apiVersion": "v1", "kind": "Service", "metadata": map[string]any{
			"name": name, "namespace": requests.Namespace, "annotations": map[string]any{"metacontroller.k8s.io/last-applied-configuration": last},
		}, "spec": json.RawMessage(spec)}
	}
	return encode(request)
}

// entries returns a sync of a Memcached with a list of invalid entries, which the CRD does not limit.
func entries(count int) []byte {
	request := threePods()
	request["parent"].(map[string]any)["spec"] = map[string]any{"size": 1, "networkPolicy": map[string]any{
		"from": []any{map[string]any{"ipBlock": map[string]any{"cidr": "10.0.0.0/8", "except": make([]string, count)}}},
	}}
	return encode(request)
}

// statuses returns a sync of a cache with a pod that has many conditions and containers, and a container that logs many empty lines. Who may
// write the status of pods can store them.
func statuses(count int) []byte {
	request := threePods()
	var conditions, containers []any
	for i := range count {
		conditions = append(conditions, map[string]any{"type": "Ready", "status": "False"})
		containers = append(containers, map[string]any{"name": strconv.Itoa(i)})
	}
	crashed := map[string]any{"name": "memcached", "restartCount": 9, "state": map[string]any{"waiting": map[string]any{"reason": "CrashLoopBackOff"}},
		"lastState": map[string]any{"terminated": map[string]any{"exitCode": 1, "message": strings.Repeat("\n", 1_000_000) + "a"}}}
	for _, pod := range request["related"].(map[string]any)["Pod.v1"].(map[string]any) {
		pod.(map[string]any)["status"] = map[string]any{"conditions": conditions, "containerStatuses": append([]any{crashed}, containers...)}
	}
	return encode(request)
}

// labels returns a sync of a cache whose Service and pod template have many labels. Who may edit them can add labels, and an apply leaves them.
func labels(count int) []byte {
	request := threePods()
	labels := map[string]any{}
	for i := range count {
		labels[strconv.FormatInt(int64(i), 36)] = ""
	}
	for _, service := range request["children"].(map[string]any)["Service.v1"].(map[string]any) {
		service.(map[string]any)["metadata"].(map[string]any)["labels"] = labels
	}
	for _, deployment := range request["children"].(map[string]any)["Deployment.apps/v1"].(map[string]any) {
		deployment := deployment.(map[string]any)
		delete(deployment["metadata"].(map[string]any), "annotations")
		deployment["spec"].(map[string]any)["template"].(map[string]any)["metadata"] = map[string]any{"labels": labels}
	}
	return encode(request)
}

// labeled returns a sync of a cache of another namespace whose pods have many labels. Who may edit pods can add them.
func labeled(pods int) []byte {
	request := decode(requests.Sync(pods))
	for _, pod := range request["related"].(map[string]any)["Pod.v1"].(map[string]any) {
		labels := pod.(map[string]any)["metadata"].(map[string]any)["labels"].(map[string]any)
		for i := range 195 {
			labels[strconv.FormatInt(int64(i), 36)] = ""
		}
	}
	body := bytes.ReplaceAll(encode(request), []byte(`"`+requests.Namespace+`"`), []byte(`"other"`))
	return bytes.ReplaceAll(body, []byte(`"`+requests.Namespace+`/`), []byte(`"other/`)) // keys of related objects
}

// TestTenant does what a user with one namespace, or a slow caller with credentials, can do. Meanwhile 20 syncs a second, half of them
// over connections of their own, must get a 200 within a second, and the program must use less than half of the pod's memory limit.
func TestTenant(t *testing.T) {
	for _, test := range []struct {
		name    string
		callers int
		body    []byte
		want    int  // the status code of the body, if it gets no 429
		slow    bool // nobody reads the responses
		pods    int  // of the cache whose syncs are measured
	}{
		{"60 adopted Services", 1, keep(60, manySpec), 422, false, 3},
		{"60 adopted Services of five caches", 5, keep(60, manySpec), 422, false, 3},
		{"2 adopted Services of five caches, which stay", 5, keep(2, longSpec), 200, false, 3},
		{"a list of 400,000 entries in five caches", 5, entries(400_000), 422, false, 3},
		{"statuses of pods with 40,000 entries in ten caches", 10, statuses(40_000), 200, false, 3},
		{"Services and pod templates with 150,000 labels in ten caches", 10, labels(150_000), 200, false, 3},
		{"1,000 pods with 195 labels in nine caches of another namespace", 9, labeled(1000), 200, false, 140},
		{"two slow readers", 2, keep(2, longSpec), 200, true, 3},
		{"15 slow readers", 15, keep(2, longSpec), 200, true, 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, body := start(t), test.body
			attack := newClient(new(http.Transport))
			attack.post(p.url(), body)
			attack.wantOnly(t, test.want) // also for slow readers, who see no status code
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			wait := loop(ctx, test.callers, func(int) {
				if test.slow {
					readNothing(ctx, p.address, body)
				} else {
					attack.post(p.url(), body)
				}
				pause(ctx, 50*time.Millisecond)
			})
			kept, fresh := newClient(new(http.Transport)), newClient(&http.Transport{DisableKeepAlives: true})
			sync := requests.Sync(test.pods)
			loop(ctx, 2, func(worker int) {
				[]*client{kept, fresh}[worker].post(p.url(), sync)
				pause(ctx, 100*time.Millisecond)
			})()
			wait()
			_, peak := p.memory(t)
			t.Logf("%d bodies of %d MB got %v; kept connections %v, slowest %.0f ms; fresh ones %v, slowest %.0f ms; peak %.0f MiB", test.callers,
				len(body)/1e6, attack.codes, kept.codes, kept.percentile(1), fresh.codes, fresh.percentile(1), peak)
			attack.wantOnly(t, test.want, 429)
			kept.wantOnly(t, 200)
			fresh.wantOnly(t, 200)
			if kept.percentile(1) > 1000 || fresh.percentile(1) > 1000 {
				t.Error("a sync took more than a second")
			}
			if peak > maxMiB {
				t.Error("the peak is above half of the pod's limit")
			}
		})
	}
}

// readNothing sends a request and does not read the response, until the program closes the connection.
func readNothing(ctx context.Context, address string, body []byte) {
	connection, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return
	}
	defer connection.Close()
	if connection.(*net.TCPConn).SetReadBuffer(4<<10) != nil {
		return
	}
	_, err = fmt.Fprintf(connection, "POST /memcached/sync HTTP/1.1\r\nHost: hook\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	if err != nil {
		return
	}
	pause(ctx, 5*time.Second)
	_ = connection.SetReadDeadline(time.Now().Add(time.Second))
	_, _ = io.Copy(io.Discard, connection)
}
