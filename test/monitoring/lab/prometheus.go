package lab

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/config"
	"github.com/prometheus/prometheus/discovery/targetgroup"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/scrape"
	"github.com/prometheus/prometheus/tsdb"
)

// target is an address with metrics, and the labels that the monitors of the component add.
type target struct {
	job, address string
	labels       map[string]string
}

// database is the scraper, the storage and the query engine of Prometheus.
type database struct {
	storage *tsdb.DB
	manager *scrape.Manager
	engine  *promql.Engine
	sets    chan map[string][]*targetgroup.Group
}

// newDatabase starts to scrape the targets. Labels of kube-state-metrics replace those of its target, as in kube-prometheus.
func newDatabase(dir string, interval time.Duration, targets []target) (*database, error) {
	quiet := slog.New(slog.DiscardHandler)
	storage, err := tsdb.Open(dir, quiet, nil, tsdb.DefaultOptions(), nil)
	if err != nil {
		return nil, fmt.Errorf("opening the storage: %w", err)
	}
	manager, err := scrape.NewManager(&scrape.Options{DiscoveryReloadOnStartup: true}, quiet, nil, storage, nil, prometheus.NewRegistry())
	if err != nil {
		return nil, fmt.Errorf("creating the scraper: %w", err)
	}
	var text strings.Builder
	fmt.Fprintf(&text, "global: {scrape_interval: %s, scrape_timeout: %s}\nscrape_configs:\n", model.Duration(interval), model.Duration(interval))
	for _, job := range []string{"cluster", "memcached-operator-metrics", "caches"} {
		fmt.Fprintf(&text, "- {job_name: %s, honor_labels: true}\n", job)
	}
	parsed, err := config.Load(text.String(), quiet)
	if err != nil {
		return nil, fmt.Errorf("configuring the scraper: %w", err)
	}
	if err := manager.ApplyConfig(parsed); err != nil {
		return nil, err
	}
	sets := make(chan map[string][]*targetgroup.Group, 1)
	go func() { _ = manager.Run(sets) }()
	engine := promql.NewEngine(promql.EngineOpts{MaxSamples: 10e6, Timeout: time.Minute, Parser: parser.NewParser(parser.Options{})})
	d := &database{storage: storage, manager: manager, engine: engine, sets: sets}
	d.setTargets(targets)
	return d, nil
}

// setTargets replaces the targets.
func (d *database) setTargets(targets []target) {
	groups := map[string][]*targetgroup.Group{}
	for _, target := range targets {
		set := model.LabelSet{}
		for name, value := range target.labels {
			set[model.LabelName(name)] = model.LabelValue(value)
		}
		groups[target.job] = append(groups[target.job], &targetgroup.Group{
			Source: target.address, Labels: set, Targets: []model.LabelSet{{model.AddressLabel: model.LabelValue(target.address)}},
		})
	}
	d.sets <- groups
}

// instant returns the value of a query now.
func (d *database) instant(ctx context.Context, query string) (promql.Vector, error) {
	prepared, err := d.engine.NewInstantQuery(ctx, d.storage, nil, query, time.Now())
	if err != nil {
		return nil, err
	}
	defer prepared.Close()
	result, err := prepared.Exec(ctx).Vector()
	return append(promql.Vector(nil), result...), err // Close reuses the slice
}

// Series is a line of a graph.
type Series struct {
	Labels labels.Labels
	// Values has a value for each step, NaN without a sample.
	Values []float64
}

// between returns the values of a query from start to end.
func (d *database) between(ctx context.Context, query string, start, end time.Time, step time.Duration) ([]Series, error) {
	prepared, err := d.engine.NewRangeQuery(ctx, d.storage, nil, query, start, end, step)
	if err != nil {
		return nil, err
	}
	defer prepared.Close()
	matrix, err := prepared.Exec(ctx).Matrix()
	if err != nil {
		return nil, err
	}
	var all []Series
	for _, line := range matrix {
		values := slices.Repeat([]float64{math.NaN()}, int(end.Sub(start)/step)+1)
		for _, point := range line.Floats {
			values[(point.T-start.UnixMilli())/step.Milliseconds()] = point.F
		}
		all = append(all, Series{Labels: line.Metric, Values: values})
	}
	return all, nil
}

func (d *database) close() error {
	d.manager.Stop()
	return d.storage.Close()
}
