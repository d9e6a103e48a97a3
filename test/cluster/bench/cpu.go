package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
)

// cpuTime is the CPU time of the programs of a variant.
type cpuTime struct{ controller, hook, apiServer time.Duration }

func (c cpuTime) since(before cpuTime) cpuTime {
	return cpuTime{c.controller - before.controller, c.hook - before.hook, c.apiServer - before.apiServer}
}

// cpu returns the CPU time of the programs so far.
func (r *running) cpu(ctx context.Context) (c cpuTime, err error) {
	if c.apiServer, err = apiServerCPU(ctx, r.cluster.Config); err != nil {
		return c, err
	}
	if c.controller, err = r.controller.CPU(); err != nil || r.hook == nil {
		return c, err
	}
	c.hook, err = r.hook.CPU()
	return c, err
}

// apiServerCPU reads the CPU time of the API server from its metrics.
func apiServerCPU(ctx context.Context, config *rest.Config) (time.Duration, error) {
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return 0, err
	}
	metrics, err := client.RESTClient().Get().AbsPath("/metrics").DoRaw(ctx)
	if err != nil {
		return 0, fmt.Errorf("read the metrics of the API server: %w", err)
	}
	_, value, _ := strings.Cut(string(metrics), "\nprocess_cpu_seconds_total ")
	value, _, _ = strings.Cut(value, "\n")
	seconds, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return 0, fmt.Errorf("read the CPU time of the API server: %w", err)
	}
	return time.Duration(seconds * float64(time.Second)), nil
}
