package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"slices"
	"strconv"
	"time"

	discoveryv1 "k8s.io/api/discovery/v1"

	"github.com/example/memcached-operator/test/internal/paired"
	"github.com/example/memcached-operator/webhook/memcached/children"
)

// watchProxies keeps the endpoints up to date. It returns when it knows some.
func (c *cluster) watchProxies(ctx context.Context, endpoints *paired.Endpoints) error {
	known := make(chan struct{}, 1)
	go func() {
		for ctx.Err() == nil { // the API server ends a watch after some time
			byName := map[string][]string{}
			_ = c.watch(ctx, func(slice discoveryv1.EndpointSlice) {
				byName[slice.Name] = readyAddresses(slice)
				var all []string
				for _, each := range byName {
					all = append(all, each...)
				}
				if len(all) == 0 {
					return // clients try the last ones
				}
				endpoints.Set(all...)
				select {
				case known <- struct{}{}:
				default:
				}
			})
			_ = wait(ctx, time.Second)
		}
	}()
	select {
	case <-known:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("the proxies of %s have no ready endpoint: %w", c.name, ctx.Err())
	}
}

func (c *cluster) watch(ctx context.Context, each func(discoveryv1.EndpointSlice)) error {
	cmd := exec.CommandContext(ctx, "kubectl", "--namespace", c.namespace, "get", "endpointslices", "--watch", "--output", "json",
		"--selector", discoveryv1.LabelServiceName+"="+c.name+"-proxy")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return err
	}
	for decoder := json.NewDecoder(out); ; {
		var slice discoveryv1.EndpointSlice
		if err := decoder.Decode(&slice); err != nil {
			_, _ = io.Copy(io.Discard, out)
			return errors.Join(err, cmd.Wait())
		}
		each(slice)
	}
}

// readyAddresses returns the addresses of the proxies that are ready and do not terminate. Proxies have other ports too.
func readyAddresses(slice discoveryv1.EndpointSlice) (all []string) {
	at := slices.IndexFunc(slice.Ports, func(port discoveryv1.EndpointPort) bool { return port.Name != nil && *port.Name == children.PortName })
	if at < 0 {
		return nil
	}
	for _, endpoint := range slice.Endpoints {
		if endpoint.Conditions.Ready == nil || *endpoint.Conditions.Ready {
			for _, address := range endpoint.Addresses {
				all = append(all, net.JoinHostPort(address, strconv.Itoa(int(*slice.Ports[at].Port))))
			}
		}
	}
	return all
}
