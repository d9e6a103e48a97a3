package main

import (
	"os"
	"strings"
	"testing"

	"github.com/example/memcached-operator/test/monitoring/lab"
)

// TestPictureShowsTheDashboard checks that the picture on the page has the titles of panels that the dashboard has.
func TestPictureShowsTheDashboard(t *testing.T) {
	t.Chdir("..")
	dashboard, err := lab.ReadDashboard()
	if err != nil {
		t.Fatal(err)
	}
	picture, err := os.ReadFile(lab.Component + "/dashboard.svg")
	if err != nil {
		t.Fatal(err)
	}
	for _, title := range titles {
		panel, err := dashboard.Panel(title)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, text := range []string{title, panel.Row} {
			if !strings.Contains(string(picture), ">"+text+"</text>") {
				t.Errorf("dashboard.svg does not show %q: run make picture", text)
			}
		}
	}
}
