// Hookcheck checks whether a hook of Metacontroller is safe to give a cluster to. README.md says how.
package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	flag "github.com/spf13/pflag"

	"github.com/example/memcached-operator/test/hookcheck/check"
)

const (
	passed = iota
	foundProblems
	notChecked
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// options are the flags and the argument.
type options struct {
	controller, samples, requests, crds string
	output                              string
	token, ca, cert, key                string
	pid                                 int
	url                                 string
}

// run checks the hook that the arguments name, and returns the exit code.
func run(args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return passed
	}
	var findings []check.Finding
	var cases []check.Case
	if err == nil {
		cases, findings, err = o.check()
	}
	if err == nil {
		err = report(stdout, o.output, cases, findings)
	}
	if err != nil {
		fmt.Fprintln(stderr, "hookcheck:", err)
		return notChecked
	}
	if len(findings) > 0 {
		return foundProblems
	}
	return passed
}

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("hookcheck", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.controller, "controller", "", "`file` with the CompositeController")
	flags.StringVar(&o.samples, "samples", "", "`file or directory` with parents and related objects in YAML")
	flags.StringVar(&o.requests, "requests", "", "`file or directory` with requests that Metacontroller sent, in JSON")
	flags.StringVar(&o.crds, "crds", "", "`file or directory` with the CRDs of parents and custom children")
	flags.StringVarP(&o.output, "output", "o", "table", "`format` of the findings: table, json or junit")
	flags.StringVar(&o.token, "token-file", "", "`file` with the bearer token")
	flags.StringVar(&o.ca, "ca", "", "`file` with the CA of the hook")
	flags.StringVar(&o.cert, "cert", "", "`file` with the client certificate")
	flags.StringVar(&o.key, "key", "", "`file` with the key of the client certificate")
	flags.IntVar(&o.pid, "pid", 0, "process `ID` of the hook, to measure its memory on Linux")
	flags.Usage = func() {
		fmt.Fprintf(stderr, "Usage: hookcheck --controller FILE --samples DIR [flags] URL\n\nURL is that of the hook without its path.\n\n%s", flags.FlagUsages())
	}
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	switch {
	case flags.NArg() != 1:
		return o, fmt.Errorf("%d arguments, not one URL", flags.NArg())
	case o.controller == "":
		return o, errors.New("--controller is missing")
	case o.samples == "" && o.requests == "":
		return o, errors.New("both --samples and --requests are missing")
	case formats[o.output] == nil:
		return o, fmt.Errorf("--output is %q, not table, json or junit", o.output)
	}
	o.url = flags.Arg(0)
	return o, nil
}

// check returns the requests and the findings.
func (o options) check() ([]check.Case, []check.Finding, error) {
	controller, err := o.readController()
	if err != nil {
		return nil, nil, err
	}
	crds, err := o.readCRDs()
	if err != nil {
		return nil, nil, err
	}
	hook, err := o.connect(controller)
	if err != nil {
		return nil, nil, err
	}
	s := check.Subject{CRDs: crds, Call: hook.call, Wait: func() { time.Sleep(1100 * time.Millisecond) }}
	if o.pid != 0 {
		s.Peak = func() int64 { return peakOf(o.pid) }
	}
	cases, err := o.cases(&s, controller)
	if err != nil {
		return nil, nil, err
	}
	if len(cases) == 0 {
		return nil, nil, fmt.Errorf("no request and no parent of the CompositeController in %s", cmp.Or(o.samples, o.requests))
	}
	return cases, s.Run(check.Checks, cases), nil
}

// reachable returns an error if nothing listens at the address.
func reachable(address string) error {
	connection, err := net.DialTimeout("tcp", address, 5*time.Second)
	if err != nil {
		return fmt.Errorf("the hook is not running: %w", err)
	}
	return connection.Close()
}
