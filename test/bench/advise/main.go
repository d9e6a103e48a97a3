// Advise measures how well the command advise predicts hit ratios. It sends the same commands to real servers with half, once
// and twice the memory, records what the command reads from each server, and compares predictions with measurements.
//
//	go run ./test/bench/advise -memcached "$(test/servers/build-memcached)" -record webhook/advise/testdata
//	go run ./test/bench/advise webhook/advise/testdata/*
//
// The first command takes 40 minutes and a part of a CPU. The second one prints the table.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// options are the flags.
type options struct {
	program, dir, only    string
	memory                int
	warmup, steady, watch time.Duration
}

func main() {
	var o options
	flag.StringVar(&o.program, "memcached", "memcached", "`program` to run")
	flag.StringVar(&o.dir, "record", "", "`directory` for recordings; without it, the program compares the recordings that its arguments name")
	flag.StringVar(&o.only, "scenario", "", "`name` of the only scenario to record")
	flag.IntVar(&o.memory, "memory", 32, "`MiB` of the server in the middle; the others have half and twice as many")
	flag.DurationVar(&o.warmup, "warm-up", 5*time.Minute, "`duration` at three times the rate, to fill the servers")
	flag.DurationVar(&o.steady, "steady", 30*time.Minute, "`duration` before the interval that is measured")
	flag.DurationVar(&o.watch, "watch", 5*time.Minute, "`duration` of the interval that is measured")
	flag.Parse()
	run := o.record
	if o.dir == "" {
		run = func() error { return compare(os.Stdout, flag.Args()) }
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "advise:", err)
		os.Exit(1)
	}
}

// record records all scenarios at the same time.
func (o options) record() error {
	var all sync.WaitGroup
	errs := make([]error, len(scenarios))
	for i, s := range scenarios {
		if o.only != "" && o.only != s.name {
			continue
		}
		all.Go(func() {
			r, err := record(o, s)
			if err == nil {
				err = r.write(filepath.Join(o.dir, s.name+".json.gz"))
			}
			if err != nil {
				errs[i] = fmt.Errorf("%s: %w", s.name, err)
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}
