package main

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	discoveryv1 "k8s.io/api/discovery/v1"

	"github.com/example/memcached-operator/test/internal/paired"
	"github.com/example/memcached-operator/webhook/memcached/children"
)

// connect sets the addresses of both caches.
func (o options) connect(ctx context.Context, l *paired.Load, secured *tls.Config) error {
	addresses := [paired.Caches]string{o.address, o.controlAddress}
	for cache, name := range [paired.Caches]string{o.memcached, o.control} {
		c := &cluster{namespace: o.namespace, name: name}
		l.To[cache].TLS = secured
		var err error
		switch {
		case addresses[cache] != "":
			l.To[cache].Set(strings.Split(addresses[cache], ",")...)
		case cache == paired.Control && o.controlDirect:
			err = c.watchServers(ctx, l.To[cache])
		default:
			err = c.watchProxies(ctx, l.To[cache])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// watchProxies keeps the endpoints up to date. It returns when it knows some.
func (c *cluster) watchProxies(ctx context.Context, endpoints *paired.Endpoints) error {
	byName := map[string][]string{}
	return c.keepWatching(ctx, c.name+"-proxy", func(slice discoveryv1.EndpointSlice) bool {
		byName[slice.Name] = readyAddresses(slice)
		var all []string
		for _, each := range byName {
			all = append(all, each...)
		}
		if len(all) > 0 { // otherwise, clients try the last ones
			endpoints.Set(all...)
		}
		return len(all) > 0
	})
}

// watchServers keeps the addresses of the pods of a StatefulSet up to date. It returns when it knows all.
func (c *cluster) watchServers(ctx context.Context, endpoints *paired.Endpoints) error {
	var set appsv1.StatefulSet
	if err := c.get(ctx, &set, "statefulset", c.name); err != nil {
		return err
	}
	for range *set.Spec.Replicas {
		endpoints.Servers = append(endpoints.Servers, &paired.Endpoints{})
	}
	return c.keepWatching(ctx, c.name, func(slice discoveryv1.EndpointSlice) bool {
		known := 0
		for ordinal, server := range endpoints.Servers {
			addresses := addressesOf(slice, fmt.Sprintf("%s-%d", c.name, ordinal))
			server.Set(addresses...)
			known += len(addresses)
		}
		return known == len(endpoints.Servers)
	})
}

// addressesOf returns the addresses of one pod, if it is ready.
func addressesOf(slice discoveryv1.EndpointSlice, pod string) []string {
	slice.Endpoints = slices.DeleteFunc(slices.Clone(slice.Endpoints), func(e discoveryv1.Endpoint) bool {
		return e.TargetRef == nil || e.TargetRef.Name != pod
	})
	return readyAddresses(slice)
}

// keepWatching calls a function with each change of the endpoints of a Service. It returns when the function has returned true.
func (c *cluster) keepWatching(ctx context.Context, service string, each func(discoveryv1.EndpointSlice) bool) error {
	known := make(chan struct{}, 1)
	go func() {
		for ctx.Err() == nil { // the API server ends a watch after some time
			_ = c.watch(ctx, service, func(slice discoveryv1.EndpointSlice) {
				if each(slice) {
					select {
					case known <- struct{}{}:
					default:
					}
				}
			})
			_ = wait(ctx, time.Second)
		}
	}()
	select {
	case <-known:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("the Service %s has no ready endpoint: %w", service, ctx.Err())
	}
}

func (c *cluster) watch(ctx context.Context, service string, each func(discoveryv1.EndpointSlice)) error {
	cmd := exec.CommandContext(ctx, "kubectl", "--namespace", c.namespace, "get", "endpointslices", "--watch", "--output", "json",
		"--selector", discoveryv1.LabelServiceName+"="+service)
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
