// Advise measures how well the command advise predicts hit ratios. It sends the same commands to real servers with half, once
// and twice the memory, records what the command reads from each server, and compares predictions with measurements.
//
//	go run ./test/bench/advise -memcached "$(test/servers/build-memcached)" -half check -record test/bench/advise/testdata/check
//	go run ./test/bench/advise test/bench/advise/testdata/check/*
//
// The first command takes 22 minutes and a part of a CPU. The second one prints the table.
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
	program, dir, half, keys string
	memory                   int
	sample                   uint64
	warmup, steady, watch    time.Duration
}

func main() {
	var o options
	flag.StringVar(&o.program, "memcached", "memcached", "`program` to run")
	flag.StringVar(&o.dir, "record", "", "`directory` for recordings; without it, the program compares the recordings that its arguments name")
	flag.StringVar(&o.half, "half", "check", "`half` of the scenarios to record: fit or check")
	flag.StringVar(&o.keys, "keys", "", "`file` with a key in each line, to record instead of scenarios")
	flag.Uint64Var(&o.sample, "sample", 24, "`number` of keys of which one is recorded")
	flag.IntVar(&o.memory, "memory", 16, "`MiB` of the server in the middle; the others have half and twice as many")
	flag.DurationVar(&o.warmup, "warm-up", 4*time.Minute, "`duration` at three times the rate, to fill the servers")
	flag.DurationVar(&o.steady, "steady", 12*time.Minute, "`duration` before the interval that is measured")
	flag.DurationVar(&o.watch, "watch", 6*time.Minute, "`duration` of the interval that is measured")
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

// record records the scenarios of a half at the same time.
func (o options) record() error {
	var all sync.WaitGroup
	recorded := scenarios[o.half]
	if o.keys != "" {
		s, err := fromFile(o.keys)
		if err != nil {
			return err
		}
		recorded = []scenario{s}
	}
	errs := make([]error, len(recorded))
	for i, s := range recorded {
		all.Go(func() {
			r, err := record(o, s.withDefaults())
			if err == nil {
				err = r.write(filepath.Join(o.dir, s.name+".gob.gz"), o.sample)
			}
			if err != nil {
				errs[i] = fmt.Errorf("%s: %w", s.name, err)
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}
