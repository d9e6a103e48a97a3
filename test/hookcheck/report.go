package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"unicode"

	"sigs.k8s.io/yaml"

	"github.com/example/memcached-operator/test/hookcheck/check"
	"github.com/example/memcached-operator/webhook/text"
)

// report is what hookcheck has checked and found.
type report struct {
	Requests int
	Checks   []check.Check
	Findings []check.Finding
	// responses are YAML documents, each after a comment with the sample.
	responses bytes.Buffer
	// record is a directory for requests; "" for none.
	record    string
	recordErr error
}

// keep adds a response, and records the request.
func (r *report) keep(c check.Case, response check.Response) {
	shown := fmt.Sprintf("# %d %s\n", response.Code, response.Body)
	if body, err := yaml.JSONToYAML(response.Body); err == nil && response.Code == http.StatusOK {
		shown = string(body)
	}
	title := c.Name
	if c.Phase != "" {
		title += ", with children that are " + c.Phase
	} else if c.Hook == "sync" && len(check.ObservedNames(c.Request)) > 0 {
		title += ", with children"
	}
	fmt.Fprintf(&r.responses, "# %s of %s\n%s---\n", c.Hook, title, text.Lines(shown))
	if r.record != "" && r.recordErr == nil {
		r.recordErr = write(filepath.Join(r.record, c.Hook, slug(title), "request.json"), c.Request)
	}
}

// slug returns a title as the name of a directory.
func slug(title string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(title), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), "-")
}

func write(file string, request map[string]any) error {
	body, err := json.MarshalIndent(request, "", "  ")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(file), 0o755)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(body, '\n'), 0o644)
}

func writeResponses(w io.Writer, r *report) error {
	_, err := r.responses.WriteTo(w)
	return err
}

var formats = map[string]func(io.Writer, *report) error{"table": writeTable, "json": writeJSON, "junit": writeJUnit, "responses": writeResponses}

func writeTable(w io.Writer, r *report) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	explained := map[string]string{}
	for _, f := range r.Findings {
		if len(explained) == 0 {
			fmt.Fprintln(table, "CHECK\tPARENT OR FILE\tFINDING")
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", f.Check, f.Case, f.Message)
		explained[f.Check] = ""
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "%d checks of %d requests: %d findings\n", len(r.Checks), r.Requests, len(r.Findings))
	for _, c := range r.Checks {
		if _, found := explained[c.ID]; found {
			fmt.Fprintf(w, "\n%s: %s.\n%s\n", c.ID, c.Looks, c.Why)
		}
	}
	return nil
}

func writeJSON(w io.Writer, r *report) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(map[string]any{"requests": r.Requests, "checks": len(r.Checks), "findings": append([]check.Finding{}, r.Findings...)})
}

type testSuite struct {
	XMLName  xml.Name   `xml:"testsuite"`
	Name     string     `xml:"name,attr"`
	Tests    int        `xml:"tests,attr"`
	Failures int        `xml:"failures,attr"`
	Cases    []testCase `xml:"testcase"`
}

type testCase struct {
	ClassName string    `xml:"classname,attr"`
	Name      string    `xml:"name,attr"`
	Failures  []failure `xml:"failure"`
}

type failure struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// writeJUnit writes a test case for each check.
func writeJUnit(w io.Writer, r *report) error {
	suite := testSuite{Name: "hookcheck", Tests: len(r.Checks)}
	for _, c := range r.Checks {
		test := testCase{ClassName: "hookcheck", Name: c.ID}
		for _, f := range r.Findings {
			if f.Check == c.ID {
				test.Failures = append(test.Failures, failure{f.Case + ": " + f.Message, c.Why})
			}
		}
		if len(test.Failures) > 0 {
			suite.Failures++
		}
		suite.Cases = append(suite.Cases, test)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", "  ")
	if err := encoder.Encode(suite); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
