// Hookcheck checks whether a hook of Metacontroller is safe to give a cluster to. README.md says how.
package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"time"

	flag "github.com/spf13/pflag"

	"github.com/example/memcached-operator/test/hookcheck/check"
	"github.com/example/memcached-operator/webhook/text"
)

const (
	passed = iota
	foundProblems
	notChecked
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// options are the flags and the argument.
type options struct {
	controller, name, samples, requests, crds string
	output, record                            string
	endpoint                                  check.Endpoint
	pid                                       int
	cluster                                   bool
}

// run checks the hook that the arguments name, and returns the exit code.
func run(args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return passed
	}
	var found *report
	if err == nil {
		found, err = o.check(stderr)
	}
	if err == nil {
		err = formats[o.output](stdout, found)
	}
	if err != nil {
		fmt.Fprintln(stderr, "hookcheck:", text.Lines(err.Error()))
		return notChecked
	}
	if len(found.Findings) > 0 {
		return foundProblems
	}
	return passed
}

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("hookcheck", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.controller, "controller", "", "`file` with the CompositeController")
	flags.StringVar(&o.name, "name", "", "`name` of the CompositeController, if the file has several")
	flags.StringToStringVar(&o.endpoint.Others, "hook", nil, "`URL` of a hook at another address, for example finalize=http://127.0.0.1:8081")
	flags.StringVar(&o.samples, "samples", "", "`file or directory` with parents and related objects in YAML")
	flags.StringVar(&o.requests, "requests", "", "`file or directory` with requests that Metacontroller sent, in JSON")
	flags.StringVar(&o.crds, "crds", "", "`file or directory` with the CRDs of parents and custom children")
	flags.StringVarP(&o.output, "output", "o", "table", "`format` of the output: findings as table, json or junit, or the responses to the samples")
	flags.StringVar(&o.record, "record", "", "`directory` for the requests about the samples")
	flags.StringVar(&o.endpoint.TokenFile, "token-file", "", "`file` with the bearer token")
	flags.StringVar(&o.endpoint.CA, "ca", "", "`file` with the CA of the hook")
	flags.StringVar(&o.endpoint.Cert, "cert", "", "`file` with the client certificate")
	flags.StringVar(&o.endpoint.Key, "key", "", "`file` with the key of the client certificate")
	flags.BoolVar(&o.cluster, "cluster", false, "also run the samples with Metacontroller in a local control plane, which takes minutes")
	flags.IntVar(&o.pid, "pid", 0, "process `ID` of the hook, to measure its memory on Linux")
	flags.Usage = func() {
		fmt.Fprintf(stderr, "Usage: hookcheck --controller FILE --samples DIR [flags] URL\n\nURL is the URL of the hook without its path.\n\n%s", flags.FlagUsages())
	}
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	switch {
	case flags.NArg() != 1:
		return o, fmt.Errorf("hookcheck requires exactly one argument, the URL of the hook, not %d arguments", flags.NArg())
	case o.controller == "":
		return o, errors.New("--controller is required: set the file with the CompositeController")
	case o.samples == "" && o.requests == "":
		return o, errors.New("--samples or --requests is required")
	case formats[o.output] == nil:
		return o, fmt.Errorf("--output must be table, json, junit or responses, not %q", o.output)
	}
	o.endpoint.URL = flags.Arg(0)
	return o, nil
}

// check runs all checks.
func (o options) check(progress io.Writer) (*report, error) {
	controller, err := o.readController()
	if err != nil {
		return nil, err
	}
	definitions, crds, err := o.readCRDs()
	if err != nil {
		return nil, err
	}
	samples, err := o.readSamples()
	if err != nil {
		return nil, err
	}
	call, err := o.endpoint.Connect(controller)
	if err != nil {
		return nil, err
	}
	r := &report{Checks: check.Checks, record: o.record}
	s := check.Subject{CRDs: crds, Responses: r.keep, Call: call, Wait: func() { time.Sleep(1100 * time.Millisecond) }}
	if o.pid != 0 {
		s.Peak = func() int64 { return peakOf(o.pid) }
	}
	cases, err := o.cases(&s, controller, samples)
	if err != nil {
		return nil, err
	}
	if len(cases) == 0 {
		return nil, fmt.Errorf("no request and no parent of the CompositeController in %s", cmp.Or(o.samples, o.requests))
	}
	r.Requests = len(cases)
	if o.cluster { // first, because a broken request may end the hook
		more, err := inCluster(check.ClusterRequest{Endpoint: o.endpoint, Controller: controller, CRDs: definitions, Samples: samples}, progress)
		if err != nil {
			return nil, err
		}
		r.Checks, r.Findings = slices.Concat(r.Checks, more.Checks), more.Findings
	}
	r.Findings = append(s.Run(check.Checks, cases), r.Findings...)
	for i := range r.Findings {
		found := &r.Findings[i]
		found.Case, found.Message = text.Lines(found.Case), text.Lines(found.Message)
	}
	return r, r.recordErr
}

var peakPattern = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// peakOf returns the peak of the memory of a process in bytes; 0 if it is unknown.
func peakOf(pid int) int64 {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if found := peakPattern.FindSubmatch(status); found != nil {
		kilobytes, _ := strconv.ParseInt(string(found[1]), 10, 64)
		return kilobytes << 10
	}
	return 0
}
