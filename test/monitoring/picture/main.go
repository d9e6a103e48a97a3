// Command picture draws panels of the dashboard from a run of the lab, for the page about monitoring. One server is killed on the way.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"

	"github.com/example/memcached-operator/test/monitoring/lab"
)

// titles are the panels of the picture, those whose metrics come from the programs of the lab.
var titles = []string{
	"Hit ratio", "Commands",
	"Hit ratio by server", "Item memory by server",
	"Flash used", "Flash reads and writes",
	"Requests", "Memory",
}

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
	duration := flag.Duration("duration", 5*time.Minute, "how long the lab runs")
	output := flag.String("output", lab.Component+"/dashboard.svg", "the file to write")
	flag.Parse()
	klog.SetLogger(logr.Discard())
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *duration, *output); err != nil {
		fmt.Fprintln(os.Stderr, "picture:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, duration time.Duration, output string) (err error) {
	dashboard, err := lab.ReadDashboard()
	if err != nil {
		return err
	}
	const interval = 2 * time.Second
	running, err := lab.Start(ctx, interval)
	if err != nil {
		return err
	}
	defer func() {
		if stopped := running.Stop(); err == nil {
			err = stopped
		}
	}()
	start := time.Now().Truncate(interval)
	if err := wait(ctx, duration*6/10); err != nil {
		return err
	}
	if err := running.Restart(ctx, "web-1"); err != nil {
		return err
	}
	if err := wait(ctx, duration*4/10); err != nil {
		return err
	}
	graphs, err := query(ctx, running, dashboard, start, start.Add(duration), interval)
	if err != nil {
		return err
	}
	picture, err := draw(graphs, duration)
	if err != nil {
		return err
	}
	return os.WriteFile(output, picture, 0o644)
}

// query runs the queries of the panels as Grafana does.
func query(ctx context.Context, running *lab.Lab, dashboard lab.Dashboard, start, end time.Time, interval time.Duration) ([]graph, error) {
	var graphs []graph
	for _, title := range titles {
		panel, err := dashboard.Panel(title)
		if err != nil {
			return nil, err
		}
		drawn := graph{panel: panel}
		for _, target := range panel.Targets {
			found, err := running.Between(ctx, target.Query(".+", ".+", 10*interval), start, end, interval)
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
