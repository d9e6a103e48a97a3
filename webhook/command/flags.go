package command

import (
	"errors"
	"slices"
	"strings"
)

// choice is the value of a flag that accepts only some names.
type choice struct {
	value *string
	names []string
}

func newChoice(value *string, initial string, names ...string) *choice {
	*value = initial
	return &choice{value, names}
}

func (c *choice) String() string { return *c.value }

// Type is what the help shows after the name of the flag.
func (c *choice) Type() string { return strings.Join(c.names, "|") }

func (c *choice) Set(name string) error {
	if !slices.Contains(c.names, name) {
		return errors.New("use " + strings.Join(c.names, " or "))
	}
	*c.value = name
	return nil
}
