package command

import (
	"fmt"
	"strconv"
	"strings"
)

// ordinalPlaceholder in an address is replaced by the ordinal of a pod of a StatefulSet: the pods of a Job differ only in their index.
const ordinalPlaceholder = "{ordinal}"

// ofOrdinal returns an address with the ordinal at an index of a list.
func ofOrdinal(address string, ordinals []int, index int) (string, error) {
	switch {
	case !strings.Contains(address, ordinalPlaceholder):
		return address, nil
	case index < 0 || index >= len(ordinals):
		return "", fmt.Errorf("--index %d must be less than the number of --ordinals, %d, and not negative", index, len(ordinals))
	}
	return strings.ReplaceAll(address, ordinalPlaceholder, strconv.Itoa(ordinals[index])), nil
}
