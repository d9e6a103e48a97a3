package lab

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/prometheus/prometheus/model/labels"
)

// Component is the directory of alerts, dashboard and monitors, relative to the directory of this module.
const Component = "../../manifests/components/monitoring"

// Dashboard is what this module reads of a dashboard of Grafana.
type Dashboard struct {
	UID    string  `json:"uid"`
	Links  []Link  `json:"links"`
	Panels []Panel `json:"panels"`
	// Annotations are the marks in all panels.
	Annotations struct {
		List []Target `json:"list"`
	} `json:"annotations"`
}

// Link is a link of the dashboard.
type Link struct {
	Title string `json:"title"`
	URL   string `json:"url"`
}

// Panel is a panel or, with the type row, the heading of the panels after it.
type Panel struct {
	ID          int    `json:"id"`
	Type        string `json:"type"`
	Title       string `json:"title"`
	Description string `json:"description"`
	FieldConfig struct {
		Defaults struct {
			Unit string   `json:"unit"`
			Max  *float64 `json:"max"`
		} `json:"defaults"`
	} `json:"fieldConfig"`
	Targets []Target `json:"targets"`
	// Row is the title of the row that the panel is in.
	Row string `json:"-"`
}

// Target is a query of a panel.
type Target struct {
	RefID        string            `json:"refId"`
	Expr         string            `json:"expr"`
	LegendFormat string            `json:"legendFormat"`
	Datasource   map[string]string `json:"datasource"`
}

// ReadDashboard reads dashboard.json.
func ReadDashboard() (Dashboard, error) {
	content, err := os.ReadFile(filepath.Join(Component, "dashboard.json"))
	if err != nil {
		return Dashboard{}, err
	}
	var read Dashboard
	if err := json.Unmarshal(content, &read); err != nil {
		return Dashboard{}, fmt.Errorf("decoding dashboard.json: %w", err)
	}
	if read.UID == "" || len(read.Panels) == 0 {
		return Dashboard{}, errors.New("dashboard.json has no UID or no panels")
	}
	row := ""
	for i := range read.Panels {
		if read.Panels[i].Type == "row" {
			row = read.Panels[i].Title
		}
		read.Panels[i].Row = row
	}
	return read, nil
}

// Panel returns the panel with a title.
func (d Dashboard) Panel(title string) (Panel, error) {
	for _, panel := range d.Panels {
		if panel.Title == title && panel.Type != "row" {
			return panel, nil
		}
	}
	return Panel{}, fmt.Errorf("dashboard.json has no panel %q", title)
}

// Query returns the query as Grafana sends it for a selection of namespaces and caches, which are regular expressions.
func (t Target) Query(namespace, cache string, rateInterval time.Duration) string {
	return strings.NewReplacer("$__rate_interval", rateInterval.String(), "$namespace", namespace, "$cache", cache).Replace(t.Expr)
}

var legendLabel = regexp.MustCompile(`{{(\w+)}}`)

// Legend returns the name of a line as Grafana shows it.
func (t Target) Legend(set labels.Labels) string {
	return legendLabel.ReplaceAllStringFunc(t.LegendFormat, func(label string) string { return set.Get(strings.Trim(label, "{}")) })
}
