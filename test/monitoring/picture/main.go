// Command picture draws panels of the dashboard, for the page about monitoring, while a cache of a cluster changes.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"os/signal"
	"slices"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"

	"github.com/example/memcached-operator/test/monitoring/lab"
)

// titles are the panels of the picture.
var titles = []string{"Client hit ratio", "Item memory by server", "Reads by server"}

// interval is that of the samples, and window that of ratios and rates.
const interval, window = 2 * time.Second, 20 * time.Second

// graph is a panel with its lines.
type graph struct {
	panel lab.Panel
	lines []line
}

type line struct {
	name   string
	values []float64
}

func main() {
	duration := flag.Duration("duration", 5*time.Minute, "the `duration` of the picture")
	namespace := flag.String("namespace", "default", "`namespace` of the caches, which have spec.metrics.enabled")
	operator := flag.String("operator", "127.0.0.1:8081", "`host:port` of the operator's metrics, such as that of kubectl port-forward")
	output := flag.String("output", lab.Component+"/dashboard.svg", "the `file` to write")
	flag.Parse()
	klog.SetLogger(logr.Discard())
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *duration, *namespace, *operator, *output); err != nil {
		fmt.Fprintln(os.Stderr, "picture:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, duration time.Duration, namespace, operator, output string) (err error) {
	dashboard, err := lab.ReadDashboard()
	if err != nil {
		return err
	}
	running, err := lab.Existing(ctx, namespace, operator, interval)
	if err != nil {
		return err
	}
	defer func() {
		if stopped := running.Stop(); err == nil {
			err = stopped
		}
	}()
	start := time.Now().Truncate(interval)
	if err := wait(ctx, duration); err != nil {
		return err
	}
	graphs, err := query(ctx, running, dashboard, start, start.Add(duration))
	if err != nil {
		return err
	}
	marks, err := phases(ctx, running, dashboard, start, start.Add(duration))
	if err != nil {
		return err
	}
	return os.WriteFile(output, draw(graphs, marks, duration), 0o644)
}

// mark is where the dashboard marks the begin of a phase. Each phase has a number.
type mark struct {
	at     time.Duration
	phase  string
	number int
}

// phases returns the marks in the order of time.
func phases(ctx context.Context, running *lab.Lab, dashboard lab.Dashboard, start, end time.Time) (marks []mark, err error) {
	for _, each := range dashboard.Annotations.List {
		found, err := running.Between(ctx, each.Query(".+", ".+", window), start, end, interval)
		if err != nil {
			return nil, fmt.Errorf("querying the marks: %w", err)
		}
		for _, series := range found {
			before := math.NaN()
			for i, value := range series.Values {
				if math.IsNaN(before) && !math.IsNaN(value) {
					marks = append(marks, mark{at: time.Duration(i) * interval, phase: series.Labels.Get("phase")})
				}
				before = value
			}
		}
	}
	slices.SortStableFunc(marks, func(a, b mark) int { return cmp.Compare(a.at, b.at) })
	numbers := map[string]int{}
	for i, mark := range marks {
		if numbers[mark.phase] == 0 {
			numbers[mark.phase] = len(numbers) + 1
		}
		marks[i].number = numbers[mark.phase]
	}
	return marks, nil
}

// query runs the queries of the panels as Grafana does.
func query(ctx context.Context, running *lab.Lab, dashboard lab.Dashboard, start, end time.Time) ([]graph, error) {
	var graphs []graph
	for _, title := range titles {
		panel, err := dashboard.Panel(title)
		if err != nil {
			return nil, err
		}
		drawn := graph{panel: panel}
		for _, target := range panel.Targets {
			found, err := running.Between(ctx, target.Query(".+", ".+", window), start, end, interval)
			if err != nil {
				return nil, fmt.Errorf("querying %s: %w", title, err)
			}
			for _, series := range found {
				drawn.lines = append(drawn.lines, line{target.Legend(series.Labels), series.Values})
			}
		}
		if len(drawn.lines) == 0 {
			return nil, fmt.Errorf("%s has no data", title)
		}
		graphs = append(graphs, drawn)
	}
	return graphs, nil
}

func wait(ctx context.Context, duration time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(duration):
		return nil
	}
}
