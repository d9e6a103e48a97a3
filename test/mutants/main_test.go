package main

import "testing"

// TestMutants checks that each mutant replaces a text that its file has once, so that a change of the code changes the list.
func TestMutants(t *testing.T) {
	t.Parallel()
	for _, m := range mutants {
		if _, err := m.apply("../.."); err != nil {
			t.Error(err)
		}
	}
}
