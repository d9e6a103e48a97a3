// Package lab runs what the dashboard shows: two caches with clients, the operator, and the code of Prometheus, which scrapes them.
package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/prometheus/prometheus/promql"
)

const namespace = "shop"

// Lab is the running programs.
type Lab struct {
	servers  []*server
	operator *Operator
	database *database
	dir      string
	cancel   context.CancelFunc
}

// Start starts a cache web of three servers and one without items, a cache images of one server with flash, their clients, and the operator.
func Start(ctx context.Context, interval time.Duration) (_ *Lab, err error) {
	dir, err := os.MkdirTemp("", "lab")
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	l := &Lab{dir: dir, cancel: cancel}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.Stop())
		}
	}()
	for ordinal := range 3 {
		l.servers = append(l.servers, &server{cache: "web", pod: fmt.Sprintf("web-%d", ordinal), args: []string{"-m", "16"}})
	}
	flash := fmt.Sprintf("ext_page_size=2,ext_wbuf_size=2,ext_path=%s:64M,ext_threads=1,ext_item_size=512", filepath.Join(dir, "flash"))
	l.servers = append(l.servers, &server{cache: "images", pod: "images-0", args: []string{"-m", "16", "-o", flash}},
		&server{cache: "web", pod: "web-3", args: []string{"-m", "16"}})
	for _, server := range l.servers {
		if server.address, err = freeAddress(); err != nil {
			return nil, err
		}
		if err = server.start(ctx); err != nil {
			return nil, err
		}
		if err = server.export(ctx); err != nil {
			return nil, err
		}
	}
	if l.operator, err = StartOperator(ctx, dir); err != nil {
		return nil, err
	}
	targets, err := l.targets(ctx)
	if err != nil {
		return nil, err
	}
	if l.database, err = newDatabase(filepath.Join(dir, "prometheus"), interval, targets); err != nil {
		return nil, err
	}
	web, err := newClient(l.servers[:3])
	if err != nil {
		return nil, err
	}
	images, err := newClient(l.servers[3:4])
	if err != nil {
		return nil, err
	}
	go l.operator.sync(ctx, interval)
	go load{readsPerSecond: 1000, keys: 200_000, minBytes: 200, spreadBytes: 1600}.run(ctx, web)
	go load{readsPerSecond: 300, keys: 50_000, minBytes: 2000, spreadBytes: 8000}.run(ctx, images)
	return l, nil
}

// targets returns the addresses of the metrics, with the labels that the monitors of the component add.
func (l *Lab) targets(ctx context.Context) ([]target, error) {
	cluster, err := newCluster(l.servers)
	if err != nil {
		return nil, err
	}
	address, err := serve(ctx, cluster)
	if err != nil {
		return nil, err
	}
	targets := []target{
		{"cluster", address, nil},
		{"memcached-operator-metrics", l.operator.Ops, map[string]string{"namespace": "memcached-operator", "pod": "memcached-operator-7c6d5f8b9-q2w4e"}},
	}
	for _, server := range l.servers {
		targets = append(targets, target{"caches", server.exporter, map[string]string{"namespace": namespace, "memcached_cr": server.cache, "pod": server.pod}})
	}
	return targets, nil
}

// Instant returns the value of a query now.
func (l *Lab) Instant(ctx context.Context, query string) (promql.Vector, error) {
	return l.database.instant(ctx, query)
}

// Between returns the values of a query from start to end.
func (l *Lab) Between(ctx context.Context, query string, start, end time.Time, step time.Duration) ([]Series, error) {
	return l.database.between(ctx, query, start, end, step)
}

// Stop ends the programs and removes their files.
func (l *Lab) Stop() error {
	l.cancel()
	if l.operator != nil {
		l.operator.Stop()
	}
	for _, server := range l.servers {
		if server.process != nil {
			server.stop()
		}
	}
	var err error
	if l.database != nil {
		err = l.database.close()
	}
	return errors.Join(err, os.RemoveAll(l.dir))
}
